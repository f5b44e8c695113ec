"""Which file an import means: packages before modules, from the importing file's source root."""

from collections.abc import Iterator

from statetape.code.facts import Lookup
from statetape.code.index import folder_of

_PACKAGE = "__init__.py"
_SUFFIXES = (".py", ".pyi")
_NESTED_ROOTS = ("", "src/", "lib/")


class Module(str):
    """A module in the repository: the path of its file, or of a folder without `__init__.py`."""

    __slots__ = ()

    @property
    def folder(self) -> str | None:
        """The folder that holds its submodules, None where it is no package."""
        if self.endswith(f"/{_PACKAGE}") or self == _PACKAGE:
            return folder_of(self)
        return None if self.endswith(_SUFFIXES) else str(self)


def submodule(package: Module, name: str, lookup: Lookup) -> Module | None:
    """The module `name` in a package, None where the repository has none."""
    folder = package.folder
    return None if folder is None else _in_folder(folder, name, lookup)


def imported(path: str, module: str, level: int, lookup: Lookup) -> Module | None:
    """The module that `from {level dots}{module} import` names in the file `path`."""
    parts = module.split(".") if module else []
    if level:
        folder = path
        for _ in range(level):
            if not folder:
                return None
            folder = folder_of(folder)
        return _descend(_package(folder, lookup), parts, lookup)
    for root in _roots(path, lookup):
        first = _in_folder(root, parts[0], lookup)
        if first is not None:
            return _descend(first, parts[1:], lookup)
    return None


def _package(folder: str, lookup: Lookup) -> Module:
    path = _join(folder, _PACKAGE)
    return Module(path if lookup.exists(path) else folder)


def _descend(module: Module | None, parts: list[str], lookup: Lookup) -> Module | None:
    for part in parts:
        if module is None:
            return None
        module = submodule(module, part, lookup)
    return module


def _in_folder(folder: str, name: str, lookup: Lookup) -> Module | None:
    package = _join(folder, name)
    for path in (f"{package}/{_PACKAGE}", *(package + suffix for suffix in _SUFFIXES)):
        if lookup.exists(path):
            return Module(path)
    return Module(package) if lookup.folder(package) else None


def _roots(path: str, lookup: Lookup) -> Iterator[str]:
    """Where absolute imports of a file start, in order.

    Its own folder (a script's siblings), the first folder above that is no package, the folders
    above that one, and the source folders in each.
    """
    folder = folder_of(path)
    yield folder
    while folder and lookup.exists(_join(folder, _PACKAGE)):
        folder = folder_of(folder)
    while True:
        for nested in _NESTED_ROOTS:
            yield _join(folder, nested).rstrip("/")
        if not folder:
            return
        folder = folder_of(folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
