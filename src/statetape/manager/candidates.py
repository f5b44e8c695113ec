"""Code that the agent does not hold and may want next: what graph, tape and results lead to.

From the symbols that were written last, along edges in both directions, for at most two hops; to
the contracts that they have to keep; to what stands beside them; and to the lines that results
have named. Nothing is weighed here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from posixpath import normpath
from typing import Literal

from msgspec import Struct

from statetape.code.nearby import callers_nearby
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.manager.past import Past
from statetape.skills.inheritance import inherited, overriding
from statetape.types import Lines, Mark, Record, Rule, SymbolId

Way = Literal["callee", "caller", "base", "override", "beside", "named", "onward"]

Relatives = Callable[[SymbolId, Code], Mapping[SymbolId, tuple[int, SymbolId]]]

RULES: Mapping[Way, Rule] = {
    "callee": "G2",
    "caller": "G3",
    "base": "G4",
    "override": "G3",
    "beside": "G1",
    "named": "G1",
    "onward": "G1",
}
"""The rule that each way to a candidate stands for."""

_RECENT = 5  # steps whose writes are the focus
_FOCUS = 6  # symbols of it, the last ones
_EACH = 12  # symbols one way leads to from one symbol
_LONG = 60  # lines of a definition that are too many to bring in as a whole
_WINDOW = 15  # lines on either side of a place that is named, or mentioned
_RESULTS = 4  # results whose places count
_PLACE = re.compile(r"(?<![\w.@/-])([\w.@/-]*\w\.\w{1,5})(?::|\", line |\()(\d{1,6})")
_PLACES = 12


class Candidate(Struct, frozen=True):
    """Lines of a file now, the way that leads to them, and how far it is.

    `near` is the symbol it begins at, None for a place that a result names. `marks` tells how sure
    the edge is.
    """

    path: str
    lines: Lines
    symbol: SymbolId
    way: Way
    hops: int
    near: SymbolId | None
    mark: Mark | None = None


def candidates(situation: Situation, past: Past, code: Code) -> Iterator[Candidate]:
    """All of them, the same lines perhaps by several ways.

    In a large repository without kept edges (`code.reaches`) nothing here reads a file that nobody
    has looked into, but those that the last writes themselves call.
    """
    focus = [s for s in past.focus(_RECENT) if s.name and code.graph.definition(s)][:_FOCUS]
    told = code.graph.tells_callers()
    for symbol in focus:
        yield from _called(symbol, code)
        yield from _calling(symbol, code, told=told)
        yield from _contracts(symbol, code, told=told)
        yield from _beside(symbol, code)
    yield from _named(situation, code)
    yield from _onward(situation, code)


def _called(symbol: SymbolId, code: Code) -> Iterator[Candidate]:
    graph = code.graph
    first = dict(islice(sorted(graph.edges(symbol).items()), _EACH))
    for found, mark in first.items():
        yield from _whole(found, symbol, "callee", 1, mark, code)
    for through in first:
        for found, mark in islice(sorted(graph.edges(through).items()), _EACH):
            if found not in first and found != symbol:
                yield from _whole(found, through, "callee", 2, mark, code)


def _calling(symbol: SymbolId, code: Code, *, told: bool) -> Iterator[Candidate]:
    """In a large repository without kept edges only files that were looked into count."""
    graph = code.graph
    callers = graph.reaching(symbol) if told else callers_nearby(symbol, graph, _EACH)
    first = dict(islice(sorted(callers.items()), _EACH))
    for found, mark in first.items():
        yield from _whole(found, symbol, "caller", 1, mark, code)
    for through in list(first)[: _FOCUS if told else 0]:
        for found, mark in islice(sorted(graph.reaching(through).items()), _EACH):
            if found not in first and found != symbol:
                yield from _whole(found, through, "caller", 2, mark, code)


def _contracts(symbol: SymbolId, code: Code, *, told: bool) -> Iterator[Candidate]:
    """Who overrides it is asked where that reads no great number of files."""
    ways: dict[Way, Relatives] = {"base": inherited}
    if told:
        ways["override"] = overriding
    for way, relatives in ways.items():
        for found, (hops, _) in islice(relatives(symbol, code).items(), _EACH):
            yield from _whole(found, symbol, way, hops, None, code)


def _beside(symbol: SymbolId, code: Code) -> Iterator[Candidate]:
    """The definitions before and behind it in its file, and the one around it."""
    graph = code.graph
    placed = []
    for other in graph.symbols(symbol.path):
        definition = graph.definition(other)
        if other.name and definition is not None and definition.lines:
            placed.append((definition.lines[0].first, other))
    placed.sort()
    at = next((i for i, (_, other) in enumerate(placed) if other == symbol), None)
    if at is not None:
        for i in (at - 2, at - 1, at + 1, at + 2):
            if 0 <= i < len(placed):
                yield from _whole(placed[i][1], symbol, "beside", abs(i - at), None, code)


def _named(situation: Situation, code: Code) -> Iterator[Candidate]:
    """The places (`path:12`, `path", line 12`) that the last results name, the last ones first."""
    results = [record for record in situation.held.values() if record.slot.side == "result"]
    seen: dict[tuple[str, int], None] = {}
    for record in results[: -_RESULTS - 1 : -1]:
        for match in _PLACE.finditer(record.text[-8000:]):
            path = normpath(match[1])
            line = int(match[2])
            if not path.startswith(("/", "..")) and code.facts(path) is not None:
                seen.setdefault((path, (line - 1) // _WINDOW * _WINDOW + 1))
    for path, first in islice(seen, _PLACES):
        lines = Lines(max(1, first - _WINDOW // 2), first + _WINDOW + _WINDOW // 2)
        yield from _inside(path, lines, "named", code)


def _onward(situation: Situation, code: Code) -> Iterator[Candidate]:
    """What follows the lines that the last reads of a part of a file have shown."""
    results = [record for record in situation.held.values() if record.kind == "read"]
    for record in results[:-4:-1]:
        for path, last in _ends(record).items():
            lines = Lines(last + 1, last + 2 * _WINDOW)
            yield from _inside(path, lines, "onward", code)


def _ends(record: Record) -> dict[str, int]:
    parts = getattr(record.referent, "shown", ())
    return {part.path: part.lines.last for part in parts if not part.path.startswith(("/", ".."))}


def _inside(path: str, lines: Lines, way: Way, code: Code) -> Iterator[Candidate]:
    last = (code.text(path) or "").count("\n")
    if lines.first <= min(last, lines.last):
        cut = Lines(lines.first, min(last, lines.last))
        yield Candidate(path, cut, SymbolId(path, ""), way, 1, None)


def _whole(
    symbol: SymbolId, near: SymbolId, way: Way, hops: int, mark: Mark | None, code: Code
) -> Iterator[Candidate]:
    """The lines of a symbol; of a long one those around where it mentions `near`, or its head."""
    definition = code.graph.definition(symbol)
    if definition is None or not symbol.name or not definition.lines:
        return
    lines = definition.lines[0]
    if lines.last - lines.first >= _LONG:
        lines = _around(symbol.path, lines, near.name.rpartition(".")[2], code)
    yield Candidate(symbol.path, lines, symbol, way, hops, near, mark)


def _around(path: str, lines: Lines, name: str, code: Code) -> Lines:
    rows = (code.text(path) or "").split("\n")[lines.first - 1 : lines.last]
    at = next((i for i, row in enumerate(rows) if i and name and name in row), 0)
    first = max(lines.first, lines.first + at - _WINDOW)
    return Lines(first, min(lines.last, first + 2 * _WINDOW))
