"""Packages and modules of a Go repository, as a `Lookup` shows them."""

from collections.abc import Iterator
from typing import cast

from statetape.code.extract.go_module import Module
from statetape.code.extract.go_shape import Shape, Source
from statetape.code.facts import Facts, Lookup
from statetape.code.findings import FOLDER, Finding
from statetape.code.paths import normal
from statetape.code.resolve.go_visible import DOTS, IMPORTED, UNNAMED, imported_as
from statetape.types import Mark, SymbolId

Edge = tuple[SymbolId, Mark]

_NOTHING = Shape()


class Packages:
    """Answers about packages, for the resolution of one symbol. Each costs look-ups by file.

    A package is the tuple of its files, whatever build they are for: of what several of them
    define, all of it counts.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self._files: dict[str, tuple[str, ...]] = {}
        self._imports: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._definitions: dict[tuple[str, str], frozenset[Edge]] = {}
        self._dots: dict[str, list[str]] = {}
        self._homes: dict[tuple[str, str], str | None] = {}

    def shape(self, path: str, name: str | None = None) -> Shape:
        """The shape of a file to look up one name in (see `go_visible`; None: any).

        An empty one where there is no such file.
        """
        facts = self.lookup.facts(path, name)
        return facts.detail.shape if facts and isinstance(facts.detail, Source) else _NOTHING

    def files(self, path: str) -> tuple[str, ...]:
        """The files of the package that a file belongs to."""
        if path not in self._files:
            package = self.shape(path, "").package
            self._files[path] = self._in_folder(path.rpartition("/")[0], package)
        return self._files[path]

    def _in_folder(self, folder: str, package: str) -> tuple[str, ...]:
        """The files of a package in a folder: found once, and kept for the symbols of them all."""
        store = self.lookup.findings.stores["go packages"]
        finding = store.get((folder, package))
        if finding is None:
            listed = tuple(self._go_files(folder))
            files = tuple(p for p in listed if self.shape(p, "").package == package)
            finding = Finding((folder, package), files)
            finding.grounds = [(folder, FOLDER), *((p, "") for p in listed)]
            self.lookup.findings.keep(finding, store)
        self.lookup.rest_on((), (finding,))
        return cast(tuple[str, ...], finding.value)

    def imported(self, path: str, name: str) -> tuple[str, ...] | None:
        """The files of the package a file imports as `name`.

        Empty outside the repository, None where nothing is imported so.
        """
        if (path, name) not in self._imports:
            self._imports[path, name] = self._imported(path, name)
        return self._imports[path, name]

    def definitions(self, path: str, name: str) -> frozenset[Edge]:
        """What an unqualified name means for a file: in its package, or through dot imports."""
        if (path, name) not in self._definitions:
            self._definitions[path, name] = self.defined(self.scope(path, name), name)
        return self._definitions[path, name]

    def scope(self, path: str, name: str) -> tuple[str, ...]:
        """The files of the package that an unqualified name in a file belongs to.

        That is its own, or one of those it imports with a dot.
        """
        own = self.files(path)
        if path not in self._dots:
            stated = self.shape(path, DOTS).imports
            self._dots[path] = [module for alias, module in stated if alias == "."]
        dots = self._dots[path]
        if dots and not any(_states(self.shape(p, name), name) for p in own):
            for module in dots:
                files = self.package(path, module) or ()
                if any(_states(self.shape(p, name), name) for p in files):
                    return files
        return own

    def defined(self, files: tuple[str, ...], name: str) -> frozenset[Edge]:
        """The functions, types, variables and constants of that name in the files of a package."""
        return frozenset(
            (SymbolId(path, name), mark)
            for path in files
            if (mark := _mark(self.shape(path, name), name)) is not None
        )

    def _go_files(self, folder: str) -> Iterator[str]:
        return (path for path in self.lookup.folder(folder) if path.endswith(".go"))

    def _imported(self, path: str, name: str) -> tuple[str, ...] | None:
        for alias, module in self.shape(path, IMPORTED + name).imports:
            if imported_as(alias, module) == name:
                return self.package(path, module) or ()
        for alias, module in self.shape(path, UNNAMED).imports:
            files = () if alias else self.package(path, module) or ()
            found = tuple(p for p in files if self.shape(p, "").package == name)
            if found:
                return found
        return None

    def package(self, path: str, module: str) -> tuple[str, ...] | None:
        """The files of a package by import path; None outside the repository."""
        home = self._home(path, "go.mod")
        found = self._folder(home, module) if home is not None else None
        if found is None:
            space = self._home(path, "go.work")
            for used in self._module(space, "go.work").used if space is not None else ():
                found = found or self._folder(normal(f"{space or ''}/{used}"), module)
        if found is None:
            return None
        return tuple(p for p in self._go_files(found) if not p.endswith("_test.go"))

    def _folder(self, home: str | None, imported: str) -> str | None:
        """The folder of an import path, as the module in folder `home` says."""
        if home is None:
            return None
        own = self._module(home, "go.mod")
        for name, folder in ((own.name, "."), *own.replaced):
            if name and (imported == name or imported.startswith(name + "/")):
                root = normal(f"{home}/{folder}")
                return normal(f"{root}/{imported[len(name) + 1 :]}") if root is not None else None
        return None

    def _home(self, path: str, file: str) -> str | None:
        """The innermost folder around a file that has a `go.mod` or `go.work` file."""
        folder = path.rpartition("/")[0]
        if (folder, file) not in self._homes:
            found: str | None = folder
            while found is not None and self._stated(found, file) is None:
                found = found.rpartition("/")[0] if found else None
            self._homes[folder, file] = found
        return self._homes[folder, file]

    def _stated(self, folder: str, file: str) -> Facts | None:
        return self.lookup.facts(f"{folder}/{file}" if folder else file, "")

    def _module(self, folder: str, file: str) -> Module:
        facts = self._stated(folder, file)
        return facts.detail if facts and isinstance(facts.detail, Module) else Module()


def _states(shape: Shape, name: str) -> bool:
    return name in shape.functions or name in shape.types or name in shape.values


def _mark(shape: Shape, name: str) -> Mark | None:
    if name in shape.functions:
        return "exact"
    if name in shape.types:
        return "uses" if shape.types[name].kind == "type" else "exact"
    return "uses" if name in shape.values and shape.values[name].own else None
