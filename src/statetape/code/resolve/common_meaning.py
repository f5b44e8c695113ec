"""What the terms of a text mean in a repository: edges and values."""

from statetape.code.extract.common_shape import CLASSES, FUNCTIONS, VALUES
from statetape.code.extract.common_types import element_of
from statetape.code.resolve.common_classes import Classes
from statetape.code.resolve.common_names import Names, Symbols
from statetape.code.resolve.common_terms import Term, Terms
from statetape.code.resolve.common_uses import terms
from statetape.code.resolve.common_values import FOREIGN, Marks, Value, Values, together
from statetape.code.resolve.common_visible import OWN
from statetape.types import Mark, SymbolId

_DEEPEST = 6
"""How many results that no type states are followed into each other."""
_LONGEST = 12
"""How many names a path can have."""
_GUESSES = 3
"""How many methods of a name are shown for a receiver of which nothing is known."""
_COMMON = frozenset(
    (
        *("add", "all", "any", "append", "apply", "build", "call", "clear", "clone", "close"),
        *("compare", "contains", "copy", "count", "create", "delete", "each", "empty", "equals"),
        *("execute", "filter", "find", "first", "flush", "format", "get", "handle", "hashCode"),
        *("index", "init", "insert", "iter", "join", "keys", "last", "len", "length", "load"),
        *("main", "map", "name", "new", "next", "open", "parse", "pop", "print", "process", "push"),
        *("put", "read", "remove", "reset", "run", "save", "send", "set", "size", "sort", "split"),
        *("start", "stop", "test", "toString", "to_s", "trim", "update", "value", "values"),
        *("wait", "write", "include?", "inspect", "is_none", "is_some", "respond_to?", "unwrap"),
        *("empty?", "nil?", "Add", "Contains", "Equals", "GetHashCode", "ToString", "description"),
    )
)
_SELF = frozenset(("Self", "self", "static", "this", "instancetype"))


class Meaning:
    """The terms of one symbol. `depth`: how many results without stated types led here."""

    def __init__(self, names: Names, classes: Classes, owner: SymbolId, depth: int = 0) -> None:
        self._names = names
        self._classes = classes
        self._owner = owner
        self._depth = depth
        shape = names.shape(owner.path, OWN + owner.name)
        self._text: Terms = terms(names.dialect, shape, owner.name)
        self._own = names.enclosing(*owner)
        self._values: dict[int, Values] = {}
        self._variables: dict[int, Values] = {}
        self._marks = Marks()

    def edges(self) -> dict[SymbolId, Mark]:
        """What the text refers to. Cost: look-ups for each term."""
        for number in range(len(self._text.terms)):
            self._value(number)
        return {
            symbol: mark
            for symbol, mark in self._marks.items()
            if (declared := self._names.declared(symbol)) is not None
            and declared.placed
            and (symbol != self._owner or mark != "uses")
        }

    def result(self) -> Values:
        """What the text returns or, for a variable, is."""
        return together(map(self._value, self._text.returns))

    def attribute(self, name: str) -> Values:
        """What the text gives to an attribute of its object."""
        return together(map(self._value, self._text.attributes.get(name, ())))

    def _value(self, number: int) -> Values:
        if number < 0:
            return None
        if number not in self._values:
            self._values[number] = None  # while it is being found: circles end
            term = self._text.terms[number]
            use = self._use(term)
            self._values[number] = self._plain(term) if use is _NO_USE else use
        return self._values[number]

    def _use(self, term: Term) -> Values:
        """The value of a term that makes edges, which are noted; `_NO_USE` of any other."""
        match term.kind:
            case "name":
                return together(
                    self._symbol(symbol, term.name)
                    for symbol in self._names.find(*self._owner, term.name)
                )
            case "call" if not term.of:
                return self._called(term.name)
            case "call" | "member":
                return self._reached(term)
            case "new":
                return self._made(term.name)
            case "init":
                for each in together(map(self._value, term.of)) or ():
                    self._marks.note(self._initial(each), "exact")
                return ()
            case "mention":
                found = self._names.find(*self._owner, term.name)
                self._marks.note((s for s in found if self._names.kind(s) == "type"), "uses")
                return ()
            case "parent":
                name = self._owner.name.rpartition(".")[2]
                above = (s for each in self._own for s in self._classes.inherited(each, name))
                return together(self._symbol(each) for each in dict.fromkeys(above))
        return _NO_USE

    def _plain(self, term: Term) -> Values:
        """The value of a term that makes no edges itself."""
        match term.kind:
            case "self" | "super":
                return tuple(Value(each, behind=term.kind == "super") for each in self._own)
            case "stated":
                return self._typed(self._owner, term.name)
            case "element":
                return self._element(together(map(self._value, term.of)))
            case "through":
                return together(map(self._value, term.of))
            case "local":
                if term.at not in self._variables:
                    self._variables[term.at] = None
                    given = self._text.variables[term.at]
                    self._variables[term.at] = together(map(self._value, given))
                return self._variables[term.at]
        return (FOREIGN,)

    def _symbol(self, symbol: SymbolId, bare: str = "", receiver: Value | None = None) -> Values:
        """What a symbol is that is read or called: functions are reached, variables used.

        By its `bare` name, a method is one of the own object.
        """
        kind = self._names.kind(symbol)
        if kind in FUNCTIONS:
            self._marks.note((symbol,), "exact")
            if bare and "." not in bare:
                owners = (c for c in self._own if symbol in self._classes.member(c, bare))
                receiver = next((Value(each) for each in owners), None)
                self._override(receiver, bare, (symbol,))
            elif bare and self._names.dialect.outside == "modules":
                outer, _, last = symbol.name.rpartition(".")
                trait = SymbolId(symbol.path, outer)
                if self._names.kind(trait) == "interface":  # `Trait::method(x)`
                    self._override(Value(trait), last, (symbol,))
            return self._results(symbol, receiver)
        if kind in VALUES:
            self._marks.note((symbol,), "uses")
            return self._results(symbol, receiver)
        if kind == "type":
            self._marks.note((symbol,), "uses")
            return tuple(Value(each, static=True) for each in self._aliased(symbol))
        return (Value(symbol, static=True),) if kind in CLASSES else None

    def _called(self, name: str) -> Values:
        """A call of a name: a function, a method of the own object, or a class."""
        found = self._names.find(*self._owner, name)
        if not found and name == self._names.dialect.maker:
            return together(map(self._instance, self._own))
        return together(self._call(symbol, name) for symbol in found)

    def _call(self, symbol: SymbolId, bare: str = "", receiver: Value | None = None) -> Values:
        """What a call of a symbol gives: of a class, an instance."""
        kind = self._names.kind(symbol)
        if kind in CLASSES:
            return self._instance(symbol)
        if kind == "type":
            self._marks.note((symbol,), "uses")
            return together(map(self._instance, self._aliased(symbol)))
        return self._symbol(symbol, bare, receiver)

    def _aliased(self, symbol: SymbolId) -> Symbols:
        outer, _, last = symbol.name.rpartition(".")
        return self._names.classes(symbol.path, outer, last)

    def _reached(self, term: Term) -> Values:
        """A member of a value; where nothing is known of that, the name may still be a path."""
        receivers = together(map(self._value, term.of))
        if receivers is not None:
            return together(self._member(receiver, term) for receiver in receivers)
        dotted = self._dotted(term)
        found = self._names.find(*self._owner, dotted) if dotted else ()
        if not found and dotted and dotted.split(".")[-2][:1].isupper():
            return (FOREIGN,)  # a class or module that is not in the repository
        if not found and term.kind == "call":
            self._guess(term.name)
        read = self._call if term.kind == "call" else self._symbol
        return together(read(symbol) for symbol in found)

    def _member(self, receiver: Value, term: Term) -> Values:
        dialect = self._names.dialect
        class_, name = receiver.of, term.name
        if class_ is None:
            return (receiver,) if name in dialect.through else (FOREIGN,)
        called = term.kind == "call"
        if receiver.static and called and name in (dialect.maker, dialect.constructor):
            return self._instance(class_)
        look = self._classes.inherited if receiver.behind else self._classes.member
        found = look(class_, name)
        self._override(receiver, name, found)
        if found:
            read = self._call if called else self._symbol
            result = together(read(symbol, receiver=receiver) for symbol in found)
            own = dialect.sigil if result is None else ""
            return self._attribute(class_, own + name) if own else result
        given = self._attribute(class_, name)
        return (receiver,) if given is None and name in dialect.through else given

    def _attribute(self, class_: SymbolId, name: str) -> Values:
        """What methods give to an attribute of an instance of a class."""
        if self._depth >= _DEEPEST:
            return None
        return together(
            Meaning(self._names, self._classes, owner, self._depth + 1).attribute(name)
            for owner in self._classes.attribute(class_, name)
        )

    def _override(self, receiver: Value | None, name: str, found: Symbols) -> None:
        """Notes what heirs of the class of an inexact receiver have instead of a member."""
        if receiver is None or receiver.of is None:
            return
        if not (receiver.exact or receiver.static or receiver.behind):
            more = self._classes.overriding(receiver.of, name, found)
            self._marks.note((s for s in more if self._names.kind(s) in FUNCTIONS), "virtual")

    def _guess(self, name: str) -> None:
        if name not in _COMMON and len(name) > 2:
            found = [s for s in self._names.known(name) if self._names.kind(s) == "method"]
            if len(found) <= _GUESSES:
                self._marks.note(found, "guess")

    def _instance(self, class_: SymbolId) -> tuple[Value, ...]:
        self._marks.note((class_, *self._classes.constructors(class_)), "exact")
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
        """A new instance of a type; `new static()` can be one of an heir."""
        if type_ in _SELF:
            made = together(map(self._instance, self._own))
            return tuple(each._replace(exact=False) for each in made or ())
        found = self._names.classes(*self._owner, type_)
        made = together(map(self._instance, found))
        return made or (Value(None, type=type_, at=self._owner),)

    def _typed(self, at: SymbolId, type_: str) -> tuple[Value, ...]:
        found = self._names.classes(*at, type_)
        values = tuple(Value(each, type=type_, at=at) for each in found)
        return values or (Value(None, type=type_, at=at),)

    def _results(self, symbol: SymbolId, receiver: Value | None) -> Values:
        """What a call of a function gives, or a variable is: as stated, else as its text does."""
        declared = self._names.declared(symbol)
        if declared is None:
            return None
        if not declared.types:
            if self._depth >= _DEEPEST or symbol == self._owner:
                return None
            return Meaning(self._names, self._classes, symbol, self._depth + 1).result()
        found: list[Values] = []
        for type_ in declared.types:
            if receiver is not None and type_.strip("?!& ") in _SELF:
                found.append((receiver._replace(behind=False, static=False),))
            else:
                found.append(self._typed(symbol, type_))
        return together(found)

    def _element(self, values: Values) -> Values:
        """What a loop over a value gives, as far as its stated type says."""
        stated = (each for each in values or () if each.type)
        return together(
            self._typed(each.at, element) for each in stated if (element := element_of(each.type))
        )

    def _dotted(self, term: Term) -> str:
        """`a.b.c` of a term that is nothing but names, else nothing."""
        names = [term.name]
        while len(term.of) == 1 and term.of[0] >= 0 and len(names) < _LONGEST:
            term = self._text.terms[term.of[0]]
            if term.kind not in ("member", "name"):
                return ""
            names.append(term.name)
        return ".".join(reversed(names)) if term.kind == "name" else ""


_NO_USE: Values = (Value(None, static=True, behind=True),)
