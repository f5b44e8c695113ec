"""Servers to measure against: `servers.py upstream PORT`, `servers.py bare PORT UPSTREAM`.

The upstream answers each POST with a stream of events of as many bytes as the header `x-bytes`
says. The bare proxy forwards with the same library as statetape does, and does nothing else.
"""

import asyncio
import sys

from aiohttp import ClientSession, ClientTimeout, web

EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","text":"%s"}\n\n' % (
    b"x" * 900
)


async def upstream(request: web.BaseRequest) -> web.StreamResponse:
    await request.read()
    left = int(request.headers.get("x-bytes", "1000"))
    answer = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await answer.prepare(request)
    while left > 0:
        await answer.write(EVENT)
        left -= len(EVENT)
    await answer.write_eof()
    return answer


def bare(url: str, session: ClientSession) -> "web.Server":
    async def passed(request: web.BaseRequest) -> web.StreamResponse:
        headers = {k: v for k, v in request.headers.items() if k.lower() != "host"}
        async with session.request(
            request.method, url + request.path_qs, data=await request.read(), headers=headers
        ) as found:
            answer = web.StreamResponse(status=found.status)
            await answer.prepare(request)
            async for chunk in found.content.iter_any():
                await answer.write(chunk)
            await answer.write_eof()
            return answer

    return web.Server(passed)


async def main(what: str, port: str, url: str = "") -> None:
    async with ClientSession(auto_decompress=False, timeout=ClientTimeout(None)) as session:
        server = web.Server(upstream) if what == "upstream" else bare(url, session)
        runner = web.ServerRunner(server)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", int(port)).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
