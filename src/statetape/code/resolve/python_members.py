"""The attributes of Python values: what classes define, inherit, and assign to their objects."""

from collections.abc import Iterable, Iterator

from statetape.code.resolve.python_expressions import Expressions
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_orders import merged
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Filling
from statetape.code.resolve.python_syntax import last_name
from statetape.code.resolve.python_values import (
    ANYTHING,
    NONE,
    Class,
    Constant,
    Container,
    External,
    Function,
    Instance,
    Parent,
    Prefix,
    Value,
    Values,
    ordered,
    union,
)
from statetape.types import SymbolId

_DEPTH = 100
_PROPERTIES = ("property", "cached_property")
_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_OF_CLASS = ("__init_subclass__", "__class_getitem__")
# Bases outside of the repository that bring no attributes of interest.
_PLAIN = ("object", "ABC", "Generic", "Protocol")


class Members:
    """The attributes of values, in the method resolution order of their classes. Rules 9 and 10."""

    def __init__(self, meaning: Expressions) -> None:
        self._places = meaning.places
        self._meaning = meaning
        self._questions = meaning.questions
        self._depth = 0

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can mean; a property, what reading it returns."""
        match value:
            case Module():
                return self._meaning.member(value, name)
            case Class(symbol):
                return self._of_class(symbol, name)
            case Parent(symbol):
                order = self.order(symbol)[1:]
                return self._read(self._inherited(order, name)[1]) or self._external(symbol)
            case Instance(symbol):
                return self._of_instance(value, symbol, name)
            case External(dotted):
                return frozenset([External(f"{dotted}.{name}" if dotted else "")])
            case Container() | Constant() | Prefix():
                return ANYTHING
            case Function() if name in ("__wrapped__", "func"):
                return frozenset([value])
        return NONE

    def properties(self, value: Value, name: str) -> Iterator[Function]:
        """The property functions that reading an attribute of a value calls."""
        match value:
            case Instance(symbol):
                members = self._member(symbol, name)[1]
            case Parent(symbol):
                members = self._inherited(self.order(symbol)[1:], name)[1]
            case _:
                return
        for member in ordered(members):
            if isinstance(member, Function) and self.is_property(member.symbol):
                yield member

    def prefixed(self, value: Value, text: str) -> Iterator[Function]:
        """The methods of an object whose names begin with a text."""
        if isinstance(value, Instance):
            for symbol in self.order(value.symbol):
                for method in self._places.methods(symbol):
                    if method.name.rpartition(".")[2].startswith(text):
                        yield Function(method, bound=True)

    def is_property(self, symbol: SymbolId) -> bool:
        """Whether a function is read and not called."""
        return not self._marks(symbol).isdisjoint(_PROPERTIES)

    def holder(self, value: Value, name: str) -> SymbolId | None:
        """The class (or module) in which reading an attribute of a value finds it."""
        match value:
            case Module():
                return SymbolId(str(value), "")
            case Class(symbol) | Instance(symbol):
                return self._member(symbol, name)[0]
            case Parent(symbol):
                return self._inherited(self.order(symbol)[1:], name)[0]
        return None

    def _of_class(self, symbol: SymbolId, name: str) -> Values:
        order = self.order(symbol)
        found = self._member(symbol, name)[1]
        if found:
            if self._is_enum(symbol) and any(isinstance(v, Constant | External) for v in found):
                return frozenset([Instance(symbol, exact=True)])
            return frozenset(self._bound(value, by_class=True) for value in found)
        for each in order:
            for frame in self._places.frames(each):
                stated = self._places.header(frame).metaclass
                for around in self._places.around(frame):
                    for value in ordered(self._meaning.of(stated, around)):
                        if isinstance(value, Class):
                            made = self._member(value.symbol, name)[1]
                            found = union((found, self._read(made)))
        return found or self._assigned(order, name) or self._external(symbol)

    def _of_instance(self, value: Instance, symbol: SymbolId, name: str) -> Values:
        if name == "__class__":
            return frozenset([Class(symbol, value.exact)])
        found = self._read(self._member(symbol, name)[1])
        if any(isinstance(each, Function) for each in found):
            return found
        return union((found, self._assigned(self.order(symbol), name))) or self._external(symbol)

    def _read(self, members: Values) -> Values:
        """Members as read from an object: what properties return, functions bound to it."""
        return union(
            self._meaning.result(each)
            if isinstance(each, Function) and self.is_property(each.symbol)
            else frozenset([self._bound(each)])
            for each in ordered(members)
        )

    def _bound(self, value: Value, *, by_class: bool = False) -> Value:
        if not isinstance(value, Function) or self._places.kind(value.symbol) != "method":
            return value
        marks = self._marks(value.symbol)
        of_class = "classmethod" in marks or value.symbol.name.rpartition(".")[2] in _OF_CLASS
        return value._replace(bound=of_class if by_class else "staticmethod" not in marks)

    def _marks(self, symbol: SymbolId) -> set[str]:
        if not self._places.is_decorated(symbol):
            return set()
        return {
            last_name(each)
            for frame in self._places.frames(symbol)
            for each in self._places.header(frame).decorators
        }

    def _member(self, symbol: SymbolId, name: str) -> tuple[SymbolId | None, Values]:
        """The class in which a class has a name, and what it binds that to."""
        none: tuple[SymbolId | None, Values] = (None, NONE)
        return self._questions.answer(("member", symbol, name), none, self._first, symbol, name)

    def _first(self, symbol: SymbolId, name: str) -> tuple[SymbolId | None, Values]:
        return self._inherited(self.order(symbol), name)

    def _inherited(self, order: Iterable[SymbolId], name: str) -> tuple[SymbolId | None, Values]:
        for each in order:
            found = self._meaning.within(each, name)
            if found is not None:
                return each, found
        return None, NONE

    def _assigned(self, order: Iterable[SymbolId], name: str) -> Values:
        answer = self._questions.answer
        return union(
            answer(("assigned", symbol, name), NONE, self._by_methods, symbol, name)
            for symbol in order
        )

    def _by_methods(self, symbol: SymbolId, name: str) -> Values:
        """What the methods of a class assign to an attribute of the instance."""
        found: list[Values] = []
        put: list[tuple[Frame, tuple[Filling, ...]]] = []
        for frame, bindings, fillings in self._places.attributes(symbol, name):
            found += [self._meaning.bound(name, each, frame) for each in bindings]
            put.append((frame, fillings))
        values = union(found)
        for frame, fillings in put:
            values = self._meaning.put(values, fillings, frame)
        return values

    def _is_enum(self, symbol: SymbolId) -> bool:
        return any(
            last_name(base) in _ENUMS
            for each in self.order(symbol)
            for frame in self._places.frames(each)
            for base in self._places.header(frame).bases
        )

    def _external(self, symbol: SymbolId) -> Values:
        """Anything, where a class has a base outside of the repository."""
        bases = (each for one in self.order(symbol) for each in self.bases(one))
        external = (value for base in bases for value in base if isinstance(value, External))
        named = {value.name.rpartition(".")[2] for value in external}
        return ANYTHING if named.difference(_PLAIN) else NONE

    def bases(self, symbol: SymbolId) -> tuple[Values, ...]:
        """What the bases that a class states can mean, in their order."""
        return self._questions.answer(("bases", symbol), (), self._stated, symbol)

    def _stated(self, symbol: SymbolId) -> tuple[Values, ...]:
        return tuple(
            self._meaning.of(base, around)
            for frame in self._places.frames(symbol)
            for base in self._places.header(frame).bases
            for around in self._places.around(frame)
        )

    def order(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order of a class, itself first (C3; depth first where it fails)."""
        return self._questions.answer(("order", symbol), (symbol,), self._merged, symbol)

    def _merged(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        if self._depth == _DEPTH:
            self._questions.give_up()
            return (symbol,)
        self._depth += 1
        stated = (value for base in self.bases(symbol) for value in ordered(base))
        bases = list(
            dict.fromkeys(v.symbol for v in stated if isinstance(v, Class) and v.symbol != symbol)
        )
        found = (symbol, *merged([self.order(base) for base in bases], bases))
        self._depth -= 1
        return found
