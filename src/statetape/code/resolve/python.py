"""The outgoing edges of a Python symbol: the definitions in the repository its calls reach."""

import ast
from collections.abc import Mapping

from statetape.code.facts import Lookup
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Use
from statetape.code.resolve.python_values import Class, Function, Instance, Value
from statetape.types import Mark, SymbolId


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """What the calls of `owner` reach: functions, classes with their constructors, properties.

    Decorators count as calls of the definition they stand on. Builtins and what is outside of the
    repository are no edges. Costs a parse of the owner's own text and of what it leads to.
    """
    meaning = Meaning(lookup)
    reached: set[SymbolId] = set()
    for frame in meaning.places.own(owner):
        for use in frame.scope.uses:
            reached |= _used(use, frame._replace(at=use.at, inner=use.inner), meaning)
        for around in meaning.places.around(frame):
            for use in frame.scope.outer:
                reached |= _used(use, around._replace(inner=use.inner), meaning)
            for decorator in frame.scope.decorators:
                for value in meaning.of(decorator, around):
                    reached |= _called(value, meaning)
    return dict.fromkeys(reached, "exact")


def _used(use: Use, frame: Frame, meaning: Meaning) -> set[SymbolId]:
    reached: set[SymbolId] = set()
    if use.called:
        for value in meaning.of(use.value, frame):
            reached |= _called(value, meaning)
    elif isinstance(use.value, ast.Attribute):
        for value in meaning.of(use.value.value, frame):
            reached |= meaning.members.properties(value, use.value.attr)
    return reached


def _called(value: Value, meaning: Meaning) -> set[SymbolId]:
    match value:
        case Function(symbol):
            return {symbol}
        case Class(symbol):
            made = (meaning.members.attribute(value, name) for name in ("__init__", "__new__"))
            return {symbol} | {f.symbol for each in made for f in each if isinstance(f, Function)}
        case Instance():
            called = meaning.members.attribute(value, "__call__")
            return {each.symbol for each in called if isinstance(each, Function)}
    return set()
