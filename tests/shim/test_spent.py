"""The agent's own edits, where they may be rewritten: none goes on that its file does not have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

OLD = "def f():\n    return 1\n"
NEW = "def f():\n    return 2\n\n\ndef g():\n    return f()\n"
Messages = list[dict[str, Any]]
Call = tuple[str, dict[str, Any]]
GO: Messages = [{"role": "user", "content": "go"}]
ON: Messages = [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}]


def called(*calls: Call) -> Messages:
    """The calls of one answer, all of which succeeded."""
    uses = [
        {"type": "tool_use", "id": f"t{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(calls)
    ]
    done = "The file has been updated successfully."
    results = [{"type": "tool_result", "tool_use_id": use["id"], "content": done} for use in uses]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


class Live:
    """A repository, and cores that may rewrite inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir()
        self.store = folder / "changes.sqlite"
        self.file = self.folder / "a.py"
        self.core = self.started()

    def started(self, *, rewrite: bool = True) -> Core:
        return Core(repo=self.folder, policy="default", rewrite_inputs=rewrite, store=self.store)

    def restart(self, *, rewrite: bool = True) -> None:
        self.core.close()
        self.core = self.started(rewrite=rewrite)

    def write(self, content: str) -> Call:
        return "Write", {"file_path": str(self.file), "content": content}

    def edit(self, old: str, new: str, file: Path | None = None) -> Call:
        given = {"file_path": str(file or self.file), "old_string": old, "new_string": new}
        return "Edit", given

    def sent(self, messages: Messages) -> list[dict[str, Any]]:
        """The inputs as they go on."""
        system = f" - Primary working directory: {self.folder}\n"
        tools = [{"name": name} for name in ("Read", "Edit", "Write", "Bash")]
        asks = {"model": "m", "system": system, "tools": tools, "messages": messages}
        headers = {"x-claude-code-session-id": "s"}
        out = self.core.maintained("/v1/messages", headers, json.dumps(asks).encode())
        (blocks,) = (m["content"] for m in json.loads(out)["messages"][1:2])
        return [block["input"] for block in blocks]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    live = Live(tmp_path)
    yield live
    live.core.close()


def test_two_calls_of_one_answer(live: Live) -> None:
    """The first one was never true when a request left."""
    first, second = live.write(OLD), live.write(NEW)
    live.file.write_text(NEW)
    inputs = live.sent([*GO, *called(first, second)])
    assert inputs[0]["content"].startswith("[statetape: text of ")
    assert inputs[1] == second[1]


def test_a_formatter_in_between(live: Live) -> None:
    live.file.write_text(OLD.replace("    ", "\t"))
    assert "[statetape: " in live.sent([*GO, *called(live.write(OLD))])[0]["content"]


def test_a_history_that_nobody_followed(live: Live) -> None:
    live.file.write_text(OLD)
    history = [*GO, *called(live.edit("x\n", OLD), live.write(OLD)), *ON]
    assert [list(given.values())[-1] for given in live.sent(history)] == [OLD, OLD]
    live.core.close()
    live.file.write_text(NEW)
    live.restart()
    assert all("[statetape: " in str(given) for given in live.sent([*history, *ON]))


def test_what_is_there_stays(live: Live) -> None:
    """Also as lines of another system, or where nobody looks."""
    outside = live.folder.parent / "notes.md"
    live.file.write_bytes(NEW.replace("\n", "\r\n").encode())
    calls = [live.write(NEW.replace("\n", "\r\n")), live.edit("a", NEW), live.edit("a", "")]
    calls.append(live.edit("a\n", "b\nc\n", outside))
    assert live.sent([*GO, *called(*calls)]) == [given for _, given in calls]


def test_without_leave_all_stays(live: Live) -> None:
    live.restart(rewrite=False)
    first, second = live.write(OLD), live.write(NEW)
    live.file.write_text(NEW)
    assert live.sent([*GO, *called(first, second), *ON]) == [first[1], second[1]]
