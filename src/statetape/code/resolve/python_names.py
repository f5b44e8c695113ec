"""What a name means in Python: its scope, those around it, the module's, then the builtins."""

from collections.abc import Sequence

from statetape.code.index import folder_of
from statetape.code.resolve import python_modules
from statetape.code.resolve.python_expressions import Expressions, Given
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Binding, Filling, Position, Scope
from statetape.code.resolve.python_values import (
    NONE,
    Class,
    External,
    Function,
    Instance,
    Values,
    elements,
    filled,
    held,
    instances,
    merged_into,
    ordered,
    taken,
    union,
)
from statetape.types import SymbolId


class Names:
    """The meanings of names. Rules 2 to 6."""

    def __init__(self, meaning: Expressions) -> None:
        self._meaning = meaning
        self._questions = meaning.questions
        self._places = meaning.places

    def name(self, name: str, frame: Frame) -> Values:
        """What a name can mean in a frame: its own, then the functions' around, then the file's."""
        if name in frame.inner:
            inner = {key: value for key, value in frame.inner.items() if key != name}
            return self.bound(name, frame.inner[name], frame._replace(inner=inner))
        if not self._places.is_above(frame, name):
            scope, at = frame.scope, frame.at
            if scope.stars or self._places.bindings(frame, name):
                key = ("name", frame.symbol, scope, name, at and _before(scope, name, at))
                none: Values | None = NONE
                found = self._questions.answer(key, none, self.in_scope, name, frame)
                if found is not None:
                    return found
        path = frame.symbol.path
        for container in frame.owners[1:]:
            symbol = SymbolId(path, container)
            if not container or self._places.kind(symbol) != "class":
                seen = self.within(symbol, name)
                if seen is not None:
                    return seen
        return frozenset([External(name)])

    def within(self, symbol: SymbolId, name: str) -> Values | None:
        """What a module, class or function binds a name to, seen from elsewhere."""
        none: Values | None = NONE
        return self._questions.answer(("in", symbol, name), none, self._within, symbol, name)

    def _within(self, symbol: SymbolId, name: str) -> Values | None:
        seen = [self.in_scope(name, place) for place in self._places.frames(symbol)]
        found = [each for each in seen if each is not None]
        return union(found) if found else None

    def in_scope(self, name: str, frame: Frame) -> Values | None:
        """What a scope itself binds a name to, None where it does not bind it."""
        chosen = self.chosen(name, frame)
        if not chosen:
            return None
        found = union(
            self._starred(name, binding, frame) or NONE
            if binding.name == "*"
            else self.bound(name, binding, frame)
            for binding in chosen
        )
        fillings = self._places.fillings(frame, name)
        if not fillings:
            return found
        first, last = chosen[0].at, frame.at
        later = (e for e in fillings if e.at >= first and (last is None or e.at < last))
        return self.put(found, tuple(later), frame)

    def chosen(self, name: str, frame: Frame) -> list[Binding]:
        """The statements of a scope that can give a name its meaning at a position.

        From the last unconditional one on. A star import is one where its module has the name.
        """
        bindings: Sequence[Binding] = self._places.bindings(frame, name)
        if frame.scope.stars:
            bindings = sorted((*bindings, *frame.scope.stars), key=lambda binding: binding.at)
        if not bindings:
            return []
        at = frame.at
        earlier = bindings if at is None else [b for b in bindings if b.at < at] or bindings
        found: list[Binding] = []
        for binding in reversed(earlier):
            if binding.name == "*" and self._starred(name, binding, frame) is None:
                continue
            found.append(binding)
            if not binding.conditional:
                break
        return found[::-1]

    def put(self, values: Values, fillings: tuple[Filling, ...], frame: Frame) -> Values:
        """The values after statements have put something into them."""
        for filling in fillings:
            here = frame._replace(at=filling.at, inner={})
            value = self._meaning.of(filling.value, here)
            if filling.merged:
                values = merged_into(values, value)
            else:
                keys = [self._meaning.of(key, here) or None for key in filling.keys]
                values = filled(values, keys, value)
        return values

    def _starred(self, name: str, star: Binding, frame: Frame) -> Values | None:
        module = self.imported(star, frame)
        if module is None or module.folder == str(module):
            return None
        for place in self._places.frames(SymbolId(module, "")):
            exports = self._places.exports(place)
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
                return self._brought(name, binding, frame)
            case "parameter" | "rest" | "named":
                return self._meaning.parameter(name, binding, frame)
            case "element":
                return taken(self._iterated(self._meaning.of(binding.value, here)), binding.part)
            case "entered":
                return taken(self._entered(self._meaning.of(binding.value, here)), binding.part)
            case "caught" | "tested":
                caught = self._meaning.of(binding.value, here)
                return instances(union((caught, elements(caught))))
            case "unknown":
                return NONE
        found = taken(self._meaning.of(binding.value, here), binding.part)
        known = any(not isinstance(value, External) for value in found)
        stated = NONE if known else self._meaning.annotated(binding.annotation, here)
        return stated or found

    def _brought(self, name: str, binding: Binding, frame: Frame) -> Values:
        module = self.imported(binding, frame)
        if module is None:
            dotted = f"{binding.module}.{binding.name}" if binding.name else binding.module
            return frozenset([External(dotted or name)])
        if binding.name is None:
            return frozenset([module])
        return self.member(module, binding.name)

    def _iterated(self, values: Values) -> Values:
        """What iterating over values gives: elements, and what their own iterators return."""
        found = [elements(values)]
        for value in ordered(values):
            if isinstance(value, Instance):
                made = self._called(value, "__iter__") or self._called(value, "__aiter__")
                found.append(elements(made))
                iterators = [each for each in ordered(made) if isinstance(each, Instance)]
                found += [self._called(each, "__next__") for each in iterators]
                found += [self._called(each, "__anext__") for each in iterators]
                if not made:
                    found.append(self._called(value, "__getitem__"))
        return union(found)

    def _entered(self, values: Values) -> Values:
        found = [held(values)]  # of a generator, what it yields
        for value in ordered(values):
            if isinstance(value, Instance):
                entered = self._called(value, "__enter__") or self._called(value, "__aenter__")
                found.append(entered or frozenset([value]))
        return union(found)

    def _called(self, value: Instance, name: str) -> Values:
        methods = self._meaning.attribute(value, name)
        return union(self._meaning.result(each) for each in ordered(methods))

    def imported(self, binding: Binding, frame: Frame) -> Module | None:
        """The module that an import names, None where the repository has none."""
        stated = (folder_of(frame.symbol.path), binding.module, binding.level)
        find = python_modules.imported
        return self._questions.answer(("import", *stated), None, find, *stated, self._questions)

    def member(self, module: Module, name: str) -> Values:
        """An attribute of a module: a name of its file, else a submodule."""
        found = self._in_module(module, name)
        if found and not all(isinstance(value, External) for value in found):
            return found
        nested = python_modules.submodule(module, name, self._questions)
        return frozenset([nested]) if nested else found or NONE

    def _in_module(self, module: Module, name: str) -> Values | None:
        return self.within(SymbolId(str(module), ""), name)

    def _defined(self, symbol: SymbolId) -> Values:
        """A function or class, and what its decorators make of it."""
        kind = self._places.kind(symbol)
        if kind is None:
            return NONE
        own: Values = frozenset([Class(symbol) if kind == "class" else Function(symbol)])
        if not self._places.is_decorated(symbol):
            return own
        return self._questions.answer(("defined", symbol), own, self._made_of, symbol, own)

    def _made_of(self, symbol: SymbolId, own: Values) -> Values:
        made = (
            self._decorated(own, frame, around)
            for frame in self._places.frames(symbol)
            for around in self._places.around(frame)
        )
        return union((own, *made))

    def _decorated(self, own: Values, frame: Frame, around: Frame) -> Values:
        values = own
        for decorator in reversed(self._places.header(frame).decorators):
            given = Given(around, value=values)
            made = union(
                self._meaning.result(each, given)
                for each in ordered(self._meaning.of(decorator, around))
                if isinstance(each, Function | Class)
            )
            values = (
                frozenset(v for v in made if isinstance(v, Function | Class | Instance)) or values
            )
        return values


def _before(scope: Scope, name: str, at: Position) -> tuple[int, int, int]:
    """How many statements that say what a name means come before a position: they alone count."""
    found = (scope.bindings.get(name, ()), scope.fillings.get(name, ()), scope.stars)
    bindings, fillings, stars = (sum(each.at < at for each in held) for held in found)
    return bindings, fillings, stars
