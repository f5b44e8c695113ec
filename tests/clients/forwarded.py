"""What a shim made of the requests of an agent: whatever differs, its store must declare.

Compares what came to it with what left it. Shares no code with statetape.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tests.clients.driven import Driven, Request

Slot = tuple[str, str]
Texts = tuple[str, ...]
Declared = Mapping[Slot, str]
# A request without the texts of its slots, and those of each message: results and inputs.
Read = Callable[[bytes], tuple[str, list[dict[Slot, Texts]]]]
_KEYS = (
    "x-claude-code-session-id",
    "x-claude-code-agent-id",
    "x-session-id",
    "thread-id",
    "x-litellm-session-id",
)


class Passed(NamedTuple):
    """A request as it came and as it left: its slots' texts, message by message.

    `declared`: the store's changes when it left, id and side to text.
    """

    own: list[dict[Slot, Texts]]
    sent: list[dict[Slot, Texts]]
    declared: Declared


def undeclared(run: Driven, reads: Mapping[str, Read] | None = None) -> list[str]:
    """What went on otherwise than it came, or than it went on before, without a declared change.

    `reads`: how requests are read, by the end of their path; by default those of Claude Code.
    """
    found: list[str] = []
    for requests in conversations(run, reads or {"/messages": messages}).values():
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
    """Whether declared texts stand in place of others; a result's own, a say's in any text."""
    if slot[1] == "input":
        text = declared.get(slot)
        pairs = zip(own, sent, strict=True)
        return text is not None and all(new == old or new in ("", text) for old, new in pairs)
    texts = [text for name, text in declared.items() if name == slot or name[1] == "say"]
    texts += [f"\n{text}" for name, text in declared.items() if name == _behind(slot)]
    return _is_woven("\n".join(own), "\n".join(sent), texts)


def _behind(slot: Slot) -> Slot:
    """Where what stands behind a result is declared."""
    return (slot[0], "added") if slot[1] == "result" else slot


def _is_woven(own: str, sent: str, texts: list[str]) -> bool:
    """Whether a text is another one with some of these texts in place of parts of it."""
    ours = "|".join(map(re.escape, sorted(filter(None, texts), key=len, reverse=True)))
    pieces = re.split(ours, sent) if ours else [sent]
    at = 0
    for piece in pieces:
        at = own.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return own.startswith(pieces[0]) and own.endswith(pieces[-1])


def _moved(before: Passed, after: Passed) -> Iterator[str]:
    """What both requests brought in the same words at the same place, and left otherwise."""
    said = _said(before.declared) != _said(after.declared)
    for n, (own, later) in enumerate(zip(before.own, after.own, strict=False)):
        if own != later:
            return
        for slot, texts in before.sent[n].items():
            changed = any(
                before.declared.get(each) != after.declared.get(each)
                for each in (slot, _behind(slot))
            )
            changed = changed or (said and slot[1] != "input")
            if after.sent[n][slot] != texts and not changed:
                yield f"{slot} was {texts}, then {after.sent[n][slot]}"


def _said(declared: Declared) -> set[tuple[Slot, str]]:
    return {(slot, text) for slot, text in declared.items() if slot[1] == "say"}


def conversations(run: Driven, reads: Mapping[str, Read]) -> dict[tuple[str, ...], list[Passed]]:
    """The requests of each thread, in order. AssertionError where more than slots' texts differ."""
    found: dict[tuple[str, ...], list[Passed]] = {}
    waiting = [request for request in run.front if _reader(request, reads)]
    for request, judged in zip(run.behind, run.judged, strict=True):
        read = _reader(request, reads)
        if read is None:
            continue
        shape, sent = read(request.text)
        alike = (r for r in waiting if _head(r) == _head(request) and read(r.text)[0] == shape)
        own = next(alike, None)
        assert own is not None, "a request left that nobody sent like that"
        waiting.remove(own)
        declared = {(name, side): text for name, side, text in judged["declared"]}
        key = tuple(map(request.named, _KEYS))
        found.setdefault(key, []).append(Passed(read(own.text)[1], sent, declared))
    assert not waiting, "requests came that never left"
    return found


def _reader(request: Request, reads: Mapping[str, Read]) -> Read | None:
    posted = request.line.startswith("POST ")
    ends = (read for end, read in reads.items() if posted and request.path.endswith(end))
    return next(ends, None)


def _head(request: Request) -> tuple[object, ...]:
    """The line and the headers, but for the encoding: what is changed is sent without one."""
    kept = (pair for pair in request.headers if pair[0] != "content-encoding")
    return request.line, *kept


def messages(body: bytes) -> tuple[str, list[dict[Slot, Texts]]]:
    """A request of the Messages API."""
    asks: dict[str, Any] = json.loads(body)
    slots_of: list[dict[Slot, Texts]] = []
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
            elif block["type"] == "text" and message["role"] != "assistant":
                slots[f"text {len(slots)}", "say"] = (block.pop("text"),)
        message["content"] = blocks
        slots_of.append(slots)
    return json.dumps(asks), slots_of


def _texts(result: dict[str, Any]) -> Texts:
    """The texts of a result, taken out of it."""
    content = result.pop("content", "")
    if isinstance(content, str):
        return (content,)
    result["content"] = [part for part in content if part.get("type") != "text"]
    return tuple(part["text"] for part in content if part.get("type") == "text")
