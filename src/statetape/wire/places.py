"""The places of a request's texts: which strings they are, and on demand where those stand."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from statetape.types import Slot, Turn
from statetape.wire.raw import Document, Path
from statetape.wire.reading import Place
from statetape.wire.values import WireError, decoded, string

_LONG = 80  # characters
# Arguments of the tools that edit, of all agents.
_EDITED = frozenset(
    {"old_string", "new_string", "old_str", "new_str", "oldString", "newString"}
    | {"content", "file_text", "new_source"}
)


class Spot(NamedTuple):
    """A place before anybody asked for its bytes: paths instead of spans; otherwise as `Place`."""

    text: Path
    blank: tuple[Path, ...] = ()
    cut: tuple[Path, ...] = ()
    tail: str = ""
    inner: "Spot | None" = None
    part: tuple[int, int] | None = None
    mixed: bool = False

    def below(self, above: Path) -> "Spot":
        """The same spot of a document that holds this one's at `above`."""
        return self._replace(
            text=above + self.text,
            blank=tuple(above + path for path in self.blank),
            cut=tuple(above + path for path in self.cut),
        )


class Understood(NamedTuple):
    """What one element of a request's list became: its turns, their digests, all its slots.

    The paths of its spots begin in the element, which stands at `path`. `kept` is empty until
    somebody asks for what `wire.pieces` makes of it.
    """

    path: Path
    turns: tuple[Turn, ...]
    chain: tuple[bytes, ...]
    spots: tuple[tuple[Slot, Spot | None], ...]
    kept: list[Any]


class Places(Mapping[Slot, Place]):
    """Every place of one request. Spans are found when a place is asked for.

    A slot that comes twice has no place: nobody could say which of the two is meant.
    """

    def __init__(self, document: Document, path: Path, understood: list[Understood]) -> None:
        self.document = document
        self.path = path
        self.understood = understood
        self._spots: dict[Slot, tuple[Path, Spot]] = {}
        seen: set[Slot] = set()
        for element in understood:
            for slot, spot in element.spots:
                if slot in seen:
                    self._spots.pop(slot, None)
                elif spot is not None:
                    self._spots[slot] = (element.path, spot)
                seen.add(slot)

    def __getitem__(self, slot: Slot) -> Place:
        above, spot = self._spots[slot]
        return _place(self.document, spot.below(above))

    def __contains__(self, slot: object) -> bool:
        return slot in self._spots

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._spots)

    def __len__(self) -> int:
        return len(self._spots)


def _place(document: Document, spot: Spot) -> Place:
    inner = None
    if spot.inner is not None:
        inner = _place(Document(string(document.value(spot.text)).encode()), spot.inner)
    return Place(
        document.span(spot.text),
        tuple(map(document.span, spot.blank)),
        tuple(map(document.cut, spot.cut)),
        spot.tail,
        inner,
        spot.part,
        spot.mixed,
    )


def input_spot(value: object) -> Spot | None:
    """The spot of a call's input: its texts, in order. None where it has none.

    Those are what an edit takes out of a file and puts into it, and strings of more than one line,
    or of 80 characters with a space: the rest (flags, and paths of any length) says what the call
    was. The first takes the text, the others become empty.
    """
    found = _texts(value)
    return Spot(found[0], tuple(found[1:])) if found else None


def _texts(value: object) -> list[Path]:
    found: list[Path] = []
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:  # no recursion: the nesting is the model's
        path, it = waiting.pop()
        if isinstance(it, str):
            if "\n" in it or (len(it) >= _LONG and " " in it) or (it and _is_edit(path)):
                found.append(path)
        elif isinstance(it, dict):
            waiting += (((*path, key), element) for key, element in reversed(it.items()))
        elif isinstance(it, list):
            waiting += (((*path, n), it[n]) for n in reversed(range(len(it))))
    return found


def _is_edit(path: Path) -> bool:
    return bool(path) and path[-1] in _EDITED and (len(path) == 1 or path[0] == "edits")


def spelled(arguments: str) -> tuple[dict[str, object] | str, Spot | None]:
    """An input that is JSON in a string: decoded with its spot, as it is where it is no object.

    The spot's paths are those inside the string.
    """
    try:
        value = decoded(arguments.encode())
    except (WireError, UnicodeEncodeError):
        return arguments, None
    return (value, input_spot(value)) if isinstance(value, dict) else (arguments, None)
