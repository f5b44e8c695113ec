"""A command that failed may have shown lines; they are claims, and its complaints are none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
MISSING = "cat: missing.py: No such file or directory\n"
BOTH = "cat a.py missing.py"
Messages = list[dict[str, Any]]


class Claude:
    """Claude Code's words: the result says that it failed, and with which code."""

    path, tools = "/v1/messages", [{"name": name} for name in ("Read", "Edit", "Bash")]

    @staticmethod
    def asks(messages: Messages, folder: Path) -> dict[str, Any]:
        system = f" - Primary working directory: {folder}\n"
        return {"system": system, "messages": [{"role": "user", "content": "go"}, *messages]}

    @staticmethod
    def ran(command: str, output: str, code: int) -> Messages:
        use = {"type": "tool_use", "id": "r", "name": "Bash", "input": {"command": command}}
        text = f"Exit code {code}\n{output}" if code else output
        result = {"type": "tool_result", "tool_use_id": "r", "content": text, "is_error": code > 0}
        return [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]

    @staticmethod
    def on() -> Messages:
        return [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}]

    @staticmethod
    def text(sent: dict[str, Any]) -> str:
        return str(sent["messages"][2]["content"][0]["content"])


class Mini:
    """mini-swe-agent's: a code beside the output."""

    path, tools = "/v1/chat/completions", [{"type": "function", "function": {"name": "bash"}}]

    @staticmethod
    def asks(messages: Messages, _: Path) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "go"}, *messages]}

    @staticmethod
    def ran(command: str, output: str, code: int) -> Messages:
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": "r", "type": "function", "function": function}
        text = json.dumps({"returncode": code, "output": output})
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "r", "content": text},
        ]

    on = Claude.on

    @staticmethod
    def text(sent: dict[str, Any]) -> str:
        return str(json.loads(sent["messages"][2]["content"])["output"])


class Codex:
    """Codex's: a code in the header of the output."""

    path, tools = "/v1/responses", [{"type": "function", "name": "exec_command"}]

    @staticmethod
    def asks(messages: Messages, folder: Path) -> dict[str, Any]:
        said = f"<environment_context><cwd>{folder}</cwd></environment_context>"
        return {"input": [{"type": "message", "role": "user", "content": said}, *messages]}

    @staticmethod
    def ran(command: str, output: str, code: int) -> Messages:
        given = json.dumps({"cmd": command})
        text = f"Chunk ID: 1\nProcess exited with code {code}\nOutput:\n{output}"
        return [
            {"type": "function_call", "call_id": "r", "name": "exec_command", "arguments": given},
            {"type": "function_call_output", "call_id": "r", "output": text},
        ]

    @staticmethod
    def on() -> Messages:
        return [
            {"type": "message", "role": role, "content": "on"} for role in ("assistant", "user")
        ]

    @staticmethod
    def text(sent: dict[str, Any]) -> str:
        return str(sent["input"][2]["output"])


class Live:
    """A repository with a file, and cores in front of it, one after the other."""

    def __init__(self, folder: Path, agent: Any) -> None:
        self.agent = agent
        self.folder = folder / "repo"
        self.folder.mkdir()
        self.store = folder / "changes.sqlite"
        self.file = self.folder / "a.py"
        self.file.write_text(SOURCE)
        self.core = self.started()

    def started(self) -> Core:
        return Core(repo=self.folder, policy="default", rewrite_inputs=False, store=self.store)

    def restart(self) -> None:
        self.core.close()
        self.core = self.started()

    def send(self, messages: Messages) -> str:
        """The text of the one result as it goes on."""
        asks = {"model": "m", "tools": self.agent.tools, **self.agent.asks(messages, self.folder)}
        sent = self.core.maintained(self.agent.path, {}, json.dumps(asks).encode())
        return str(self.agent.text(json.loads(sent)))


@pytest.fixture(params=[Claude, Mini, Codex], ids=lambda agent: agent.__name__)
def live(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Live]:
    live = Live(tmp_path, request.param)
    yield live
    live.core.close()


def test_its_lines_are_kept_true(live: Live) -> None:
    ran = live.agent.ran(BOTH, SOURCE + MISSING, 1)
    assert "return 1" in live.send(ran)
    live.file.write_text(SOURCE.replace("1", "2"))
    text = live.send([*ran, *live.agent.on()])
    assert "return 2" in text
    assert "No such file" in text


def test_its_lines_are_false_in_a_history_that_nobody_followed(live: Live) -> None:
    live.file.write_text("def other():\n    return 3\n")
    ran = live.agent.ran(BOTH, SOURCE + MISSING, 1)
    assert "return 1" not in live.send([*ran, *live.agent.on()])


def test_its_lines_are_true_where_they_still_stand(live: Live) -> None:
    ran = live.agent.ran(BOTH, SOURCE + MISSING, 1)
    text = live.agent.text(live.agent.asks([*ran, *live.agent.on()], live.folder))
    assert live.send([*ran, *live.agent.on()]) == text


def test_its_complaints_alone_are_no_lines(live: Live) -> None:
    """Though the file that it could not read is there now."""
    ran = live.agent.ran("cat a.py b.py", "cat: a.py: Is a directory\n" * 2, 1)
    text = live.agent.text(live.agent.asks(ran, live.folder))
    assert live.send([*ran, *live.agent.on()]) == text
    live.file.write_text("x = 1\n")
    live.restart()
    assert live.send([*ran, *live.agent.on()]) == text
