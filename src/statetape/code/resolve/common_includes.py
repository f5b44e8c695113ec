"""Names in languages whose files include or source each other; C and C++ link by name, too."""

from collections.abc import Iterator

from statetape.code.resolve.common_names import Names, Symbols
from statetape.types import SymbolId

_MOST = 500
"""How many files are followed from one."""
_FOLDERS = ("", "include/", "src/", "lib/")


class Includes:
    """A name is what an included file declares under it; a prototype is what defines it."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._reached: dict[str, tuple[str, ...]] = {}
        self._links = names.dialect.name != "bash"

    def first(self, path: str, within: str, name: str) -> Symbols:  # noqa: ARG002
        """Of an included file, of a namespace in use, or what else the linker would find."""
        for _, full in self._imports(path, name):
            if found := self._visible(path, full):
                return found
        if found := self._visible(path, name):
            return found
        for _, full in self._imports(path, "*"):
            if found := self._visible(path, f"{full}.{name}"):
                return found
        linked = self._linked(path, name)
        return linked if len(linked) == 1 else ()

    def absolute(self, path: str, name: str) -> Symbols:
        """What a name means that is dotted from the outermost namespace on."""
        return self._visible(path, name) or self._linked(path, name)

    def inside(self, module: SymbolId, name: str) -> Symbols:
        """What a namespace holds, in the files that its file includes and in itself."""
        return self._visible(module.path, f"{module.name}.{name}")

    def visible(self, path: str, symbol: SymbolId) -> bool:
        """Whether a file sees a symbol."""
        return symbol.path in self._files(path)

    def _imports(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        for each in self._files(path):
            yield from self._names.imports(each, name)

    def _visible(self, path: str, name: str) -> Symbols:
        """What the file and those it includes declare; for prototypes alone, what defines them."""
        stated = [SymbolId(each, name) for each in self._files(path)]
        declared = {each: found for each in stated if (found := self._names.declared(each))}
        constants = [
            SymbolId(each.path, found.types[0])
            for each, found in declared.items()
            if found.kind == "constant"
        ]
        whole = tuple(
            each
            for each, found in declared.items()
            if "prototype" not in found.marks and found.kind not in ("constant", "extension")
        )
        if constants or whole or not declared:
            return (*constants, *whole)
        linked = self._linked(path, name)
        related = tuple(
            each
            for each in linked
            if any(
                stated.path in self._files(each.path) for stated in declared if stated.path != path
            )
        )
        return related or linked or tuple(declared)

    def _linked(self, path: str, name: str) -> Symbols:
        """The definitions of that name that other files can link to."""
        if not self._links:
            return ()
        found = []
        for each in self._names.known(name.rpartition(".")[2]):
            declared = self._names.declared(each)
            if each.name != name or declared is None or each.path == path:
                continue
            if declared.kind in ("function", "method", "variable", "field") and not (
                {"prototype", "static"} & declared.marks and declared.kind != "method"
            ):
                found.append(each)
        return tuple(found)

    def _files(self, path: str) -> tuple[str, ...]:
        """A file and those it includes, directly or not."""
        if path not in self._reached:
            found = {path: None}
            for each in list(found):
                self._follow(each, found)
            self._reached[path] = tuple(found)
        return self._reached[path]

    def _follow(self, start: str, found: dict[str, None]) -> None:
        queue = [start]
        for path in queue:
            for _, written in self._names.imports(path, ""):
                included = self._included(path, written)
                if included is not None and included not in found and len(found) < _MOST:
                    found[included] = None
                    queue.append(included)

    def _included(self, path: str, written: str) -> str | None:
        """The file that a file means: beside it, or under a folder around it."""
        folder = path.rpartition("/")[0]
        beside = _joined(folder, written)
        if beside is not None and self._names.lookup.exists(beside):
            return beside
        while True:
            for under in _FOLDERS:
                candidate = _joined(folder, under + written)
                if candidate is not None and self._names.lookup.exists(candidate):
                    return candidate
            if not folder:
                return None
            folder = folder.rpartition("/")[0]


def _joined(folder: str, path: str) -> str | None:
    """A path from a folder on, None where it leads out of the repository."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
