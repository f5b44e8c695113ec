"""Streams pass as they come, and end the way that the other side ends them."""

import asyncio
import gzip
import sys
import zlib
from typing import Any

import pytest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ASK = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def read_chunk(reader: Any) -> bytes:
    size = int(await reader.readline(), 16)
    data: bytes = await reader.readexactly(size)
    await reader.readline()
    return data


async def test_each_part_of_a_stream_is_forwarded_before_the_next_one_comes(shim: Any) -> None:
    arrived = [asyncio.Event() for _ in range(3)]

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(HEAD)
        for number, event in enumerate(arrived):
            await event.wait()
            writer.write(chunk(b"data: %d\n\n" % number))
        writer.write(b"0\r\n\r\n")

    async with shim() as running:
        running.upstream.script = script
        reader, writer = await running.raw(ASK)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
        for number, event in enumerate(arrived):
            event.set()
            assert await read_chunk(reader) == b"data: %d\n\n" % number
        assert await read_chunk(reader) == b""
        writer.close()


async def test_a_request_is_streamed_too_where_nobody_has_to_read_it(shim: Any) -> None:
    begun, heard = asyncio.Event(), asyncio.Event()

    async def script(reader: Any, writer: Any) -> None:
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(1) == b"{"
        begun.set()
        assert await reader.readexactly(1) == b"}"
        heard.set()
        writer.write(running.upstream.answer())

    async with shim() as running:
        running.upstream.script = script
        _, writer = await running.raw(ASK.replace(b"/v1/messages", b"/v1/files")[:-1])
        await begun.wait()
        writer.write(b"}")
        await heard.wait()
        writer.close()


async def test_encoded_answers_pass_undecoded_and_the_core_hears_their_text(
    shim: Any, scripted: Any
) -> None:
    text = b"data: {}\n\n" * 50
    packed, core = gzip.compress(text), scripted()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(running.upstream.answer(packed, "200 OK", "Content-Encoding: gzip"))

    async with shim(core) as running:
        running.upstream.script = script
        assert await running.post(b"{}", Accept_Encoding="gzip") == packed
    assert b"".join(heard or b"" for _, heard in core.heard) == text
    assert core.heard[-1] == (b"{}", None)


@pytest.mark.parametrize("encoding", ["br", "gzip, zstd", "gzip"])
async def test_of_an_answer_that_cannot_be_decoded_the_core_hears_the_end_only(
    shim: Any, scripted: Any, encoding: str
) -> None:
    core = scripted()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(running.upstream.answer(b"???", "200 OK", f"Content-Encoding: {encoding}"))

    async with shim(core) as running:
        running.upstream.script = script
        assert await running.post() == b"???"
    assert core.heard == [(b"{}", None)]


async def test_the_core_does_not_hear_errors(shim: Any, scripted: Any) -> None:
    core = scripted()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(running.upstream.answer(b"no", "500 Sorry"))

    async with shim(core) as running:
        running.upstream.script = script
        await running.post()
    assert core.heard == [(b"{}", None)]


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + chunk(b'data: {"type": "thinking_delta"}\n\n'),
        HEAD + chunk(b'data: {"partial_json": "{\\"fi')[:-5],
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
    ],
    ids=["in a thinking block", "in a tool call", "in a body of known length"],
)
async def test_a_cut_stream_is_cut_for_the_client_too(
    shim: Any, scripted: Any, sent: bytes
) -> None:
    core = scripted()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(sent)

    async with shim(core) as running:
        running.upstream.script = script
        reader, _ = await running.raw(ASK)
        whole = await reader.read()
        state = await running.insight.state()
    assert whole.startswith(b"HTTP/1.1 200 OK\r\n")
    assert not whole.endswith(b"0\r\n\r\n")
    assert state["proxy"]["failures"] == {"cut": 1}
    assert core.heard[-1] == (b"{}", None)


async def test_what_came_before_the_cut_arrives(shim: Any) -> None:
    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(HEAD + b"".join(chunk(b"%07d" % n) for n in range(20_000)))
        await writer.drain()

    async with shim() as running:
        running.upstream.script = script
        reader, _ = await running.raw(ASK)
        whole = await reader.read()
    assert whole.count(b"0019999") == 1


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 20", b"nonsense\r\n\r\n"])
async def test_an_upstream_that_gives_no_answer_gives_none(shim: Any, sent: bytes) -> None:
    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(sent)

    async with shim() as running:
        running.upstream.script = script
        reader, _ = await running.raw(ASK)
        assert await reader.read() == b""
        assert (await running.insight.state())["proxy"]["failures"] == {"no answer": 1}


async def test_an_upstream_that_cannot_be_reached_is_an_error_that_says_so(shim: Any) -> None:
    from statetape.shim.upstreams import upstreams

    nobody = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = nobody.sockets[0].getsockname()[1]
    nobody.close()
    async with (
        shim(upstreams=upstreams([f"http://127.0.0.1:{port}"])) as running,
        running.session.post(running.url + "/v1/messages", data=b"{}") as response,
    ):
        assert response.status == 502
        error = await response.json()
        assert error["error"]["message"].startswith("statetape: no connection to http://127.0.0.1")


@pytest.mark.parametrize("when", ["before the head", "within the body"])
async def test_a_client_that_goes_away_takes_the_request_upstream_along(
    shim: Any, when: str
) -> None:
    arrived = asyncio.Event()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        if when == "within the body":
            writer.write(HEAD + chunk(b"data: 1\n\n"))
        arrived.set()
        await reader.readexactly(1)  # raises when the connection ends

    async with shim() as running:
        running.upstream.script = script
        reader, writer = await running.raw(ASK)
        await (arrived.wait() if when == "before the head" else reader.readuntil(b"data: 1"))
        writer.transport.abort()
        await running.upstream.gone.wait()


async def test_nothing_of_ours_ends_a_silence(shim: Any) -> None:
    """Four hundred seconds pass on the clock of the loop while both sides are silent."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        arrived.set()
        await go_on.wait()
        writer.write(running.upstream.answer(b"late"))

    async with shim() as running:
        running.upstream.script = script
        reader, writer = await running.raw(ASK)
        await arrived.wait()
        loop: Any = asyncio.get_running_loop()
        now = loop.time
        loop.time = lambda: now() + 400
        for _ in range(5):
            await asyncio.sleep(0)
        go_on.set()
        assert (await reader.readuntil(b"late")).startswith(b"HTTP/1.1 200 OK\r\n")
        writer.close()
        loop.time = now


async def test_an_answer_without_a_length_ends_with_its_connection(shim: Any) -> None:
    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it")

    async with shim() as running:
        running.upstream.script = script
        assert await running.post() == b"all of it"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_may_be_as_long_as_the_limit_and_not_longer(encoding: str) -> None:
    from statetape.shim.encodings import EncodingError, decoded

    for size in (999, 1_000):
        text = b"0" * size
        packed = gzip.compress(text) if encoding == "gzip" else zstd.compress(text)
        assert decoded(packed, encoding, 1_000) == text
    for size in (1_001, 1_002, 10_000_000):
        text = b"0" * size
        packed = gzip.compress(text) if encoding == "gzip" else zstd.compress(text)
        with pytest.raises(EncodingError, match="longer than the limit"):
            decoded(packed, encoding, 1_000)


def test_a_decoder_takes_any_cut_and_several_members() -> None:
    from statetape.shim.encodings import Decoder

    text = bytes(range(256)) * 9
    for name, packed in (
        ("gzip", gzip.compress(text) + gzip.compress(text)),
        ("deflate", zlib.compress(text) + zlib.compress(text)),
    ):
        for step in (1, 7, 10_000):
            decoder = Decoder(name)
            parts = [packed[at : at + step] for at in range(0, len(packed), step)]
            assert b"".join(map(decoder.decoded, parts)) == text * 2
