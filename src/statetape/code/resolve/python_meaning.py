"""What Python expressions mean in one state of the repository.

Every question is answered by looking at the text of the definitions it leads to. The rules stand
in modules of their own; here they meet.
"""

import ast
from collections.abc import Iterable

from statetape.code.facts import Lookup
from statetape.code.resolve import python_annotations
from statetape.code.resolve.python_calls import Calls
from statetape.code.resolve.python_expressions import Given
from statetape.code.resolve.python_flow import Flow
from statetape.code.resolve.python_heirs import Heirs
from statetape.code.resolve.python_members import Members
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_names import Names
from statetape.code.resolve.python_places import Frame, Places
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_scopes import Binding, Filling
from statetape.code.resolve.python_syntax import comprehended
from statetape.code.resolve.python_values import (
    ANYTHING,
    NONE,
    Class,
    Constant,
    Instance,
    Prefix,
    Value,
    Values,
    containers,
    elements,
    item,
    many,
    ordered,
    part,
    sequence,
    table,
    union,
)
from statetape.types import SymbolId


class Meaning:
    """The meanings of expressions in one state of the repository, seen through `lookup`.

    Remembers what it found out, so it must not outlive that state.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.questions = Questions(lookup)
        self.places = Places(self.questions)
        self.names = Names(self)
        self.members = Members(self)
        self.calls = Calls(self)
        self.flow = Flow(self)
        self.heirs = Heirs(self.questions, self.places, self)

    def of(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression can mean in a frame."""
        if node is None or not self.questions.deeper():
            return NONE
        found = self._of(node, frame)
        self.questions.back()
        return found

    def _of(self, node: ast.expr, frame: Frame) -> Values:
        match node:
            case ast.Name(id=name):
                return self.name(name, frame)
            case ast.Attribute(value=value, attr=attr):
                receiver = ordered(self.of(value, frame))
                return union(self.attribute(each, attr) for each in receiver)
            case ast.Call():
                return self.calls.called(node, frame)
            case ast.Await(value=value) | ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self.of(value, frame)
            case ast.IfExp(body=one, orelse=other):
                return union((self.of(one, frame), self.of(other, frame)))
            case ast.BoolOp(values=values):
                return union(self.of(value, frame) for value in values)
            case ast.BinOp(left=left, right=right):
                return _combined(self.of(left, frame), self.of(right, frame))
            case ast.Subscript(value=value, slice=key):
                return self._item(self.of(value, frame), key, frame)
        return self._display(node, frame) or _literal(node)

    def _display(self, node: ast.expr, frame: Frame) -> Values:
        """Containers that are written out."""
        match node:
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                if any(isinstance(value, ast.Starred) for value in values):
                    return many(union(self._spread(value, frame) for value in values))
                return sequence([self.of(value, frame) for value in values])
            case ast.Dict(keys=keys, values=values):
                given = [(k, self.of(v, frame)) for k, v in zip(keys, values, strict=True)]
                rows = [(self._key(k, frame), v) for k, v in given if k is not None]
                spread = [frozenset([c]) for k, v in given if k is None for c in containers(v)]
                return union((table(rows), *spread))
            case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.GeneratorExp(elt=value):
                return many(self.of(value, self._within(node, frame)))
            case ast.DictComp(value=value):
                return many(self.of(value, self._within(node, frame)), mapping=True)
        return NONE

    def _within(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, frame: Frame
    ) -> Frame:
        return frame._replace(inner={**frame.inner, **comprehended(node)})

    def _spread(self, node: ast.expr, frame: Frame) -> Values:
        values = self.of(node, frame)
        return elements(values) if isinstance(node, ast.Starred) else values

    def _key(self, node: ast.expr, frame: Frame) -> str | int | None:
        found = [v.value for v in self.of(node, frame) if isinstance(v, Constant)]
        return found[0] if len(found) == 1 else None

    def _item(self, values: Values, key: ast.expr, frame: Frame) -> Values:
        """What a subscript gives; a generic class stays itself."""
        if isinstance(key, ast.Slice):
            return part(values, *(_bound(each) for each in (key.lower, key.upper)))
        found = [item(values, self.of(key, frame))]
        for value in ordered(values):
            match value:
                case Class():
                    found.append(frozenset([value]))
                case Instance():
                    methods = ordered(self.attribute(value, "__getitem__"))
                    found += [self.result(each) for each in methods]
                case Constant():
                    found.append(ANYTHING)
        return union(found)

    def annotated(self, node: ast.expr | None, frame: Frame) -> Values:
        """The objects that an annotation admits."""
        if node is None or not self.questions.deeper():
            return NONE
        found = python_annotations.annotated(node, frame, self)
        self.questions.back()
        return found

    def name(self, name: str, frame: Frame) -> Values:
        """What a name can mean in a frame."""
        return self.names.name(name, frame)

    def in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""
        return self.names.in_scope(name, frame)

    def within(self, symbol: SymbolId, name: str) -> Values | None:
        """What a module or class binds a name to, seen from elsewhere; None where it does not."""
        return self.names.within(symbol, name)

    def bound(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What one statement of a scope makes a name mean."""
        return self.names.bound(name, binding, frame)

    def put(self, values: Values, fillings: tuple[Filling, ...], frame: Frame) -> Values:
        """The values after statements have put something into them."""
        return self.names.put(values, fillings, frame)

    def imported(self, binding: Binding, frame: Frame) -> Module | None:
        """The module that an import names, None where the repository has none."""
        return self.names.imported(binding, frame)

    def member(self, module: Module, name: str) -> Values:
        """An attribute of a module."""
        return self.names.member(module, name)

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can mean; a property, what reading it returns."""
        return self.members.attribute(value, name)

    def prefixed(self, value: Value, text: str) -> Iterable[Value]:
        """The methods of a value whose names begin with a text."""
        return self.members.prefixed(value, text)

    def order(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order of a class, itself first."""
        return self.members.order(symbol)

    def result(self, value: Value, given: Given | None = None) -> Values:
        """What calling a value returns."""
        return self.calls.result(value, given)

    def parameter(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What a parameter can be."""
        return self.flow.parameter(name, binding, frame)

    def argument(self, value: Value, name: str, given: Given) -> Values:
        """What a call hands over for a parameter of what it calls."""
        return self.flow.argument(value, name, given)


def _literal(node: ast.expr) -> Values:
    """Texts and numbers, and what operations of Python's own give."""
    match node:
        case ast.Constant(value=str() | int() as value) if not isinstance(value, bool):
            return frozenset([Constant(value)])
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return frozenset([Constant(-value)])
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return frozenset([Prefix(text)])
        case ast.Constant(value=None):
            return NONE
        case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp() | ast.Lambda():
            return ANYTHING
    return NONE


def _bound(node: ast.expr | None) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
    return None


def _combined(left: Values, right: Values) -> Values:
    """What an operator gives of two values: containers of both, or a text that begins alike."""
    for value in left:
        if isinstance(value, Constant) and isinstance(value.value, str):
            return frozenset([Prefix(value.value.partition("%")[0])])
    both = union((left, right))
    return frozenset(containers(both)) or (ANYTHING if both else NONE)
