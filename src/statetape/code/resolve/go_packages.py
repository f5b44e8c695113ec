"""Packages, types and members of a Go repository, as a `Lookup` shows them."""

from collections.abc import Iterator
from typing import NamedTuple

from statetape.code.extract.go_shape import Shape, Source, Type, base
from statetape.code.facts import Lookup
from statetape.code.resolve.go_visible import DOTS, IMPORTED, UNNAMED, imported_as
from statetape.types import SymbolId

_DEEPEST = 8
"""How many embedded structs or aliases are followed."""

_NOTHING = Shape()


class Typed(NamedTuple):
    """A type text as the file `path` means it."""

    path: str
    text: str


class Member(NamedTuple):
    """What `x.name` is: the methods it may call, their results, or the type of a field."""

    symbols: frozenset[SymbolId] = frozenset()
    results: tuple[Typed, ...] = ()
    field: Typed | None = None


class Packages:
    """Answers about packages, for the resolution of one symbol. Each costs look-ups by file."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._files: dict[str, tuple[str, ...]] = {}
        self._imports: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._definitions: dict[tuple[str, str], frozenset[SymbolId]] = {}
        self._members: dict[tuple[Typed, str], Member] = {}

    def shape(self, path: str, name: str | None = None) -> Shape:
        """The shape of a file to look up one name in (see `go_visible`; None: any).

        An empty one where there is no such file.
        """
        facts = self._lookup.facts(path, name)
        return facts.detail.shape if facts and isinstance(facts.detail, Source) else _NOTHING

    def files(self, path: str) -> tuple[str, ...]:
        """The files of the package that a file belongs to."""
        if path not in self._files:
            package = self.shape(path, "").package
            folder = path.rpartition("/")[0]
            found = [p for p in self._go_files(folder) if self.shape(p, "").package == package]
            self._files.update((p, tuple(found)) for p in (*found, path))
        return self._files[path]

    def imported(self, path: str, name: str) -> tuple[str, ...] | None:
        """The files of the package a file imports as `name`.

        Empty outside the repository, None where nothing is imported so.
        """
        if (path, name) not in self._imports:
            self._imports[path, name] = self._imported(path, name)
        return self._imports[path, name]

    def definitions(self, path: str, name: str) -> frozenset[SymbolId]:
        """What an unqualified name defines for a file: in its package, or through dot imports."""
        if (path, name) not in self._definitions:
            self._definitions[path, name] = self._defined(path, name)
        return self._definitions[path, name]

    def _defined(self, path: str, name: str) -> frozenset[SymbolId]:
        found = self.defined(self.files(path), name)
        if not found:
            for alias, module in self.shape(path, DOTS).imports:
                if alias == ".":
                    found |= self.defined(self._package(path, module) or (), name)
        return found

    def defined(self, files: tuple[str, ...], name: str) -> frozenset[SymbolId]:
        """The functions and types of that name in the files of a package."""
        shapes = ((path, self.shape(path, name)) for path in files)
        return frozenset(
            SymbolId(path, name)
            for path, shape in shapes
            if name in shape.functions or name in shape.types
        )

    def results(self, files: tuple[str, ...], name: str) -> tuple[Typed, ...]:
        """What a function or method of a package returns; for a type, the type itself."""
        for path in files:
            shape = self.shape(path, name)
            if name in shape.functions:
                return tuple(Typed(path, text) for text in shape.functions[name])
            if name in shape.types:
                return (Typed(path, name),)
        return ()

    def value(self, files: tuple[str, ...], name: str) -> Typed | None:
        """The statement of a package-level variable: a type text, or `=` and an expression."""
        for path in files:
            if name in (values := self.shape(path, name).values):
                return Typed(path, values[name])
        return None

    def named(self, of: Typed) -> tuple[tuple[str, ...], str]:
        """The files of the package that declares a type, and its name there."""
        qualifier, _, name = base(of.text).rpartition(".")
        if qualifier:
            return self.imported(of.path, qualifier) or (), name
        return self.files(of.path), name

    def declared(self, of: Typed) -> tuple[str, Type] | None:
        """The declaration of a type and its file; None outside the repository."""
        files, name = self.named(of)
        for path in files:
            if name in (types := self.shape(path, name).types):
                return path, types[name]
        return None

    def member(self, of: Typed, name: str, depth: int = 0) -> Member:
        """A method or field of a type, promoted ones included."""
        if (of, name) not in self._members and depth <= _DEEPEST:
            self._members[of, name] = Member()  # while it is being found: circles end
            self._members[of, name] = self._member(of, name, depth)
        return self._members.get((of, name), Member())

    def _member(self, of: Typed, name: str, depth: int) -> Member:
        files, type_ = self.named(of)
        method = f"{type_}.{name}"
        if symbols := self.defined(files, method):
            return Member(symbols, self.results(files, method))
        declared = self.declared(of)
        if declared is None:
            return Member()
        path, shape = declared
        if name in shape.fields:
            field = Typed(path, shape.fields[name])
            return Member(results=(field,), field=field)
        for embedded in shape.embeds:
            if base(embedded).rpartition(".")[2] == name:
                return Member(field=Typed(path, embedded))
        for embedded in (*shape.embeds, *([shape.of] if shape.alias else [])):
            found = self.member(Typed(path, embedded), name, depth + 1)
            if found != Member():
                return found
        return Member()

    def element(self, of: Typed | None, depth: int = 0) -> Typed | None:
        """What an index into, or a loop over, a value of a type gives."""
        if of is None or depth > _DEEPEST:
            return None
        text = of.text.lstrip("*&").removeprefix("<-")
        if text.startswith("chan"):
            return Typed(of.path, text.removeprefix("chan").removeprefix("<-").strip())
        if text.startswith("..."):
            return Typed(of.path, text[3:])
        if text.startswith(("[", "map[")):
            return Typed(of.path, text[_bracket_end(text) :])
        declared = self.declared(of)
        if declared is None or not declared[1].of:
            return None
        return self.element(Typed(declared[0], declared[1].of), depth + 1)

    def _go_files(self, folder: str) -> Iterator[str]:
        return (path for path in self._lookup.folder(folder) if path.endswith(".go"))

    def _imported(self, path: str, name: str) -> tuple[str, ...] | None:
        for alias, module in self.shape(path, IMPORTED + name).imports:
            if imported_as(alias, module) == name:
                return self._package(path, module) or ()
        for alias, module in self.shape(path, UNNAMED).imports:
            files = () if alias else self._package(path, module)
            if files and self.shape(files[0], "").package == name:
                return files
        return None

    def _package(self, path: str, module: str) -> tuple[str, ...] | None:
        """The files of a package by import path; None outside the module of the file."""
        folder = path.rpartition("/")[0]
        while True:
            facts = self._lookup.facts(f"{folder}/go.mod" if folder else "go.mod", "")
            if facts is not None or not folder:
                break
            folder = folder.rpartition("/")[0]
        own = facts.detail if facts else None
        if not own or not (module == own or module.startswith(own + "/")):
            return None
        inner = "/".join(part for part in (folder, module[len(own) + 1 :]) if part)
        return tuple(p for p in self._go_files(inner) if not p.endswith("_test.go"))


def _bracket_end(text: str) -> int:
    """Behind the bracket that closes the first one of a type text."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "]" and not depth:
            return at + 1
    return len(text)
