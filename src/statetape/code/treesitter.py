r"""Trees of a grammar, and what every extractor makes of them: definitions with their own text.

This is the one place that says what own text is. A definition's span is its node, widened to
whole lines where nothing else stands on them: the indentation before it, a closing `;` and a
comment behind it. A comma behind it belongs to the list. Its own text is the span without the
spans of nested definitions, each replaced by its qualified name, with `\r\n` read as `\n`. The
residue is the whole file likewise, without a byte-order mark and without the last newline.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from itertools import accumulate, count
from operator import add, itemgetter
from typing import NamedTuple

from tree_sitter import Language, Node, Parser, Query, Tree

from statetape.code.facts import Piece
from statetape.code.reparse import Trees
from statetape.types import Definition, Lines, Span

_BOM = b"\xef\xbb\xbf"
_BLANK_BEFORE = re.compile(rb"[ \t\f]*\Z")
_LINE_REST = re.compile(rb"[ \t\f]*;?[ \t\f]*(?:(?:#|//)[^\r\n]*)?(?=\r?\n|\r?\Z)")


class Place(NamedTuple):
    """One place where a name is defined: qualified name, kind, half-open byte range of its node.

    `setting` is what the text means by where it stands (the number of a constant in its block): a
    part of its own text. `shared`: the text is a part of its container's own text, too.
    """

    name: str
    kind: str
    start: int
    end: int
    setting: bytes = b""
    shared: bool = False


class Outline(NamedTuple):
    """The definitions of a file, residue first; the layout of their own text; their blocks."""

    definitions: tuple[Definition, ...]
    layout: tuple[Piece, ...]
    blocks: Mapping[str, Sequence["Block"]]


@cache
def grammar(module: str, function: str = "language") -> Language:
    """The grammar of a wheel, such as `tree_sitter_python`. ImportError where it is missing."""
    return Language(getattr(import_module(module), function)())


@cache
def parser(module: str, function: str = "language") -> Parser:
    """The parser of a grammar, made once. ImportError where the wheel is missing."""
    return Parser(grammar(module, function))


def tree(data: bytes, module: str, function: str = "language", path: str = "") -> Tree:
    """The tree of a text. The last few are kept: who reads a file then looks into its symbols.

    With `path`, the file that it is a state of, only what differs from the last one is parsed.
    """
    return _trees(module, function).tree(data, path)


@cache
def _trees(module: str, function: str) -> Trees:
    return Trees(parser(module, function), module)


@cache
def query(source: str, module: str, function: str = "language") -> Query:
    """A compiled query of a grammar, made once."""
    return Query(grammar(module, function), source)


def text(data: bytes, node: Node) -> str:
    """The text of a node; bytes that are not UTF-8 become U+FFFD."""
    return data[node.start_byte : node.end_byte].decode(errors="replace")


def digest(data: bytes) -> bytes:
    """The digest of the bytes of a file (16 bytes)."""
    return blake2b(data, digest_size=16).digest()


def outline(data: bytes, places: Iterable[Place]) -> Outline:
    """The definitions at `places`, which may overlap only by nesting, and their layout.

    Places of one name become one definition, in the order of the file.
    """
    starts = _starts(data)
    open_blocks = [_residue(data)]
    blocks = list(open_blocks)
    for place in sorted(places, key=lambda place: (place.start, -place.end)):
        while place.start >= open_blocks[-1].span.end and len(open_blocks) > 1:
            open_blocks.pop()
        parent = open_blocks[-1]
        block = Block(place, _whole_lines(data, place, parent.floor, parent.span), parent.owners)
        parent.children.append(block)
        parent.floor = block.span.end
        open_blocks.append(block)
        blocks.append(block)
    pieces: list[Piece] = []
    merged: dict[str, list[Block]] = {}
    for block in blocks:
        pieces += _pieces(data, block, starts)
        merged.setdefault(block.name, []).append(block)
    pieces.sort(key=itemgetter(0, 1))
    crlf = b"\r\n" in data
    definitions = (_definition(data, each, starts, crlf=crlf) for each in merged.values())
    return Outline(tuple(definitions), tuple(pieces), merged)


class Block:
    """One place of a definition with its widened span and the places nested directly in it.

    `owners` are its name and those of its containers; `floor` is where its last child ended.
    `setting` and `shared` are those of the place.
    """

    __slots__ = ("children", "floor", "kind", "name", "owners", "setting", "shared", "span")

    def __init__(self, place: Place, span: Span, around: tuple[str, ...] = ()) -> None:
        self.name, self.kind, _, _, self.setting, self.shared = place
        self.span = span
        self.floor = span.start
        self.owners = (self.name, *around)
        self.children: list[Block] = []


def _residue(data: bytes) -> Block:
    start = len(_BOM) if data.startswith(_BOM) else 0
    end = len(data) - 1 if data.endswith(b"\n") else len(data)
    end = max(start, end - data.endswith(b"\r", 0, end))
    return Block(Place("", "file", start, end), Span(start, end))


def _whole_lines(data: bytes, place: Place, floor: int, bounds: Span) -> Span:
    """The span of a place: its node, widened to whole lines within `floor` and `bounds`."""
    start, end = max(place.start, floor), min(place.end, bounds.end)
    while end > start and data[end - 1] in b"\r\n":
        end -= 1
    line = max(data.rfind(b"\n", floor, start) + 1, floor)
    if line < start and _BLANK_BEFORE.match(data, line, start):
        opens = line == bounds.start or data.startswith(b"\n", line - 1)
        start = line if opens else start
    if not data.startswith(b"\n", end):
        rest = _LINE_REST.match(data, end)
        end = min(rest.end(), bounds.end) if rest else end
    return Span(start, max(start, end))


def _gaps(block: Block) -> Sequence[tuple[int, int]]:
    """The runs of a block's own text, before, between and after its children."""
    if not block.children:
        return (block.span,)
    gaps, at = [], block.span.start
    for child in block.children:
        start, end = child.span
        gaps.append((at, start))
        at = end
    gaps.append((at, block.span.end))
    return gaps


def _pieces(data: bytes, block: Block, starts: list[int]) -> Iterator[Piece]:
    for start, end in _gaps(block):
        first = bisect_right(starts, start)
        if start != starts[first - 1] and data.startswith((b"\n", b"\r\n"), start):
            first += 1  # the newline that ends a line of a child
        last = bisect_right(starts, end - 1, first - 1) if end > start else 0
        if last >= first:
            yield Piece(first, last, block.owners)


def _definition(
    data: bytes, places: Sequence[Block], starts: list[int], *, crlf: bool
) -> Definition:
    spans = [place.span for place in places]
    lines = []
    for start, end in spans:
        first = bisect_right(starts, start)
        lines.append(Lines(first, bisect_right(starts, max(start, end - 1), first - 1)))
    own = _own_text(data, places)
    return Definition(
        places[0].name,
        places[0].kind,
        tuple(spans),
        tuple(lines),
        digest(own.replace(b"\r\n", b"\n") if crlf else own),
    )


def _own_text(data: bytes, places: Sequence[Block]) -> bytes:
    """NUL bounds names and places: text never holds one (`languages.facts` sees to it)."""
    if len(places) == 1 and not places[0].children:
        start, end = places[0].span
        return b"%b\0%b\0" % (data[start:end], places[0].setting)
    own: list[bytes] = []
    for place in places:
        at = place.span.start
        for child in place.children:
            start, end = child.span
            held = data[start:end] if child.shared else b""
            own += (data[at:start], b"\0", child.name.encode(), b"\0", held)
            at = end
        own += (data[at : place.span.end], b"\0", place.setting, b"\0")
    return b"".join(own)


def _starts(data: bytes) -> list[int]:
    """The byte where each line starts."""
    ends = accumulate(map(len, data.split(b"\n")))
    return [0, *map(add, ends, count(1))]
