"""Which file an import means: packages before modules, from the importing file's source root."""

from collections.abc import Iterator

from statetape.code.index import folder_of
from statetape.code.resolve.python_questions import Questions

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


def submodule(package: Module, name: str, questions: Questions) -> Module | None:
    """The module `name` in a package, None where the repository has none."""
    folder = package.folder
    return None if folder is None else _in_folder(folder, name, questions)


def imported(folder: str, module: str, level: int, questions: Questions) -> Module | None:
    """The module that `from {level dots}{module} import` names in the files of a folder."""
    parts = module.split(".") if module else []
    if level:
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder_of(folder)
        return _descend(_package(folder, questions), parts, questions)
    for root in _roots(folder, questions):
        first = questions.answer(
            ("top", root, parts[0]), None, _in_folder, root, parts[0], questions
        )
        if first is not None:
            return _descend(first, parts[1:], questions)
    return None


def _package(folder: str, questions: Questions) -> Module:
    path = _join(folder, _PACKAGE)
    return Module(path if questions.exists(path) else folder)


def _descend(module: Module | None, parts: list[str], questions: Questions) -> Module | None:
    for part in parts:
        if module is None:
            return None
        module = submodule(module, part, questions)
    return module


def _in_folder(folder: str, name: str, questions: Questions) -> Module | None:
    package = _join(folder, name)
    for path in (f"{package}/{_PACKAGE}", *(package + suffix for suffix in _SUFFIXES)):
        if questions.exists(path):
            return Module(path)
    return Module(package) if questions.folder(package) else None


def _roots(folder: str, questions: Questions) -> Iterator[str]:
    """Where absolute imports of the files in a folder start, in order.

    There (a script's siblings), the first folder above that is no package, the folders above that
    one, and the source folders in each.
    """
    yield folder
    while folder and questions.exists(_join(folder, _PACKAGE)):
        folder = folder_of(folder)
    while True:
        for nested in _NESTED_ROOTS:
            yield _join(folder, nested).rstrip("/")
        if not folder:
            return
        folder = folder_of(folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
