"""The outgoing edges of a Go function or method: every definition its text refers to.

Resolution is lexical: local names shadow, then come the package, dot imports and the packages of
the same module. A receiver's type is that of its declaration, literal, call or field; promoted
methods are followed through embedded structs. Outside the repository there is no edge.
"""

from collections.abc import Iterator, Mapping

from statetape.code.extract.go_shape import Source
from statetape.code.facts import Lookup
from statetape.code.resolve.go_meaning import Meaning
from statetape.code.resolve.go_packages import Packages
from statetape.code.resolve.go_terms import Terms
from statetape.code.resolve.go_uses import expression_terms, function_terms
from statetape.types import Mark, SymbolId


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """The definitions a function or method refers to; for the residue, what its variables call.

    Types have none. Costs a loop over the terms of the symbol's own text, which are remembered.
    """
    facts = lookup.facts(owner.path, "" if owner.name else None)
    if facts is None or not isinstance(facts.detail, Source):
        return {}
    packages = Packages(lookup)
    found: set[SymbolId] = set()
    for terms in _texts(facts.detail, owner.name):
        found |= Meaning(packages, owner.path, terms).edges()
    return dict.fromkeys(found, "exact")


def _texts(source: Source, name: str) -> Iterator[Terms]:
    """The terms of each text of a symbol."""
    if not name:
        values = source.shape.values.values()
        yield from (expression_terms(value[1:]) for value in values if value.startswith("="))
        return
    blocks = source.blocks.get(name, ())
    if blocks and blocks[0].kind in ("function", "method"):
        yield from (function_terms(source.data, block.span) for block in blocks)
