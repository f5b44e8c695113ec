"""OpenHands and mini-swe-agent: what their calls did."""

import pytest

from statetape.agents import actions
from statetape.agents.numbered import numbered
from statetape.agents.recognised import agent_of, folder_of
from statetape.types import Action, Call, Edit, Other, Read, Result, Run, Search, Slot

VIEW = "Here's the result of running `cat -n` on /w/a.py:\n     1\tx = 1\n     2\ty = 2\n"
LISTING = (
    "Here's the files and directories up to 2 levels deep in /w, excluding hidden items:\n/w/a"
)
FAILED = "[An error occurred during execution.]\nInvalid `path` parameter"


def did(tool: str, given: dict[str, object], text: str = "", agent: str = "openhands") -> object:
    call = Call(Slot("1", "input"), tool, given)
    return actions(agent, call, Result(Slot("1", "result"), text), "", "/w")


@pytest.mark.parametrize(
    ("given", "text", "kind", "done"),
    [
        ({"command": "view"}, VIEW, "read", (Read("a.py"),)),
        ({"command": "view", "view_range": [3, 9]}, VIEW, "read", (Read("a.py", 3, 9),)),
        ({"command": "view", "view_range": [3, -1]}, VIEW, "read", (Read("a.py", 3, None),)),
        ({"command": "view"}, LISTING, "read", (Run("view a.py", "query"),)),
        ({"command": "view"}, FAILED, "read", ()),
        (
            {"command": "create", "file_text": "x"},
            "File created",
            "edit",
            (Edit("a.py", content="x"),),
        ),
        (
            {"command": "str_replace", "old_str": "a", "new_str": "b"},
            "edited",
            "edit",
            (Edit("a.py", old="a", new="b"),),
        ),
        (
            {"command": "str_replace", "old_str": "a"},
            "edited",
            "edit",
            (Edit("a.py", old="a", new=""),),
        ),
        ({"command": "str_replace", "old_str": "a"}, FAILED, "edit_failed", ()),
        (
            {"command": "insert", "insert_line": 2, "new_str": "b"},
            "ok",
            "edit",
            (Edit("a.py", new="b"),),
        ),
        ({"command": "undo_edit"}, "Last edit", "edit", (Edit("a.py"),)),
    ],
)
def test_the_editor(
    given: dict[str, object], text: str, kind: str, done: tuple[Action, ...]
) -> None:
    assert did("file_editor", {"path": "/w/a.py", **given}, text) == (kind, done, "")
    assert did("str_replace_editor", {"path": "/w/a.py", **given}, text) == (kind, done, "")


def test_the_terminal_remembers_where_it_is() -> None:
    assert did("terminal", {"command": "cd lib && cat a.py"}) == ("run", (Read("lib/a.py"),), "lib")
    assert did("terminal", {"command": "y", "is_input": "true"}) == (
        "run",
        (Run("y", "unknown"),),
        "",
    )
    assert did("think", {"thought": "x"}) == ("other", (Other("think"),), "")


def test_what_the_terminal_says_is_no_line_of_a_file() -> None:
    text = (
        "x = 1\ny = 2\n[The command completed with exit code 3.]\n"
        "[Current working directory: /w]\n[Python interpreter: /bin/python]\n"
        "[Command finished with exit code 3]"
    )
    shown = numbered(text)
    assert [row.line for row in shown.rows] == ["x = 1", "y = 2"]
    assert shown.code == 3
    edited = (
        "The file a has been edited. Here's the result of running `cat -n` on a snippet of a:\n"
        "     4\tx = 1\n     5\ty = 2\nReview the changes and make sure they are as expected."
    )
    assert [(row.number, row.line) for row in numbered(edited).rows] == [(4, "x = 1"), (5, "y = 2")]


def test_minis_commands_start_at_the_root() -> None:
    mini = "mini-swe-agent"
    assert did("bash", {"command": "cd lib && cat a.py"}, agent=mini) == (
        "read",
        (Read("lib/a.py"),),
        "",
    )
    kind, done, _ = actions(
        "mini-swe-agent",
        Call(Slot("1", "input"), "bash", {"command": "grep -rn x lib"}),
        None,
        "",
        "/w",
    )
    assert (kind, done) == ("search", (Search("x", ("lib",)),))
    assert did("submit", {}, agent=mini) == ("other", (Other("submit"),), "")


@pytest.mark.parametrize(
    ("tools", "agent"),
    [
        ({"Read", "Edit", "Bash", "Agent"}, "claude-code"),
        ({"Read", "Grep"}, "claude-code"),
        ({"exec_command", "write_stdin", "apply_patch"}, "codex"),
        ({"exec", "wait", "request_user_input"}, "codex"),
        ({"read", "edit", "write", "bash", "todowrite"}, "opencode"),
        ({"terminal", "file_editor", "finish"}, "openhands"),
        ({"bash"}, "mini-swe-agent"),
        (set(), None),
        ({"get_weather"}, None),
    ],
)
def test_agents_are_told_by_their_tools(tools: set[str], agent: str | None) -> None:
    assert agent_of(tools) == agent


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("# Environment\n - Primary working directory: /home/me/my app\n - x", "/home/me/my app"),
        ("<env>\n  Working directory: /w\n</env>", "/w"),
        ("<environment_context>\n  <cwd>/w</cwd>\n", "/w"),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>", "/w"),
        ("nothing", None),
    ],
)
def test_the_folder_is_what_the_first_text_states(text: str, folder: str | None) -> None:
    assert folder_of(["hello", text, "<cwd>/other</cwd>"]) == (folder or "/other")
