"""Anthropic's and OpenAI's cache rules, read literally and slowly: lists of dicts, no digests.

Shares nothing with the package. A *request* here is a dict: `model`, `at` (seconds), `settings`
(anything), and `blocks`, each a dict of `layer` ("tools" | "system" | "messages"), `content`
(anything that can be compared), `tokens`, `ttl` (None: no breakpoint) and `joined` (one position
with the block before). `usage_of` makes one of the body of a real request to /v1/messages.
"""

import json
from typing import Any

Json = dict[str, Any]


class Anthropic:
    """The cache of one model family. `answer` and `usage_of` change it, `usage` does not."""

    def __init__(self, least: int = 1024, lookback: int = 20, breakpoints: int = 4) -> None:
        self.least, self.lookback, self.breakpoints = least, lookback, breakpoints
        self.entries: list[Json] = []

    def refusal(self, request: Json) -> str | None:
        """Why the API would answer 400."""
        ttls = [block["ttl"] for block in request["blocks"] if block["ttl"] is not None]
        if len(ttls) > self.breakpoints:
            return f"A maximum of {self.breakpoints} blocks with cache_control may be provided."
        for i in range(len(ttls)):
            for j in range(i):
                if ttls[j] < ttls[i]:
                    return "A longer ttl must not come after a shorter one."
        return None

    def entry(self, request: Json, end: int) -> Json | None:
        """The living entry for the first `end` blocks, if there is one."""
        for entry in self.entries:
            if (
                entry["model"] == request["model"]
                and entry["prefix"] == bare(request["blocks"][:end])
                and (entry["settings"] == request["settings"] or not touches_messages(request, end))
                and request["at"] <= entry["used"] + entry["ttl"]
            ):
                return entry
        return None

    def live(self, request: Json) -> list[int]:
        ends = range(1, len(request["blocks"]) + 1)
        return [end for end in ends if self.entry(request, end) is not None]

    def hit(self, request: Json) -> int:
        """The longest of what the breakpoints find, each in its own lookback."""
        found = [0]
        for i, block in enumerate(request["blocks"]):
            if block["ttl"] is not None:
                position = 1
                for j in range(i, -1, -1):
                    if position > self.lookback:
                        break
                    if self.entry(request, j + 1) is not None:
                        found.append(j + 1)
                    if not request["blocks"][j]["joined"]:
                        position += 1
        return max(found)

    def size(self, request: Json, end: int) -> int:
        return sum(block["tokens"] for block in request["blocks"][:end])

    def usage(self, request: Json) -> Json:
        """As the API reports it: `A`, `B` and `C` are the three positions of its documents."""
        total = self.size(request, len(request["blocks"]))
        if self.refusal(request):
            return figures(total, 0, 0, 0)
        hit = self.hit(request)
        a = b = c = self.size(request, hit)
        for end in self.writing(request):
            c = self.size(request, end)
            if request["blocks"][end - 1]["ttl"] == 3600:
                b = c
        return figures(total - c, a, c - b, b - a)

    def writing(self, request: Json) -> list[int]:
        """The ends of the entries written: breakpoints behind the hit, the prefix large enough."""
        return [
            i + 1
            for i, block in enumerate(request["blocks"])
            if block["ttl"] is not None
            and i + 1 > self.hit(request)
            and self.size(request, i + 1) >= self.least
        ]

    def answer(self, request: Json) -> Json:
        """The usage; the entries are there for whoever asks from now on."""
        usage = self.usage(request)
        if self.refusal(request):
            return usage
        hit, writing = self.hit(request), self.writing(request)
        for i, block in enumerate(request["blocks"]):
            if i + 1 == hit or (i + 1 < hit and block["ttl"] is not None):
                entry = self.entry(request, i + 1)
                if entry is not None:
                    entry["used"] = request["at"]
        for end in writing:
            self.entries.append(
                {
                    "model": request["model"],
                    "prefix": bare(request["blocks"][:end]),
                    "settings": request["settings"],
                    "ttl": request["blocks"][end - 1]["ttl"],
                    "used": request["at"],
                }
            )
        return usage

    def usage_of(self, body: Json, at: float) -> Json:
        """The usage that the API reports for this body; a token is four characters of JSON."""
        return self.answer(request_of(body, at))


class Gpt56(Anthropic):
    """OpenAI from GPT-5.6 on: a breakpoint of the provider's own at the end, never a refusal."""

    def usage(self, request: Json) -> Json:
        return super().usage(self.marked(request))

    def answer(self, request: Json) -> Json:
        return super().answer(self.marked(request))

    def marked(self, request: Json) -> Json:
        """Of the breakpoints, with the provider's, the last four; all live half an hour."""
        blocks = [dict(block) for block in request["blocks"]]
        blocks[-1]["ttl"] = 1800
        left = self.breakpoints
        for block in reversed(blocks):
            if block["ttl"] is not None:
                block["ttl"] = 1800 if left > 0 else None
                left -= 1
        return {**request, "blocks": blocks}


class OpenAI:
    """Before GPT-5.6: all prompts of the last seconds are compared with, block by block."""

    def __init__(self, least: int = 1024, step: int = 128, lifetime: int = 300) -> None:
        self.least, self.step, self.lifetime = least, step, lifetime
        self.answered: list[Json] = []

    def shared(self, request: Json) -> int:
        most = 0
        for old in self.answered:
            if old["at"] + self.lifetime < request["at"] or old["model"] != request["model"]:
                continue
            n = 0
            while bare(old["blocks"][: n + 1]) == bare(request["blocks"][: n + 1]) and n < min(
                len(old["blocks"]), len(request["blocks"])
            ):
                if touches_messages(request, n + 1) and old["settings"] != request["settings"]:
                    break
                n += 1
            most = max(most, n)
        return most

    def usage(self, request: Json) -> Json:
        total = sum(block["tokens"] for block in request["blocks"])
        tokens = sum(block["tokens"] for block in request["blocks"][: self.shared(request)])
        read = 0 if tokens < self.least else tokens // self.step * self.step
        return figures(total - read, read, 0, 0)

    def answer(self, request: Json) -> Json:
        usage = self.usage(request)
        self.answered.append(request)
        return usage


def bare(blocks: list[Json]) -> list[tuple[Any, ...]]:
    """What a prefix consists of: marks are no part of it."""
    return [(block["layer"], block["content"]) for block in blocks]


def touches_messages(request: Json, end: int) -> bool:
    return any(block["layer"] == "messages" for block in request["blocks"][:end])


def figures(fresh: int, read: int, five: int, hour: int) -> Json:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": five + hour,
        "cache_creation": {
            "ephemeral_5m_input_tokens": five,
            "ephemeral_1h_input_tokens": hour,
        },
    }


def request_of(body: Json, at: float) -> Json:
    """The blocks of a request to /v1/messages in the order of the prompt."""
    blocks = [block_of("tools", "", tool) for tool in body.get("tools") or ()]
    blocks += [block_of("system", "", block) for block in listed(body.get("system") or [])]
    for message in body["messages"]:
        before = None
        for block in listed(message["content"]):
            kind = block.get("type")
            joined = kind == before and kind in ("tool_use", "tool_result")
            blocks.append(block_of("messages", message["role"], block, joined=joined))
            before = kind
    if "cache_control" in body and blocks:
        blocks[-1]["ttl"] = blocks[-1]["ttl"] or seconds(body["cache_control"])
    settings = [body.get(name) for name in ("tool_choice", "thinking", "output_config")]
    images = '"type":"image"' in canonical(body["messages"])
    return {"model": body["model"], "at": at, "blocks": blocks, "settings": [*settings, images]}


def block_of(layer: str, role: str, block: Json, *, joined: bool = False) -> Json:
    """A block without its marks; those within a tool result are the result's."""
    marks = [block.get("cache_control")]
    content = {key: value for key, value in block.items() if key != "cache_control"}
    if content.get("type") == "tool_result":
        inner = listed(content.get("content") or [])
        marks += [part.get("cache_control") for part in inner]
        content["content"] = [{k: v for k, v in p.items() if k != "cache_control"} for p in inner]
    ttls = [seconds(mark) for mark in marks if mark]
    return {
        "layer": layer,
        "content": (role, canonical(content)),
        "tokens": len(canonical(content)) // 4,
        "ttl": max(ttls) if ttls else None,
        "joined": joined,
    }


def listed(content: Any) -> list[Json]:
    """A text stands for a list of one text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def seconds(mark: Json) -> int:
    return 3600 if mark.get("ttl") == "1h" else 300


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
