"""What else a request may ask of the provider for us: how long entries live, what may be dropped.

Each takes the body that a reading was made of, or one that `writing.written` made of that.
"""

from collections.abc import Iterator
from typing import Literal

from statetape.types import Span
from statetape.wire.marks import HOUR, MARK, first, last, lifetime
from statetape.wire.pieces import pieces
from statetape.wire.raw import Document, Path, replaced
from statetape.wire.reading import Reading
from statetape.wire.values import items, mapping
from statetape.wire.writing import document_of

DROPS_BETA = "thinking-binding-controls-2026-08-01"
"""The value of `anthropic-beta` that has to go with `permitting_drops`."""
HOUR_BETA = "extended-cache-ttl-2025-04-11"
"""The one that Claude Code sends wherever it asks for an hour."""

_BINDING, _MISMATCH = "block_binding", "prefix_mismatch_behavior"
_DROP = b'"drop_block"'
_BOUND = b'"block_binding":{"prefix_mismatch_behavior":"drop_block"}'


def retimed(body: bytes, reading: Reading, ttl: Literal[300, 3600]) -> bytes:
    """The request with this ttl, in seconds, at all of the client's breakpoints.

    Legal for every model, and also for bound thinking. All get the same one, so that none that
    lives longer stands behind one that lives shorter, which is refused. No other byte differs; the
    same object where nothing does. A breakpoint that we set has to have this ttl, too, and an hour
    goes with `HOUR_BETA` in the headers.
    """
    if reading.wire != "anthropic":
        return body
    document = document_of(body, reading)
    word = b'"1h"' if ttl >= HOUR else b'"5m"'
    edits: dict[Span, bytes] = {}
    for path in _marked(document, reading):
        mark: Path = (*path, MARK)
        values = document.members(mark)
        if lifetime({MARK: document.value(mark)}) == ttl:
            continue
        if "ttl" in values:
            edits[values["ttl"]] = word
        else:
            edits |= last(document, mark, b'"ttl":' + word)
    return replaced(body, edits)


def permitting_drops(body: bytes, reading: Reading) -> bytes:
    """The request with leave to drop thinking whose beginning has changed; no other byte differs.

    The leave is `thinking.block_binding.prefix_mismatch_behavior`: "drop_block", and needs
    `DROPS_BETA` in the headers of the same request; a model that binds thinking refuses the field
    without it. It counts for one request only. Where the request does not speak of thinking it
    says "adaptive" there, as such models do by themselves. Where thinking is off nothing is
    permitted: such a request takes no leave, and may not be changed before its thinking blocks.
    (Anthropic, "Fix a thinking block bound to a different conversation", seen November 2026.)
    """
    if reading.wire != "anthropic":
        return body
    document = document_of(body, reading)
    path: Path = ("thinking",)
    if "thinking" not in document.members(()) or document.value(path) is None:
        return _without_thinking(document)
    thinking = mapping(document.value(path))
    binding = thinking.get(_BINDING)
    if thinking.get("type") in (None, "disabled"):
        return body
    if _BINDING not in thinking:
        return replaced(body, last(document, path, _BOUND))
    if not isinstance(binding, dict):
        return replaced(body, {document.span((*path, _BINDING)): _BOUND.partition(b":")[2]})
    if binding.get(_MISMATCH) == "drop_block":
        return body
    if _MISMATCH in binding:
        return replaced(body, {document.span((*path, _BINDING, _MISMATCH)): _DROP})
    return replaced(body, last(document, (*path, _BINDING), b'"prefix_mismatch_behavior":' + _DROP))


def thinks(reading: Reading) -> bool:
    """Whether a request may hold thinking that is bound to what stands before it."""
    if reading.wire != "anthropic":
        return False
    document = getattr(reading.places, "document", None)
    if document is None:
        return True
    return b'"thinking"' in document.data or b'"redacted_thinking"' in document.data


def may_drop(reading: Reading) -> bool:
    """Whether a request can take the leave of `permitting_drops`: not where thinking is off."""
    document = getattr(reading.places, "document", None)
    if reading.wire != "anthropic" or document is None:
        return False
    value = document.value(("thinking",)) if "thinking" in document.members(()) else None
    return value is None or mapping(value).get("type") not in (None, "disabled")


def _without_thinking(document: Document) -> bytes:
    thinking = b'{"type":"adaptive",' + _BOUND + b"}"
    if "thinking" in document.members(()):
        return replaced(document.data, {document.span(("thinking",)): thinking})
    return replaced(document.data, first(document, (), b'"thinking":' + thinking))


def _marked(document: Document, reading: Reading) -> Iterator[Path]:
    """The objects that have a mark of the client's."""
    if MARK in document.members(()) and isinstance(document.value((MARK,)), dict):
        yield ()
    for piece in pieces(reading):
        if piece.ttl:
            yield from _inside(document, piece.path)


def _inside(document: Document, path: Path) -> Iterator[Path]:
    value = document.value(path)
    for n in range(len(items(value))):
        yield from _inside(document, (*path, n))
    if isinstance(value, dict):
        if isinstance(value.get(MARK), dict):
            yield path
        if isinstance(value.get("content"), list):
            yield from _inside(document, (*path, "content"))
