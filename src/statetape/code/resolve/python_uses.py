"""What the uses of expressions in Python reach: calls, properties, protocols, variables, guesses.

Rules 11 to 15.
"""

import ast
from collections.abc import Iterator

from statetape.code.resolve.python_expressions import Given
from statetape.code.resolve.python_guesses import guesses
from statetape.code.resolve.python_library import Arguments, run
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_reads import Reads
from statetape.code.resolve.python_scopes import Use
from statetape.code.resolve.python_values import Class, External, Function, Instance, Value, ordered
from statetape.types import Mark, SymbolId

_Reached = Iterator[tuple[SymbolId, Mark]]
_ENTERED = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_BUILTINS = {
    "str": "__str__",
    "print": "__str__",
    "repr": "__repr__",
    "len": "__len__",
    "next": "__next__",
    "bool": "__bool__",
    "hash": "__hash__",
    "format": "__format__",
    "reversed": "__reversed__",
}
"""Builtins with the method that they run on their argument."""
_ITERATING = frozenset(
    ("iter", "list", "tuple", "set", "frozenset", "sorted", "sum", "any", "all", "enumerate")
)


class Uses:
    """The edges of uses in one state of the repository."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self.places = meaning.places
        self._reads = Reads(meaning)

    def reached(self, use: Use, frame: Frame) -> _Reached:
        """What a use in a frame reaches, and how."""
        if use.kind == "called":
            yield from self._called(use, frame)
            return
        if use.kind in ("read", "written"):
            yield from self._read(use.value, frame, written=use.kind == "written")
            return
        for value in ordered(self._meaning.of(use.value, frame)):
            match use.kind:
                case "iterated":
                    yield from self._iterated(value)
                case "entered":
                    for name in _ENTERED:
                        yield from self._methods(value, name)
                case "operand":
                    yield from self._operated(value, use.method)

    def _called(self, use: Use, frame: Frame) -> _Reached:
        yield from self._read(use.value, frame)
        if isinstance(use.value, ast.Attribute):
            receiver = self._meaning.of(use.value.value, frame)
            name = use.value.attr
            for value in ordered(receiver):
                members = self._meaning.attribute(value, name)
                for member in ordered(members):
                    yield from self._run(member, use.call, frame)
                yield from self._overrides(value, name, missing=not members)
            if not receiver:
                yield from guesses(name, self._meaning.questions, self.places)
        else:
            for value in ordered(self._meaning.of(use.value, frame)):
                yield from self._run(value, use.call, frame)
        match use.call:
            case ast.Call(
                func=ast.Name(id="getattr"), args=[one, ast.Constant(value=str(name)), *_]
            ):
                yield from self._read(ast.Attribute(one, name, ast.Load()), frame)

    def _run(self, value: Value, call: ast.Call | None, frame: Frame) -> _Reached:
        """What calling a value runs."""
        match value:
            case Function(symbol):
                yield symbol, "exact"
            case Class(symbol):
                yield symbol, "exact"
                for name in ("__init__", "__new__"):
                    yield from self._methods(Instance(symbol, exact=True), name)
            case Instance():
                yield from self._methods(value, "__call__")
            case External(name) if call is not None:
                for each in ordered(run(name, call, frame, self._meaning)):
                    yield from self._run(each, None, frame)
                if name in _BUILTINS or name in _ITERATING:
                    for each in ordered(Arguments(Given(frame, call), self._meaning).at(0)):
                        if name in _ITERATING:
                            yield from self._iterated(each)
                        else:
                            yield from self._operated(each, _BUILTINS[name])

    def _read(self, node: ast.expr, frame: Frame, *, written: bool = False) -> _Reached:
        for symbol in self._reads.variables(node, frame) if not written else ():
            yield symbol, "uses"
        if isinstance(node, ast.Attribute):
            for value in ordered(self._meaning.of(node.value, frame)):
                found = [*self._meaning.members.properties(value, node.attr)]
                yield from ((member.symbol, "exact") for member in found)
                if found:
                    yield from self._overrides(value, node.attr)
                if written:
                    yield from self._methods(value, "__setattr__")

    def _iterated(self, value: Value) -> _Reached:
        for name, following in (("__iter__", "__next__"), ("__aiter__", "__anext__")):
            yield from self._methods(value, name)
            for method in ordered(self._meaning.attribute(value, name)):
                for made in ordered(self._meaning.result(method)):
                    yield from self._methods(made, following)

    def _operated(self, value: Value, name: str) -> _Reached:
        """The method that an operation or a builtin runs on a value."""
        found = [*self._methods(value, name)]
        yield from found
        if not found and name in ("__str__", "__format__"):
            yield from self._operated(value, "__repr__" if name == "__str__" else "__str__")

    def _methods(self, value: Value, name: str) -> _Reached:
        """A method that Python's syntax calls, and its overrides."""
        if isinstance(value, Instance):
            for member in ordered(self._meaning.attribute(value, name)):
                if isinstance(member, Function):
                    yield member.symbol, "exact"
            yield from self._overrides(value, name)

    def _overrides(self, value: Value, name: str, *, missing: bool = False) -> _Reached:
        for function in self._meaning.heirs.overrides(value, name, missing=missing):
            yield function.symbol, "virtual"
