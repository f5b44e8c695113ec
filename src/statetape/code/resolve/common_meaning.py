"""What the terms of a text mean in a repository: edges and values."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statetape.code.extract.common_shape import CLASSES, FUNCTIONS, VALUES
from statetape.code.extract.common_types import element_of
from statetape.code.resolve.common_classes import Classes
from statetape.code.resolve.common_names import Names, Symbols, container
from statetape.code.resolve.common_terms import Term, Terms
from statetape.code.resolve.common_uses import terms
from statetape.code.resolve.common_visible import OWN
from statetape.types import Mark, SymbolId

_DEEPEST = 6
"""How many results that no type states are followed into each other."""
_GUESSES = 3
_COMMON = frozenset(
    "add apply build call clear clone close compare contains copy count create delete each equals "
    "execute find first filter flush format get handle hashCode id init insert iter keys len length "
    "load main map name new next open parse pop print process push put read remove reset run save "
    "send set setUp size sort start stop test toString to_s update value values write".split()
)
_SELF = frozenset(("Self", "self", "static", "this", "instancetype"))
_STRENGTH: dict[Mark, int] = {"exact": 0, "virtual": 1, "guess": 2, "uses": 3}


class Value(NamedTuple):
    """An instance, or the class itself (`static`), as far as it is known.

    `of` None: of a class outside the repository. `exact`: not of an heir. `behind`: asked for
    what its class inherits. `type` is the type text it was stated with, `at` where.
    """

    of: SymbolId | None
    exact: bool = False
    static: bool = False
    behind: bool = False
    type: str = ""
    at: SymbolId = SymbolId("", "")


Values = tuple[Value, ...] | None
"""None: nothing is known of it."""


class Meaning:
    """The terms of one symbol. `depth`: how many results without stated types led here."""

    def __init__(self, names: Names, classes: Classes, owner: SymbolId, depth: int = 0) -> None:
        self._names = names
        self._classes = classes
        self._owner = owner
        self._depth = depth
        shape = names.shape(owner.path, OWN + owner.name)
        self._text: Terms = terms(names.dialect, shape, owner.name)
        self._values: dict[int, Values] = {}
        self._variables: dict[int, Values] = {}
        self._marks: dict[SymbolId, Mark] = {}

    def edges(self) -> dict[SymbolId, Mark]:
        """What the text refers to, each with its strongest mark. Cost: look-ups for each term."""
        for number in range(len(self._text.terms)):
            self._value(number)
        found = self._marks
        found.pop(self._owner, None) if self._names.kind(self._owner) in VALUES else None
        return {
            symbol: mark
            for symbol, mark in found.items()
            if (declared := self._names.declared(symbol)) is not None and declared.placed
        }

    def result(self) -> Values:
        """What the text returns or, for a variable, is."""
        return self._union(self._text.returns)

    def attribute(self, name: str) -> Values:
        """What the text gives to an attribute of its object."""
        return self._union(self._text.attributes.get(name, ()))

    def _union(self, numbers: Iterable[int]) -> Values:
        known = [value for value in map(self._value, numbers) if value is not None]
        return tuple(dict.fromkeys(each for value in known for each in value)) if known else None

    def _value(self, number: int) -> Values:
        if number < 0:
            return None
        if number not in self._values:
            self._values[number] = None
            self._values[number] = self._found(self._text.terms[number])
        return self._values[number]

    def _found(self, term: Term) -> Values:
        """The value of a term; its edges are noted."""
        path, within = self._owner
        match term.kind:
            case "name":
                return self._named(self._names.find(path, within, term.name))
            case "call" if not term.of:
                return self._called(term.name)
            case "call" | "member":
                return self._reached(term)
            case "new":
                return self._made(term.name)
            case "init":
                for each in self._union(term.of) or ():
                    self._note(self._initial(each), "exact")
                return ()
            case "mention":
                found = self._names.find(path, within, term.name)
                self._note((s for s in found if self._names.kind(s) == "type"), "uses")
                return ()
            case "parent":
                own = self._names.enclosing(path, within)
                name = within.rpartition(".")[2]
                above = (s for each in own for s in self._classes.inherited(each, name))
                return self._named(tuple(dict.fromkeys(above)))
            case "self" | "super":
                found = self._names.enclosing(path, within)
                return tuple(Value(each, behind=term.kind == "super") for each in found)
            case "stated":
                return self._typed(self._owner, term.name)
            case "element":
                return self._element(self._union(term.of))
            case "through":
                return self._union(term.of)
            case "local":
                if term.at not in self._variables:
                    self._variables[term.at] = None
                    self._variables[term.at] = self._union(self._text.variables[term.at])
                return self._variables[term.at]
        return (Value(None),)

    def _note(self, symbols: Iterable[SymbolId], mark: Mark) -> None:
        for symbol in symbols:
            old = self._marks.get(symbol)
            if old is None or _STRENGTH[mark] < _STRENGTH[old]:
                self._marks[symbol] = mark

    def _named(self, found: Symbols, receiver: Value | None = None) -> Values:
        """Names that are read: functions are referred to, variables and aliases used."""
        values: list[Value] = []
        known = False
        for symbol in found:
            kind = self._names.kind(symbol)
            if kind in FUNCTIONS:
                self._note((symbol,), "exact")
                result = self._results(symbol, receiver)
            elif kind in VALUES:
                self._note((symbol,), "uses")
                result = self._results(symbol, receiver)
            elif kind == "type":
                self._note((symbol,), "uses")
                outer = container(symbol.name)
                last = symbol.name.rpartition(".")[2]
                aliased = self._names.classes(symbol.path, outer, last)
                result = tuple(Value(each, static=True) for each in aliased)
            else:
                result = (Value(symbol, static=True),) if kind in CLASSES else ()
            known = known or result is not None
            values += result or ()
        return tuple(dict.fromkeys(values)) if known else None

    def _called(self, name: str) -> Values:
        """A call of a name: a function, a method of the own object, or a class."""
        path, within = self._owner
        found = self._names.find(path, within, name)
        own = self._names.enclosing(path, within)
        if not found and name == self._names.dialect.maker:
            return tuple(each for class_ in own for each in self._instance(class_))
        values: list[Value] = []
        known = False
        for symbol in found:
            kind = self._names.kind(symbol)
            if kind in CLASSES or kind == "type":
                result: Values = self._constructed((symbol,))
            elif kind in FUNCTIONS and "." not in name:
                receiver = next(
                    (Value(c) for c in own if symbol in self._classes.member(c, name)), None
                )
                result = self._dispatched((symbol,), name, receiver)
            else:
                result = self._named((symbol,))
            known = known or result is not None
            values += result or ()
        return tuple(values) if known else None

    def _reached(self, term: Term) -> Values:
        """A member of a value."""
        receivers = self._union(term.of)
        if receivers is None:
            dotted = self._dotted(term)
            found = self._names.find(*self._owner, dotted) if dotted else ()
            if found:
                return self._constructed(found) if term.kind == "call" else self._named(found)
            if term.kind == "call":
                self._guess(term.name)
            return None
        values: list[Value] = []
        known = False
        for receiver in receivers:
            result = self._member(receiver, term)
            known = known or result is not None
            values += result or ()
        return tuple(dict.fromkeys(values)) if known else None

    def _member(self, receiver: Value, term: Term) -> Values:
        dialect = self._names.dialect
        class_, name = receiver.of, term.name
        if class_ is None:
            return (receiver,) if name in dialect.through else (Value(None),)
        if receiver.static and term.kind == "call" and name in (dialect.maker, dialect.constructor):
            return self._instance(class_)
        if receiver.behind:
            found = self._classes.inherited(class_, name)
        else:
            found = self._classes.member(class_, name)
        if not found:
            given = [
                Meaning(self._names, self._classes, owner, self._depth + 1).attribute(name)
                for owner in self._classes.attribute(class_, name)
                if self._depth < _DEEPEST
            ]
            known = [value for value in given if value is not None]
            if known:
                return tuple(each for value in known for each in value)
        if not found and name in dialect.through:
            return (receiver,)
        if not found:
            self._note(self._overriding(receiver, name, ()), "virtual")
            return None
        made = [s for s in found if self._names.kind(s) in CLASSES]
        if made and term.kind == "call":
            return self._constructed(tuple(made))
        return self._dispatched(found, name, receiver)

    def _dispatched(self, found: Symbols, name: str, receiver: Value | None) -> Values:
        """Members of a value that are called or read, with what heirs of its class have instead."""
        values = self._named(found, receiver)
        if receiver is not None:
            more = self._overriding(receiver, name, found)
            self._note((s for s in more if self._names.kind(s) in FUNCTIONS), "virtual")
        return values

    def _overriding(self, receiver: Value, name: str, found: Symbols) -> Symbols:
        if receiver.of is None or receiver.exact or receiver.static or receiver.behind:
            return ()
        return self._classes.overriding(receiver.of, name, found)

    def _guess(self, name: str) -> None:
        if name in _COMMON or len(name) < 3:
            return
        found = [s for s in self._names.known(name) if self._names.kind(s) == "method"]
        if len(found) <= _GUESSES:
            self._note(found, "guess")

    def _constructed(self, symbols: Symbols) -> Values:
        """What a call of symbols gives: of classes, instances."""
        values: list[Value] = []
        for symbol in symbols:
            kind = self._names.kind(symbol)
            if kind in CLASSES:
                values += self._instance(symbol)
            elif kind == "type":
                self._note((symbol,), "uses")
                last = symbol.name.rpartition(".")[2]
                for class_ in self._names.classes(symbol.path, container(symbol.name), last):
                    values += self._instance(class_)
            else:
                values += self._named((symbol,)) or ()
        return tuple(values)

    def _instance(self, class_: SymbolId) -> tuple[Value, ...]:
        self._note((class_, *self._classes.constructors(class_)), "exact")
        return (Value(class_, exact=True),)

    def _initial(self, value: Value) -> Symbols:
        """The constructors of the class of a value or, behind it, of its bases."""
        if value.of is None:
            return ()
        if not value.behind:
            return self._classes.constructors(value.of)
        order = self._classes.order(value.of)
        bases = order[order.index(value.of) + 1 :]
        return next((found for each in bases if (found := self._classes.constructors(each))), ())

    def _made(self, type_: str) -> Values:
        if type_ in _SELF:
            own = self._names.enclosing(*self._owner)
            return tuple(v._replace(exact=False) for each in own for v in self._instance(each))
        found = self._names.classes(*self._owner, type_)
        values = tuple(each for class_ in found for each in self._instance(class_))
        return values or (Value(None, type=type_, at=self._owner),)

    def _typed(self, at: SymbolId, type_: str) -> tuple[Value, ...]:
        found = self._names.classes(*at, type_)
        return tuple(Value(each, type=type_, at=at) for each in found) or (
            Value(None, type=type_, at=at),
        )

    def _results(self, symbol: SymbolId, receiver: Value | None) -> Values:
        """What a call of a function gives, or a variable is."""
        declared = self._names.declared(symbol)
        if declared is None:
            return None
        if declared.types:
            return tuple(
                each
                for type_ in declared.types
                for each in (
                    (receiver._replace(behind=False, static=False),)
                    if receiver and type_.strip("?!& ") in _SELF
                    else self._typed(symbol, type_)
                )
            )
        if self._depth >= _DEEPEST or symbol == self._owner:
            return None
        return Meaning(self._names, self._classes, symbol, self._depth + 1).result()

    def _element(self, values: Values) -> Values:
        if values is None:
            return None
        found: list[Value] = []
        for value in values:
            element = element_of(value.type) if value.type else ""
            if element:
                found += self._typed(value.at, element)
        return tuple(found) or None

    def _dotted(self, term: Term) -> str:
        """`a.b.c` of a term that is nothing but names, else nothing."""
        names = []
        while term.kind in ("member", "call") and len(term.of) == 1:
            names.append(term.name)
            if term.of[0] < 0:
                return ""
            term = self._text.terms[term.of[0]]
            if term.kind == "call":
                return ""
        return ".".join((term.name, *reversed(names))) if term.kind == "name" else ""
