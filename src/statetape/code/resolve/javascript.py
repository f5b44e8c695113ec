"""The outgoing edges of a JavaScript or TypeScript symbol.

Resolution is lexical: local names shadow, then come the functions around, the file, its imports
(through barrels) and `require`. A receiver's value is what its declaration, annotation, `new`,
assignment or field says; members are followed through what a class extends.
"""

from collections.abc import Iterator, Mapping

from statetape.code.extract.javascript_places import JAVASCRIPT, TYPESCRIPT
from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Lookup
from statetape.code.resolve.javascript_meaning import Meaning
from statetape.code.resolve.javascript_reach import calls_of, mentions_of
from statetape.code.resolve.javascript_texts import expression_terms, terms
from statetape.code.resolve.javascript_values import Values
from statetape.types import Mark, SymbolId

_STRENGTH: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """The definitions a symbol calls, names or reads.

    Costs a loop over the terms of the symbol's own text, which are remembered.
    """
    return _strongest(owner, lookup, mentioned=True)


def calls(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """Those of the edges that come from a call: without what is named only, to be handed on."""
    return _strongest(owner, lookup, mentioned=False)


def values(lookup: Lookup) -> Values:
    """What names, members and calls mean, as a `Lookup` shows the repository."""
    return Values(lookup, _meanings)


def _strongest(owner: SymbolId, lookup: Lookup, *, mentioned: bool) -> Mapping[SymbolId, Mark]:
    found: dict[SymbolId, Mark] = {}
    for text in values(lookup).meanings(owner.path, owner.name):
        reached = [*calls_of(text), *(mentions_of(text) if mentioned else ())]
        for symbol, mark in reached:
            held = found.get(symbol, mark)
            found[symbol] = min(held, mark, key=_STRENGTH.index)
    found.pop(owner, None) if found.get(owner) == "uses" else None
    return found


def _meanings(values: Values, path: str, name: str) -> list[Meaning]:
    """The places of a definition with what is around them; of `=` and an expression, that."""
    symbol = SymbolId(path, name)
    if name.startswith("="):
        grammar = TYPESCRIPT if path.endswith(("ts", "tsx")) else JAVASCRIPT
        return [Meaning(values, SymbolId(path, ""), expression_terms(name[1:], grammar))]
    facts = values.lookup.facts(path, f"{name}:")
    if facts is None or not isinstance(facts.detail, Source):
        return []
    if any(block.children for block in facts.detail.blocks.get(name, ())):
        values.lookup.facts(path, "!")  # damage to what is nested in it changes how it is read
    if not name:
        _look_at_whole(values, facts.detail, path)
    around = list(_around(values, path, name))
    return [Meaning(values, symbol, each, around) for each in terms(facts.detail, name)]


def _look_at_whole(values: Values, source: Source, path: str) -> None:
    """The residue is read together with the variables of the file, and within a damaged file."""
    values.lookup.facts(path, "!")
    for block in source.blocks[""]:
        for child in block.children:
            if child.kind == "variable":
                values.lookup.facts(path, f"{child.name}:")


def _around(values: Values, path: str, name: str) -> Iterator[Meaning]:
    """What a definition is nested in and sees the names of, outermost first."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        outer = ".".join(parts[:length])
        if values.kind(path, outer) in ("function", "method", "variable"):
            yield from values.meanings(path, outer)[-1:]
