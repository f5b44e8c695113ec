"""Names in Rust: modules are files or blocks, and a name is a path through them."""

from collections.abc import Iterator

from statetape.code.resolve.common_names import Names, Symbols
from statetape.types import SymbolId

_ROOTS = ("main", "lib", "mod")
_FOREIGN = ("std", "core", "alloc")


class Modules:
    """A module is a symbol: that of its block, or the residue of its file."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._open: set[tuple[SymbolId, str]] = set()

    def first(self, path: str, within: str, name: str) -> Symbols:
        """Of the module around, with its imports; else a path's beginning; else a crate."""
        module = self._module(path, within)
        if name == "crate":
            return (self._root(path),)
        if name == "self":
            return (module,)
        if name == "super":
            parent = self._parent(module)
            return (parent,) if parent else ()
        return self._held(module, within, name) or tuple(self._crates(path, name))

    def absolute(self, path: str, name: str) -> Symbols:
        """What a path means that starts at a crate."""
        head, *rest = name.split(".")
        found: Symbols = tuple(self._crates(path, head))
        for part in rest:
            found = tuple(m for each in found for m in self._names.inside(each, part))
        return found

    def inside(self, module: SymbolId, name: str) -> Symbols:
        """What a module holds: declared, a child, imported by name, imported with all others."""
        if name == "super":
            parent = self._parent(module)
            return (parent,) if parent else ()
        if name == "self":
            return (module,)
        return self._held(module, module.name, name)

    def visible(self, path: str, symbol: SymbolId) -> bool:  # noqa: ARG002
        """Whether a file sees a symbol: traits are taken to be in scope."""
        return True

    def _held(self, module: SymbolId, within: str, name: str) -> Symbols:
        if (module, name) in self._open:
            return ()
        self._open.add((module, name))
        try:
            return self._looked_up(module, within, name)
        finally:
            self._open.discard((module, name))

    def _looked_up(self, module: SymbolId, within: str, name: str) -> Symbols:
        own = SymbolId(module.path, _joined(module.name, name, "."))
        declared = self._names.declared(own)
        if declared is not None and declared.kind != "extension":
            return (own,)
        if child := self._child(module, name):
            return (child,)
        for scope, full in self._names.imports(module.path, name):
            if self._reaches(module, within, scope) and (found := self._path(module, full, name)):
                return found
        for scope, full in self._names.imports(module.path, "*"):
            if self._reaches(module, within, scope):
                found = tuple(
                    m
                    for each in self._path(module, full, "")
                    for m in self._names.inside(each, name)
                )
                if found:
                    return found
        return ()

    def _path(self, module: SymbolId, full: str, name: str) -> Symbols:
        """What an import of a module means; one of its own name (`use a;`) leads out of it."""
        head, *rest = full.split(".")
        found = (
            tuple(self._crates(module.path, head))
            if head == name and not rest
            else self.first(module.path, module.name, head)
        )
        for part in rest:
            found = tuple(
                dict.fromkeys(m for each in found for m in self._names.inside(each, part))
            )
        return found

    @staticmethod
    def _reaches(module: SymbolId, within: str, scope: str) -> bool:
        """Whether what is imported in a scope is seen at a place of the module."""
        inner = len(scope) > len(module.name) and f"{within}.".startswith(f"{scope}.")
        return scope == module.name or inner

    def _module(self, path: str, within: str) -> SymbolId:
        for scope, declared in self._names.scopes(path, within):
            if scope and declared and declared.kind == "module":
                return SymbolId(path, scope)
        return SymbolId(path, "")

    def _child(self, module: SymbolId, name: str) -> SymbolId | None:
        """The file of a module's child."""
        folder, stem = _split(module.path)
        if stem not in _ROOTS:
            folder = _joined(folder, stem, "/")
        inner = _joined(folder, module.name.replace(".", "/"), "/")
        for path in (f"{name}.rs", f"{name}/mod.rs"):
            candidate = _joined(inner, path, "/")
            if self._names.lookup.exists(candidate) and candidate != module.path:
                return SymbolId(candidate, "")
        return None

    def _parent(self, module: SymbolId) -> SymbolId | None:
        if module.name:
            return SymbolId(module.path, module.name.rpartition(".")[0])
        folder, stem = _split(module.path)
        if stem in ("main", "lib"):
            return None
        if stem == "mod":
            folder = folder.rpartition("/")[0]
        for path in (f"{folder}/mod.rs", f"{folder}.rs", f"{folder}/lib.rs", f"{folder}/main.rs"):
            candidate = path.lstrip("/")
            if candidate != module.path and self._names.lookup.exists(candidate):
                return SymbolId(candidate, "")
        return None

    def _root(self, path: str) -> SymbolId:
        module, seen = SymbolId(path, ""), set()
        while (parent := self._parent(module)) is not None and parent not in seen:
            seen.add(parent)
            module = parent
        return module

    def _crates(self, path: str, name: str) -> Iterator[SymbolId]:
        """The library of a crate of that name in a folder around the file, or beside one."""
        if name in _FOREIGN:
            return
        folder = path.rpartition("/")[0]
        while True:
            for crate in dict.fromkeys((name, name.replace("_", "-"))):
                for under in ("", "crates/", "libs/"):
                    library = _joined(folder, f"{under}{crate}/src/lib.rs", "/")
                    if self._names.lookup.exists(library):
                        yield SymbolId(library, "")
                        return
            if not folder:
                return
            folder = folder.rpartition("/")[0]


def _split(path: str) -> tuple[str, str]:
    """The folder of a file, and its name without suffix."""
    folder, _, name = path.rpartition("/")
    return folder, name.removesuffix(".rs")


def _joined(left: str, right: str, separator: str) -> str:
    return separator.join(part for part in (left, right) if part)
