"""What the terms of a Go text mean in a repository: edges and types."""

from collections.abc import Iterator

from statetape.code.extract.go_shape import arguments
from statetape.code.resolve.go_members import Member, Members, Typed
from statetape.code.resolve.go_methods import implementations
from statetape.code.resolve.go_packages import Edge
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.resolve.go_uses import expression_terms

_DEEPEST = 24
"""How many package-level variables are followed that are initialised with each other."""


class Meaning:
    """The terms of one text of the file `path`. `depth`: how many variables led here."""

    def __init__(self, members: Members, path: str, text: Terms, depth: int = 0) -> None:
        self._members = members
        self._packages = members.packages
        self._path = path
        self._text = text
        self._depth = depth
        self._types: dict[int, Typed | None] = {}
        self._imported: dict[int, tuple[str, ...]] = {}

    def edges(self) -> Iterator[Edge]:
        """What the uses refer to, and how. Cost: a few look-ups per term."""
        for number, term in enumerate(self._text.terms):
            match term.kind:
                case "name":
                    yield from self._packages.definitions(self._path, term.name)
                case "member" if term.of in self._imported:
                    yield from self._packages.defined(self._imported[term.of], term.name)
                case "member":
                    yield from self._reached(self._member(term))
                case "key":
                    of = self._types.get(term.of)
                    if of is not None and self._members.element(of) is not None:
                        yield from self._packages.definitions(self._path, term.name)
                    else:
                        yield from self._reached(self._member(term))
                case "literal" | "mentioned":
                    files, name = self._members.named(Typed(self._path, term.name))
                    found = self._packages.defined(files, name)
                    yield from (e for e in found if term.kind == "literal" or e[1] == "uses")
                case _:
                    self._types[number] = self._type(number, term)
                    if term.kind == "qualifier" and number not in self._imported:
                        yield from self._packages.definitions(self._path, term.name)

    def type(self) -> Typed | None:
        """The type of the text, where it is an expression; None: not known."""
        needed = []
        number = self._text.type
        while number >= 0:
            needed.append(number)
            number = self._text.terms[number].of
        for number in reversed(needed):
            self._types[number] = self._type(number, self._text.terms[number])
        return self._types.get(self._text.type)

    def _member(self, term: Term) -> Member | None:
        of = self._types.get(term.of)
        return self._members.member(of, term.name) if of else None

    def _reached(self, member: Member | None) -> Iterator[Edge]:
        """The definitions a member reaches; through an interface, its implementations, too."""
        if member is None:
            return
        yield from member.edges
        if member.interface is not None:
            for symbol, _ in member.edges:
                name = symbol.name.rpartition(".")[2]
                for found in implementations(self._members, member.interface, name):
                    yield found, "virtual"

    def _type(self, number: int, term: Term) -> Typed | None:
        """The type that a term is, those of the terms it builds on being known."""
        of = self._types.get(term.of)
        match term.kind:
            case "stated":
                return Typed(self._path, term.name)
            case "qualifier":
                files = self._packages.imported(self._path, term.name)
                if files is None:
                    return self._global(self._packages.scope(self._path, term.name), term.name)
                self._imported[number] = files
            case "global":
                return self._global(self._packages.scope(self._path, term.name), term.name)
            case "field" if term.of in self._imported:
                return self._global(self._imported[term.of], term.name)
            case "function":
                return self._result(self._packages.scope(self._path, term.name), term)
            case "method" if term.of in self._imported:
                return self._result(self._imported[term.of], term)
            case _ if of:
                return self._of(of, term)
        return None

    def _of(self, of: Typed, term: Term) -> Typed | None:
        """The type that a term makes of a type."""
        match term.kind:
            case "field" | "method":
                member = self._members.member(of, term.name)
                if member is None or term.kind == "field":
                    return member.field if member else None
                called = self._members.called(member.field) if member.field else member.results
                return _at(called, term.at)
            case "called":
                return _at(self._members.called(of), term.at)
            case "index":
                return self._members.index(of)
            case _:
                return self._members.element(of)

    def _result(self, files: tuple[str, ...], term: Term) -> Typed | None:
        given = tuple(Typed(self._path, each) for each in arguments("_" + term.given))
        results = self._members.returned(files, term.name, given)
        if not results:
            value = self._global(files, term.name)
            if value is not None and term.given:
                value = self._members.element(value)
            results = self._members.called(value) if value else ()
        return _at(results, term.at)

    def _global(self, files: tuple[str, ...], name: str) -> Typed | None:
        """The type of a package-level variable; of a type's name, the type itself."""
        found = self._members.value(files, name)
        if found is None:
            declared = [path for path in files if name in self._packages.shape(path, name).types]
            return Typed(declared[0], name) if declared else None
        path, value = found
        if value.type:
            return Typed(path, value.type)
        if not value.expression or self._depth >= _DEEPEST:
            return None
        text = expression_terms(value.expression, value.at)
        return Meaning(self._members, path, text, self._depth + 1).type()


def _at(types: tuple[Typed, ...], at: int) -> Typed | None:
    return types[at] if at < len(types) else None
