"""Skills of the graph's edges: who calls a symbol, and what it calls, up to two hops away."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec import Struct

from statetape.context.situation import Situation
from statetape.skills.naming import spelled, symbol_asked
from statetape.skills.skill import Arguments, Hops, Most, Rows, SymbolName, code_of, first
from statetape.types import Mark, SymbolId

_MARKS: tuple[Mark, ...] = ("exact", "virtual", "uses", "guess")


class Reach(Arguments, frozen=True):
    """A symbol, and how far from it."""

    symbol: SymbolName
    hops: Hops = 1
    most: Most = 40


class Reached(Struct, frozen=True):
    """A symbol `hops` calls away.

    `mark` is that of the last edge, `through` the symbol it goes out from or comes in at: the one
    that was asked for, or one a hop away. `direction` is seen from the symbol that was asked for.
    """

    symbol: str
    direction: str
    hops: int
    mark: Mark
    through: str


class Hop(NamedTuple):
    """How a symbol is reached: after how many edges, by which mark, and from where."""

    distance: int
    mark: Mark
    through: SymbolId


def callers(situation: Situation, asked: Reach) -> Rows[Reached]:
    """Who calls or reads a symbol, the nearest and surest first.

    A look-up for each symbol where edges are kept. Without, the first question reads every file,
    and each resolves who mentions the symbol. Of those one hop away, `most` are followed.
    """
    graph = code_of(situation).graph
    return _rows(symbol_asked(situation, asked.symbol), graph.reaching, "caller", asked)


def callees(situation: Situation, asked: Reach) -> Rows[Reached]:
    """What a symbol calls or reads, the nearest and surest first.

    A resolution for each symbol that nobody has looked at yet (about 0.3 ms). Of those one hop
    away, `most` are followed.
    """
    graph = code_of(situation).graph
    return _rows(symbol_asked(situation, asked.symbol), graph.edges, "callee", asked)


def _rows(
    start: SymbolId,
    step: Callable[[SymbolId], Mapping[SymbolId, Mark]],
    direction: str,
    asked: Reach,
) -> Rows[Reached]:
    found = reached(start, step, asked.hops, asked.most)
    rows = [
        Reached(spelled(symbol), direction, hop.distance, hop.mark, spelled(hop.through))
        for symbol, hop in found.items()
    ]
    return first(rows, asked.most)


def reached(
    start: SymbolId,
    step: Callable[[SymbolId], Mapping[SymbolId, Mark]],
    hops: int,
    most: int,
) -> dict[SymbolId, Hop]:
    """The symbols that `hops` steps reach, `start` left out: by hops, then mark, then name.

    Each with the fewest steps to it and the strongest mark of the last. Of each border, `most` are
    gone on from.
    """
    found: dict[SymbolId, Hop] = {}
    border = [start]
    for count in range(1, hops + 1):
        near: dict[SymbolId, Hop] = {}
        for through in border[:most]:
            for symbol, mark in step(through).items():
                if symbol in found or symbol == start:
                    continue
                known = near.get(symbol)
                if known is None or _MARKS.index(mark) < _MARKS.index(known.mark):
                    near[symbol] = Hop(count, mark, through)
        border = sorted(near, key=lambda symbol: (_MARKS.index(near[symbol].mark), symbol))
        found |= {symbol: near[symbol] for symbol in border}
    return found
