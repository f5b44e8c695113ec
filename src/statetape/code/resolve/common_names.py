"""What a name means at a place of a file: scopes first, then what other files declare."""

from collections.abc import Callable, Iterator
from typing import Protocol

from statetape.code.dialects import Dialect
from statetape.code.extract.common_shape import CLASSES, Declared, Shape
from statetape.code.extract.common_types import names_of
from statetape.code.facts import Lookup
from statetape.code.resolve.common_visible import IMPORTED
from statetape.types import SymbolId

_NOTHING = Shape()
Symbols = tuple[SymbolId, ...]


class Outside(Protocol):
    """How a language finds names in other files."""

    def first(self, path: str, within: str, name: str) -> Symbols:
        """What a simple name means that no scope of the file declares."""

    def absolute(self, path: str, name: str) -> Symbols:
        """What a name means that is dotted from its package, namespace or crate on."""

    def inside(self, module: SymbolId, name: str) -> Symbols:
        """What a module or namespace holds under a simple name."""

    def visible(self, path: str, symbol: SymbolId) -> bool:
        """Whether a file sees a symbol without naming what holds it."""


class Names:
    """The meaning of names, for the resolution of one symbol; each answer is remembered.

    `members` answers for the members of a class, own and inherited, `outside` for other files: who
    makes this sets both. Who asks while an answer is
    being found (classes that inherit from each other in a circle) gets none.
    """

    outside: Outside

    def __init__(self, lookup: Lookup, dialect: Dialect) -> None:
        self.lookup = lookup
        self.dialect = dialect
        self.members: Callable[[SymbolId, str], Symbols] = lambda _class, _name: ()
        self._found: dict[tuple[str, str, str], Symbols] = {}
        self._known: dict[str, Symbols] = {}
        self._declared: dict[SymbolId, Declared | None] = {}
        self._classes: dict[tuple[str, str, str], Symbols] = {}

    def shape(self, path: str, name: str) -> Shape:
        """The shape of a file to see one name in (of `common_visible`), an empty one elsewhere."""
        facts = self.lookup.facts(path, name)
        return facts.detail if facts and isinstance(facts.detail, Shape) else _NOTHING

    def declared(self, symbol: SymbolId) -> Declared | None:
        """The declaration of a symbol."""
        if symbol not in self._declared:
            shape = self.shape(symbol.path, symbol.name)
            self._declared[symbol] = shape.declared.get(symbol.name)
        return self._declared[symbol]

    def kind(self, symbol: SymbolId) -> str:
        """The kind of a symbol; `module` for a file as a module, empty for what is not there."""
        if not symbol.name:
            return "module"
        declared = self.declared(symbol)
        return declared.kind if declared else ""

    def constructs(self, symbol: SymbolId) -> bool:
        """Whether a symbol is a constructor named as its class, which no name means."""
        outer, _, last = symbol.name.rpartition(".")
        same = not self.dialect.constructor and outer.rpartition(".")[2] == last
        return same and self.kind(symbol) == "method"

    def package(self, symbol: SymbolId) -> str:
        """The package around a symbol."""
        declared = self.declared(symbol)
        return declared.package if declared else self.shape(symbol.path, "").package

    def speaks(self, path: str) -> bool:
        """Whether a file can hold what this language refers to."""
        return path.lower().endswith(self.dialect.suffixes)

    def known(self, name: str) -> Symbols:
        """The symbols of the repository with a last name, in the files of this language."""
        if name not in self._known:
            found = (each for each in self.lookup.named(name) if self.speaks(each.path))
            self._known[name] = tuple(found)
        return self._known[name]

    def imports(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """What a file imports as a name (`*`: everything under a path): within what, and what."""
        for each in self.shape(path, IMPORTED + name).imports:
            if each.name == name:
                yield each.within, each.path

    def find(self, path: str, within: str, name: str) -> Symbols:
        """What a dotted name means inside a symbol of a file."""
        key = path, within, name
        if key not in self._found:
            self._found[key] = ()
            self._found[key] = self._find(path, within, name)
        return self._found[key]

    def classes(self, path: str, within: str, type_: str) -> Symbols:
        """The classes that a type text names there; aliases are followed."""
        key = path, within, type_
        if key not in self._classes:
            self._classes[key] = ()
            found: dict[SymbolId, None] = {}
            for name in names_of(type_, self.dialect.wrappers):
                for symbol in self.find(path, within, name):
                    found.update(dict.fromkeys(self._as_classes(symbol)))
            self._classes[key] = tuple(found)
        return self._classes[key]

    def _as_classes(self, symbol: SymbolId) -> Symbols:
        declared = self.declared(symbol)
        if declared is None:
            return ()
        if declared.kind in CLASSES:
            return (symbol,)
        aliased = declared.types if declared.kind == "type" else ()
        outer = container(symbol.name)
        return tuple(c for each in aliased for c in self.classes(symbol.path, outer, each))

    def real(self, symbol: SymbolId) -> Symbols:
        """The classes that a stated class is: for an extension, what it extends."""
        declared = self.declared(symbol)
        if declared is not None and declared.kind != "extension":
            return (symbol,) if declared.kind in CLASSES else ()
        outer, _, last = symbol.name.rpartition(".")
        found = self.classes(symbol.path, outer, last)
        if not found and outer:
            found = self.classes(symbol.path, "", symbol.name)
        return found or ((symbol,) if declared else ())

    def inside(self, symbol: SymbolId, name: str) -> Symbols:
        """What a class, module or alias holds under a simple name."""
        kind = self.kind(symbol)
        if kind == "module":
            return self.outside.inside(symbol, name)
        if kind == "type":
            declared = self.declared(symbol)
            outer = container(symbol.name)
            aliased = [
                self.classes(symbol.path, outer, each)
                for each in (declared.types if declared else ())
            ]
            return tuple(m for each in aliased for c in each for m in self.members(c, name))
        return self.members(symbol, name) if kind in CLASSES else ()

    def scopes(self, path: str, within: str) -> Iterator[tuple[str, Declared | None]]:
        """The symbols around a place, from inside out, the file last."""
        scope = within
        while scope:
            yield scope, self.declared(SymbolId(path, scope))
            scope = container(scope)
        yield "", None

    def enclosing(self, path: str, within: str) -> Symbols:
        """The classes whose member a place is in."""
        for scope, declared in self.scopes(path, within):
            if scope and (declared is None or declared.kind in CLASSES):
                found = self.real(SymbolId(path, scope))
                if found:
                    return found
        return ()

    def _find(self, path: str, within: str, name: str) -> Symbols:
        if name.startswith("."):
            return self.outside.absolute(path, name[1:])
        head, *rest = name.split(".")
        found = self._first(path, within, head)
        for part in rest:
            found = tuple(dict.fromkeys(m for each in found for m in self.inside(each, part)))
        return found or (self.outside.absolute(path, name) if rest else ())

    def _first(self, path: str, within: str, name: str) -> Symbols:
        """What a simple name means: type parameters, scopes and what they inherit, other files."""
        if name == "Self":
            return self.enclosing(path, within)
        extended: Symbols = ()
        for scope, around in self.scopes(path, within):
            bounds = [bound for each, bound in around.generics if each == name] if around else []
            if bounds:
                stated = (c for each in bounds for c in self.classes(path, container(scope), each))
                return tuple(dict.fromkeys(stated))
            class_ = scope != "" and (around is None or around.kind in CLASSES)
            if class_ and not self.dialect.members:
                continue
            symbol = SymbolId(path, f"{scope}.{name}" if scope else name)
            if self.kind(symbol) == "extension":
                extended = (symbol,)
            elif self.constructs(symbol):
                continue
            elif found := self._stated(symbol):
                return found
            if found := self._held(SymbolId(path, scope), name, class_=class_):
                return found
            if scope and self.dialect.outside == "modules" and around and around.kind == "module":
                break
        return self.outside.first(path, within, name) or extended

    def _stated(self, symbol: SymbolId) -> Symbols:
        """What the file itself declares as a symbol; of a prototype, what defines it."""
        declared = self.declared(symbol)
        if declared is None:
            return ()
        if declared.kind == "constant":
            return (SymbolId(symbol.path, declared.types[0]),)
        if "prototype" in declared.marks:
            return self.outside.absolute(*symbol) or (symbol,)
        return (symbol,)

    def _held(self, scope: SymbolId, name: str, *, class_: bool) -> Symbols:
        """What a class inherits, or a namespace has in other files, under a simple name."""
        if class_:
            held = (m for each in self.real(scope) for m in self.members(each, name))
            return tuple(each for each in dict.fromkeys(held) if not self.constructs(each))
        if scope.name and self.kind(scope) == "module":
            return self.outside.inside(scope, name)
        return ()


def container(name: str) -> str:
    """The qualified name of what holds a name."""
    return name.rpartition(".")[0]
