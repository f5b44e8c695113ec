"""The proxy as a server: what it is made of, its start and its end."""

import asyncio
import logging
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from socket import socket

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, web
from msgspec import Struct

from statetape.shim.asking import Asking
from statetape.shim.counts import Counts
from statetape.shim.headers import lowered
from statetape.shim.insight import Insight
from statetape.shim.lanes import Lanes
from statetape.shim.log import Log
from statetape.shim.maintainer import Maintainer
from statetape.shim.outgoing import Intake
from statetape.shim.proxy import Proxy
from statetape.shim.security import OWN, Gate, Refusal
from statetape.shim.sending import tracing
from statetape.shim.upstreams import Upstreams

# More than any API takes: a conversation is read, a file upload on the same path is not.
LIMIT = 64 * 2**20
DEADLINE = 2.0
_HEADER = 2**18  # bytes of one header, or of the request line: clients put whole documents there
_GRACE = 1.0  # seconds for answers under way when the proxy is stopped
# Certificates that users name for an agent hold for what goes on in its place.
_CERTIFICATES = ("NODE_EXTRA_CA_CERTS", "CODEX_CA_CERTIFICATE", "REQUESTS_CA_BUNDLE")


class Settings(Struct, frozen=True):
    """What a proxy is told. `deadline` in seconds, `limit` in bytes: see `Asking` and `Intake`."""

    gate: Gate
    upstreams: Upstreams = Upstreams()
    observe: bool = False
    deadline: float = DEADLINE
    limit: int = LIMIT


@asynccontextmanager
async def serving(
    settings: Settings, core: Maintainer, listener: socket, log: Log
) -> AsyncIterator[Insight]:
    """A proxy that answers on `listener`, which is closed at the end, until the context ends."""
    lanes, counts = Lanes(), Counts()
    asking = Asking(core, lanes, deadline=settings.deadline, limit=settings.limit, notice=log.once)
    insight = Insight(core, lanes, counts, settings.upstreams, observe=settings.observe)
    intake = Intake(asking, counts, limit=settings.limit, observe=settings.observe)
    async with _client() as session:
        proxy = Proxy(session, settings.upstreams, intake, asking, counts, log)
        app = _App(settings.gate, insight, proxy, counts, log)
        server = web.Server(
            app.answer,
            handler_cancellation=True,  # who goes away takes the request upstream along
            auto_decompress=False,
            max_line_size=_HEADER,
            max_field_size=_HEADER,
            access_log=None,
            logger=_silent(),
        )
        runner = web.ServerRunner(server, shutdown_timeout=_GRACE)
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield insight
        finally:
            await runner.cleanup()
            await asyncio.to_thread(lanes.idle, settings.deadline)


class _App:
    """Every request first comes here."""

    def __init__(
        self, gate: Gate, insight: Insight, proxy: Proxy, counts: Counts, log: Log
    ) -> None:
        self._gate = gate
        self._insight = insight
        self._proxy = proxy
        self._counts = counts
        self._log = log

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        target = self._gate.admitted(request.raw_path, lowered(request.raw_headers))
        if isinstance(target, Refusal):
            self._counts.refused[target.reason] += 1
            self._log.line("refused", reason=target.reason)
            return web.Response(status=target.status, text=f"statetape: {target.reason}\n")
        if target.startswith(OWN):
            return await self._insight.answer(target.partition("?")[0])
        self._counts.requests += 1
        self._counts.open += 1
        try:
            return await self._proxy.answer(request, target)
        finally:
            self._counts.open -= 1


def _client() -> ClientSession:
    """Connections to upstreams: no timeout, no cookie, no redirect, no encoding of their own.

    Not `trust_env`: that takes credentials from a `.netrc` too.
    """
    certificates = tuple(filter(None, map(os.environ.get, _CERTIFICATES)))
    return ClientSession(
        connector=TCPConnector(limit=0, ssl=_trusting(certificates)),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
        auto_decompress=False,
        max_line_size=_HEADER,
        max_field_size=_HEADER,
        trace_configs=[tracing()],
    )


@cache
def _trusting(files: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for file in files:
        with suppress(OSError):  # ssl.SSLError is one
            context.load_verify_locations(file)
    return context


def _silent() -> logging.Logger:
    """What the library would say of broken requests; we count our own."""
    logger = logging.getLogger("statetape.shim.http")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
