"""A tee for HTTP/1.1: bytes pass both ways as they come, and each request is kept as a file."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor
else:
    from backports.zstd import ZstdDecompressor

_LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding:.*chunked", re.IGNORECASE | re.MULTILINE)
_LIMIT = 1 << 26

Heard = Callable[[bytes], None]


def keeping(folder: Path) -> Heard:
    """Keeps each request in a file of the folder, numbered from 0001: its head, then its body."""
    folder.mkdir(parents=True)

    def keep(request: bytes) -> None:
        number = sum(1 for _ in folder.iterdir()) + 1
        (folder / f"{number:04d}").write_bytes(request)

    return keep


def decoded(body: bytes, encoding: str) -> bytes:
    """A body without its content encoding; agents use one."""
    return ZstdDecompressor().decompress(body) if encoding == "zstd" else body


async def tee(port: int, to: int, heard: Heard) -> asyncio.Server:
    """Passes what comes on `port` (0: any) on to the port `to`.

    `heard` has each request, its head and its body without the marks of chunks, before the last
    of its bytes goes on.
    """

    async def met(client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        try:
            server, on = await asyncio.open_connection("127.0.0.1", to, limit=_LIMIT)
        except OSError:
            back.transport.abort()
            return
        ways = (_requests(client, on, heard), _bytes(server, back))
        tasks = [asyncio.ensure_future(way) for way in ways]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[1].done():  # the client has no more to ask: what is on its way still comes
            await asyncio.wait(tasks, timeout=0.2)
        for task in tasks:
            task.cancel()
        for writer in (on, back):
            writer.close()

    return await asyncio.start_server(met, "127.0.0.1", port, limit=_LIMIT)


def port_of(server: asyncio.Server) -> int:
    """The port that a server listens on."""
    port: int = server.sockets[0].getsockname()[1]
    return port


async def _requests(source: asyncio.StreamReader, to: asyncio.StreamWriter, heard: Heard) -> None:
    try:
        while True:
            head = await source.readuntil(b"\r\n\r\n")
            held, body = head, b""
            async for raw, text in _body(source, head):
                to.write(held)
                held, body = raw, body + text
            heard(head + body)
            to.write(held)
            await to.drain()
    except (EOFError, OSError):
        return


async def _body(source: asyncio.StreamReader, head: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
    """The body in parts: the bytes as they are, and what they carry."""
    if (length := _LENGTH.search(head)) is not None:
        if int(length[1]):
            whole = await source.readexactly(int(length[1]))
            yield whole, whole
    elif _CHUNKED.search(head):
        size = 1
        while size:
            line = await source.readuntil(b"\r\n")
            size = int(line.partition(b";")[0], 16)
            chunk = await source.readexactly(size + 2)
            yield line + chunk, chunk[:-2]


async def _bytes(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    try:
        while chunk := await source.read(1 << 16):
            to.write(chunk)
            await to.drain()
    except OSError:
        to.transport.abort()
