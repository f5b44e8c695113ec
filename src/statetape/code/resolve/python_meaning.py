"""What Python expressions mean in one state of the repository.

Every question is answered by looking at the text of the definitions it leads to.
"""

import ast

from statetape.code.facts import Lookup
from statetape.code.resolve import python_modules
from statetape.code.resolve.python_members import Members
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_places import Frame, Places
from statetape.code.resolve.python_scopes import Binding, Position
from statetape.code.resolve.python_syntax import expression
from statetape.code.resolve.python_values import (
    NONE,
    Class,
    Function,
    Instance,
    Parent,
    Value,
    Values,
    elements,
    instances,
    item,
    last_name,
    many,
    taken,
    union,
)
from statetape.types import SymbolId

_DEPTH = 30
_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
_TRANSPARENT = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable")
_CONTAINERS = (
    *("list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "dict", "Dict"),
    *("Sequence", "Iterable", "Iterator", "Collection", "Mapping", "deque", "defaultdict"),
)


class Meaning:
    """The meanings of expressions in one state of the repository, seen through `lookup`.

    Remembers what it found out, so it must not outlive that state.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self.places = Places(lookup)
        self.members = Members(self.places, self)
        self._names: dict[tuple[SymbolId, int, str, Position | None], Values] = {}
        self._imports: dict[tuple[str, str, int], Module | None] = {}
        self._results: dict[SymbolId, Values] = {}
        self._depth = 0

    def of(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression can mean in a frame."""
        if node is None or self._depth > _DEPTH:
            return NONE
        self._depth += 1
        try:
            return self._of(node, frame)
        finally:
            self._depth -= 1

    def _of(self, node: ast.expr, frame: Frame) -> Values:
        match node:
            case ast.Name(id=name):
                return self.name(name, frame)
            case ast.Attribute(value=value, attr=attr):
                return union(self.members.attribute(each, attr) for each in self.of(value, frame))
            case ast.Call(func=ast.Name(id="super")):
                holder = self.places.class_around(frame)
                return frozenset([Parent(holder)]) if holder else NONE
            case ast.Call(func=function):
                return union(self.result(each) for each in self.of(function, frame))
            case ast.Await(value=value) | ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self.of(value, frame)
            case ast.IfExp(body=one, orelse=other):
                return self.of(one, frame) | self.of(other, frame)
            case ast.BoolOp(values=values):
                return union(self.of(value, frame) for value in values)
            case ast.Subscript(value=value):
                return union(item(each) for each in self.of(value, frame))
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                return many(union(self.of(value, frame) for value in values))
            case ast.Dict(values=values):
                return many(union(self.of(value, frame) for value in values))
        return NONE

    def name(self, name: str, frame: Frame) -> Values:
        """What a name can mean in a frame: its own, then the functions' around, then the file's."""
        if name in frame.inner:
            inner = {key: value for key, value in frame.inner.items() if key != name}
            return self.bound(name, frame.inner[name], frame._replace(inner=inner))
        key = (frame.symbol, id(frame.scope), name, frame.at)
        if key not in self._names:
            self._names[key] = NONE
            self._names[key] = self._looked_up(name, frame)
        return self._names[key]

    def _looked_up(self, name: str, frame: Frame) -> Values:
        path = frame.symbol.path
        if not self.places.is_above(frame, name):
            found = self.in_scope(name, frame)
            if found is not None:
                return found
        for container in frame.owners[1:]:
            if container and self.places.kind(SymbolId(path, container)) == "class":
                continue
            places = self.places.frames(SymbolId(path, container))
            seen = [each for each in (self.in_scope(name, p) for p in places) if each is not None]
            if seen:
                return union(seen)
        return NONE

    def in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""
        held = self.places.bindings(frame, name)
        if not held and not frame.scope.stars:
            return None
        bindings = sorted((*held, *frame.scope.stars), key=lambda binding: binding.at)
        earlier = [b for b in bindings if frame.at is None or b.at < frame.at] or bindings
        found: Values | None = None
        for binding in reversed(earlier):
            if binding.name == "*":
                values = self._starred(name, binding, frame)
                if values is None:
                    continue
            else:
                values = self.bound(name, binding, frame)
            found = values if found is None else found | values
            if not binding.conditional:
                break
        return found

    def _starred(self, name: str, star: Binding, frame: Frame) -> Values | None:
        module = self._imported(star, frame)
        if module is None or module.folder == str(module):
            return None
        for place in self.places.frames(SymbolId(module, "")):
            exports = self.places.exports(place)
            if name.startswith("_") if exports is None else name not in exports:
                return None
            return self._in_module(module, name)
        return None

    def bound(self, name: str, binding: Binding, frame: Frame) -> Values:
        """What one statement of a scope makes a name mean."""
        here = frame._replace(at=binding.at)
        match binding.kind:
            case "definition":
                holder = frame.symbol.name
                return self._defined(SymbolId(frame.symbol.path, f"{holder}.{name}".lstrip(".")))
            case "import":
                module = self._imported(binding, frame)
                if module is None:
                    return NONE
                return (
                    frozenset([module])
                    if binding.name is None
                    else self.member(module, binding.name)
                )
            case "parameter":
                return self._parameter(name, binding, frame)
            case "element":
                return taken(elements(self.of(binding.value, here)), binding.part)
            case "entered":
                return taken(union(map(self._entered, self.of(binding.value, here))), binding.part)
            case "caught":
                caught = self.of(binding.value, here)
                return instances(caught | elements(caught))
        value, part = binding.value, binding.part
        while part and part[0] is not None and isinstance(value, ast.Tuple | ast.List):
            value = value.elts[part[0]] if part[0] < len(value.elts) else None
            part = part[1:]
        return taken(self.of(value, here), part) or self.annotated(binding.annotation, here)

    def _imported(self, binding: Binding, frame: Frame) -> Module | None:
        key = (frame.symbol.path, binding.module, binding.level)
        if key not in self._imports:
            self._imports[key] = python_modules.imported(*key, self._lookup)
        return self._imports[key]

    def member(self, module: Module, name: str) -> Values:
        """An attribute of a module: a name of its file, else a submodule."""
        found = self._in_module(module, name)
        if found is not None:
            return found
        nested = python_modules.submodule(module, name, self._lookup)
        return frozenset([nested]) if nested else NONE

    def _in_module(self, module: Module, name: str) -> Values | None:
        symbol = SymbolId(str(module), "")
        key = (symbol, 0, name, None)
        if key not in self._names:
            self._names[key] = NONE
            seen = [self.in_scope(name, place) for place in self.places.frames(symbol)]
            held = [each for each in seen if each is not None]
            if not held:
                del self._names[key]
                return None
            self._names[key] = union(held)
        return self._names[key]

    def _defined(self, symbol: SymbolId) -> Values:
        kind = self.places.kind(symbol)
        if kind is None:
            return NONE
        return frozenset([Class(symbol) if kind == "class" else Function(symbol)])

    def _parameter(self, name: str, binding: Binding, frame: Frame) -> Values:
        holder = self.places.class_of(frame)
        header = self.places.header(frame)
        if holder and header.parameters and header.parameters[0] == name:
            marks = {last_name(each) for each in header.decorators}
            method = frame.symbol.name.rpartition(".")[2]
            if "staticmethod" not in marks:
                bound_to_class = "classmethod" in marks or method in _CLASS_METHODS
                return frozenset([Class(holder) if bound_to_class else Instance(holder)])
        around = self.places.around(frame)
        annotated = union(self.annotated(binding.annotation, each) for each in around)
        return annotated or union(self.of(binding.value, each) for each in around)

    def annotated(self, node: ast.expr | None, frame: Frame) -> Values:
        """The objects that an annotation admits."""
        if self._depth > _DEPTH:
            return NONE
        self._depth += 1
        try:
            return self._annotated(node, frame)
        finally:
            self._depth -= 1

    def _annotated(self, node: ast.expr | None, frame: Frame) -> Values:
        match node:
            case ast.Constant(value=str(quoted)):
                return self.annotated(expression(quoted), frame)
            case ast.BinOp(left=left, right=right):
                return self.annotated(left, frame) | self.annotated(right, frame)
            case ast.Subscript(value=value, slice=inside):
                given = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                generic = last_name(value)
                if generic in _TRANSPARENT:
                    return union(self.annotated(each, frame) for each in given)
                if generic in ("type", "Type"):
                    return union(self.of(each, frame) for each in given)
                if generic in _CONTAINERS and given:
                    return many(self.annotated(given[-1], frame))
                return self.annotated(value, frame)
            case ast.Name() | ast.Attribute():
                return instances(self.of(node, frame))
        return NONE

    def result(self, value: Value) -> Values:
        """What calling a value returns."""
        match value:
            case Class(symbol):
                return frozenset([Instance(symbol)])
            case Instance():
                return union(
                    self.result(each)
                    for each in self.members.attribute(value, "__call__")
                    if isinstance(each, Function)
                )
            case Function(symbol):
                if symbol not in self._results:
                    self._results[symbol] = NONE
                    self._results[symbol] = union(map(self._returned, self.places.frames(symbol)))
                return self._results[symbol]
        return NONE

    def _returned(self, frame: Frame) -> Values:
        scope = self.places.returned(frame)
        found = union(self.of(each.value, frame._replace(at=each.at)) for each in scope.returns)
        if found and not scope.yields:
            return found
        return union(self.annotated(scope.returned, each) for each in self.places.around(frame))

    def _entered(self, value: Value) -> Values:
        return union(map(self.result, self.members.attribute(value, "__enter__"))) or frozenset(
            [value]
        )
