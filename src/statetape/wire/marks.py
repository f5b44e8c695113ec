"""Marks of prompt caches in a request: what they say, and where they stand."""

from collections.abc import Mapping

from statetape.types import Span
from statetape.wire.parts import without
from statetape.wire.raw import Document, Path, replaced
from statetape.wire.values import items, mapping

MARK = "cache_control"
HOUR, MINUTES = 3600, 300
"""Seconds that an entry of the Messages API lives."""

# The names of marks, each with the seconds that it means where it does not say.
_DEFAULTS: Mapping[str, int] = {MARK: MINUTES, "prompt_cache_breakpoint": 1800}
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
    """What goes with the mark of the object at `path`: its member and one comma. None: no mark.

    Where the mark comes first it is the comma behind it that goes, and no space after that, so
    that a mark that was put there can be taken away without a trace.
    """
    values = document.members(path)
    if MARK not in values:
        return None
    start, end = values[MARK]
    before = max((it.end for it in values.values() if it.end <= start), default=0)
    if before:
        return Span(before, end)
    if len(values) > 1:
        end = document.data.index(b",", end) + 1
    return Span(document.span(path).start + 1, end)


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
