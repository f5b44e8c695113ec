"""A request with other texts in some of its slots, and otherwise byte for byte the same."""

from collections import defaultdict
from collections.abc import Mapping

from statetape.types import Slot, Span
from statetape.wire.marks import anchored
from statetape.wire.places import Places
from statetape.wire.raw import Document, Path, replaced
from statetape.wire.reading import Place, Reading
from statetape.wire.values import decoded, quoted, string

_NOWHERE: Mapping[Path, int] = {}


def written(
    body: bytes,
    reading: Reading,
    texts: Mapping[Slot, str],
    anchors: Mapping[Path, int] = _NOWHERE,
) -> bytes:
    """`body`, of which `reading` was made, with these texts in these slots.

    A slot that has no place in this request is passed over. With nothing to replace it is the
    same object. The strings of a place are written anew, plain UTF-8; no other byte differs.
    `anchors`: the objects that get a breakpoint (`marks.anchored`), by their paths, with the ttl
    in seconds; not those that go with a text.
    """
    edits: dict[Span, bytes] = {}
    parts: defaultdict[Span, dict[tuple[int, int], str]] = defaultdict(dict)
    for slot, text in texts.items():
        if (place := reading.places.get(slot)) is None:
            continue
        if place.part is not None:
            parts[place.text][place.part] = text
        else:
            edits |= _edits(body, place, text)
    edits |= {span: _patched(body, span, new) for span, new in parts.items()}
    for span, mark in anchored(document_of(body, reading), anchors).items() if anchors else ():
        if not any(start < span.start < end for start, end in edits):
            edits[span] = mark
    return replaced(body, edits)


def document_of(body: bytes, reading: Reading) -> Document:
    """Where the values of a body stand: what is known of it, if the reading was made of it."""
    places = reading.places
    if isinstance(places, Places) and places.document.data is body:
        return places.document
    return Document(body)


def _patched(body: bytes, span: Span, texts: Mapping[tuple[int, int], str]) -> bytes:
    """The string that stands at a span, with other texts in parts of it."""
    old = string(decoded(body[span.start : span.end]))
    pieces: list[str] = []
    at = 0
    for (start, end), new in sorted(texts.items()):
        pieces += (old[at:start], new)
        at = end
    return quoted("".join([*pieces, old[at:]]))


def _edits(body: bytes, place: Place, text: str) -> dict[Span, bytes]:
    if place.inner is None:
        new = quoted(text + place.tail)
    else:
        start, end = place.text
        inside = string(decoded(body[start:end])).encode()
        new = quoted(replaced(inside, _edits(inside, place.inner, text)).decode())
    gone = dict.fromkeys(place.cut, b"")
    return {place.text: new, **dict.fromkeys(place.blank, b'""'), **gone}
