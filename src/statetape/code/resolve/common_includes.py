"""Names in languages whose files include or source each other; C and C++ link by name, too."""

from collections.abc import Iterator

from statetape.code.resolve.common_files import Included
from statetape.code.resolve.common_names import Names, Symbols
from statetape.types import SymbolId


class Includes:
    """A name is what an included file declares under it; a prototype is what defines it."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._files = Included(names).files
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
