"""A shim with an oracle behind it, as one command for the harness.

between.py PORT UPSTREAM REPO OUT [OPTION...]: starts `statetape serve` on PORT, and behind it a
plain proxy that writes what the oracle says of each request to OUT, a line of JSON a request.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path

import oracle  # type: ignore[import-not-found]  # beside this script
from aiohttp import ClientSession, ClientTimeout, web

_HOPS = {"host", "content-length", "connection", "transfer-encoding"}


def keep(out: str, line: str) -> None:
    """Add a line to the results."""
    with Path(out).open("a") as file:
        file.write(line)


async def main(port: str, upstream: str, repo: str, out: str, *options: str) -> None:
    seen: dict[str, tuple[str, str]] = {}
    keep(out, "")

    async def passed(request: web.Request) -> web.StreamResponse:
        if request.headers.get("upgrade"):
            return web.Response(status=426)
        body = await request.read()
        if request.path.endswith(("/messages", "/responses", "/chat/completions")) and body:
            try:
                found = oracle.stale(body, Path(repo), seen)
            except (ValueError, UnicodeDecodeError):
                found = []  # compressed or broken on purpose
            keep(out, json.dumps(found) + "\n")
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _HOPS}
        url = upstream + request.path_qs
        async with session.request(
            request.method, url, data=body, headers=headers, allow_redirects=False
        ) as answer:
            kept = {k: v for k, v in answer.headers.items() if k.lower() not in _HOPS}
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    session = ClientSession(auto_decompress=False, timeout=ClientTimeout(None))
    app = web.Application(client_max_size=1 << 30)
    app.router.add_route("*", "/{path:.*}", passed)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    behind = runner.addresses[0][1]
    command = ("serve", "--port", port, "--upstream", f"http://127.0.0.1:{behind}", "--repo", repo)
    program = [str(Path(sys.executable).with_name("statetape"))]
    if options[:1] and options[0].endswith(".py"):  # a statetape with a policy of its own
        program, options = [sys.executable, "-P", options[0]], options[1:]
    shim = await asyncio.create_subprocess_exec(*program, *command, *options)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, shim.terminate)
    code = await shim.wait()
    await session.close()
    await runner.cleanup()
    sys.exit(max(code, 0))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
