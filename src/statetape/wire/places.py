"""The places of a request's texts: which strings they are, and on demand where those stand."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statetape.types import Slot
from statetape.wire.raw import Document, Path
from statetape.wire.reading import Place
from statetape.wire.values import WireError, decoded

_LONG = 80  # characters


class Spot(NamedTuple):
    """A place before anybody asked for its bytes: paths instead of spans; otherwise as `Place`."""

    text: Path
    blank: tuple[Path, ...] = ()
    cut: tuple[Path, ...] = ()
    tail: str = ""
    inner: "Spot | None" = None

    def below(self, above: Path) -> "Spot":
        """The same spot of a document that holds this one's at `above`."""
        return self._replace(
            text=above + self.text, blank=tuple(above + path for path in self.blank)
        )


class Places(Mapping[Slot, Place]):
    """Every place of one body. Spans are found when a place is asked for, about 1 ms a MB once."""

    def __init__(self, body: bytes, spots: Mapping[Slot, Spot]) -> None:
        self._document = Document(body)
        self._spots = spots

    def __getitem__(self, slot: Slot) -> Place:
        return _place(self._document, self._spots[slot])

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._spots)

    def __len__(self) -> int:
        return len(self._spots)


def _place(document: Document, spot: Spot) -> Place:
    inner = None
    if spot.inner is not None:
        inner = _place(Document(document.text(spot.text).encode()), spot.inner)
    return Place(
        document.span(spot.text),
        tuple(map(document.span, spot.blank)),
        tuple(map(document.cut, spot.cut)),
        spot.tail,
        inner,
    )


def input_spot(value: object) -> Spot | None:
    """The spot of a call's input: its long strings, in order. None where it has none.

    Long is a string of more than one line or of 80 characters: the rest (paths, flags) says what
    the call was. The first takes the text, the others become empty.
    """
    found = _long(value)
    return Spot(found[0], tuple(found[1:])) if found else None


def _long(value: object) -> list[Path]:
    found: list[Path] = []
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:  # no recursion: the nesting is the model's
        path, it = waiting.pop()
        if isinstance(it, str):
            if len(it) >= _LONG or "\n" in it:
                found.append(path)
        elif isinstance(it, dict):
            waiting += (((*path, key), element) for key, element in reversed(it.items()))
        elif isinstance(it, list):
            waiting += (((*path, n), it[n]) for n in reversed(range(len(it))))
    return found


def spelled(arguments: str) -> tuple[dict[str, object] | str, Spot | None]:
    """An input that is JSON in a string: decoded with its spot, as it is where it is no object.

    The spot's paths are those inside the string.
    """
    try:
        value = decoded(arguments.encode())
    except (WireError, UnicodeEncodeError):
        return arguments, None
    return (value, input_spot(value)) if isinstance(value, dict) else (arguments, None)
