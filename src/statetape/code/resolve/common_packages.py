"""Names in languages whose files say which package they belong to, or whose names are global."""

from collections.abc import Iterator

from statetape.code.resolve.common_files import Included
from statetape.code.resolve.common_names import Names, Symbols
from statetape.types import SymbolId

_LOCAL = frozenset(("private", "fileprivate"))


class Packages:
    """Packages (Java, Kotlin), namespaces (C#, PHP), and one scope for all (Swift, Ruby)."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._included = Included(names)
        self._absolute: dict[tuple[str, str], Symbols] = {}

    def first(self, path: str, within: str, name: str) -> Symbols:
        """Imported by name, else of the own package, else imported with everything beside it."""
        imported = [full for _, full in self._names.imports(path, name)]
        if imported:
            return tuple(dict.fromkeys(s for full in imported for s in self.absolute(path, full)))
        for package in self._around(path, within):
            found = self.absolute(path, f"{package}.{name}" if package else name)
            if found:
                return self._nearest(path, found)
        under = [full for _, full in self._names.imports(path, "*")]
        return tuple(
            dict.fromkeys(s for full in under for s in self.absolute(path, f"{full}.{name}"))
        )

    def absolute(self, path: str, name: str) -> Symbols:
        """The symbols of that full name, extensions only where there is nothing else."""
        key = path, name
        if key not in self._absolute:
            self._absolute[key] = ()  # while it is being found: circles end
            self._absolute[key] = self._found(path, name)
        return self._absolute[key]

    def _found(self, path: str, name: str) -> Symbols:
        outer, _, last = name.rpartition(".")
        found = tuple(
            each
            for each in self._names.known(last)
            if name.endswith(each.name) and self._full(path, each) == name
        )
        stated = tuple(each for each in found if self._names.kind(each) != "extension")
        if not found and outer:
            classes = self.absolute(path, outer)
            return tuple(m for each in classes for m in self._names.inside(each, last))
        return stated or found

    def inside(self, module: SymbolId, name: str) -> Symbols:
        """What is declared in a module, in whichever file."""
        return self.absolute(module.path, f"{module.name}.{name}")

    def visible(self, path: str, symbol: SymbolId) -> bool:
        """Whether a file sees what it may call without naming its class: it, or around it."""
        package = self._names.package(symbol)
        last = symbol.name.rpartition(".")[2]
        full = f"{package}.{last}" if package else last
        return (
            package in self._around(path, "")
            or any(each == package for _, each in self._names.imports(path, "*"))
            or any(each == full for _, each in self._names.imports(path, last))
        )

    def _nearest(self, path: str, found: Symbols) -> Symbols:
        """Of several of one name, those in files that the file requires, where there are any."""
        if len(found) == 1 or not self._names.dialect.requires:
            return found
        files = self._included.files(path)
        return tuple(each for each in found if each.path in files) or found

    def _around(self, path: str, within: str) -> Iterator[str]:
        """The packages whose names need no import, the nearest first."""
        outermost = within.partition(".")[0]
        package = self._names.package(SymbolId(path, outermost))
        yield package
        if self._names.dialect.name == "csharp":
            while package:
                package = package.rpartition(".")[0]
                yield package
        elif self._names.dialect.name == "php" and package:
            yield ""

    def _full(self, path: str, symbol: SymbolId) -> str | None:
        """The full name of a symbol, None where the file cannot see it."""
        declared = self._names.declared(symbol)
        if declared is None:
            return None
        if symbol.path != path and "." not in symbol.name and declared.marks & _LOCAL:
            return None
        return f"{declared.package}.{symbol.name}" if declared.package else symbol.name
