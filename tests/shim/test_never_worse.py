"""Whatever the core does, the agent's request goes on."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from statetape.errors import BadInput

BODY = b'{"messages": []}'


class Odd(BaseException):
    pass


@pytest.mark.parametrize(
    "fault",
    [
        BadInput("the database is locked"),
        OSError(28, "No space left on device"),
        RecursionError(),
        MemoryError(),
        SystemExit(3),
        KeyboardInterrupt(),
        TimeoutError(),
        asyncio.CancelledError(),
        Odd("really"),
    ],
    ids=repr,
)
async def test_a_core_that_raises_changes_nothing(
    shim: Any, scripted: Any, fault: BaseException
) -> None:
    def broken(_: bytes) -> bytes:
        raise fault

    async with shim(scripted(broken)) as running:
        for _ in range(2):
            assert await running.post(BODY) == b"{}"
        state = await running.insight.state()
    assert [one.body for one in running.upstream.seen] == [BODY] * 2
    assert state["proxy"]["passed"] == {f"core error {type(fault).__name__}": 2}


@pytest.mark.parametrize("value", [None, "text", bytearray(b"x"), 3])
async def test_a_core_that_answers_with_no_bytes_changes_nothing(
    shim: Any, scripted: Any, value: object
) -> None:
    async with shim(scripted(lambda _: value)) as running:
        await running.post(BODY)
    assert running.upstream.seen[0].body == BODY


async def test_a_core_that_cannot_tell_its_state_or_hear_answers_is_no_trouble(
    shim: Any, scripted: Any
) -> None:
    class Mute(scripted):  # type: ignore[misc]
        def answered(self, *_: object) -> None:
            raise ValueError

        def state(self) -> dict[str, Any]:
            raise ValueError

    async with shim(Mute(lambda body: body + b" ")) as running:
        assert await running.post(BODY) == b"{}"
        assert (await running.insight.state())["core"] == {}
    assert running.upstream.seen[0].body == BODY + b" "


class Slow:
    """Holds up each request until it is told to go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.begun: list[bytes] = []
        self.done: list[bytes] = []

    def __call__(self, body: bytes) -> bytes:
        self.begun.append(body)
        self.go_on.wait(60)
        self.done.append(body)
        return body + b" maintained"


async def test_a_late_core_is_passed_by_and_catches_up_behind(shim: Any, scripted: Any) -> None:
    slow = Slow()
    core = scripted(slow)
    async with shim(core, deadline=0.05) as running:
        while not slow.begun:  # a thread may take longer to begin than a request waits
            await running.post(b"1", session_id="a")
        while "core behind" not in (await running.insight.state())["proxy"]["passed"]:
            await running.post(b"2", session_id="a")
        assert {one.body for one in running.upstream.seen} == {b"1", b"2"}
        assert (slow.begun, slow.done) == ([b"1"], [])
        slow.go_on.set()
        while (b"1", None) not in core.heard:
            await running.insight.state()
        while running.upstream.seen[-1].body != b"3 maintained":
            await running.post(b"3", session_id="a")
    assert slow.done[0] == b"1"
    assert {*slow.done[1:]} == {b"3"}


async def test_a_core_that_hangs_in_one_session_does_not_hold_up_another(
    shim: Any, scripted: Any
) -> None:
    slow = Slow()

    def change(body: bytes) -> bytes:
        return slow(body) if body.startswith(b"hang") else body + b" maintained"

    async with shim(scripted(change), deadline=0.05) as running:
        for n in range(6):  # more than wait for the core at a time
            await running.post(b"hang", session_id=str(n))
        while running.upstream.seen[-1].body != b"x maintained":
            await running.post(b"x", session_id="other")
        slow.go_on.set()


async def test_requests_of_one_session_reach_the_core_in_order(shim: Any, scripted: Any) -> None:
    slow = Slow()
    core = scripted(slow)
    async with shim(core, deadline=60) as running:
        both = [asyncio.create_task(running.post(b"1", session_id="a"))]
        while slow.begun != [b"1"]:
            await running.insight.state()
        both.append(asyncio.create_task(running.post(b"2", session_id="a")))
        while (await running.insight.state())["proxy"]["open"] < 2:
            pass
        assert slow.begun == [b"1"]
        slow.go_on.set()
        await asyncio.gather(*both)
    assert slow.done == [b"1", b"2"]


async def test_a_client_that_goes_away_while_the_core_works_is_an_end_too(
    shim: Any, scripted: Any
) -> None:
    slow = Slow()
    core = scripted(slow)
    async with shim(core, deadline=60) as running:
        head = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
        _, writer = await running.raw(head)
        while not slow.begun:
            await running.insight.state()
        writer.transport.abort()
        while (await running.insight.state())["proxy"]["open"]:
            pass
        slow.go_on.set()
        while not core.heard:
            await running.insight.state()
    assert (core.heard, running.upstream.seen) == ([(b"{}", None)], [])


async def test_each_reason_is_logged_once_and_counted_each_time(
    shim: Any, scripted: Any, tmp_path: Path
) -> None:
    def broken(_: bytes) -> bytes:
        raise BadInput("the disk is full")

    log = tmp_path / "log.jsonl"
    async with shim(scripted(broken), log) as running:
        for _ in range(3):
            await running.post(BODY)
        state = await running.insight.state()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (told,) = [line for line in lines if line["event"] == "passed through"]
    assert told["reason"] == "core error BadInput"
    assert told["details"].endswith(": the disk is full")
    assert [line["event"] for line in lines].count("request") == 3
    assert state["proxy"]["passed"] == {"core error BadInput": 3}
