"""What the resolution of other symbols can see of a Python definition."""

import ast
from collections.abc import Iterator

from statetape.code.extract.python import Text
from statetape.code.facts import Facts
from statetape.code.resolve.python_reader import scope
from statetape.code.resolve.python_scopes import Binding, Position, Scope


def visible(facts: Facts, name: str) -> object:
    """A value that is equal in two states of a file iff no other symbol sees a difference.

    Statements count by what they bind and return and in which order, not by where they stand;
    what a definition calls is its own affair.
    """
    text = facts.detail
    if not isinstance(text, Text):
        return None
    return [
        (block.owners, block.kind, _seen(scope(text.own(block), module=not name)))
        for block in text.blocks.get(name, ())
    ]


def _seen(seen: Scope) -> object:
    stated: list[tuple[Position, object]] = [
        (binding.at, (group, name, *_stated(binding)))
        for group, bound in (("name", seen.bindings), ("attribute", seen.attributes))
        for name, bindings in bound.items()
        for binding in bindings
    ]
    stated += [(star.at, ("star", *_stated(star))) for star in seen.stars]
    stated += [(use.at, ("return", ast.dump(use.value))) for use in seen.returns]
    ranks = {at: rank for rank, at in enumerate(sorted({at for at, _ in stated}))}
    return (
        sorted((ranks[at], repr(each)) for at, each in stated),
        seen.parameters,
        seen.returned and ast.dump(seen.returned),
        seen.yields,
        [ast.dump(each) for each in (*seen.bases, *seen.decorators)],
        seen.above,
        seen.exports,
    )


def _stated(binding: Binding) -> Iterator[object]:
    yield binding.kind
    yield binding.conditional
    for value in (binding.value, binding.annotation):
        yield value and ast.dump(value)
    yield from (binding.part, binding.module, binding.level, binding.name)
