"""Requests as objects, before an API gives them a meaning; and those that are no turns."""

from collections.abc import Collection, Iterable
from typing import Any

from statetape.types import Call, Say, Turn
from statetape.wire.raw import Document
from statetape.wire.reading import Side
from statetape.wire.values import items, mapping, string

_TITLE = "Generate a title for this conversation"
_SUMMARY = "Here is the conversation so far:"


class Request:
    """The object that a body is, each field decoded when it is asked for."""

    def __init__(self, body: bytes) -> None:
        """Raises WireError where `body` is no object."""
        self.document = Document(body)
        self._fields = self.document.members(())

    def get(self, name: str) -> object:
        """The value of a field, None where there is none. WireError where it is no JSON."""
        return self.document.value((name,)) if name in self._fields else None

    def starts(self, name: str) -> bytes:
        """The first byte of a field, none where there is none."""
        return self.document.raw((name,))[:1] if name in self._fields else b""

    def fields(self, name: str) -> dict[str, Any]:
        """The object in a field, an empty one where there is none."""
        return mapping(self.get(name))

    def text(self, name: str) -> str:
        """The string in a field, the empty one where there is none."""
        return string(self.get(name))


def chatter(turns: Iterable[Turn], tools: Collection[str]) -> Side | None:
    """What a request is for that offers no tools and holds no calls; None for all others."""
    if tools:
        return None
    blocks = [block for turn in turns for block in turn.blocks]
    if any(isinstance(block, Call) for block in blocks):
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
