"""The outgoing edges of a JavaScript or TypeScript symbol: every definition its text refers to.

Resolution is lexical: parameters and local names shadow, then come the enclosing functions, the
file, its imports (through barrels) and `require`. A receiver's value is that of its declaration,
annotation, `new`, or field; members are followed through what a class extends.
"""

from collections.abc import Iterator, Mapping

from statetape.code.extract.javascript_places import JAVASCRIPT, TYPESCRIPT
from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Facts, Lookup
from statetape.code.resolve.javascript_meaning import Meaning
from statetape.code.resolve.javascript_uses import (
    Place,
    expression_terms,
    local_terms,
    used_terms,
)
from statetape.code.resolve.javascript_values import Value, Values
from statetape.types import Mark, SymbolId

_FILE, _CLASS, _OBJECT = (b"", b""), (b"class _{", b"}"), (b"({", b"})")


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """The definitions a symbol refers to; types, interfaces and enums refer to none.

    Costs a loop over the terms of the symbol's own text, which are remembered.
    """
    facts = lookup.facts(owner.path, ":")
    if facts is None or not isinstance(facts.detail, Source):
        return {}
    values = Values(lookup, lambda path, text, depth: _evaluated(values, path, text, depth))
    around = _around(facts, facts.detail, owner.name, values)
    found: set[SymbolId] = set()
    for place in _places(facts, facts.detail, owner.name):
        found |= Meaning(values, owner, used_terms(place), around).edges()
    return dict.fromkeys(found, "exact")


def _evaluated(values: Values, path: str, text: str, depth: int) -> Value | None:
    """The value of an expression's text at the top level of a file."""
    grammar = TYPESCRIPT if path.endswith(("ts", "tsx")) else JAVASCRIPT
    terms = expression_terms(text, grammar)
    return Meaning(values, SymbolId(path, ""), terms, depth=depth).value()


def _around(facts: Facts, source: Source, owner: str, values: Values) -> list[Meaning]:
    """The local names of the functions around a symbol, outermost first."""
    found: list[Meaning] = []
    parts = owner.split(".")
    for length in range(1, len(parts)):
        name = ".".join(parts[:length])
        kind = values.shape(facts.path, name).kinds.get(name)
        if kind not in ("function", "method"):
            continue
        values.shape(facts.path, f"{name}:")
        symbol = SymbolId(facts.path, name)
        terms = [local_terms(place) for place in _places(facts, source, name)]
        found += [Meaning(values, symbol, each, tuple(found)) for each in terms]
    return found


def _places(facts: Facts, source: Source, name: str) -> Iterator[Place]:
    """The places of a symbol that is no type, interface or enum."""
    blocks = source.blocks.get(name, ())
    if not blocks or blocks[0].kind in ("interface", "type", "enum"):
        return
    around = _FILE
    if blocks[0].kind == "method":
        around = _CLASS if name.rpartition(".")[0] in source.shape.classes else _OBJECT
    for block in blocks:
        nested = tuple(child.span for child in block.children)
        yield Place(
            source.data, source.grammar, block.span, nested, around if facts.broken else None
        )
