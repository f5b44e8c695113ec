"""The attributes of Python values: what classes define, inherit, and assign to their objects."""

import ast
from collections.abc import Iterable
from typing import Protocol

from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_places import Frame, Places
from statetape.code.resolve.python_scopes import Binding
from statetape.code.resolve.python_values import (
    NONE,
    Class,
    Function,
    Instance,
    Parent,
    Value,
    Values,
    last_name,
    merged,
    union,
)
from statetape.types import SymbolId

_DEPTH = 100
_PROPERTIES = ("property", "cached_property")


class Expressions(Protocol):
    """What members need to know of the expressions in them (see `Meaning`)."""

    def of(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression can mean in a frame."""

    def in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""

    def bound(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What one statement of a scope makes a name mean."""

    def member(self, module: Module, name: str) -> Values:
        """An attribute of a module."""

    def result(self, value: Value) -> Values:
        """What calling a value returns."""


class Members:
    """The attributes of values, in the method resolution order of their classes."""

    def __init__(self, places: Places, meaning: Expressions) -> None:
        self._places = places
        self._meaning = meaning
        self._attributes: dict[tuple[SymbolId, str], Values] = {}
        self._depth = 0
        self._orders: dict[SymbolId, tuple[SymbolId, ...]] = {}

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can mean; a property, what reading it returns."""
        match value:
            case Module():
                return self._meaning.member(value, name)
            case Class(symbol):
                return self._inherited(self.order(symbol), name)
            case Parent(symbol):
                return self._read(self._inherited(self.order(symbol)[1:], name))
            case Instance(symbol):
                order = self.order(symbol)
                found = self._read(self._inherited(order, name))
                return found or self._assigned(order, name)
        return NONE

    def properties(self, value: Value, name: str) -> frozenset[SymbolId]:
        """The property functions that reading an attribute of a value calls."""
        match value:
            case Instance(symbol):
                members = self._inherited(self.order(symbol), name)
            case Parent(symbol):
                members = self._inherited(self.order(symbol)[1:], name)
            case _:
                return frozenset()
        return frozenset(
            member.symbol
            for member in members
            if isinstance(member, Function) and self._is_property(member)
        )

    def _read(self, members: Values) -> Values:
        return union(
            self._meaning.result(each) if self._is_property(each) else frozenset([each])
            for each in members
        )

    def _is_property(self, value: Value) -> bool:
        return isinstance(value, Function) and any(
            last_name(each) in _PROPERTIES
            for frame in self._places.frames(value.symbol)
            for each in self._places.header(frame).decorators
        )

    def _inherited(self, order: Iterable[SymbolId], name: str) -> Values:
        for symbol in order:
            held = [self._meaning.in_scope(name, place) for place in self._places.frames(symbol)]
            found = [each for each in held if each is not None]
            if found:
                return union(found)
        return NONE

    def _assigned(self, order: Iterable[SymbolId], name: str) -> Values:
        return next((found for symbol in order if (found := self._own(symbol, name))), NONE)

    def _own(self, symbol: SymbolId, name: str) -> Values:
        """What the methods of a class assign to an attribute of the instance."""
        key = (symbol, name)
        if key not in self._attributes:
            self._attributes[key] = NONE
            self._attributes[key] = union(
                self._meaning.bound(name, binding, frame)
                for method in self._places.methods(symbol)
                for frame in self._places.frames(method)
                for binding in self._places.attributes(frame, name)
            )
        return self._attributes[key]

    def order(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order of a class, itself first (C3; depth first where it fails)."""
        if symbol not in self._orders and self._depth < _DEPTH:
            self._orders[symbol] = (symbol,)  # what a cycle sees
            self._depth += 1
            bases = [
                value.symbol
                for frame in self._places.frames(symbol)
                for base in self._places.header(frame).bases
                for around in self._places.around(frame)
                for value in sorted(
                    v for v in self._meaning.of(base, around) if isinstance(v, Class)
                )
            ]
            bases = list(dict.fromkeys(base for base in bases if base != symbol))
            self._orders[symbol] = (symbol, *merged([self.order(base) for base in bases], bases))
            self._depth -= 1
        return self._orders.get(symbol, (symbol,))
