"""A proxy on loopback between scripted clients, a scripted core and scripted upstreams."""

import asyncio
import inspect
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from aiohttp import ClientSession, DummyCookieJar
from msgspec import structs
from tests.shim.spending import CORES, Clock

from statetape.shim.app import Settings, serving
from statetape.shim.core import Core
from statetape.shim.insight import Insight
from statetape.shim.log import Log
from statetape.shim.maintainer import Maintainer
from statetape.shim.security import Gate
from statetape.shim.upstreams import upstreams

Connection = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Scripted:
    """A core that does what it is told, and remembers what it was asked."""

    def __init__(self, change: Callable[[bytes], bytes] = lambda body: body) -> None:
        self.change = change
        self.asked: list[tuple[str, Mapping[str, str], bytes]] = []
        self.heard: list[tuple[bytes, bytes | None]] = []

    def maintained(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        self.asked.append((path, headers, body))
        return self.change(body)

    @staticmethod
    def repeated(_path: str, _headers: Mapping[str, str], body: bytes) -> bytes:
        return body

    def passed(self, request: bytes) -> None:
        """It is told, and forgets."""

    def answered(
        self, _path: str, _headers: Mapping[str, str], request: bytes, chunk: bytes | None
    ) -> None:
        self.heard.append((request, chunk))

    def state(self) -> dict[str, Any]:
        return {"requests": len(self.asked), "tokens": {"with": 3, "without": 5}}


class Seen:
    """A request as an upstream saw it, byte by byte."""

    def __init__(self, head: bytes, body: bytes) -> None:
        first, *lines = head.decode("utf-8", "replace").split("\r\n")
        self.first = first
        self.headers = [(n, v) for n, _, v in (line.partition(": ") for line in lines)]
        self.named = {name.lower(): value for name, value in self.headers}
        self.body = body


class Upstream:
    """A server of raw bytes. By default it answers `{}` to everything, and keeps what it saw."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.url = ""
        self.gone = asyncio.Event()
        self.script: Connection = self.plain

    @staticmethod
    async def request(reader: asyncio.StreamReader) -> Seen:
        """The next request on a connection, with its body."""
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        found = Seen(head, b"")
        if "content-length" in found.named:
            found.body = await reader.readexactly(int(found.named["content-length"]))
        elif found.named.get("transfer-encoding") == "chunked":
            while size := int(await reader.readline(), 16):
                found.body += await reader.readexactly(size)
                await reader.readline()
            await reader.readline()
        return found

    @staticmethod
    def answer(body: bytes = b"{}", status: str = "200 OK", *headers: str) -> bytes:
        """An answer with a length."""
        lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode() + body

    async def plain(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            self.seen.append(await self.request(reader))
            whole = self.answer()
            writer.write(whole[:-2] if self.seen[-1].first.startswith("HEAD") else whole)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.script(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.gone.set()
        finally:
            writer.close()


class Shim:
    """A running proxy with its parts."""

    def __init__(self, url: str, session: ClientSession, insight: Insight, up: Upstream) -> None:
        self.url = url
        self.port = int(url.rpartition(":")[2])
        self.session = session
        self.insight = insight
        self.upstream = up
        self.writers: list[asyncio.StreamWriter] = []

    async def post(self, body: bytes = b"{}", path: str = "/v1/messages", **headers: str) -> bytes:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.post(
            self.url + path, data=BytesIO(body), headers=named
        ) as response:
            return await response.read()

    async def raw(self, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection of a client that has sent `data`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        writer.write(data)
        return reader, writer

    async def hang_up(self) -> None:
        for writer in self.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def started(
    core: Maintainer | None = None,
    log: Path | None = None,
    prefix: str = "",
    host: str = "127.0.0.1",
    **changes: Any,
) -> AsyncIterator[Shim]:
    upstream = Upstream()
    server = await asyncio.start_server(upstream.connected, "127.0.0.1", 0)
    upstream.url = f"http://{host}:{server.sockets[0].getsockname()[1]}{prefix}"
    patient = Settings(Gate(local=True, token=None), upstreams([upstream.url]), deadline=60)
    settings = structs.replace(patient, **changes)
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    written = Log(log)
    jar = DummyCookieJar()
    async with (
        server,
        serving(settings, core or Scripted(), listener, written) as insight,
        ClientSession(cookie_jar=jar, auto_decompress=False) as session,
    ):
        running = Shim(url, session, insight, upstream)
        try:
            yield running
        finally:
            await running.hang_up()
    written.close()


@pytest.fixture
def shim() -> Any:
    """Runs a proxy: `async with shim(core, ...) as running`."""
    return started


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests that await get a loop. One that is stuck fails, however slow the machine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None

    async def run() -> None:
        loop, test = asyncio.get_running_loop(), asyncio.current_task()
        assert test is not None
        # Not a timeout of the loop, whose clock a test may move.
        guard = Timer(60, lambda: loop.call_soon_threadsafe(test.cancel, "stuck"))
        guard.start()
        try:
            names = inspect.signature(pyfuncitem.obj).parameters
            await pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        finally:
            guard.cancel()

    asyncio.run(run())
    return True


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a busy machine takes longer for is waited for."""
    monkeypatch.setattr(Core, "patience", 60.0)
    monkeypatch.setattr("statetape.shim.insight._PATIENCE", 60.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Time as the tests have it; what they started is ended with them."""
    monkeypatch.setattr(time, "time", lambda: Clock.now)
    yield
    while CORES:
        CORES.pop().close()
