"""Codex without a git work tree names its folder in the history alone, wherever that stands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
Items = list[dict[str, Any]]


def said(role: str, text: str) -> Items:
    return [{"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}]


def environment(folder: Path) -> Items:
    return said("user", f"<environment_context>\n  <cwd>{folder}</cwd>\n</environment_context>")


def ran(name: str, command: str, output: str) -> Items:
    given = json.dumps({"cmd": command})
    shown = f"Chunk ID: 1\nWall time: 0 seconds\nProcess exited with code 0\nOutput:\n{output}"
    return [
        {"type": "function_call", "call_id": name, "name": "exec_command", "arguments": given},
        {"type": "function_call_output", "call_id": name, "output": shown},
    ]


class Work:
    """Two folders with a file each, no repositories, and a core that is told of neither."""

    def __init__(self, folder: Path) -> None:
        self.here, self.there = folder / "here", folder / "there"
        for each in (self.here, self.there):
            each.mkdir()
            (each / "a.py").write_text(SOURCE)
        store = folder / "state" / "changes.sqlite"
        self.core = Core(repo=None, policy="default", rewrite_inputs=False, store=store)

    def send(self, items: Items) -> dict[str, str]:
        """The outputs as they go on, by the id of their calls."""
        asks = {"model": "m", "tools": [{"type": "function", "name": "exec_command"}]}
        body = json.dumps({**asks, "input": items}).encode()
        sent = self.core.maintained("/v1/responses", {"thread-id": "t"}, body)
        outputs = (item for item in json.loads(sent)["input"] if "output" in item)
        return {item["call_id"]: item["output"] for item in outputs}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    work = Work(tmp_path)
    yield work
    work.core.close()


MANY = [item for number in range(6) for item in said("developer", f"rule {number}")]
MORE = [*said("assistant", "ok"), *said("user", "and now?")]


@pytest.mark.parametrize(
    "before",
    [MANY, [*said("user", "go"), *said("assistant", "well"), *MANY]],
    ids=["behind many rules", "behind what was resumed"],
)
def test_the_folder_is_found(work: Work, before: Items) -> None:
    asks = [*before, *environment(work.here), *said("user", "go"), *ran("r", "cat a.py", SOURCE)]
    work.send(asks)
    (work.here / "a.py").write_text(SOURCE.replace("1", "2"))
    assert "return 2" in work.send([*asks, *MORE])["r"]


def test_what_a_user_quotes_is_no_folder(work: Work) -> None:
    quoted = said("user", f"what does <cwd>{work.here}</cwd> mean?")
    work.send([*said("user", "go"), *said("assistant", "well"), *MANY, *quoted])
    assert work.core.state()["repositories"] == []


def test_a_session_that_goes_on_in_another_folder(work: Work) -> None:
    """The same words then mean files of the other folder: what is written here is not theirs."""
    first = [*environment(work.here), *said("user", "go"), *ran("r", "cat a.py", SOURCE)]
    work.send(first)
    resumed = [*first, *MORE, *environment(work.there), *ran("s", "cat a.py", SOURCE)]
    work.send(resumed)
    (work.here / "a.py").write_text(SOURCE.replace("1", "2"))
    texts = work.send([*resumed, *MORE])
    assert "return 2" in texts["r"]
    assert "return 1" in texts["s"]
