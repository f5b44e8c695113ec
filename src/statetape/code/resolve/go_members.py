"""Types of a Go repository: their members, promoted ones included, and what expressions give."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from statetape.code.extract.go_shape import Function, Type, Value, arguments, base
from statetape.code.resolve.go_packages import Edge, Packages
from statetape.types import SymbolId

_DEEPEST = 8
"""How many embedded structs or aliases are followed."""

_NAME = re.compile(r"(?!chan )\w+(?: |(?=\*))")
"""The name of a result in a function type."""


class Typed(NamedTuple):
    """A type text as the file `path` means it, its type parameters bound to types.

    `depth`: how many types are bound within one another.
    """

    path: str
    text: str
    bound: tuple[tuple[str, "Typed"], ...] = ()
    depth: int = 0


class Member(NamedTuple):
    """What `x.name` is: the definitions it reaches, what a call of it returns, its type if a field.

    `interface`: the type whose implementations it may reach, too; `takes` parameters.
    """

    edges: frozenset[Edge] = frozenset()
    results: tuple[Typed, ...] = ()
    field: Typed | None = None
    interface: Typed | None = None
    takes: int = 0


class Members:
    """Answers about types, for the resolution of one symbol."""

    def __init__(self, packages: Packages) -> None:
        self.packages = packages
        self._known: dict[tuple[Typed, str], Member | None] = {}

    def named(self, of: Typed) -> tuple[tuple[str, ...], str]:
        """The files of the package that declares a type, and its name there."""
        of = _meant(of)
        qualifier, _, name = base(of.text).rpartition(".")
        if qualifier:
            return self.packages.imported(of.path, qualifier) or (), name
        return self.packages.scope(of.path, name), name

    def declared(self, of: Typed) -> tuple[str, Type] | None:
        """The declaration of a type and its file; None outside the repository."""
        files, name = self.named(of)
        for path in files:
            if name in (types := self.packages.shape(path, name).types):
                return path, types[name]
        return None

    def member(self, of: Typed, name: str) -> Member | None:
        """A method or field of a type: the shallowest, as Go has it; None where there is none."""
        if (of, name) not in self._known:
            self._known[of, name] = self._found(of, name)
        return self._known[of, name]

    def returned(
        self, files: tuple[str, ...], name: str, given: tuple[Typed, ...]
    ) -> tuple[Typed, ...]:
        """What a function of a package returns; for a type, the type itself."""
        for path in files:
            shape = self.packages.shape(path, name)
            if name in shape.functions:
                return _results(path, shape.functions[name], given)
            if name in shape.types:
                return (_typed(path, name, shape.types[name].generics, given),)
        return ()

    def value(self, files: tuple[str, ...], name: str) -> tuple[str, Value] | None:
        """The file and the statement of a package-level variable."""
        for path in files:
            if name in (values := self.packages.shape(path, name).values):
                return path, values[name]
        return None

    def element(self, of: Typed, depth: int = 0) -> Typed | None:
        """What an index into, or a loop over, a value of a type gives."""
        of = _meant(of)
        text = of.text.lstrip("*&").removeprefix("<-")
        if text.startswith("chan"):
            return of._replace(text=text.removeprefix("chan").removeprefix("<-").strip())
        if text.startswith("..."):
            return of._replace(text=text[3:])
        if text.startswith(("[", "map[")):
            return of._replace(text=text[_closing(text, "[]") :])
        under = self._under(of, depth)
        return self.element(under, depth + 1) if under else None

    def index(self, of: Typed, depth: int = 0) -> Typed | None:
        """What the first name in a loop over a value of a type gets."""
        of = _meant(of)
        text = of.text.lstrip("*&")
        if text.startswith("map["):
            return of._replace(text=text[4 : _closing(text, "[]") - 1])
        if "chan" in text[:6]:
            return self.element(of)
        under = self._under(of, depth)
        return self.index(under, depth + 1) if under else None

    def called(self, of: Typed, depth: int = 0) -> tuple[Typed, ...]:
        """What a call of a value of a function type returns."""
        of = _meant(of)
        if not of.text.startswith("func("):
            under = self._under(of, depth)
            return self.called(under, depth + 1) if under else ()
        results = of.text[_closing(of.text, "()") :]
        listed = arguments(f"_[{results[1:-1]}]") if results.startswith("(") else (results,)
        return tuple(of._replace(text=_NAME.sub("", each.strip())) for each in listed if each)

    def _under(self, of: Typed, depth: int) -> Typed | None:
        """The type that a type is defined as."""
        declared = self.declared(of) if depth < _DEEPEST else None
        if declared is None or not declared[1].of:
            return None
        path, type_ = declared
        return _typed(path, type_.of, type_.generics, _given(of))

    def _found(self, of: Typed, name: str) -> Member | None:
        level, seen = [of], {of}
        for _ in range(_DEEPEST):
            inner: list[Typed] = []
            for each in level:
                found = self._own(each, name)
                if found is not None:
                    held = found.interface and self._interface(of)
                    return found._replace(interface=of) if held else found
                inner += [embedded for embedded in self._embedded(each) if embedded not in seen]
                seen.update(inner)
            level = inner
        return None

    def _interface(self, of: Typed) -> bool:
        declared = self.declared(of)
        return declared is not None and declared[1].kind == "interface"

    def _own(self, of: Typed, name: str) -> Member | None:
        """A member that a type declares itself."""
        of = _meant(of)
        files, type_name = self.named(of)
        method = f"{type_name}.{name}"
        for path in files:
            function = self.packages.shape(path, method).functions.get(method)
            if function is not None:
                edges = self.packages.defined(files, method)
                results = _results(path, function, _given(of))
                return Member(edges, results, takes=len(function.parameters))
        declared = self.declared(of)
        if declared is None:
            return None
        path, type_ = declared
        given = _given(of)
        if name in type_.fields:
            held = type_name if name in type_.together else method
            field = _typed(path, type_.fields[name], type_.generics, given)
            return Member(frozenset({(SymbolId(path, held), "uses")}), (), field)
        if name in type_.methods:
            function = type_.methods[name]
            results = tuple(_typed(path, r, type_.generics, given) for r in function.results)
            edges = frozenset({(SymbolId(path, method), "exact")})
            return Member(edges, results, None, of, len(function.parameters))
        for embedded in type_.embeds:
            if base(embedded).rpartition(".")[2] == name:
                return Member(field=_typed(path, embedded, type_.generics, given))
        return None

    def _embedded(self, of: Typed) -> Iterator[Typed]:
        """What a type has the members of: embedded types, and the one it is another name of."""
        declared = self.declared(of)
        if declared is None:
            return
        path, type_ = declared
        given = _given(_meant(of))
        for embedded in (*type_.embeds, *([type_.of] if type_.of else [])):
            yield _typed(path, embedded, type_.generics, given)


def _meant(of: Typed) -> Typed:
    """The type that a type parameter is bound to; any other type as it is."""
    for _ in range(_DEEPEST):
        name = base(of.text)
        found = next((type_ for parameter, type_ in of.bound if parameter == name), None)
        if found is None:
            break
        of = found
    return of


def _given(of: Typed) -> tuple[Typed, ...]:
    """The type arguments of a type."""
    stated = arguments(of.text)
    return tuple(of._replace(text=each) for each in stated) or tuple(t for _, t in of.bound)


def _results(path: str, function: Function, given: tuple[Typed, ...]) -> tuple[Typed, ...]:
    return tuple(_typed(path, text, function.generics, given) for text in function.results)


def _typed(path: str, text: str, generics: tuple[str, ...], given: tuple[Typed, ...]) -> Typed:
    """A type text with type parameters bound to what is given, not too deep."""
    bound = tuple(zip(generics, given, strict=False))
    depth = 1 + max((type_.depth for _, type_ in bound), default=-1)
    return Typed(path, text, bound, depth) if depth <= _DEEPEST else Typed(path, text)


def _closing(text: str, brackets: str) -> int:
    """Behind the bracket that closes the first one of a text."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == brackets[0]) - (character == brackets[1])
        if character == brackets[1] and not depth:
            return at + 1
    return len(text)
