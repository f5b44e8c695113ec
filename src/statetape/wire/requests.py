"""Requests as objects, before an API gives them a meaning; and those that are no turns."""

from collections.abc import Collection, Iterable
from typing import Any

from statetape.types import Call, Say, Turn
from statetape.wire.reading import Side
from statetape.wire.values import WireError, decoded, items, mapping

_TITLE = "Generate a title for this conversation"
_SUMMARY = "Here is the conversation so far:"


def request(body: bytes) -> dict[str, Any]:
    """The object that a body is. WireError where it is none."""
    asks = decoded(body)
    if not isinstance(asks, dict):
        raise WireError("the body is no object")
    return asks


def messages_of(asks: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in the list `name`. WireError where it is no list of objects."""
    messages = asks.get(name)
    if not isinstance(messages, list) or not all(isinstance(it, dict) for it in messages):
        raise WireError(f"{name} is no list of objects")
    return messages


def chatter(turns: Iterable[Turn], tools: Collection[str]) -> Side | None:
    """What a request is for that offers no tools and holds no calls; None for all others."""
    blocks = [block for turn in turns for block in turn.blocks]
    if tools or any(isinstance(block, Call) for block in blocks):
        return None
    users = [it.text for it in blocks if isinstance(it, Say) and it.role == "user"]
    if any(text.startswith(_TITLE) for text in users):
        return "title"
    return "compaction" if any(text.startswith(_SUMMARY) for text in users) else "other"


def offered(tools: object) -> frozenset[str]:
    """The names of an OpenAI request's tools, of those in namespaces too; built-in: the type."""
    found: set[str] = set()
    waiting = list(items(tools))
    while waiting:
        tool = mapping(waiting.pop())
        kind = tool.get("type")
        if kind == "namespace":
            waiting += items(tool.get("tools"))
            continue
        inside = mapping(tool.get(kind)) if isinstance(kind, str) else {}
        name = tool.get("name") or inside.get("name") or kind
        if isinstance(name, str):
            found.add(name)
    return frozenset(found)
