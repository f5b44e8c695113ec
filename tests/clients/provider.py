"""A shim before a provider with a cache of its own, as one command for the harness.

provider.py PORT UPSTREAM REPO RUN [--binding] [OPTION...]: `statetape serve` on PORT, and between
it and the harness's upstream a provider that keeps a cache by the literal model of the rules. It
puts that usage into the answers, and refuses a request whose bound thinking stands behind
something else than it was made for, as the documents describe. A line of JSON for each request is
in RUN/provider.jsonl, the bills are in RUN/bills.sqlite.
"""

import asyncio
import hashlib
import json
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.clients.tee import decoded
from tests.economics.literal import Anthropic, OpenAI, canonical, listed

from statetape.economics.prices import Price, price_of
from statetape.pricing import shipped

_HOP = {"host", "content-length", "transfer-encoding", "connection", "content-encoding", "expect"}
BETA = "thinking-binding-controls-2026-08-01"
Json = dict[str, Any]


class Provider:
    """Passes requests on, counts what they cost, and looks after thinking."""

    def __init__(self, upstream: str, out: Path, *, binding: bool) -> None:
        self.upstream = upstream
        self.out = out / "provider.jsonl"
        self.binding = binding
        self.caches: dict[str, Anthropic | OpenAI] = {}
        self.bound: dict[str, str] = {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _HOP}
        body = self.body(raw, request.headers.get("content-encoding", ""))
        plain = decoded(raw, request.headers.get("content-encoding", ""))
        said: Json = {"path": request.path, "leave": self.leave(body, request.headers)}
        if (wrong := self.unbound(body)) and not said["leave"]:
            self.note({**said, "status": 400, "wrong": wrong})
            error = {"type": "invalid_request_error", "message": f"thinking block {wrong}"}
            return web.json_response({"type": "error", "error": error}, status=400)
        usage = self.usage(request.path, body)
        async with ClientSession(auto_decompress=True) as session:
            url = self.upstream + request.raw_path
            async with session.request(
                request.method, url, data=plain, headers=headers, allow_redirects=False
            ) as given:
                data = await given.read()
        if given.status == 200 and usage is not None:
            data = self.counted(data, usage)
            self.bind(body, data)
        self.note({**said, "status": given.status, "usage": usage, "wrong": wrong})
        kept = {k: v for k, v in given.headers.items() if k.lower() not in _HOP}
        return web.Response(status=given.status, headers=kept, body=data)

    def note(self, line: Json) -> None:
        with self.out.open("a") as file:
            file.write(json.dumps(line) + "\n")

    @staticmethod
    def body(raw: bytes, encoding: str) -> Json:
        try:
            found = json.loads(decoded(raw, encoding) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def usage(self, path: str, body: Json) -> Json | None:
        """What the provider reports of a request, None where it counts nothing."""
        price = price_of(str(body.get("model")), shipped())
        if price is None:
            return None
        cache = self.caches.get(price.model)
        if path.endswith("/messages"):
            cache = cache or self.caches.setdefault(price.model, Anthropic(least=price.least))
            assert isinstance(cache, Anthropic)
            return cache.usage_of(body, time.time())
        if path.endswith("/responses"):
            return self.responses(price, body)
        return None

    def responses(self, price: Price, body: Json) -> Json | None:
        if price.caching != "automatic":
            return None
        cache = self.caches.setdefault(
            price.model, OpenAI(least=price.least, step=price.step, lifetime=price.lifetime)
        )
        items = body.get("input") or []
        contents = [body.get("instructions"), body.get("tools"), *items]
        layers = ["system", "tools", *("messages" for _ in items)]
        blocks = [
            {
                "layer": layer,
                "content": canonical(it),
                "tokens": len(canonical(it)) // 4,
                "ttl": None,
            }
            for layer, it in zip(layers, contents, strict=True)
        ]
        asked = {"model": price.model, "at": time.time(), "blocks": blocks, "settings": None}
        found = cache.answer(asked)
        return {
            "input_tokens": found["input_tokens"] + found["cache_read_input_tokens"],
            "input_tokens_details": {"cached_tokens": found["cache_read_input_tokens"]},
        }

    @staticmethod
    def counted(data: bytes, usage: Json) -> bytes:
        """The answer with this usage in place of the harness's."""
        if data[:1] == b"{":
            whole = json.loads(data)
            whole["usage"] = {**whole.get("usage", {}), **usage}
            return json.dumps(whole).encode()
        lines = data.split(b"\n")
        for n, line in enumerate(lines):
            if line.startswith(b"data: {") and b'"usage"' in line:
                event = json.loads(line[6:])
                for place in (event, event.get("message"), event.get("response")):
                    if isinstance(place, dict) and isinstance(place.get("usage"), dict):
                        place["usage"] = {**place["usage"], **usage}
                lines[n] = b"data: " + json.dumps(event, separators=(",", ":")).encode()
        return b"\n".join(lines)

    # Thinking is bound to all that stands before it.

    def bind(self, body: Json, data: bytes) -> None:
        for line in data.split(b"\n"):
            if b"signature_delta" in line and line.startswith(b"data: "):
                signature = json.loads(line[6:])["delta"]["signature"]
                self.bound[signature] = before(body, len(body["messages"]))

    def unbound(self, body: Json) -> str | None:
        """The first thinking block that stands behind something else than it was made for."""
        if not self.binding:
            return None
        for n, message in enumerate(body.get("messages") or ()):
            for block in listed(message["content"]):
                signature = block.get("signature")
                if signature in self.bound and self.bound[signature] != before(body, n):
                    return str(signature)
        return None

    @staticmethod
    def leave(body: Json, headers: Mapping[str, str]) -> bool:
        asked = (body.get("thinking") or {}).get("block_binding") or {}
        said = BETA in headers.get("anthropic-beta", "")
        return said and asked.get("prefix_mismatch_behavior") == "drop_block"


def before(body: Json, count: int) -> str:
    """A digest of all messages before one; marks are no part of it.

    The documents bind thinking to system prompt and tools as well. Those are never changed by us,
    but by Claude Code itself, where it resumes a session: alone it would be refused then.
    """
    messages = [
        {**m, "content": [bare(block) for block in listed(m["content"])]}
        for m in body["messages"][:count]
    ]
    return hashlib.sha256(canonical(messages).encode()).hexdigest()


def bare(block: Json) -> Json:
    content = {key: value for key, value in block.items() if key != "cache_control"}
    if content.get("type") == "tool_result":
        content["content"] = [bare(part) for part in listed(content.get("content") or [])]
    return content


async def main(port: str, upstream: str, repo: str, out: str, *options: str) -> None:
    given = [option for option in options if option != "--binding"]
    provider = Provider(upstream, Path(out), binding="--binding" in options)
    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", provider.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    number = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    shim = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", "from statetape.cli import main; main()"),
        *("serve", "--port", port, "--upstream", f"http://127.0.0.1:{number}"),
        *("--repo", repo, "--deadline", "60", "--store", str(Path(out) / "changes.sqlite"), *given),
    )
    for signaled in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signaled, shim.terminate)
    sys.exit(max(await shim.wait(), 0))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
