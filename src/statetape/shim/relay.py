"""The answer of an upstream, handed through as it comes."""

from collections.abc import Callable

from aiohttp import ClientError, ClientResponse, web

from statetape.shim.headers import passed_on

_ADDED = ("Content-Type", "Date", "Server")


class Answer(web.StreamResponse):
    """The head of an answer: the upstream's own headers, and none of the library's."""

    async def _prepare_headers(self) -> None:
        missing = [name for name in _ADDED if name not in self.headers]
        await super()._prepare_headers()
        for name in missing:
            self.headers.pop(name, None)


async def relayed(
    request: web.BaseRequest, upstream: ClientResponse, heard: Callable[[bytes], None]
) -> tuple[web.StreamResponse, bool]:
    """The answer, sent, and whether it came to its end; `heard` has each chunk after it was sent.

    An answer that the upstream cut is cut here too: the connection closes without its end.
    """
    answer = Answer(
        status=upstream.status,
        reason=upstream.reason,
        headers=passed_on(upstream.raw_headers),
    )
    try:
        await answer.prepare(request)
        async for chunk in upstream.content.iter_any():
            await answer.write(chunk)
            heard(chunk)
    except (ClientError, OSError):
        cut(request)
        return answer, False
    return answer, True


def cut(request: web.BaseRequest) -> None:
    """Close the client's connection behind what was sent: the library then sends no end."""
    if request.transport is not None:
        request.transport.close()
