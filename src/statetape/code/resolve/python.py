"""The outgoing edges of a Python symbol: the definitions in the repository its text reaches."""

from collections.abc import Iterator, Mapping

from statetape.code.facts import Lookup
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Use
from statetape.code.resolve.python_uses import Uses
from statetape.types import Mark, SymbolId

_ORDER: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """What the text of `owner` reaches: functions, classes with their constructors, variables.

    Decorators count as calls of the definition they stand on. Builtins and what is outside of the
    repository are no edges. Costs a parse of the owner's own text and of what it leads to.
    """
    meaning = Meaning(lookup)
    uses = Uses(meaning)
    found: dict[SymbolId, Mark] = {}
    for symbol, mark in (*_within(owner, uses), *_around(owner, uses)):
        known = found.get(symbol)
        if known is None or _ORDER.index(mark) < _ORDER.index(known):
            found[symbol] = mark
    if found.get(owner) == "uses":
        del found[owner]
    meaning.questions.record()
    return found


def header(owner: SymbolId, lookup: Lookup) -> frozenset[SymbolId]:
    """What the decorators, defaults, annotations and bases of `owner` reach.

    They are evaluated around the definition: others count them as what is around it.
    """
    return frozenset(symbol for symbol, _ in _around(owner, Uses(Meaning(lookup))))


def _within(owner: SymbolId, uses: Uses) -> Iterator[tuple[SymbolId, Mark]]:
    for frame, held in uses.places.own(owner):
        for use in held:
            yield from uses.reached(use, frame._replace(at=use.at, inner=use.inner))


def _around(owner: SymbolId, uses: Uses) -> Iterator[tuple[SymbolId, Mark]]:
    for frame in uses.places.frames(owner):
        for around in uses.places.around(frame):
            for use in _outer(frame):
                yield from uses.reached(use, around._replace(inner=use.inner))


def _outer(frame: Frame) -> Iterator[Use]:
    yield from frame.scope.outer
    for decorator in frame.scope.decorators:
        yield Use("called", decorator, (0, 0))
