"""What Python expressions can mean: modules, functions, classes and instances of the repository.

What the repository does not define has no meaning here: no values, no edge.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statetape.code.resolve.python_modules import Module
from statetape.types import SymbolId


class Function(NamedTuple):
    """A function or method."""

    symbol: SymbolId


class Class(NamedTuple):
    """A class itself."""

    symbol: SymbolId


class Instance(NamedTuple):
    """An object of a class or of a class derived from it."""

    symbol: SymbolId


class Parent(NamedTuple):
    """`super()` in a class: the attributes of what follows it in the resolution order."""

    symbol: SymbolId


class Many(NamedTuple):
    """A container: what its elements can be."""

    elements: frozenset["Value"]


Value = Module | Function | Class | Instance | Parent | Many
Values = frozenset[Value]
NONE: Values = frozenset()


def union(found: Iterable[Values]) -> Values:
    """All the values in all the sets."""
    return frozenset().union(*found)


def many(elements: Values) -> Values:
    """A container of these elements, nothing where there are none."""
    return frozenset([Many(elements)]) if elements else NONE


def elements(values: Values) -> Values:
    """What the elements of the containers among the values can be."""
    return union(value.elements for value in values if isinstance(value, Many))


def item(value: Value) -> Values:
    """What a subscript of a value gives; a generic class stays itself."""
    if isinstance(value, Many):
        return value.elements
    return frozenset([value]) if isinstance(value, Class) else NONE


def taken(values: Values, part: tuple[int | None, ...]) -> Values:
    """What unpacking takes of the values, one level for each position."""
    for _ in part:
        values = elements(values)
    return values


def instances(values: Values) -> Values:
    """The objects of the classes among the values."""
    return frozenset(Instance(value.symbol) for value in values if isinstance(value, Class))


def last_name(node: ast.expr) -> str:
    """The last name of a dotted name, or of what a call calls; empty for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def merged(orders: list[tuple[SymbolId, ...]], bases: list[SymbolId]) -> Iterator[SymbolId]:
    """The merge of the C3 linearisation."""
    sequences = [list(order) for order in (*orders, tuple(bases)) if order]
    seen: set[SymbolId] = set()
    while sequences:
        heads = [sequence[0] for sequence in sequences]
        later = {symbol for sequence in sequences for symbol in sequence[1:]}
        head = next((each for each in heads if each not in later), heads[0])
        if head not in seen:
            seen.add(head)
            yield head
        sequences = [[s for s in sequence if s != head] for sequence in sequences]
        sequences = [sequence for sequence in sequences if sequence]
