"""What a shim made of the requests of Claude Code: whatever differs, its store must declare.

Compares what came to it with what left it. Shares no code with statetape.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tests.clients.driven import Driven

Slot = tuple[str, str]
Texts = tuple[str, ...]
Declared = Mapping[Slot, str]
_KEYS = ("x-claude-code-session-id", "x-claude-code-agent-id")


class Passed(NamedTuple):
    """A request as it came and as it left: its slots' texts, message by message.

    `declared`: the store's changes when it left, id and side to text.
    """

    own: list[dict[Slot, Texts]]
    sent: list[dict[Slot, Texts]]
    declared: Declared


def undeclared(run: Driven) -> list[str]:
    """What went on otherwise than it came, or than it went on before, without a declared change."""
    found: list[str] = []
    for requests in conversations(run).values():
        for own, sent, declared in requests:
            for ours, theirs in zip(own, sent, strict=True):
                changed = (slot for slot in theirs if theirs[slot] != ours[slot])
                found += (
                    f"{slot} left as {theirs[slot]}"
                    for slot in changed
                    if not _is_declared(slot, ours[slot], theirs[slot], declared)
                )
        for before, after in pairwise(requests):
            found += _moved(before, after)
    return found


def _is_declared(slot: Slot, own: Texts, sent: Texts, declared: Declared) -> bool:
    """Whether the new texts are the declared one; behind it what the client had appended."""
    text = declared.get(slot)
    if text is None:
        return False
    if slot[1] == "input":
        pairs = zip(own, sent, strict=True)
        return all(new == old or new in ("", text) for old, new in pairs)
    return sent[0].startswith(text) and own[-1].endswith(sent[0][len(text) :])


def _moved(before: Passed, after: Passed) -> Iterator[str]:
    """What both requests brought in the same words at the same place, and left otherwise."""
    for n, (own, later) in enumerate(zip(before.own, after.own, strict=False)):
        if own != later:
            return
        for slot, texts in before.sent[n].items():
            changed = before.declared.get(slot) != after.declared.get(slot)
            if after.sent[n][slot] != texts and not changed:
                yield f"{slot} was {texts}, then {after.sent[n][slot]}"


def conversations(run: Driven) -> dict[tuple[str, ...], list[Passed]]:
    """The requests of each thread, in order. AssertionError where more than slots' texts differ."""
    found: dict[tuple[str, ...], list[Passed]] = {}
    waiting = [request for request in run.front if request.path.endswith("/messages")]
    for request, judged in zip(run.behind, run.judged, strict=True):
        if not request.path.endswith("/messages"):
            continue
        shape, sent = _read(request.body)
        alike = (r for r in waiting if r.headers == request.headers and _read(r.body)[0] == shape)
        own = next(alike, None)
        assert own is not None, "a request left that nobody sent like that"
        waiting.remove(own)
        declared = {(name, side): text for name, side, text in judged["declared"]}
        key = tuple(map(request.named, _KEYS))
        found.setdefault(key, []).append(Passed(_read(own.body)[1], sent, declared))
    assert not waiting, "requests came that never left"
    return found


def _read(body: bytes) -> tuple[str, list[dict[Slot, Texts]]]:
    """A request without the texts of its slots, and those of each message: results and inputs."""
    asks: dict[str, Any] = json.loads(body)
    messages = []
    for message in asks["messages"]:
        slots: dict[Slot, Texts] = {}
        content = message["content"]
        blocks: list[dict[str, Any]] = content
        if isinstance(content, str):
            blocks = [{"type": "text", "text": content}]
        for block in blocks:
            block.pop("cache_control", None)
            if block["type"] == "tool_result":
                slots[block["tool_use_id"], "result"] = _texts(block)
            elif block["type"] == "tool_use":
                given = block["input"]
                names = [name for name, value in given.items() if isinstance(value, str)]
                slots[block["id"], "input"] = tuple(given.pop(name) for name in names)
        message["content"] = blocks
        messages.append(slots)
    return json.dumps(asks), messages


def _texts(result: dict[str, Any]) -> Texts:
    """The texts of a result, taken out of it."""
    content = result.pop("content", "")
    if isinstance(content, str):
        return (content,)
    result["content"] = [part for part in content if part.get("type") != "text"]
    return tuple(part["text"] for part in content if part.get("type") == "text")
