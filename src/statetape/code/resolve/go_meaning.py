"""What the terms of a Go text mean in a repository: edges and types."""

from statetape.code.resolve.go_packages import Packages, Typed
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.resolve.go_uses import expression_terms
from statetape.types import SymbolId

_DEEPEST = 24
"""How many package-level variables are followed that are initialised with each other."""


class Meaning:
    """The terms of one text of the file `path`. `depth`: how many variables led here."""

    def __init__(self, packages: Packages, path: str, text: Terms, depth: int = 0) -> None:
        self._packages = packages
        self._path = path
        self._text = text
        self._depth = depth
        self._types: dict[int, Typed | None] = {}
        self._imported: dict[int, tuple[str, ...]] = {}

    def edges(self) -> set[SymbolId]:
        """The definitions that the uses refer to. Cost: a few look-ups per term."""
        found: set[SymbolId] = set()
        packages, path = self._packages, self._path
        for number, term in enumerate(self._text.terms):
            match term.kind:
                case "name":
                    found |= packages.definitions(path, term.name)
                case "member" if term.of in self._imported:
                    found |= packages.defined(self._imported[term.of], term.name)
                case "member":
                    of = self._types[term.of]
                    found |= packages.member(of, term.name).symbols if of else frozenset()
                case "literal":
                    found |= packages.defined(*packages.named(Typed(path, term.name)))
                case _:
                    self._types[number] = self._type(number, term)
                    if term.kind == "qualifier" and number not in self._imported:
                        found |= packages.definitions(path, term.name)
        return found

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

    def _type(self, number: int, term: Term) -> Typed | None:
        """The type that a term is, those of the terms it builds on being known."""
        of = self._types.get(term.of)
        match term.kind:
            case "stated":
                return Typed(self._path, term.name)
            case "qualifier":
                files = self._packages.imported(self._path, term.name)
                if files is None:
                    return self._global(self._packages.files(self._path), term.name)
                self._imported[number] = files
            case "global":
                return self._global(self._packages.files(self._path), term.name)
            case "field" if term.of in self._imported:
                return self._global(self._imported[term.of], term.name)
            case "field" if of:
                return self._packages.member(of, term.name).field
            case "function":
                return self._result(self._packages.files(self._path), term)
            case "method" if term.of in self._imported:
                return self._result(self._imported[term.of], term)
            case "method" if of:
                results = self._packages.member(of, term.name).results
                return results[term.at] if term.at < len(results) else None
            case "element":
                return self._packages.element(of)
            case "key":
                return self._packages.element(of) if of and "chan" in of.text[:6] else None
        return None

    def _result(self, files: tuple[str, ...], term: Term) -> Typed | None:
        results = self._packages.results(files, term.name)
        return results[term.at] if term.at < len(results) else None

    def _global(self, files: tuple[str, ...], name: str) -> Typed | None:
        """The type of a package-level variable; of a type's name, the type itself."""
        value = self._packages.value(files, name)
        if value is None:
            declared = [path for path in files if name in self._packages.shape(path, name).types]
            return Typed(declared[0], name) if declared else None
        if not value.text.startswith("="):
            return value
        if self._depth >= _DEEPEST:
            return None
        text = expression_terms(value.text[1:])
        return Meaning(self._packages, value.path, text, self._depth + 1).type()
