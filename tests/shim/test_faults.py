"""The real core behind the proxy, and all that can go wrong with either: nobody is stuck."""

import asyncio
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.policies import POLICIES
from statetape.shim.core import Core

SOURCE = "def f():\n    return 1\n"
SHOWN = "1\tdef f():\n2\t    return 1\n3\t"


class Case:
    """A repository with one file that an agent has read, and a core in front of it."""

    def __init__(self, folder: Path) -> None:
        self.repo = folder / "repo"
        self.repo.mkdir()
        self.file = self.repo / "a.py"
        self.file.write_text(SOURCE)
        self.store = folder / "state" / "changes.sqlite"

    def core(self) -> Core:
        return Core(repo=self.repo, policy="default", rewrite_inputs=False, store=self.store)

    def body(self, turns: int = 0) -> bytes:
        """A request whose history is longer by so many turns."""
        use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": SHOWN}
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]
        for turn in range(turns):
            messages += [
                {"role": "assistant", "content": f"did {turn}"},
                {"role": "user", "content": "and now?"},
            ]
        system = f" - Primary working directory: {self.repo}\n"
        tools = [{"name": name} for name in ("Read", "Edit", "Bash")]
        asks = {"model": "m", "system": system, "tools": tools, "messages": messages}
        return json.dumps(asks).encode()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


async def test_stale_text_is_replaced_on_its_way(shim: Any, case: Case) -> None:
    async with shim(case.core(), deadline=60) as running:
        await running.post(case.body())
        case.file.write_text(SOURCE.replace("1", "2"))
        await running.post(case.body(1))
        state = await running.insight.state()
    first, second = (one.body for one in running.upstream.seen)
    assert (first, second != case.body(1), b"return 2" in second) == (case.body(), True, True)
    assert state["core"]["changes"] == {"refresh": 1}


def in_the_way(store: Path) -> None:
    store.mkdir(parents=True)


def garbage(store: Path) -> None:
    store.parent.mkdir()
    store.write_bytes(b"no database at all " * 100)


def of_a_later_version(store: Path) -> None:
    import sqlite3

    store.parent.mkdir()
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA user_version = 999")
    database.close()


@pytest.mark.parametrize("broken", [in_the_way, garbage, of_a_later_version])
async def test_a_store_that_cannot_be_used_passes_all_through(
    shim: Any, case: Case, broken: Callable[[Path], None]
) -> None:
    broken(case.store)
    async with shim(case.core(), deadline=60) as running:
        for turn in range(2):
            case.file.write_text(SOURCE.replace("1", str(turn)))
            assert await running.post(case.body(turn)) == b"{}"
        state = await running.insight.state()
    assert [one.body for one in running.upstream.seen] == [case.body(0), case.body(1)]
    assert state["proxy"]["passed"] == {"core error StoreError": 2}


async def test_a_store_that_another_process_holds_passes_through_until_it_is_free(
    shim: Any, case: Case
) -> None:
    import sqlite3

    async with shim(case.core(), deadline=60) as running:
        await running.post(case.body())
        case.file.write_text(SOURCE.replace("1", "2"))
        other = sqlite3.connect(case.store, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await running.post(case.body(1))
        other.execute("ROLLBACK")
        other.close()
        await running.post(case.body(2))
    _, held, free = (one.body for one in running.upstream.seen)
    assert held == case.body(1)
    assert b"return 2" in free


async def test_a_repository_that_is_deleted_stops_nobody(shim: Any, case: Case) -> None:
    async with shim(case.core(), deadline=60) as running:
        await running.post(case.body())
        shutil.rmtree(case.repo)
        for turn in range(1, 4):
            assert await running.post(case.body(turn)) == b"{}"
    for turn, one in enumerate(running.upstream.seen):
        sent, asked = json.loads(one.body), json.loads(case.body(turn))
        assert sent["messages"][3:] == asked["messages"][3:]


async def test_a_policy_that_raises_passes_through(
    shim: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setitem(POLICIES, "default", broken)
    async with shim(case.core(), deadline=60) as running:
        await running.post(case.body())
        case.file.write_text(SOURCE.replace("1", "2"))
        await running.post(case.body(1))
        state = await running.insight.state()
    assert running.upstream.seen[1].body == case.body(1)
    assert state["proxy"]["passed"].get("core error ZeroDivisionError")


async def test_a_policy_that_hangs_passes_through(
    shim: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, real = threading.Event(), POLICIES["default"]

    def hanging(situation: Any) -> Any:
        go_on.wait(60)
        return (yield from real(situation))

    monkeypatch.setitem(POLICIES, "default", hanging)
    async with shim(case.core(), deadline=0.05) as running:
        for turn in range(3):
            case.file.write_text(SOURCE.replace("1", str(turn)))
            assert await running.post(case.body(turn)) == b"{}"
        go_on.set()
    assert [one.body for one in running.upstream.seen] == [case.body(turn) for turn in range(3)]


DEEP = 100_000
HOSTILE = {
    "nothing": b"",
    "no JSON": b"\x00\xff\xfe{",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "no object": b"[]",
    "deep lists": b"[" * DEEP,
    "deep lists that end": b'{"messages": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "keys twice": b'{"messages": [], "messages": [{"role": "user"}], "model": 1, "model": 2}',
    "half a pair": b'{"messages": [{"role": "user", "content": "\\ud800 \\udc00"}]}',
    "raw half a pair": b'{"messages": [{"role": "user", "content": "\xed\xa0\x80"}]}',
    "numbers": b'{"max_tokens": 1e999, "x": -0, "y": ' + b"9" * 5_000 + b', "messages": []}',
    "no number": b'{"messages": [], "x": NaN}',
    "wrong types": b'{"messages": {"role": []}, "tools": 3, "system": [[[]]]}',
    "odd blocks": b'{"messages": [null, 1, {"role": 1, "content": [null, {"type": 7}]}]}',
    "a long text": b'{"messages": [{"role": "user", "content": "' + b"x" * 3_000_000 + b'"}]}',
    "many messages": b'{"messages": [' + b",".join([b'{"role": "user"}'] * 50_000) + b"]}",
}


async def test_hostile_json_goes_on_as_it_came(shim: Any, case: Case) -> None:
    async with shim(case.core(), deadline=60) as running:
        for body in HOSTILE.values():
            for path in ("/v1/messages", "/v1/responses", "/v1/chat/completions"):
                assert await running.post(body, path) == b"{}"
                assert running.upstream.seen[-1].body == body


@settings(max_examples=40)
@given(
    cuts=st.lists(
        st.tuples(st.integers(0, 800), st.integers(0, 40), st.binary(max_size=6)), max_size=3
    )
)
def test_damaged_requests_are_delivered(
    shim: Any, case: Case, cuts: list[tuple[int, int, bytes]]
) -> None:
    body = case.body(2)
    for at, length, instead in cuts:
        body = body[:at] + instead + body[at + length :]

    async def run() -> None:
        async with shim(case.core(), deadline=60) as running:
            assert await running.post(body) == b"{}"
            sent = running.upstream.seen[0].body
            try:
                json.loads(body)
            except ValueError:
                assert sent == body
            else:
                json.loads(sent)

    asyncio.run(run())
