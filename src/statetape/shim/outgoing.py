"""What goes on to the upstream in place of a request."""

import time
from collections.abc import AsyncIterator, Mapping
from typing import NamedTuple

from aiohttp import StreamReader, web
from multidict import CIMultiDict

from statetape.shim.asking import Asked, Asking
from statetape.shim.counts import Counts
from statetape.shim.headers import BYPASS, passed_on, shown, with_beta
from statetape.shim.sending import Body
from statetape.wire.levers import DROPS_BETA, HOUR_BETA

# Paths of requests that carry a conversation.
_CONVERSATIONS = ("/messages", "/responses", "/chat/completions")
# What we may have put into a body, or its client, and the header that has to go with it.
_BETAS = {b'"prefix_mismatch_behavior"': DROPS_BETA, b'"ttl":"1h"': HOUR_BETA}
_OF_THE_HOP = ("expect", "host")


class Outgoing(NamedTuple):
    """The headers and the body that go on, and what became of asking the core.

    The body is None where there is none, and bytes where it was read to its end.
    """

    headers: CIMultiDict[str]
    body: Body
    asked: Asked


class Intake:
    """Takes requests in. With `observe` the core is asked, and the request goes on as it came."""

    def __init__(self, asking: Asking, counts: Counts, *, limit: int, observe: bool) -> None:
        """`limit`: bytes of a body that the core is asked about; a longer one passes by."""
        self._asking = asking
        self._counts = counts
        self._limit = limit
        self._observe = observe

    async def outgoing(
        self, request: web.BaseRequest, path: str, headers: Mapping[str, str]
    ) -> Outgoing:
        """What goes on. `headers` are all of the request's, with names in lower case."""
        kept = passed_on(request.raw_headers, without=_OF_THE_HOP)
        if not request.body_exists:
            return Outgoing(kept, None, Asked())
        if request.method != "POST" or not path.endswith(_CONVERSATIONS):
            return Outgoing(kept, _chunks(b"", request.content), Asked())
        if BYPASS in headers:
            asked = self._counted(Asked(reason="bypass"))
            return Outgoing(kept, _chunks(b"", request.content), asked)
        body, whole = await _head(request.content, self._limit)
        if not whole:
            asked = self._counted(Asked(reason="too long"))
            return Outgoing(kept, _chunks(body, request.content), asked)
        began = time.perf_counter()
        encoding = headers.get("content-encoding", "")
        asked = self._counted(await self._asking.asked(path, shown(headers), body, encoding))
        self._counts.took(time.perf_counter() - began)
        if asked.changed is not None and not self._observe:
            body = asked.changed
            kept.popall("Content-Encoding", None)
            for words, beta in _BETAS.items():
                if words in body:
                    kept = with_beta(kept, beta)
        kept["Content-Length"] = str(len(body))
        return Outgoing(kept, body, asked)

    def _counted(self, asked: Asked) -> Asked:
        if asked.reason is not None:
            self._counts.passed[asked.reason] += 1
        if asked.changed is not None:
            self._counts.changed += 1
        return asked


async def _head(content: StreamReader, limit: int) -> tuple[bytes, bool]:
    """The body and True; if it is longer than `limit` bytes, what has come by then and False."""
    parts: list[bytes] = []
    size = 0
    async for chunk in content.iter_any():
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            return b"".join(parts), False
    return b"".join(parts), True


async def _chunks(begun: bytes, content: StreamReader) -> AsyncIterator[bytes]:
    """What has come, then the rest as it comes."""
    if begun:
        yield begun
    async for chunk in content.iter_any():
        yield chunk
