"""What calls give in Python. Rule 8."""

import ast

from statetape.code.resolve.python_expressions import Expressions, Given
from statetape.code.resolve.python_library import given_back, of_builtin
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_values import (
    NONE,
    Class,
    Constant,
    External,
    Function,
    Instance,
    Parent,
    Prefix,
    Value,
    Values,
    elements,
    many,
    ordered,
    union,
)
from statetape.types import SymbolId


class Calls:
    """What calls give."""

    def __init__(self, meaning: Expressions) -> None:
        self._meaning = meaning
        self._places = meaning.places
        self._questions = meaning.questions

    def called(self, call: ast.Call, frame: Frame) -> Values:
        """What a call gives."""
        of = self._meaning.of
        match call:
            case ast.Call(func=ast.Name(id="super")):
                holder = self._places.class_around(frame)
                return frozenset([Parent(holder)]) if holder else NONE
            case ast.Call(func=ast.Name(id="getattr"), args=[receiver, name, *default]):
                found = self._named(of(receiver, frame), of(name, frame))
                return union((found, *(of(each, frame) for each in default)))
            case ast.Call(func=ast.Name(id="type"), args=[one]):
                values = ordered(of(one, frame))
                return frozenset(
                    Class(v.symbol, v.exact) for v in values if isinstance(v, Instance)
                )
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                holding = of(value, frame)
                inside = of_builtin(attr, holding, call, frame, self._meaning)
                found = union(self._meaning.attribute(each, attr) for each in ordered(holding))
                made = self._results_of(found, call, frame)
                return union((inside, made)) if inside else made
        return self._results_of(of(call.func, frame), call, frame)

    def _named(self, receiver: Values, names: Values) -> Values:
        """The attributes of a receiver by name, or by the beginning of their names."""
        found: list[Values] = []
        for value in ordered(receiver):
            for name in ordered(names):
                match name:
                    case Constant(value=str(text)):
                        found.append(self._meaning.attribute(value, text))
                    case Prefix(text) if len(text) > 1:
                        found.append(frozenset(self._meaning.prefixed(value, text)))
        return union(found)

    def _results_of(self, called: Values, call: ast.Call, frame: Frame) -> Values:
        given = Given(frame, call)
        return union(self.result(each, given) for each in ordered(called))

    def result(self, value: Value, given: Given | None = None) -> Values:
        """What calling a value returns."""
        match value:
            case Class(symbol, exact):
                return frozenset([Instance(symbol, exact)])
            case Instance():
                methods = ordered(self._meaning.attribute(value, "__call__"))
                functions = (each for each in methods if isinstance(each, Function))
                return union(self.result(each, given) for each in functions)
            case Function(symbol):
                made = self._questions.answer(("result", symbol), NONE, self._result, symbol)
                handed = self._handed_back(value, given) if given is not None else NONE
                return union((made, handed))
            case External(name):
                return given_back(name, given, self._meaning)
        return NONE

    def _result(self, symbol: SymbolId) -> Values:
        return union(map(self._returned, self._places.frames(symbol)))

    def _returned(self, frame: Frame) -> Values:
        """What the statements of a function return, else what its header says.

        A parameter that is returned depends on the call: see `_handed_back`.
        """
        scope = self._places.returned(frame)
        around = self._places.around(frame)
        stated = [self._meaning.annotated(scope.returned, each) for each in around]
        if scope.generates:
            uses = [self._meaning.of(u.value, frame._replace(at=u.at)) for u in scope.yielded]
            uses += [
                elements(self._meaning.of(use.value, frame._replace(at=use.at)))
                for use in scope.delegated
            ]
            made = union(uses)
            return many(made) if made else union(stated) or many(NONE)
        found = union(
            self._meaning.of(each.value, frame._replace(at=each.at))
            for each in scope.returns
            if not self._is_handed_back(each.value, frame)
        )
        known = any(not isinstance(value, External) for value in found)
        return found if known else union(stated) or found

    def _handed_back(self, value: Function, given: Given) -> Values:
        """What a function returns of what this call hands over."""
        return union(
            self._meaning.argument(value, each.value.id, given)
            for frame in self._places.frames(value.symbol)
            for each in self._places.returned(frame).returns
            if isinstance(each.value, ast.Name) and self._is_handed_back(each.value, frame)
        )

    def _is_handed_back(self, node: ast.expr, frame: Frame) -> bool:
        """Whether a returned expression is a parameter that the caller writes down."""
        if not isinstance(node, ast.Name):
            return False
        bindings = self._places.bindings(frame, node.id)
        if not bindings or any(each.kind != "parameter" for each in bindings):
            return False
        first = self._places.header(frame).parameters[:1] == (node.id,)
        return not (first and self._places.class_of(frame))
