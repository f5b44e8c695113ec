"""Found edges against stated ones, and the rule by which both are counted."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Edge = tuple[str, str]
"""Dotted names of the caller and of the function or method that it calls."""

_LAMBDA = re.compile(r"\.<lambda\d*>")


class Found(NamedTuple):
    """A program with its found and its stated edges, and the functions that syntax runs."""

    program: str
    found: set[Edge]
    stated: set[Edge]
    implicit: frozenset[str] = frozenset()


class Score(NamedTuple):
    """Counts of edges: found and stated, found alone, stated alone."""

    both: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """The share of the found edges that are stated; 1 where none is found."""
        return self.both / (self.both + self.wrong) if self.both + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of the stated edges that are found; 1 where none is stated."""
        return self.both / (self.both + self.missed) if self.both + self.missed else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = 2 * self.both + self.wrong + self.missed
        return 2 * self.both / total if total else 1.0


def score(found: Iterable[Edge], stated: Iterable[Edge]) -> Score:
    """The counts of two sets of edges."""
    ours, theirs = set(found), set(stated)
    return Score(len(ours & theirs), len(ours - theirs), len(theirs - ours))


def added(scores: Iterable[Score]) -> Score:
    """The sum of counts: every edge weighs the same, whichever program it is in."""
    return Score(*map(sum, zip(*scores, strict=True)))


def counted(edges: Iterable[Edge], functions: frozenset[str]) -> set[Edge]:
    """The edges into functions and methods of the program itself.

    A lambda is code of the definition it stands in: its calls count as calls of that one, and an
    edge into it is none.
    """
    return {(_LAMBDA.sub("", source), target) for source, target in edges if target in functions}


def edges(graph: Mapping[str, Iterable[str]]) -> set[Edge]:
    """The edges of a call graph as the benchmarks write it: caller to list of callees."""
    return {(source, target) for source, targets in graph.items() for target in targets}
