"""A request on its way to its upstream: sent once, but for a connection that had ended before."""

import time
from collections.abc import AsyncIterator
from errno import ECONNRESET, EPIPE
from types import SimpleNamespace
from typing import Any

from aiohttp import (
    ClientOSError,
    ClientResponse,
    ClientSession,
    ServerDisconnectedError,
    TraceConfig,
)
from yarl import URL

# Seconds by when a server's "closed" that crossed our request has come.
_CROSSED = 1.0
_SLICE = 2**18

Body = bytes | AsyncIterator[bytes] | None


def tracing() -> TraceConfig:
    """What a session needs so that `sent` knows which connections are not new."""

    async def reused(_: ClientSession, context: SimpleNamespace, __: object) -> None:
        context.trace_request_ctx.reused = True

    config = TraceConfig()
    config.on_connection_reuseconn.append(reused)
    return config


async def sent(
    session: ClientSession, method: str, url: URL, body: Body, **given: Any
) -> ClientResponse:
    """The head of the answer, with the errors of `ClientSession.request`, which gets all else.

    A server may close a connection that nobody used, while a request is on its way there. It has
    not seen the request then: if a connection that is not new ends at once and without a word, the
    request goes out again, in the end on a new one. A body that passes as it comes cannot.
    """
    while True:
        way = SimpleNamespace(reused=False)
        began = time.monotonic()
        data = _slices(body) if isinstance(body, bytes) else body
        try:
            return await session.request(method, url, data=data, trace_request_ctx=way, **given)
        except (ServerDisconnectedError, ClientOSError) as fault:
            at_once = time.monotonic() - began < _CROSSED
            again = body is None or isinstance(body, bytes)
            if not (way.reused and again and at_once and _is_silent(fault)):
                raise


def _is_silent(fault: ServerDisconnectedError | ClientOSError) -> bool:
    """Whether a connection ended before an answer began. A reset does not tell half a head."""
    if isinstance(fault, ServerDisconnectedError):
        return isinstance(fault.message, str)  # else it is the head that was begun
    return fault.errno in {ECONNRESET, EPIPE}


async def _slices(body: bytes) -> AsyncIterator[bytes]:
    """The body in parts, so that a large one lets others have their turn."""
    for start in range(0, len(body), _SLICE):
        yield body[start : start + _SLICE]
