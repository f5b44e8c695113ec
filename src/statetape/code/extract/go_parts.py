"""A Go file as a row of parts, each read on its own and remembered by its text.

Formatted Go starts each top-level declaration at the first column. So a write costs the parse of
the declarations that it touches, and one lost brace costs the declaration it stands in.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from statetape.code import treesitter
from statetape.code.conflicts import ours
from statetape.code.extract import go_repair
from statetape.code.extract.go_declarations import Declarations
from statetape.code.extract.go_shape import Function, Shape, merged
from statetape.code.recent import Recent
from statetape.code.treesitter import Place

_WORDS = rb"(?:func|type|var|const|import|package)\b"
# What hides the words in it. Each alternative starts with its sign, so that the search is fast.
_HIDING = re.compile(
    rb"""`[^`]*+`? | //[^\n]*+ | /\*(?s:.*?)(?:\*/|\Z) | "(?:[^"\\\n]++|\\.)*+"?
    | '(?:[^'\\\n]++|\\.)*+'?""",
    re.VERBOSE,
)
_START = re.compile(rb"\n(?=" + _WORDS + rb")")
_ANY_START = re.compile(rb"^" + _WORDS, re.MULTILINE)
_BOM = b"\xef\xbb\xbf"
# How many damaged parts of a file are searched for declarations that a lost quote hides.
_SEARCHED = 32
_NO_NAME = re.sub(rb"[^\w\x80-\xff]", b" ", bytes(range(256)))
"""Blanks whatever is not in a name, for `bytes.translate`."""


class Part(NamedTuple):
    """What a part of a file declares, its bytes counted from its start.

    `loose` are declarations of variables that bind no name of their own; `bases` and `used` are
    as in `Facts`. `damaged`: the parser had to recover.
    """

    places: tuple[Place, ...]
    shape: Shape
    loose: tuple[bytes, ...]
    bases: tuple[tuple[str, tuple[str, ...]], ...]
    used: frozenset[str]
    damaged: bool


_known: Recent[bytes, Part] = Recent(2_000_000)


def whole(data: bytes) -> Part:
    """What a file declares. Cost: a parse of the parts that are not remembered."""
    parts = list(_parts(data))
    damaged = [start for start, part in parts if part.damaged]
    # The halves of a healthy declaration are damaged both; nothing healthy stands in front.
    if len(damaged) > 1 and _ANY_START.match(data, damaged[0]) and _healthy(data[damaged[0] :]):
        return _read(data)
    if damaged and (text := ours(data)) != data:
        parts = list(_parts(text))
    return Part(
        tuple(
            Place(name, kind, begin + start, end + start, setting, shared)
            for start, part in parts
            for name, kind, begin, end, setting, shared in part.places
        ),
        merged(part.shape for _, part in parts),
        tuple(text for _, part in parts for text in part.loose),
        tuple(base for _, part in parts for base in part.bases),
        frozenset().union(*(part.used for _, part in parts)),
        bool(damaged),
    )


def _parts(data: bytes) -> Iterator[tuple[int, Part]]:
    """The parts with the bytes where they start. One that is damaged may hide others."""
    waiting = list(reversed(_pieces(data, len(_BOM) if data.startswith(_BOM) else 0, len(data))))
    searched = 0
    while waiting:
        start, end = waiting.pop()
        piece = data[start:end]
        part = _known.get(piece, end - start, partial(_read, piece))
        hidden = _ANY_START.search(data, start + 1, end) if part.damaged else None
        if hidden is None:
            yield start, part
            continue
        searched += 1
        if searched < _SEARCHED:
            waiting += reversed(_pieces(data, hidden.start(), end))
        else:
            starts = [found.start() for found in _ANY_START.finditer(data, hidden.start(), end)]
            waiting += reversed(list(pairwise([*starts, end])))
        waiting.append((start, hidden.start()))


def _healthy(text: bytes) -> bool:
    return not treesitter.tree(text, "tree_sitter_go").root_node.has_error


def _pieces(data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """A range, cut where a declaration starts."""
    found = (mark.end() for mark in _START.finditer(data, start, end))
    if b"`" in data or b"/*" in data:  # nothing else goes beyond its line
        hidden = [mark.span() for mark in _HIDING.finditer(data, start, end)]
        found = (at for at in found if not _within(at, hidden))
    bounds: Iterable[int] = dict.fromkeys((start, *found, end))
    return list(pairwise(bounds))


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    """Whether a byte is in one of some half-open spans, which are in order."""
    before = bisect_left(spans, (at,)) - 1
    return before >= 0 and at < spans[before][1]


def _read(piece: bytes) -> Part:
    """A part on its own; where it is damaged, what its healthy lines declare."""
    # The grammar wants a line end behind a declaration, Go does not.
    text = piece if piece.endswith(b"\n") else piece + b"\n"
    root = treesitter.parser("tree_sitter_go").parse(text).root_node
    names = b" ".join(set(piece.translate(_NO_NAME).split())).decode(errors="replace")
    used = frozenset(name for name in names.split() if not name[0].isdigit())
    mended = go_repair.mended(piece) if root.has_error else (text, root)
    if mended is None:
        place = go_repair.guess(piece)
        shape = Shape()
        if place is not None and place.kind in ("function", "method"):
            shape.functions[place.name] = Function()
        return Part((place,) if place else (), shape, (), (), used, damaged=True)
    found = Declarations(*mended)
    places = (place._replace(end=min(place.end, len(piece))) for place in found.places)
    return Part(
        tuple(places), found.shape(), tuple(found.loose), tuple(found.bases), used, root.has_error
    )
