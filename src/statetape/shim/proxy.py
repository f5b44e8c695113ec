"""Requests go on to their upstream, answers come back as they are."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientResponse,
    ClientSession,
    web,
)
from yarl import URL

from statetape.shim.asking import Asking
from statetape.shim.counts import Counts
from statetape.shim.headers import lowered
from statetape.shim.listening import Listening
from statetape.shim.log import Log
from statetape.shim.outgoing import Intake, Outgoing
from statetape.shim.relay import cut, relayed
from statetape.shim.security import is_local
from statetape.shim.sending import sent
from statetape.shim.upstreams import Upstreams, origin

# The library would add these, with words of its own.
_NOT_ADDED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class Proxy:
    """Forwards each request that is not for ourselves."""

    def __init__(
        self,
        session: ClientSession,
        upstreams: Upstreams,
        intake: Intake,
        asking: Asking,
        counts: Counts,
        log: Log,
    ) -> None:
        self._session = session
        self._upstreams = upstreams
        self._intake = intake
        self._asking = asking
        self._counts = counts
        self._log = log

    async def answer(self, request: web.BaseRequest, target: str) -> web.StreamResponse:
        """The upstream's answer to a request for `target` (its path and query), already sent."""
        headers = lowered(request.raw_headers)
        path = target.partition("?")[0]
        if "websocket" in headers.get("upgrade", "").lower():
            return web.Response(status=426, text="plain HTTP only, no websockets")
        if headers.get("expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        began = time.perf_counter()
        said: dict[str, Any] = {"method": request.method, "path": path}
        listening: Listening | None = None
        try:
            outgoing = await self._intake.outgoing(request, path, headers)
            asked = outgoing.asked
            said |= {"changed": asked.changed is not None, "reason": asked.reason}
            said["core_seconds"] = round(time.perf_counter() - began, 4)
            if asked.request is not None:
                listening = Listening(self._asking, asked.request)
            url = self._upstreams.url(target, headers)
            return await self._forwarded(request, url, outgoing, listening, said)
        except BaseException as fault:
            said["fault"] = type(fault).__name__
            raise
        finally:
            if listening is not None:
                listening.end()
            said["seconds"] = round(time.perf_counter() - began, 4)
            self._log.line("request", **said)

    async def _forwarded(
        self,
        request: web.BaseRequest,
        url: str,
        outgoing: Outgoing,
        listening: Listening | None,
        said: dict[str, Any],
    ) -> web.StreamResponse:
        try:
            upstream = await sent(
                self._session,
                request.method,
                URL(url, encoded=True),
                outgoing.body,
                headers=outgoing.headers,
                skip_auto_headers=_NOT_ADDED,
                allow_redirects=False,
                proxy=_proxy(url),
            )
        except (ClientConnectorError, ClientHttpProxyError) as fault:
            self._failed("no connection", said)
            return _error(502, f"no connection to {origin(url)}: {type(fault).__name__}")
        except ValueError:
            self._failed("no URL", said)
            return _error(400, "this request has no URL that can be forwarded")
        except (ClientError, OSError):
            self._failed("no answer", said)
            cut(request)
            return web.Response(status=502)
        try:
            return await self._relayed(request, upstream, listening, said)
        finally:
            upstream.release()

    async def _relayed(
        self,
        request: web.BaseRequest,
        upstream: ClientResponse,
        listening: Listening | None,
        said: dict[str, Any],
    ) -> web.StreamResponse:
        said["status"] = upstream.status
        self._counts.answers[str(upstream.status)] += 1
        if listening is not None:
            listening.begin(
                success=200 <= upstream.status < 300,
                encoding=upstream.headers.get("Content-Encoding", ""),
            )
        size = 0

        def heard(chunk: bytes) -> None:
            nonlocal size
            size += len(chunk)
            if listening is not None:
                listening.heard(chunk)

        response, whole = await relayed(request, upstream, heard)
        said["bytes"] = size
        self._counts.bytes["answers"] += size
        if not whole:
            self._failed("cut", said)
        return response

    def _failed(self, kind: str, said: dict[str, Any]) -> None:
        said["failure"] = kind
        self._counts.failures[kind] += 1


def _error(status: int, words: str) -> web.Response:
    """An error in the form that the APIs give theirs, so that clients show its words."""
    error = {"type": "error", "error": {"type": "api_error", "message": f"statetape: {words}"}}
    return web.json_response(error, status=status)


def _proxy(url: str) -> str | None:
    """The proxy that the user's environment names for a URL. Never one for this machine."""
    parts = urlsplit(url)
    if is_local(parts.hostname) or proxy_bypass(parts.netloc):
        return None
    proxies: Mapping[str, str] = getproxies_environment()
    named = proxies.get(parts.scheme) or proxies.get("all")
    if named and "://" not in named:
        named = f"http://{named}"
    return named or None
