"""Results of tests across a restart: what was written while nobody looked makes them old."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.disk import clock
from statetape.shim.core import Core
from statetape.store.standing import Standing

SOURCE = "def f():\n    return 1\n"
Messages = list[dict[str, Any]]


def ran(name: str, command: str, output: str) -> Messages:
    use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": name, "content": output}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def on(text: str = "on") -> Messages:
    return [{"role": "assistant", "content": "ok"}, {"role": "user", "content": text}]


GO = [{"role": "user", "content": "go"}]
TESTED = [*GO, *ran("t", "pytest -q", "3 passed")]


class Live:
    """A repository, and one proxy's core after the other in front of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        (self.folder / "lib").mkdir(parents=True)
        self.file, self.other = self.folder / "a.py", self.folder / "lib" / "b.py"
        for file in (self.file, self.other):
            file.write_text(SOURCE)
        self.store = folder / "changes.sqlite"
        self.core = self.started()

    def started(self, policy: str = "default") -> Core:
        return Core(repo=self.folder, policy=policy, rewrite_inputs=False, store=self.store)

    def restart(self, policy: str = "default") -> None:
        self.core.close()
        self.core = self.started(policy)

    def send(self, messages: Messages, session: str = "s") -> str:
        """The text of the tests' result as it goes on; the answer comes."""
        stamp = clock()
        while clock() == stamp:  # files have stamps of before
            pass
        system = f" - Primary working directory: {self.folder}\n"
        tools = [{"name": name} for name in ("Read", "Edit", "Bash")]
        asks = {"model": "m", "system": system, "tools": tools, "messages": messages}
        body, headers = json.dumps(asks).encode(), {"x-claude-code-session-id": session}
        sent = self.core.maintained("/v1/messages", headers, body)
        self.core.answered("/v1/messages", headers, body, None)
        content = json.loads(sent)["messages"][2]["content"]
        return content if isinstance(content, str) else str(content[0]["content"])


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    live = Live(tmp_path)
    yield live
    live.core.close()


def change(live: Live) -> None:
    live.other.write_text(SOURCE.replace("1", "2"))


def remove(live: Live) -> None:
    live.other.unlink()


def add(live: Live) -> None:
    (live.folder / "lib" / "c.py").write_text(SOURCE)


@pytest.mark.parametrize("write", [change, remove, add])
def test_a_write_while_no_proxy_ran(live: Live, write: Callable[[Live], None]) -> None:
    assert live.send(TESTED) == "3 passed"
    live.core.close()
    write(live)
    live.restart()
    text = live.send([*TESTED, *on()])
    assert "Run it again" in text
    live.restart()
    assert live.send([*TESTED, *on()]) == text


def test_nothing_was_written(live: Live) -> None:
    live.send(TESTED)
    for _ in range(2):
        live.restart()
        assert live.send([*TESTED, *on()]) == "3 passed"


def test_what_tools_keep_for_themselves_is_no_write(live: Live) -> None:
    cache = live.folder / "lib" / "__pycache__"
    cache.mkdir()
    live.send(TESTED)
    live.core.close()
    (cache / "b.pyc").write_bytes(b"x")
    live.restart()
    assert live.send([*TESTED, *on()]) == "3 passed"


def test_a_write_that_was_seen_and_taken_back(live: Live) -> None:
    live.send([*TESTED, *ran("c", "cat a.py", SOURCE)])
    live.file.write_text(SOURCE.replace("1", "2"))
    live.file.write_text(SOURCE)
    history = [*TESTED, *ran("c", "cat a.py", SOURCE), *ran("l", "true", ""), *on()]
    assert live.send(history) == "3 passed"
    live.restart()
    assert live.send([*history, *on()]) == "3 passed"


def test_what_was_false_already_and_not_replaced(live: Live) -> None:
    live.restart("control")
    live.send(TESTED)
    change(live)
    history = [*TESTED, *ran("l", "true", ""), *on()]
    live.send(history)
    live.restart()
    assert "Run it again" in live.send([*history, *on()])


def test_what_a_request_without_a_command_may_have_missed(live: Live) -> None:
    """The watch is not waited for then: a later time than the last wait says nothing."""
    live.send(TESTED)
    change(live)
    live.send([*TESTED, *on()])
    live.restart()
    assert "Run it again" in live.send([*TESTED, *on(), *on()])


def test_the_client_s_second_try_is_no_restart(live: Live) -> None:
    live.send(TESTED)
    live.send([*GO, *on("something else")])
    assert live.send(TESTED) == "3 passed"


def test_times_are_kept_for_long_but_not_for_ever(tmp_path: Path) -> None:
    standing = Standing(tmp_path / "changes.sqlite")
    now = time.time_ns()
    standing.put([b"a", b"b"], 5)
    standing.put([b"b"], now)
    assert standing.of([b"x", b"a", b"b"]) == {b"a": 5, b"b": now}
    standing.prune()
    assert standing.of([b"a", b"b"]) == {b"b": now}
    standing.close()


LONG = "test_a.py::test_it PASSED\n" * 60
ALONE = [*GO, *ran("t", "pytest test_a.py", LONG)]


@pytest.fixture
def heuristic(live: Live) -> Live:
    (live.folder / "test_a.py").write_text("import a\n")
    live.restart("heuristic")
    return live


def test_a_fork_of_a_conversation_is_of_the_same_tests(heuristic: Live) -> None:
    assert heuristic.send(ALONE) == LONG
    change(heuristic)
    heuristic.send([*GO, *ran("m", "make", "ok")], "elsewhere")  # the change is seen
    assert heuristic.send([*ALONE, *on()], "fork") == LONG
    heuristic.file.write_text("x = 1\n")
    assert heuristic.send([*ALONE, *ran("n", "make", "ok")], "other fork") != LONG


def test_what_was_written_while_nobody_looked_may_be_what_tests_load(heuristic: Live) -> None:
    assert heuristic.send(ALONE) == LONG
    heuristic.core.close()
    heuristic.file.write_text("x = 1\n")
    change(heuristic)
    heuristic.core = heuristic.started("heuristic")
    change(heuristic)
    assert heuristic.send([*ALONE, *on()]) != LONG
