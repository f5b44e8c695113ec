"""What Python expressions can mean: modules, functions, classes and instances of the repository.

What the repository does not define is `External`; no values at all: nobody knows.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statetape.code.resolve.python_modules import Module
from statetape.types import SymbolId

Key = str | int


class Function(NamedTuple):
    """A function or method; `bound` to what it was read from, which is its first argument."""

    symbol: SymbolId
    bound: bool = False


class Class(NamedTuple):
    """A class itself, or (not `exact`) one derived from it."""

    symbol: SymbolId
    exact: bool = True


class Instance(NamedTuple):
    """An object of a class, or (not `exact`) of a class derived from it."""

    symbol: SymbolId
    exact: bool = False


class Parent(NamedTuple):
    """`super()` in a class: the attributes of what follows it in the resolution order."""

    symbol: SymbolId


class External(NamedTuple):
    """Something that the repository does not define, by its dotted name where it has one."""

    name: str


class Constant(NamedTuple):
    """A literal text or number, for it may be a key."""

    value: Key


class Prefix(NamedTuple):
    """A text of which the beginning is known."""

    text: str


class Container(NamedTuple):
    """What a container holds under constant keys or positions, and (`rest`) under any.

    Iterating a `mapping` gives its keys.
    """

    entries: tuple[tuple[Key, "Values"], ...]
    rest: "Values"
    mapping: bool = False


Value = Module | Function | Class | Instance | Parent | External | Constant | Prefix | Container
Values = frozenset[Value]
NONE: Values = frozenset()
ANYTHING: Values = frozenset([External("")])
"""What comes out of an operation of Python's own."""

_MOST = 64


def union(found: Iterable[Values]) -> Values:
    """All the values in all the sets; containers become one that holds what each of them does."""
    sets = [values for values in found if values]
    if len(sets) < 2:
        return sets[0] if sets else NONE
    return _joined(frozenset().union(*sets))


def ordered(values: Values) -> Iterable[Value]:
    """The values in an order that does not depend on how the set came about."""
    return values if len(values) < 2 else sorted(values, key=_rank)


def _rank(value: Value) -> tuple[str, str]:
    match value:
        case Container():
            return ("Container", str(value.mapping))
        case Constant():
            return (type(value.value).__name__, str(value.value))
    return (type(value).__name__, "\0".join(map(str, value)))


def _joined(values: Values) -> Values:
    containers = [value for value in values if isinstance(value, Container)]
    if len(containers) > 1:
        for mapping in (False, True):
            same = [value for value in containers if value.mapping is mapping]
            if len(same) > 1:
                values = values.difference(same) | {_merged(same, mapping=mapping)}
    return values


def _merged(containers: Sequence[Container], *, mapping: bool) -> Container:
    held: dict[Key, list[Values]] = {}
    for container in containers:
        for key, values in container.entries:
            held.setdefault(key, []).append(values)
    keys = sorted(held, key=lambda key: (isinstance(key, str), key))
    entries = tuple((key, union(held[key])) for key in keys)
    return Container(entries, union(value.rest for value in containers), mapping)


def many(elements: Values, *, mapping: bool = False) -> Values:
    """A container of these elements, under any key."""
    return frozenset([Container((), elements, mapping)])


def sequence(elements: Sequence[Values]) -> Values:
    """A list or tuple of these elements."""
    return frozenset([Container(tuple(enumerate(elements)), NONE)])


def table(entries: Iterable[tuple[Key | None, Values]]) -> Values:
    """A dictionary; of equal keys the last one counts. None: under any key."""
    held: dict[Key, Values] = {}
    rest = [NONE]
    for key, values in entries:
        if key is None:
            rest.append(values)
        else:
            held[key] = values
    keys = sorted(held, key=lambda key: (isinstance(key, str), key))
    return frozenset(
        [Container(tuple((key, held[key]) for key in keys), union(rest), mapping=True)]
    )


def containers(values: Values) -> Iterator[Container]:
    """The containers among the values."""
    return (value for value in ordered(values) if isinstance(value, Container))


def held(values: Values) -> Values:
    """All that the containers among the values hold; of what is external, anything."""
    found = [each for c in containers(values) for each in (c.rest, *(v for _, v in c.entries))]
    return union((*found, ANYTHING if _external(values) else NONE))


def elements(values: Values) -> Values:
    """What iterating over the containers among the values gives."""
    keys = [
        frozenset([Constant(key)]) for c in containers(values) if c.mapping for key, _ in c.entries
    ]
    rows = frozenset(
        value for value in values if not isinstance(value, Container) or not value.mapping
    )
    return union((held(rows), *keys))


def item(values: Values, keys: Values) -> Values:
    """What the containers among the values hold under keys; all, where a key is not known."""
    known = [key.value for key in keys if isinstance(key, Constant)]
    if not known or len(known) > _MOST:
        return held(values)
    found = [ANYTHING] if _external(values) else []
    for container in containers(values):
        entries = dict(container.entries)
        for key in known:
            at = len(entries) + key if isinstance(key, int) and key < 0 else key
            under = entries.get(at)
            found.append(container.rest)
            if under:
                found.append(under)
    return union(found)


def part(values: Values, first: int | None, last: int | None) -> Values:
    """A slice of the sequences among the values; bounds count from the end below 0."""
    found = []
    for container in containers(values):
        chosen = [v for _, v in container.entries][first:last]
        found.append(frozenset([Container(tuple(enumerate(chosen)), container.rest)]))
    return union(found)


def taken(values: Values, parts: Iterable[int | tuple[int, int] | None]) -> Values:
    """What unpacking takes of the values, one level for each part."""
    for each in parts:
        match each:
            case None:
                values = elements(values)
            case int():
                values = item(values, frozenset([Constant(each)]))
            case (first, last):
                values = part(values, first, -last or None)
    return values


def filled(values: Values, keys: Sequence[Values | None], value: Values) -> Values:
    """The values after `values[keys[0]][keys[1]]... = value`; a key of None may be any."""
    if not keys:
        return value
    container = next(containers(values), Container((), NONE, mapping=True))
    known = [key.value for key in keys[0] or () if isinstance(key, Constant)]
    if len(known) != 1:
        inside = filled(held(values), keys[1:], value) if len(keys) > 1 else value
        return values.difference([container]) | {
            container._replace(rest=union((container.rest, inside)))
        }
    entries = dict(container.entries)
    entries[known[0]] = filled(entries.get(known[0], NONE), keys[1:], value)
    order = sorted(entries, key=lambda key: (isinstance(key, str), key))
    if len(order) > _MOST:
        return values
    return values.difference([container]) | {
        container._replace(entries=tuple((key, entries[key]) for key in order))
    }


def merged_into(values: Values, others: Values) -> Values:
    """The values after `values.update(others)`: what the others hold under a key wins."""
    for other in containers(others):
        for key, value in other.entries if other.mapping else ():
            values = filled(values, [frozenset([Constant(key)])], value)
        rest = other.rest if other.mapping else held(frozenset([other]))
        if rest:
            values = filled(values, [None], rest)
    return values


def instances(values: Values) -> Values:
    """The objects of the classes among the values; anything of what is external."""
    return frozenset(
        Instance(value.symbol) if isinstance(value, Class) else value
        for value in values
        if isinstance(value, Class | External)
    )


def _external(values: Values) -> bool:
    return any(isinstance(value, External) for value in values)
