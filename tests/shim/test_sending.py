"""A connection to the upstream that had ended unnoticed costs no request; any other end is told."""

import asyncio
import socket
from collections.abc import Callable
from struct import pack
from typing import Any

import pytest
from aiohttp import ClientError

from statetape.shim import sending

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter


def close(writer: Writer) -> None:
    writer.close()


def reset(writer: Writer) -> None:
    linger = pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


class Tired:
    """An upstream whose first `old` connections answer one request and end with the second."""

    def __init__(self, upstream: Any, end: Callable[[Writer], None], old: int = 1) -> None:
        self.upstream = upstream
        self.end = end
        self.old = old
        self.connections = 0
        self.ended: list[bytes] = []
        self.all_there = asyncio.Event()
        upstream.script = self.connected

    async def connected(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        if self.connections > self.old:
            await self.upstream.plain(reader, writer)
        if self.connections == self.old:
            self.all_there.set()
        await self.upstream.request(reader)
        await self.all_there.wait()
        writer.write(self.upstream.answer(b"first"))
        self.ended.append((await self.upstream.request(reader)).body)
        self.end(writer)


@pytest.mark.parametrize("end", [close, reset])
async def test_it_goes_out_again(shim: Any, end: Callable[[Writer], None]) -> None:
    async with shim() as running:
        tired = Tired(running.upstream, end)
        assert await running.post(b'{"n": 1}') == b"first"
        assert await running.post(b'{"n": 2}') == b"{}"
        assert tired.ended == [b'{"n": 2}']
        assert [one.body for one in running.upstream.seen] == [b'{"n": 2}']
        assert (await running.insight.state())["proxy"]["failures"] == {}


async def test_also_where_all_old_connections_had_ended(shim: Any) -> None:
    async with shim() as running:
        tired = Tired(running.upstream, close, old=3)
        assert await asyncio.gather(*(running.post() for _ in range(3))) == [b"first"] * 3
        assert await running.post(b'{"n": 2}') == b"{}"
        assert tired.ended == [b'{"n": 2}'] * 3


def half_a_head(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-")
    writer.close()


def nothing_for_long(writer: Writer) -> None:
    sending._CROSSED = 0.0  # time goes by
    writer.close()


@pytest.mark.parametrize("end", [half_a_head, nothing_for_long])
async def test_an_end_that_is_an_answer_is_told(
    shim: Any, end: Callable[[Writer], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_CROSSED", 60.0)
    async with shim() as running:
        tired = Tired(running.upstream, end)
        await running.post()
        with pytest.raises(ClientError):
            await running.post()
        assert (tired.connections, running.upstream.seen) == (1, [])


async def test_a_new_connection_that_ends_is_told(shim: Any) -> None:
    async with shim() as running:
        tired = Tired(running.upstream, close)

        async def ends(reader: Reader, writer: Writer) -> None:
            tired.ended.append((await running.upstream.request(reader)).body)
            writer.close()

        running.upstream.script = ends
        with pytest.raises(ClientError):
            await running.post()
        assert len(tired.ended) == 1


async def test_a_body_that_passed_as_it_came_cannot_go_again(shim: Any) -> None:
    async with shim(limit=10) as running:
        tired = Tired(running.upstream, close)
        await running.post()
        with pytest.raises(ClientError):
            await running.post(b'{"longer": "than ten bytes"}')
        assert (len(tired.ended), running.upstream.seen) == (1, [])
