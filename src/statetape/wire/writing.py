"""A request with other texts in some of its slots, and otherwise byte for byte the same."""

from collections import defaultdict
from collections.abc import Mapping

from statetape.types import Slot, Span
from statetape.wire.raw import replaced
from statetape.wire.reading import Place, Reading
from statetape.wire.values import decoded, quoted, string


def written(body: bytes, reading: Reading, texts: Mapping[Slot, str]) -> bytes:
    """`body`, of which `reading` was made, with these texts in these slots.

    A slot that has no place in this request is passed over. With nothing to replace it is the
    same object. The strings of a place are written anew, plain UTF-8; no other byte differs.
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
    return replaced(body, edits)


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
