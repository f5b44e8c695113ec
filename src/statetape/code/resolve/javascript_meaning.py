"""What the terms of a JavaScript text mean in a repository: values and edges."""

from collections.abc import Sequence

from statetape.code.resolve.javascript_terms import Term, Terms
from statetape.code.resolve.javascript_values import Value, Values
from statetape.types import SymbolId


class Meaning:
    """The terms of one text of `owner`; `around` are those of the functions it is nested in.

    `around` is outermost first; `depth`: how many steps of resolution led here.
    """

    def __init__(
        self,
        values: Values,
        owner: SymbolId,
        text: Terms,
        around: Sequence["Meaning"] = (),
        depth: int = 0,
    ) -> None:
        self._values = values
        self._owner = owner
        self._text = text
        self._around = around
        self._depth = depth
        self._known: dict[int, Value | None] = {}
        self._found: dict[int, Value | None] = {}

    def edges(self) -> set[SymbolId]:
        """The definitions that the uses refer to. Cost: a few look-ups per term."""
        symbols: set[SymbolId] = set()
        for number, term in enumerate(self._text.terms):
            match term.kind:
                case "used":
                    value = self._found.get(term.of, self._known[term.of])
                case "constructed":
                    made = self._known[term.of]
                    value = self._values.member(made, "constructor") if made else None
                case _:
                    self._known[number] = self._value(number, term)
                    continue
            symbol = self._values.symbol(value)
            if symbol is not None:
                symbols.add(symbol)
        return symbols

    def value(self) -> Value | None:
        """What the text is, where it is an expression; None: not known."""
        return self._at(self._text.value)

    def local(self, name: str) -> Value | None:
        """What a local name of the text is, one in `names`; None: not known."""
        return self._at(self._text.local[name])

    def names(self, name: str) -> bool:
        """Whether it is a local name."""
        return name in self._text.local

    def _at(self, number: int) -> Value | None:
        needed = []
        at = number
        while at >= 0 and at not in self._known:
            needed.append(at)
            at = self._text.terms[at].of
        for each in reversed(needed):
            self._known[each] = self._value(each, self._text.terms[each])
        return self._known.get(number)

    def _value(self, number: int, term: Term) -> Value | None:
        """What a term is, those that it builds on being known."""
        values, path, depth = self._values, self._owner.path, self._depth + 1
        match term.kind:
            case "free":
                return self._free(term.name)
            case "nested":
                full = f"{self._owner.name}.{term.name}" if self._owner.name else term.name
                nested = full in values.shape(path, full).kinds
                return Value("definition", path, full) if nested else self._known.get(term.of)
            case "this":
                return self._this()
            case "typed":
                return Value("type", path, term.name)
            case "required":
                return values.module(path, term.name, depth=depth)
            case _:
                of = self._known[term.of]
                return self._built(number, term, of, depth) if of else None

    def _built(self, number: int, term: Term, of: Value, depth: int) -> Value | None:
        values = self._values
        match term.kind:
            case "element":
                return values.element(of)
            case "called":
                return values.result(of, depth)
            case "made":
                return of._replace(kind="instance") if of.kind == "definition" else None
            case "picked":
                return values.member(of, term.name, depth)
            case _:
                find = values.member if term.kind == "member" else values.inherited
                found = self._found[number] = find(of, term.name, depth)
                return values.result(found, depth) if found and self._is_getter(found) else found

    def _free(self, name: str) -> Value | None:
        for text in reversed(self._around):
            if text.names(name):
                return text.local(name)
        return self._values.top(self._owner.path, name, self._depth + 1)

    def _this(self) -> Value | None:
        path, name = self._owner
        around = name.rpartition(".")[0]
        while name:
            if name in self._values.shape(path, name).classes:
                return Value("instance", path, name)
            name = name.rpartition(".")[0]
        return Value("object", path, around) if around else None

    def _is_getter(self, found: Value) -> bool:
        class_, _, name = found.name.rpartition(".")
        classes = self._values.shape(found.path, class_).classes
        return found.kind == "definition" and class_ in classes and name in classes[class_].fields
