"""The outgoing edges of a Go symbol: every definition its text refers to.

Resolution is lexical: local names shadow, then come the package, dot imports and the packages of
the same module or workspace. A receiver's type is that of its declaration, literal, call or field;
promoted members are followed through embedded types; a call through an interface reaches its
method, and those of the types that implement it. Outside the repository there is no edge.
"""

import re
from collections.abc import Iterator, Mapping

from statetape.code.extract.go_shape import Source
from statetape.code.facts import Lookup
from statetape.code.resolve.go_meaning import Meaning
from statetape.code.resolve.go_members import Members
from statetape.code.resolve.go_packages import Packages
from statetape.code.resolve.go_terms import Terms
from statetape.code.resolve.go_uses import declaration_terms
from statetape.types import Mark, SymbolId

_DECLARATION = re.compile(rb"(?:var|const)\b")
_STRENGTH: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """What a function, variable or constant refers to; the residue: what its other variables do.

    Types and fields have none. Costs a loop over the terms of the symbol's own text, which are
    remembered.
    """
    facts = lookup.facts(owner.path, owner.name)
    if facts is None or not isinstance(facts.detail, Source):
        return {}
    members = Members(Packages(lookup))
    found: dict[SymbolId, Mark] = {}
    for terms in _texts(facts.detail, owner.name):
        for target, mark in Meaning(members, owner.path, terms).edges():
            known = found.get(target)
            if known is None or _STRENGTH.index(mark) < _STRENGTH.index(known):
                found[target] = mark
    return found


def _texts(source: Source, name: str) -> Iterator[Terms]:
    """The terms of each text of a symbol."""
    if not name:
        yield from map(declaration_terms, source.loose)
        return
    blocks = source.blocks.get(name, ())
    kind = blocks[0].kind if blocks else ""
    if kind in ("function", "method") and name in source.shape.functions:
        yield from (declaration_terms(source.data[slice(*block.span)]) for block in blocks)
    elif kind == "variable":
        value = source.shape.values.get(name)
        if value is not None and value.repeated:
            yield declaration_terms(f"var _ {value.type} = {value.expression}".encode())
        else:
            yield from (declaration_terms(_declared(source.data[slice(*b.span)])) for b in blocks)


def _declared(text: bytes) -> bytes:
    """A specification out of a block, as a declaration of its own."""
    text = text.lstrip()
    return text if _DECLARATION.match(text) else b"var " + text
