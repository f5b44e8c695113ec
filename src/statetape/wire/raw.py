"""JSON as bytes: values where they stand, and new texts put in without touching another byte.

Offsets are found with msgspec's `Raw` values, which are as long as the bytes they stand for;
`_skipped` is the slow way, for what msgspec refuses and for keys that come twice, of which the
last one counts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from statetape.types import Span
from statetape.wire.values import WireError, decoded, string

Path = tuple[str | int, ...]
"""From the whole document down: the keys of objects and the numbers of elements, 0-based."""

_Many = TypeVar("_Many", list[msgspec.Raw], dict[str, msgspec.Raw])

_SPACE = re.compile(rb"[ \t\r\n]*+")
_COMMA = re.compile(rb"[ \t\r\n]*+,[ \t\r\n]*+")
_KEY = re.compile(rb'[ \t\r\n]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\[\]{}\":]++")
# Up to the next bracket outside strings.
_FLAT = re.compile(
    rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL
)


class Document:
    """Where the values of a JSON text stand: about 1 ms a MB for the first question.

    Only what lies on a path that somebody asked for is looked at, and only once. Every question
    raises WireError where the text is no JSON, or has no such value; that it is UTF-8 is seen
    where a value is decoded.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._members: dict[Path, Mapping[str, Span]] = {}
        self._elements: dict[Path, Sequence[Span]] = {}

    def span(self, path: Path) -> Span:
        """Where the value at `path` stands."""
        if not path:
            start = _past(_SPACE, self.data, 0)
            return Span(start, len(self.data.rstrip(b" \t\r\n")))
        *above, name = path
        try:
            if isinstance(name, str):
                return self.members(tuple(above))[name]
            return self.elements(tuple(above))[name]
        except LookupError:
            raise WireError(f"no value at {'.'.join(map(str, path))}") from None

    def cut(self, path: Path) -> Span:
        """What goes with the element at `path`, which is not the first: it and the comma before."""
        *above, name = path
        if not isinstance(name, int) or name < 1:
            raise WireError("only an element with another before it can be cut")
        return Span(self.span((*above, name - 1)).end, self.span(path).end)

    def raw(self, path: Path) -> bytes:
        """The bytes of the value at `path`."""
        start, end = self.span(path)
        return self.data[start:end]

    def value(self, path: Path) -> object:
        """The decoded value at `path`."""
        return decoded(self.raw(path))

    def members(self, path: Path) -> Mapping[str, Span]:
        """The values of the object at `path`, by key."""
        if path not in self._members:
            self._members[path] = members(self.data, self.span(path))
        return self._members[path]

    def elements(self, path: Path, first: Sequence[Span] = ()) -> Sequence[Span]:
        """The values of the array at `path`, of which somebody may know the `first` ones."""
        if path not in self._elements:
            self._elements[path] = elements(self.data, self.span(path), first)
        return self._elements[path]


def replaced(data: bytes, texts: Mapping[Span, bytes]) -> bytes:
    """`data` with other bytes in these spans, which do not overlap; the same object for none."""
    if not texts:
        return data
    pieces: list[bytes | memoryview] = []
    rest = memoryview(data)
    at = 0
    for (start, end), new in sorted(texts.items()):
        pieces += (rest[at:start], new)
        at = end
    pieces.append(rest[at:])
    return b"".join(pieces)


def members(data: bytes, span: Span) -> dict[str, Span]:
    """The values of the object that stands at `span`, by key. WireError where none does."""
    at = _opened(data, span, b"{}")
    # An exact value is known by its bytes, since no JSON value begins with another, numbers
    # apart. A value that is not there belongs to a key that comes twice.
    known = _raws(data, span, dict[str, msgspec.Raw]) or {}
    found: dict[str, Span] = {}
    while at < span.end - 1:
        if (match := _KEY.match(data, at)) is None:
            raise WireError("no JSON: a key was expected")
        key = string(decoded(match[1]))
        start = match.end()
        raw = known.get(key)
        if raw is not None and data.startswith(raw, start):
            end = start + len(memoryview(raw))
            if data[end : end + 1] not in b",} \t\r\n":
                end = _skipped(data, start)
        else:
            end = _skipped(data, start)
        found[key] = Span(start, end)
        at = _next(data, end, span.end)
    return found


def elements(data: bytes, span: Span, first: Sequence[Span] = ()) -> list[Span]:
    """The values of the array that stands at `span`. WireError where none does.

    `first` are those at its beginning, if somebody knows them.
    """
    at = _opened(data, span, b"[]")
    if first:
        at = _next(data, first[-1].end, span.end)
    rest = b"[" + data[at : span.end]
    known = _raws(rest, Span(0, len(rest)), list[msgspec.Raw])
    found: list[Span] = []
    while at < span.end - 1:
        end = _skipped(data, at) if known is None else at + len(memoryview(known[len(found)]))
        found.append(Span(at, end))
        at = _next(data, end, span.end)
    return [*first, *found]


def _opened(data: bytes, span: Span, brackets: bytes) -> int:
    """Behind the opening bracket and the space after it."""
    if data[span.start : span.start + 1] + data[span.end - 1 : span.end] != brackets:
        raise WireError(f"no JSON: {brackets.decode()} were expected")
    return _past(_SPACE, data, span.start + 1)


def _next(data: bytes, end: int, close: int) -> int:
    """Where the next value or key starts, or the closing bracket stands."""
    match = _COMMA.match(data, end, close)
    at = match.end() if match else _past(_SPACE, data, end)
    if match is None and at != close - 1:
        raise WireError("no JSON: a comma was expected")
    return at


def _raws(data: bytes, span: Span, kind: type[_Many]) -> _Many | None:
    try:
        return msgspec.json.decode(memoryview(data)[span.start : span.end], type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        decoded(data[span.start : span.end])  # valid, or this is where it ends
        return None


def _skipped(data: bytes, at: int) -> int:
    """The end of the value that starts at `at`; about 7 ms a MB."""
    first = data[at : at + 1]
    if first not in (b"[", b"{"):
        return _past(_STRING if first == b'"' else _SCALAR, data, at)
    depth = 0
    while match := _FLAT.match(data, at):
        at = match.end()
        depth += 1 if match[1] in b"[{" else -1
        if depth == 0:
            return at
    raise WireError("no JSON: a bracket is not closed")


def _past(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    if match is None:
        raise WireError("no JSON: a value was expected")
    return match.end()
