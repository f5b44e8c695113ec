"""Symbols whose text still stands in a file that the parser lost its way in.

A write replaces one run of lines. While a file is broken, a symbol none of whose lines are among
them is what it was. This needs the layout of the old text alone, and serves every language.
"""

from bisect import bisect_right
from collections.abc import Container, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from msgspec.structs import replace

from statetape.code.facts import Facts, Piece
from statetape.types import Definition, Lines, Span


def standing(before: Facts, old: bytes, after: Facts, new: bytes) -> Facts:
    """The facts of broken text `new`, with the symbols of `before` that still stand in it.

    Those that the write does not touch have the digests they had, the others one that nothing else
    has; they are gone with the last of their lines. Of the parser, nothing is believed but that
    there is what it finds on the new lines: not which text is its own. What others see of the file,
    and what its symbols reach, stays as it was, until the file is whole again. Cost: linear.
    """
    lines, others = _lines(old), _lines(new)
    run = _replaced(lines, others)
    move = _Move(run, _starts(old), _starts(new), len(new))
    layout = _covering(before.layout, len(lines))
    lost = _touched(layout, run)
    left = {p.owners[0] for p in layout if p.first < run.first or p.last > run.old}
    kept = {
        each.name: move.definition(each, new, torn=each.name in lost)
        for each in before.definitions
        if not each.name or each.name not in lost or each.name in left
    }
    for each in after.definitions:
        if any(at.first <= run.new and at.last >= run.first for at in each.lines):
            kept.setdefault(each.name, replace(each, digest=_torn(each, new)))
    return replace(
        before,
        digest=after.digest,
        definitions=tuple(sorted(kept.values(), key=lambda d: (d.name != "", d.spans))),
        used=before.used | after.used,
        broken=True,
        layout=_layout(layout, run, kept),
    )


def touched(facts: Facts, before: bytes, after: bytes) -> set[str]:
    """The symbols with own text on a replaced line, or with lines on both sides of new ones."""
    lines = _lines(before)
    return _touched(_covering(facts.layout, len(lines)), _replaced(lines, _lines(after)))


class _Replaced(NamedTuple):
    """The lines `first` to `old` of a text (1-based, inclusive) became `first` to `new`.

    `old` or `new` is `first - 1` where nothing was or is there.
    """

    first: int
    old: int
    new: int


def _replaced(before: Sequence[bytes], after: Sequence[bytes]) -> _Replaced:
    """The shortest run of lines whose replacement makes one text out of another."""
    most = min(len(before), len(after))
    start = 0
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return _Replaced(start + 1, len(before) - end, len(after) - end)


def _covering(layout: Sequence[Piece], count: int) -> list[Piece]:
    """The pieces, and as the residue's all lines of a text that are in none."""
    found: list[Piece] = []
    reached = 0
    for piece in (*layout, Piece(count + 1, count + 1, ("",))):
        if piece.first > reached + 1:
            found.append(Piece(reached + 1, piece.first - 1, ("",)))
        found.append(piece)
        reached = max(reached, piece.last)
    return found[:-1]


def _touched(layout: Sequence[Piece], run: _Replaced) -> set[str]:
    if run.old < run.first and run.new < run.first:
        return set()
    return {owners[0] for owners in _owners(layout, run)}


def _owners(layout: Sequence[Piece], run: _Replaced) -> list[tuple[str, ...]]:
    """The owners of the replaced lines; where there are only new ones, who holds their place."""
    if run.old >= run.first:
        return [p.owners for p in layout if p.first <= run.old and p.last >= run.first]
    around = [p for p in layout if p.first <= run.first and p.last >= run.first - 1]
    within = [p.owners for p in around if p.first < run.first <= p.last]
    return within or [_common([p.owners for p in around])]


def _common(owners: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The containers that several symbols have in common, innermost first."""
    found: list[str] = []
    for names in zip(*(reversed(each) for each in owners), strict=False):
        if len(set(names)) > 1:
            break
        found.append(names[0])
    return tuple(reversed(found)) if len(owners) > 1 and found else ("",)


def _layout(layout: Sequence[Piece], run: _Replaced, kept: Container[str]) -> tuple[Piece, ...]:
    """The pieces of the new text, owned by who is kept; new lines belong to what is around."""
    shift = run.new - run.old
    before = [p._replace(last=min(p.last, run.first - 1)) for p in layout if p.first < run.first]
    behind = [
        p._replace(first=max(p.first, run.old + 1) + shift, last=p.last + shift)
        for p in layout
        if p.last > run.old
    ]
    owners = _owners(layout, run)
    holder = owners[0] if len(set(owners)) == 1 else _common(owners)
    middle = [Piece(run.first, run.new, holder)] if run.new >= run.first else []
    found: list[Piece] = []
    for each in (*before, *middle, *behind):
        piece = each._replace(owners=tuple(name for name in each.owners if name in kept))
        if found and found[-1].owners == piece.owners and found[-1].last + 1 == piece.first:
            found[-1] = found[-1]._replace(last=piece.last)
        else:
            found.append(piece)
    return tuple(found)


class _Move(NamedTuple):
    """Where the bytes of a text are after a run of its lines was replaced."""

    run: _Replaced
    old: Sequence[int]
    new: Sequence[int]
    end: int

    def definition(self, old: Definition, text: bytes, *, torn: bool) -> Definition:
        """A definition in its new place; with another digest where it is torn."""
        starts = ((self._start(start), end) for start, end in old.spans)
        spans = tuple(Span(start, max(start, self._end(end))) for start, end in starts)
        lines = tuple(
            Lines(bisect_right(self.new, start), bisect_right(self.new, max(start, end - 1)))
            for start, end in spans
        )
        digest = _torn(old, text) if torn else old.digest
        return replace(old, spans=spans, lines=lines, digest=digest)

    def _start(self, byte: int) -> int:
        line = bisect_right(self.old, byte)
        if self.run.first <= line <= self.run.old:
            return self.new[self.run.first - 1] if self.run.first <= len(self.new) else self.end
        return self._byte(line, byte)

    def _end(self, byte: int) -> int:
        line = bisect_right(self.old, byte - 1 if byte else 0)
        if self.run.first <= line <= self.run.old:
            return self.new[self.run.new] - 1 if self.run.new < len(self.new) else self.end
        return self._byte(line, byte)

    def _byte(self, line: int, byte: int) -> int:
        moved = line if line < self.run.first else line + self.run.new - self.run.old
        return min(self.new[moved - 1] + byte - self.old[line - 1], self.end)


def _torn(definition: Definition, text: bytes) -> bytes:
    """A digest that no other text of the definition has."""
    return blake2b(definition.digest + text, digest_size=16).digest()


def _lines(data: bytes) -> list[bytes]:
    return data.replace(b"\r\n", b"\n").split(b"\n")


def _starts(data: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))][:-1]
