"""The tools of each agent. The repository is `/r`."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.agents import actions
from statetape.types import Action, Call, Edit, Other, Read, Result, Run, Search, Slot

_TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"


def step(
    agent: str, tool: str, given: Any, text: str | None = "done", *, failed: bool = False
) -> tuple[str, list[Action], str]:
    call = Call(Slot("1", "input"), tool, given)
    result = None if text is None else Result(Slot("1", "result"), text, failed)
    kind, done, cwd = actions(agent, call, result, "src", "/r")
    return kind, list(done), cwd


CLAUDE: list[tuple[str, Any, str, list[Action]]] = [
    ("Read", {"file_path": "/r/a.py"}, "read", [Read("a.py")]),
    ("Read", {"file_path": "/r/a.py", "offset": 10, "limit": 5}, "read", [Read("a.py", 10, 14)]),
    ("Read", {"file_path": "/r/a.py", "limit": "5"}, "read", [Read("a.py", 1, 5)]),
    ("Read", {"file_path": "/r/a.py", "offset": 10}, "read", [Read("a.py", 10)]),
    (
        "Edit",
        {"file_path": "/r/a.py", "old_string": "x", "new_string": "y", "replace_all": True},
        "edit",
        [Edit("a.py", old="x", new="y", every=True)],
    ),
    (
        "Edit",
        {"file_path": "/r/new.py", "old_string": "", "new_string": "y"},
        "edit",
        [Edit("new.py", content="y")],
    ),
    (
        "MultiEdit",
        {
            "file_path": "/r/a.py",
            "edits": [
                {"old_string": "x", "new_string": "y"},
                {"old_string": "y", "new_string": "z", "replace_all": True},
            ],
        },
        "edit",
        [Edit("a.py", old="x", new="y"), Edit("a.py", old="y", new="z", every=True)],
    ),
    ("Write", {"file_path": "/r/a.py", "content": "x"}, "edit", [Edit("a.py", content="x")]),
    ("NotebookEdit", {"notebook_path": "/r/a.ipynb"}, "edit", [Edit("a.ipynb")]),
    ("Bash", {"command": "cat a.py"}, "run", [Read("src/a.py")]),
    ("BashOutput", {"bash_id": "1"}, "run", [Run("BashOutput", "unknown")]),
    ("TaskOutput", {"task_id": "1"}, "run", [Run("TaskOutput", "unknown")]),
    (
        "Grep",
        {"pattern": "x|y", "path": "/r/lib", "glob": "*.py", "-i": True},
        "search",
        [Search("x|y", ("lib",), "*.py", ignore_case=True)],
    ),
    ("Grep", {"pattern": "x"}, "search", [Search("x", ("src",))]),
    ("Grep", {"pattern": "x", "multiline": True}, "search", [Run("Grep x", "query")]),
    ("Glob", {"pattern": "lib/**/*.ts"}, "search", [Search(None, ("src",), "src/lib/*.ts")]),
    ("Glob", {"pattern": "**/*.ts", "path": "/r"}, "search", [Search(None, (), "*.ts")]),
    ("LS", {"path": "/r/lib"}, "search", [Search(None, ("lib",))]),
    ("ToolSearch", {"query": "x"}, "search", [Other("ToolSearch")]),
    ("Task", {"prompt": "x"}, "other", [Other("Task")]),
    ("TodoWrite", {"todos": []}, "other", [Other("TodoWrite")]),
    ('Task" >\n<x', {}, "other", [Other('Task" >\n<x')]),
]


@pytest.mark.parametrize(("tool", "given_input", "kind", "expected"), CLAUDE)
def test_claude_code(tool: str, given_input: Any, kind: str, expected: list[Action]) -> None:
    assert step("claude-code", tool, given_input)[:2] == (kind, expected)


OPENCODE: list[tuple[str, Any, str, list[Action]]] = [
    ("read", {"filePath": "/r/a.py", "offset": 5, "limit": 2}, "read", [Read("a.py", 5, 6)]),
    (
        "edit",
        {"filePath": "/r/a.py", "oldString": "x", "newString": "y", "replaceAll": False},
        "edit",
        [Edit("a.py", old="x", new="y")],
    ),
    ("write", {"filePath": "/r/a.py", "content": "x"}, "edit", [Edit("a.py", content="x")]),
    (
        "apply_patch",
        {"patchText": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"},
        "edit",
        [Edit("src/a", content="x\n")],
    ),
    ("bash", {"command": "cat a.py", "workdir": "/r/lib"}, "run", [Read("lib/a.py")]),
    ("grep", {"pattern": "x", "include": "*.ts"}, "search", [Search("x", ("src",), "*.ts")]),
    ("glob", {"pattern": "**/*.md", "path": "/r"}, "search", [Search(None, (), "*.md")]),
    ("list", {"path": "/r"}, "search", [Search(None)]),
    ("task", {"prompt": "x"}, "other", [Other("task")]),
    ("todowrite", {}, "other", [Other("todowrite")]),
]


@pytest.mark.parametrize(("tool", "given_input", "kind", "expected"), OPENCODE)
def test_opencode(tool: str, given_input: Any, kind: str, expected: list[Action]) -> None:
    assert step("opencode", tool, given_input)[:2] == (kind, expected)


_PATCH = "*** Begin Patch\n*** Update File: /r/a.py\n@@\n-x\n+y\n*** End Patch"
_PATCHED = Edit("a.py", patch=(("x\n", "y\n"),))
CODEX: list[tuple[str, Any, str, list[Action]]] = [
    ("exec_command", {"cmd": "sed -n 1,5p a.py"}, "read", [Read("src/a.py", 1, 5)]),
    ("exec_command", {"cmd": "cat a.py", "workdir": "/r"}, "read", [Read("a.py")]),
    ("shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/r"}, "read", [Read("a.py")]),
    ("local_shell", {"action": {"command": ["rg", "x y"]}}, "search", [Search("x y", ("src",))]),
    ("exec_command", {"cmd": "go test"}, "run", [Run("go test", "test", ("src/*.go",))]),
    ("exec_command", {"cmd": "cat $X"}, "read", [Run("cat $X", "query")]),
    ("exec_command", {"cmd": "git diff"}, "run", [Run("git diff", "query")]),
    ("write_stdin", {"session_id": 1, "chars": ""}, "run", [Run("write_stdin", "unknown")]),
    ("apply_patch", _PATCH, "edit", [_PATCHED]),
    ("apply_patch", {"input": _PATCH}, "edit", [_PATCHED]),
    (
        "exec_command",
        {"cmd": f"apply_patch <<'E'\n{_PATCH}\nE"},
        "edit",
        [_PATCHED, Run(f"apply_patch <<'E'\n{_PATCH}\nE", "event")],
    ),
    ("exec", f"const p = {json.dumps(_PATCH)}; await tools.apply_patch(p)", "edit", [_PATCHED]),
    (
        "exec",
        'tools.exec_command({cmd: "cat a.py"}); tools.exec_command({"cmd": "rg x", workdir: "/r"})',
        "read",
        [Read("src/a.py"), Search("x")],
    ),
    ("exec", "await tools.update_plan({})", "other", [Other("update_plan")]),
    ("exec", "await tools.apply_patch(f())", "edit", [Run("apply_patch", "unknown")]),
    ("exec", "text(1)", "run", [Run("", "event")]),
    ("update_plan", {"plan": []}, "other", [Other("update_plan")]),
    ("wait", {"cell_id": "1"}, "run", [Run("wait", "unknown")]),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "given_input", "kind", "expected"), CODEX)
def test_codex(tool: str, given_input: Any, kind: str, expected: list[Action]) -> None:
    assert step("codex", tool, given_input)[:2] == (kind, expected)


@pytest.mark.parametrize(
    ("agent", "tool", "given_input", "text", "failed"),
    [
        ("claude-code", "Edit", CLAUDE[4][1], "<tool_use_error>String not found", False),
        ("claude-code", "Edit", CLAUDE[4][1], "String not found", True),
        ("claude-code", "Write", CLAUDE[7][1], "The user doesn't want to proceed", False),
        ("opencode", "edit", OPENCODE[1][1], "Could not find oldString in the file.", False),
        ("opencode", "apply_patch", OPENCODE[3][1], "anything", True),
        ("codex", "apply_patch", _PATCH, "apply_patch verification failed: Failed to find", False),
        ("codex", "exec", f"tools.apply_patch({json.dumps(_PATCH)})", "Script failed\nx", False),
        ("codex", "exec_command", CODEX[10][1], "anything", True),
    ],
)
def test_a_failed_edit_makes_no_edit(
    agent: str, tool: str, given_input: Any, text: str, *, failed: bool
) -> None:
    kind, done, _ = step(agent, tool, given_input, text, failed=failed)
    assert kind == "edit_failed"
    assert not any(isinstance(action, Edit) for action in done)


def test_a_refused_command_did_nothing() -> None:
    text = "The user doesn't want to proceed with this tool use."
    assert step("claude-code", "Bash", {"command": "rm a"}, text)[1] == [Run("rm a", "event")]


def test_a_failed_command_may_have_written() -> None:
    done = step("claude-code", "Bash", {"command": "rm a"}, "Exit code 1\nx", failed=True)[1]
    assert done[0] == Edit("src/a", absent=True)


@pytest.mark.parametrize(
    ("agent", "tool", "given_input", "text", "expected"),
    [
        ("claude-code", "Bash", {"command": "cd /r/lib"}, "", "lib"),
        ("claude-code", "Bash", {"command": "cd /"}, "Shell cwd was reset to /r/x\n", "x"),
        ("claude-code", "Read", {"file_path": "a"}, "", "src"),
        ("codex", "exec_command", {"cmd": "cd /r/lib"}, "", "src"),
        ("opencode", "bash", {"command": "cd /r/lib"}, "", "src"),
    ],
)
def test_the_working_directory_afterwards(
    agent: str, tool: str, given_input: Any, text: str, expected: str
) -> None:
    assert step(agent, tool, given_input, text)[2] == expected


_AGENTS = st.sampled_from(["claude-code", "codex", "opencode", "nobody"])
_TOOLS = st.sampled_from([case[0] for case in [*CLAUDE, *OPENCODE, *CODEX]])
_KEYS = st.sampled_from(
    sorted(
        {
            key
            for case in [*CLAUDE, *OPENCODE, *CODEX]
            if isinstance(case[1], dict)
            for key in case[1]
        }
    )
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(_AGENTS, _TOOLS, st.dictionaries(_KEYS, _VALUES, max_size=5) | _VALUES, st.text(max_size=20))
def test_no_input_raises(agent: str, tool: str, given_input: Any, text: str) -> None:
    step(agent, tool, given_input, text)


def _blocks(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", errors="replace") as lines:
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            message = value.get("message") if isinstance(value, dict) else None
            if isinstance(message, dict) and not value.get("isSidechain"):
                content = message.get("content")
                yield from (b for b in content or [] if isinstance(b, dict))


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    return "".join(part.get("text", "") for part in parts if isinstance(part, dict))


@pytest.mark.skipif(not _TRANSCRIPTS.is_dir(), reason="the recorded sessions are not here")
def test_the_steps_of_recorded_claude_code_sessions_agree_with_an_independent_count() -> None:
    index = json.loads((_TRANSCRIPTS / "index.json").read_text())["records"]
    rows = [row for row in index if row["agent"] == "claude-code"]
    assert rows
    for row in rows:
        blocks = list(_blocks(_TRANSCRIPTS / row["file"]))
        results = {b["tool_use_id"]: b for b in blocks if b.get("type") == "tool_result"}
        calls = {b["id"]: b for b in blocks if b.get("type") == "tool_use"}
        counted: Counter[str] = Counter()
        for slot, call in calls.items():
            told = results.get(slot, {})
            text = _text(told.get("content")) if told else None
            failed = bool(told.get("is_error"))
            counted[step("claude-code", call["name"], call["input"], text, failed=failed)[0]] += 1
        expected = row["steps_by_type"]
        expected = {"edit_failed": expected["edit_fail"], **expected}
        kinds = ("read", "edit", "edit_failed", "run", "search", "other")
        assert {kind: counted[kind] for kind in kinds} == {kind: expected[kind] for kind in kinds}
