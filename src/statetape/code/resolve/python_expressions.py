"""What the rules of resolution ask of each other: each is one part of `python_meaning.Meaning`."""

import ast
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_places import Frame, Places
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_scopes import Binding, Filling
from statetape.code.resolve.python_values import Value, Values
from statetape.types import SymbolId


class Given(NamedTuple):
    """What a call hands over: its arguments in a frame, or (without a call) one value."""

    frame: Frame
    call: ast.Call | None = None
    value: Values = frozenset()


class Expressions(Protocol):
    """The meanings of Python expressions in one state of the repository."""

    places: Places
    questions: Questions

    def of(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression can mean in a frame."""

    def annotated(self, node: ast.expr | None, frame: Frame) -> Values:
        """The objects that an annotation admits."""

    def name(self, name: str, frame: Frame) -> Values:
        """What a name can mean in a frame."""

    def in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""

    def within(self, symbol: SymbolId, name: str) -> Values | None:
        """What a module or class binds a name to, seen from elsewhere; None where it does not."""

    def bound(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What one statement of a scope makes a name mean."""

    def put(self, values: Values, fillings: tuple[Filling, ...], frame: Frame) -> Values:
        """The values after statements have put something into them."""

    def imported(self, binding: Binding, frame: Frame) -> Module | None:
        """The module that an import names, None where the repository has none."""

    def member(self, module: Module, name: str) -> Values:
        """An attribute of a module."""

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can mean; a property, what reading it returns."""

    def prefixed(self, value: Value, text: str) -> Iterable[Value]:
        """The methods of a value whose names begin with a text."""

    def order(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order of a class, itself first."""

    def result(self, value: Value, given: Given | None = None) -> Values:
        """What calling a value returns."""

    def parameter(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What a parameter can be."""

    def argument(self, symbol: Value, name: str, given: Given) -> Values:
        """What a call hands over for a parameter of what it calls."""
