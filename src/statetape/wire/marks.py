"""Marks of prompt caches in a request: what they say, and where they stand."""

import re
from collections.abc import Mapping

from statetape.types import Span
from statetape.wire.parts import without
from statetape.wire.raw import Document, Path, replaced
from statetape.wire.values import items, mapping

MARK = "cache_control"
HOUR, MINUTES = 3600, 300
"""Seconds that an entry of the Messages API lives."""

_COMMA = re.compile(rb"\s*,\s*")
# The names of marks, each with the seconds that it means where it does not say.
_DEFAULTS: Mapping[str, int] = {MARK: MINUTES, "prompt_cache_breakpoint": 1800}
_HOUR, _MINUTES = b'{"type":"ephemeral","ttl":"1h"}', b'{"type":"ephemeral"}'
_TTLS: Mapping[object, int] = {"5m": MINUTES, "30m": 1800, "1h": HOUR, "12h": 12 * HOUR}


def lifetime(value: object) -> int:
    """The ttl of the mark on an object, in seconds; 0: it has none.

    A mark on a part of the object's content counts as its own: results have parts.
    """
    block = mapping(value)
    for name, default in _DEFAULTS.items():
        if isinstance(mark := block.get(name), dict):
            return _TTLS.get(mark.get("ttl"), default)
    for name in ("content", "output"):
        for part in reversed(items(block.get(name))):
            if isinstance(part, dict) and (ttl := lifetime(part)):
                return ttl
    return 0


def unmarked(block: dict[str, object]) -> dict[str, object]:
    """An object without its mark; the same one where it has none."""
    return without(block, *_DEFAULTS)


def member(document: Document, path: Path) -> Span | None:
    """What goes with the mark of the object at `path`: its member and a comma. None: no mark."""
    values = document.members(path)
    if MARK not in values:
        return None
    start, end = values[MARK]
    before = max((it.end for it in values.values() if it.end <= start), default=0)
    if before:
        return Span(before, end)
    comma = _COMMA.match(document.data, end)
    return Span(document.span(path).start + 1, comma.end() if comma else end)


def first(document: Document, path: Path, member: bytes) -> dict[Span, bytes]:
    """The edit that puts a member before all others of the object at `path`."""
    at = document.span(path).start + 1
    return {Span(at, at): member + (b"," if document.members(path) else b"")}


def last(document: Document, path: Path, member: bytes) -> dict[Span, bytes]:
    """The edit that puts a member behind all others of the object at `path`."""
    values = document.members(path).values()
    at = max((it.end for it in values), default=document.span(path).start + 1)
    return {Span(at, at): (b"," if values else b"") + member}


def anchored(document: Document, anchors: Mapping[Path, int]) -> dict[Span, bytes]:
    """The edits that put a mark with this ttl, in seconds, on the object at each path.

    None where there is a mark already: what the client wrote stays. An hour and more is written
    as one hour, all else as five minutes. WireError where no object stands at a path.
    """
    edits: dict[Span, bytes] = {}
    for path, ttl in anchors.items():
        values = document.members(path)
        mark = _HOUR if ttl >= HOUR else _MINUTES
        if MARK not in values:
            edits |= first(document, path, b'"cache_control":' + mark)
        elif document.raw((*path, MARK)) == b"null":
            edits[values[MARK]] = mark
    return edits


def tools(document: Document) -> tuple[bytes, int]:
    """The list of tools without marks, as bytes, and the ttl of the last mark in it, in seconds.

    No bytes where there are no tools.
    """
    path: Path = ("tools",)
    raw = document.raw(path) if "tools" in document.members(()) else b""
    if not raw.startswith(b"[") or not raw[1:-1].strip():
        return b"", 0
    if b'"cache_control"' not in raw:
        return raw, 0
    begin = document.span(path).start
    cuts: dict[Span, bytes] = {}
    ttl = 0
    for n, (start, _) in enumerate(document.elements(path)):
        if document.data.startswith(b"{", start) and (span := member(document, (*path, n))):
            cuts[Span(span.start - begin, span.end - begin)] = b""
            ttl = lifetime(document.value((*path, n)))
    return replaced(raw, cuts), ttl
