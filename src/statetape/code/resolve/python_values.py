"""What Python expressions can mean: modules, functions, classes and instances of the repository.

Every question is answered by looking at the text of the definitions it leads to, through the
`Lookup`. What the repository does not define has no meaning here: no values, no edge.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from statetape.code.extract.python import Text
from statetape.code.facts import Lookup
from statetape.code.resolve import python_modules
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_reader import expression, scope
from statetape.code.resolve.python_scopes import Binding, Position, Scope
from statetape.types import SymbolId

_DEPTH = 30


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

_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
_PROPERTIES = ("property", "cached_property")
_TRANSPARENT = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable")
_CONTAINERS = (
    *("list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "dict", "Dict"),
    *("Sequence", "Iterable", "Iterator", "Collection", "Mapping", "deque", "defaultdict"),
)


class Frame(NamedTuple):
    """Where an expression stands: a place of a symbol, a position in it, names bound inside.

    `at` None: seen from elsewhere, after the scope has run.
    """

    symbol: SymbolId
    owners: tuple[str, ...]
    scope: Scope
    at: Position | None = None
    inner: Mapping[str, Binding] = {}


class Meaning:
    """The meanings of expressions in one state of the repository, seen through `lookup`.

    Remembers what it found out, so it must not outlive that state.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._frames: dict[SymbolId, tuple[Frame, ...]] = {}
        self._orders: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._names: dict[tuple[SymbolId, str, Position | None], Values] = {}
        self._attributes: dict[tuple[SymbolId, str], Values] = {}
        self._imports: dict[tuple[str, str, int], Module | None] = {}
        self._results: dict[SymbolId, Values] = {}
        self._depth = 0

    def frames(self, symbol: SymbolId) -> tuple[Frame, ...]:
        """The places of a symbol, none where it is not defined in Python."""
        if symbol not in self._frames:
            text = self._text(symbol.path)
            blocks = text.blocks.get(symbol.name, ()) if text else ()
            self._frames[symbol] = tuple(
                Frame(symbol, block.owners, scope(text.own(block), module=not symbol.name))
                for block in blocks
                if text
            )
        return self._frames[symbol]

    def around(self, frame: Frame) -> tuple[Frame, ...]:
        """The places whose names a definition's header sees first: those of its container."""
        if len(frame.owners) < 2:
            return ()
        return self.frames(SymbolId(frame.symbol.path, frame.owners[1]))

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
                return _union(self.attribute(each, attr) for each in self.of(value, frame))
            case ast.Call(func=ast.Name(id="super")):
                holder = self._class_around(frame)
                return frozenset([Parent(holder)]) if holder else NONE
            case ast.Call(func=function):
                return _union(self.result(each) for each in self.of(function, frame))
            case ast.Await(value=value) | ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self.of(value, frame)
            case ast.IfExp(body=one, orelse=other):
                return self.of(one, frame) | self.of(other, frame)
            case ast.BoolOp(values=values):
                return _union(self.of(value, frame) for value in values)
            case ast.Subscript(value=value):
                return _union(_item(each) for each in self.of(value, frame))
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                return _many(_union(self.of(value, frame) for value in values))
            case ast.Dict(values=values):
                return _many(_union(self.of(value, frame) for value in values))
        return NONE

    def name(self, name: str, frame: Frame) -> Values:
        """What a name can mean in a frame: its own, then the functions' around, then the file's."""
        if name in frame.inner:
            inner = {key: value for key, value in frame.inner.items() if key != name}
            return self._bound(name, frame.inner[name], frame._replace(inner=inner))
        key = (frame.symbol, name, frame.at)
        if key not in self._names:
            self._names[key] = NONE
            self._names[key] = self._looked_up(name, frame)
        return self._names[key]

    def _looked_up(self, name: str, frame: Frame) -> Values:
        path = frame.symbol.path
        if name not in frame.scope.above:
            found = self._in_scope(name, frame)
            if found is not None:
                return found
        for container in frame.owners[1:]:
            if container and self._kind(SymbolId(path, container)) == "class":
                continue
            places = self.frames(SymbolId(path, container))
            seen = [each for each in (self._in_scope(name, p) for p in places) if each is not None]
            if seen:
                return _union(seen)
        return NONE

    def _in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""
        held = frame.scope.bindings.get(name, ())
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
                values = self._bound(name, binding, frame)
            found = values if found is None else found | values
            if not binding.conditional:
                break
        return found

    def _starred(self, name: str, star: Binding, frame: Frame) -> Values | None:
        module = self._imported(star, frame)
        if module is None or module.folder == str(module):
            return None
        for place in self.frames(SymbolId(module, "")):
            exports = place.scope.exports
            if name.startswith("_") if exports is None else name not in exports:
                return None
            return self._in_module(module, name)
        return None

    def _bound(self, name: str, binding: Binding, frame: Frame) -> Values:
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
                return _part(_elements(self.of(binding.value, here)), binding.part)
            case "entered":
                return _part(_union(map(self._entered, self.of(binding.value, here))), binding.part)
            case "caught":
                caught = self.of(binding.value, here)
                return _instances(caught | _elements(caught))
        value, part = binding.value, binding.part
        while part and part[0] is not None and isinstance(value, ast.Tuple | ast.List):
            value = value.elts[part[0]] if part[0] < len(value.elts) else None
            part = part[1:]
        return _part(self.of(value, here), part) or self.annotated(binding.annotation, here)

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
        key = (symbol, name, None)
        if key not in self._names:
            self._names[key] = NONE
            seen = [self._in_scope(name, place) for place in self.frames(symbol)]
            held = [each for each in seen if each is not None]
            if not held:
                del self._names[key]
                return None
            self._names[key] = _union(held)
        return self._names[key]

    def _defined(self, symbol: SymbolId) -> Values:
        kind = self._kind(symbol)
        if kind is None:
            return NONE
        return frozenset([Class(symbol) if kind == "class" else Function(symbol)])

    def _parameter(self, name: str, binding: Binding, frame: Frame) -> Values:
        holder = self._class_of(frame)
        parameters = frame.scope.parameters
        if holder and parameters and parameters[0] == name:
            marks = {_last_name(each) for each in frame.scope.decorators}
            method = frame.symbol.name.rpartition(".")[2]
            if "staticmethod" not in marks:
                bound_to_class = "classmethod" in marks or method in _CLASS_METHODS
                return frozenset([Class(holder) if bound_to_class else Instance(holder)])
        around = self.around(frame)
        annotated = _union(self.annotated(binding.annotation, each) for each in around)
        return annotated or _union(self.of(binding.value, each) for each in around)

    def annotated(self, node: ast.expr | None, frame: Frame) -> Values:
        """The objects that an annotation admits."""
        match node:
            case ast.Constant(value=str(quoted)):
                return self.annotated(expression(quoted), frame)
            case ast.BinOp(left=left, right=right):
                return self.annotated(left, frame) | self.annotated(right, frame)
            case ast.Subscript(value=value, slice=inside):
                given = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                generic = _last_name(value)
                if generic in _TRANSPARENT:
                    return _union(self.annotated(each, frame) for each in given)
                if generic in ("type", "Type"):
                    return _union(self.of(each, frame) for each in given)
                if generic in _CONTAINERS:
                    return _many(self.annotated(given[-1], frame))
                return self.annotated(value, frame)
            case ast.Name() | ast.Attribute():
                return _instances(self.of(node, frame))
        return NONE

    def result(self, value: Value) -> Values:
        """What calling a value returns."""
        match value:
            case Class(symbol):
                return frozenset([Instance(symbol)])
            case Instance():
                return _union(
                    self.result(each)
                    for each in self.attribute(value, "__call__")
                    if isinstance(each, Function)
                )
            case Function(symbol):
                if symbol not in self._results:
                    self._results[symbol] = NONE
                    self._results[symbol] = _union(map(self._returned, self.frames(symbol)))
                return self._results[symbol]
        return NONE

    def _returned(self, frame: Frame) -> Values:
        found = _union(
            self.of(each.value, frame._replace(at=each.at)) for each in frame.scope.returns
        )
        if found and not frame.scope.yields:
            return found
        return _union(self.annotated(frame.scope.returned, each) for each in self.around(frame))

    def _entered(self, value: Value) -> Values:
        return _union(map(self.result, self.attribute(value, "__enter__"))) or frozenset([value])

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can mean; a property, what reading it returns."""
        match value:
            case Module():
                return self.member(value, name)
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
        return _union(
            self.result(each) if self._is_property(each) else frozenset([each]) for each in members
        )

    def _is_property(self, value: Value) -> bool:
        return isinstance(value, Function) and any(
            _last_name(each) in _PROPERTIES
            for frame in self.frames(value.symbol)
            for each in frame.scope.decorators
        )

    def _inherited(self, order: Iterable[SymbolId], name: str) -> Values:
        for symbol in order:
            held = [self._in_scope(name, place) for place in self.frames(symbol)]
            found = [each for each in held if each is not None]
            if found:
                return _union(found)
        return NONE

    def _assigned(self, order: Iterable[SymbolId], name: str) -> Values:
        return next((found for symbol in order if (found := self._own(symbol, name))), NONE)

    def _own(self, symbol: SymbolId, name: str) -> Values:
        """What the methods of a class assign to an attribute of the instance."""
        key = (symbol, name)
        if key not in self._attributes:
            self._attributes[key] = NONE
            self._attributes[key] = _union(
                self._bound(name, binding, frame)
                for method in self._methods(symbol)
                for frame in self.frames(method)
                for binding in frame.scope.attributes.get(name, ())
            )
        return self._attributes[key]

    def _methods(self, symbol: SymbolId) -> list[SymbolId]:
        text = self._text(symbol.path)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        names = dict.fromkeys(c.name for b in blocks for c in b.children if c.kind == "method")
        return [SymbolId(symbol.path, name) for name in names]

    def order(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order of a class, itself first (C3; depth first where it fails)."""
        if symbol not in self._orders:
            self._orders[symbol] = (symbol,)  # what a cycle sees
            bases = [
                value.symbol
                for frame in self.frames(symbol)
                for base in frame.scope.bases
                for around in self.around(frame)
                for value in sorted(v for v in self.of(base, around) if isinstance(v, Class))
            ]
            bases = list(dict.fromkeys(base for base in bases if base != symbol))
            self._orders[symbol] = (symbol, *_merged([self.order(base) for base in bases], bases))
        return self._orders[symbol]

    def _class_of(self, frame: Frame) -> SymbolId | None:
        """The class whose method a frame is, None where it is none."""
        if len(frame.owners) < 2 or not frame.owners[1]:
            return None
        symbol = SymbolId(frame.symbol.path, frame.owners[1])
        return symbol if self._kind(symbol) == "class" else None

    def _class_around(self, frame: Frame) -> SymbolId | None:
        """The innermost class around a frame."""
        for name in frame.owners[1:-1]:
            symbol = SymbolId(frame.symbol.path, name)
            if self._kind(symbol) == "class":
                return symbol
        return None

    def _kind(self, symbol: SymbolId) -> str | None:
        text = self._text(symbol.path)
        blocks = text.blocks.get(symbol.name) if text else None
        return blocks[0].kind if blocks else None

    def _text(self, path: str) -> Text | None:
        facts = self._lookup.facts(path)
        return facts.detail if facts is not None and isinstance(facts.detail, Text) else None


def _union(found: Iterable[Values]) -> Values:
    return frozenset().union(*found)


def _many(elements: Values) -> Values:
    return frozenset([Many(elements)]) if elements else NONE


def _elements(values: Values) -> Values:
    return _union(value.elements for value in values if isinstance(value, Many))


def _item(value: Value) -> Values:
    """What a subscript of a value gives; a generic class stays itself."""
    if isinstance(value, Many):
        return value.elements
    return frozenset([value]) if isinstance(value, Class) else NONE


def _part(values: Values, part: tuple[int | None, ...]) -> Values:
    for _ in part:
        values = _elements(values)
    return values


def _instances(values: Values) -> Values:
    return frozenset(Instance(value.symbol) for value in values if isinstance(value, Class))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _merged(orders: list[tuple[SymbolId, ...]], bases: list[SymbolId]) -> Iterator[SymbolId]:
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
