"""What parameters can be in Python: what the calls in the same file hand over.

Calls are sought by name: that of the function, and the names it is given in the file. What a call
really reaches is then resolved, so a namesake hands over nothing. Other files are not read: what
calls a function from there changes nothing here.
"""

import ast
from collections.abc import Iterator

from statetape.code.resolve.python_expressions import Expressions, Given
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Binding, Scope, Use
from statetape.code.resolve.python_syntax import last_name
from statetape.code.resolve.python_values import (
    NONE,
    Class,
    External,
    Function,
    Instance,
    Value,
    Values,
    elements,
    many,
    ordered,
    sequence,
    table,
    union,
)
from statetape.types import SymbolId

_OF_CLASS = ("__new__", "__init_subclass__", "__class_getitem__")
_WORDS = 12


class Flow:
    """What parameters can be."""

    def __init__(self, meaning: Expressions) -> None:
        self._meaning = meaning
        self._places = meaning.places
        self._questions = meaning.questions

    def parameter(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What a parameter can be: what its class, annotation, default and calls say."""
        scope = self._places.header(frame)
        holder = self._places.class_of(frame)
        if holder and binding.kind == "parameter" and scope.parameters[:1] == (name,):
            marks = {last_name(each) for each in scope.decorators}
            method = frame.symbol.name.rpartition(".")[2]
            if "staticmethod" not in marks:
                of_class = "classmethod" in marks or method in _OF_CLASS
                made = Class(holder, exact=False) if of_class else Instance(holder)
                return frozenset([made])
        around = self._places.around(frame)
        stated = union(self._meaning.annotated(binding.annotation, each) for each in around)
        if any(not isinstance(value, External) for value in stated):
            return stated
        default = union(self._meaning.of(binding.value, each) for each in around)
        return union((default, self._handed_over(name, frame))) or stated

    def _handed_over(self, name: str, frame: Frame) -> Values:
        symbol = frame.symbol
        if not self._questions.nest():
            return NONE
        found = self._questions.answer(("given", symbol, name), NONE, self._given, symbol, name)
        self._questions.unnest()
        return found

    def _given(self, symbol: SymbolId, name: str) -> Values:
        calls = self._calls_of(symbol)
        found = union(self.argument(function, name, given) for function, given in calls)
        return frozenset(v for v in found if not isinstance(v, External))

    def _calls_of(self, symbol: SymbolId) -> tuple[tuple[Function, Given], ...]:
        """The calls in the file of a function that reach it, each with how it does.

        They hold scopes of this state, so they are nobody else's.
        """
        key = ("calls", symbol)
        return self._questions.answer(key, (), lambda: tuple(self._sought(symbol)), shared=False)

    def _sought(self, symbol: SymbolId) -> Iterator[tuple[Function, Given]]:
        container, _, simple = symbol.name.rpartition(".")
        words = [simple]
        if simple in ("__init__", "__new__"):
            words = [container.rpartition(".")[2], "cls"]
        elif simple == "__call__":
            words = []
        for word in words:
            for frame, found in self._places.mentioning(symbol.path, word):
                if isinstance(found, Binding):
                    others = [found.name or ""]
                else:
                    given = Given(frame._replace(at=found.at, inner=found.inner), found.call)
                    reached = [*self._reached(found.value, given.frame)]
                    yield from ((each, given) for each in reached if each.symbol == symbol)
                    others = self._renamed(word, found, reached)
                words += [w for w in others if w and w not in words and len(words) < _WORDS]
            for frame in self._places.decorated(symbol.path, word):
                yield from self._decorating(symbol, frame)

    def _decorating(self, symbol: SymbolId, frame: Frame) -> Iterator[tuple[Function, Given]]:
        """The applications of a decorator to the definition in a frame."""
        kind = self._places.kind(frame.symbol)
        own: Value = Class(frame.symbol) if kind == "class" else Function(frame.symbol)
        for around in self._places.around(frame):
            values: Values = frozenset([own])
            for decorator in reversed(self._places.header(frame).decorators):
                reached = [*self._reached(decorator, around)]
                given = Given(around, value=values)
                yield from ((each, given) for each in reached if each.symbol == symbol)
                made = union(self._meaning.result(each, given) for each in reached)
                values = frozenset(v for v in made if isinstance(v, Function | Class)) or values

    def _reached(self, called: ast.expr, frame: Frame) -> Iterator[Function]:
        """The functions that a call of an expression runs."""
        for value in ordered(self._meaning.of(called, frame)):
            match value:
                case Function():
                    yield value
                case Class(symbol):
                    for name in ("__init__", "__new__"):
                        made = self._meaning.attribute(Instance(symbol, exact=True), name)
                        yield from (
                            f._replace(bound=True) for f in ordered(made) if isinstance(f, Function)
                        )
                case Instance():
                    made = self._meaning.attribute(value, "__call__")
                    yield from (f for f in ordered(made) if isinstance(f, Function))

    def _renamed(self, word: str, use: Use, reached: list[Function]) -> list[str]:
        """The parameters as which a call hands on what goes by a word."""
        call = use.call
        if call is None:
            return []
        found = [k.arg or "" for k in call.keywords if last_name(k.value) == word]
        for at, value in enumerate(call.args):
            if last_name(value) == word:
                for function in reached:
                    for frame in self._places.frames(function.symbol):
                        names = self._places.header(frame).parameters
                        found += names[at + function.bound : at + function.bound + 1]
        return found

    def argument(self, value: Value, name: str, given: Given) -> Values:
        """What a call hands over for a parameter of the function that it runs."""
        if not isinstance(value, Function):
            return NONE
        return union(
            self._passed(name, self._places.header(frame), value.bound, given)
            for frame in self._places.frames(value.symbol)
        )

    def _passed(self, name: str, scope: Scope, bound: bool, given: Given) -> Values:  # noqa: FBT001
        names = scope.parameters[1:] if bound else scope.parameters
        at = names.index(name) if name in names else None
        call = given.call
        if call is None:
            return given.value if at == 0 else NONE
        of = self._meaning.of
        if at is None:
            return self._rest(name, scope, names, given)
        found = [of(k.value, given.frame) for k in call.keywords if k.arg == name]
        stars = [i for i, each in enumerate(call.args) if isinstance(each, ast.Starred)]
        if at < len(call.args) and not any(i <= at for i in stars):
            found.append(of(call.args[at], given.frame))
        elif stars and stars[0] <= at:
            found.append(elements(of(call.args[stars[0]], given.frame)))
        return union(found)

    def _rest(self, name: str, scope: Scope, names: tuple[str, ...], given: Given) -> Values:
        """What a call hands over for a parameter behind `*` or `**`, or one that must be named."""
        call, of = given.call, self._meaning.of
        kind = scope.bindings[name][0].kind if name in scope.bindings else "parameter"
        if call is None:
            return NONE
        if kind == "rest":
            more = call.args[len(names) :]
            if any(isinstance(each, ast.Starred) for each in more):
                return many(union(of(each, given.frame) for each in more))
            return sequence([of(each, given.frame) for each in more])
        if kind == "named":
            own = scope.bindings
            return table(
                (k.arg, of(k.value, given.frame)) for k in call.keywords if k.arg not in own
            )
        return union(of(k.value, given.frame) for k in call.keywords if k.arg == name)
