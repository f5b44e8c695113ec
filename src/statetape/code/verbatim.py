"""Symbols whose text still stands in a file that the parser lost its way in.

A write replaces one run of lines. While a file is broken, a symbol none of whose lines are among
them is what it was: this needs the layout of the old text alone, and serves every language.
"""

from collections.abc import Sequence
from typing import NamedTuple

from statetape.code.facts import Facts, Piece


class Replaced(NamedTuple):
    """The lines `first` to `old` of a text (1-based, inclusive) became `first` to `new`.

    `old` or `new` is `first - 1` where nothing was or is there.
    """

    first: int
    old: int
    new: int


def replaced(before: Sequence[bytes], after: Sequence[bytes]) -> Replaced:
    """The shortest run of lines whose replacement makes one text out of another."""
    most = min(len(before), len(after))
    start = 0
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return Replaced(start + 1, len(before) - end, len(after) - end)


def touched(facts: Facts, before: bytes, after: bytes) -> set[str]:
    """The symbols with own text on a replaced line, or with lines on both sides of new ones."""
    run = replaced(_lines(before), _lines(after))
    if run.old < run.first and run.new < run.first:
        return set()
    return {owners[0] for owners in _owners(facts.layout, run)}


def _owners(layout: Sequence[Piece], run: Replaced) -> list[tuple[str, ...]]:
    """The owners of the replaced lines; where there are only new ones, who holds their place."""
    if run.old >= run.first:
        found = [p.owners for p in layout if p.first <= run.old and p.last >= run.first]
        behind = not layout or layout[-1].last < run.old
        return [*found, ("",)] if behind else found
    around = [p for p in layout if p.first <= run.first and p.last >= run.first - 1]
    within = [p.owners for p in around if p.first < run.first <= p.last]
    if within:
        return within
    return [common([p.owners for p in around])] if len(around) > 1 else [("",)]


def common(owners: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The containers that several owners have in common, innermost first."""
    found: list[str] = []
    for names in zip(*(reversed(each) for each in owners), strict=False):
        if len(set(names)) > 1:
            break
        found.append(names[0])
    return tuple(reversed(found)) or ("",)


def _lines(data: bytes) -> list[bytes]:
    return data.replace(b"\r\n", b"\n").split(b"\n")
