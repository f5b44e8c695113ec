"""What Python classes and files state of others: bases, and imports."""

import re
from collections.abc import Iterator
from sys import stdlib_module_names

from statetape.code.extract.python import Text
from statetape.code.facts import Loads, Lookup
from statetape.code.index import folder_of
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_modules import Module, imported, submodule
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_values import Class, ordered
from statetape.types import SymbolId

_COMMENT = re.compile(r"#[^\n]*")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*)"
    r"|import[ \t]+([^\n;]+))",
    re.MULTILINE,
)
_DOTTED = re.compile(r"""["']([A-Za-z_]\w*(?:\.\w+)+)""")
_COMPUTED = re.compile(
    r"\b(?:__import__|import_module|spec_from_\w+|runpy|walk_packages|iter_modules|entry_points"
    r"|pytest_plugins|exec)\b"
)
_BESIDE = ("conftest.py", "pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The classes of the repository that a class states as its bases, in their order."""
    stated = Meaning(lookup).members.bases(symbol)
    found = (value.symbol for base in stated for value in ordered(base) if isinstance(value, Class))
    return tuple(dict.fromkeys(each for each in found if each != symbol))


def importing(path: str, lookup: Lookup) -> frozenset[str]:  # noqa: ARG001
    """Words of which a file mentions one that imports this file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return frozenset((folder.rpartition("/")[2] if stem == "__init__" else stem,))


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """The statements of a file that import `target` or a name of it.

    A package is imported by its own name, not by that of a module in it.
    """
    facts = lookup.facts(path)
    if facts is None or not isinstance(facts.detail, Text):
        return ()
    questions = Questions(lookup)
    text = _COMMENT.sub("", facts.detail.data.decode(errors="replace").replace("\r", "\n"))
    found: dict[str, None] = {}
    for stated in _IMPORT.finditer(text):
        if any(str(module) == target for module in _modules(stated, folder_of(path), questions)):
            found[" ".join(stated[0].split())] = None
    return tuple(found)


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """What is loaded when a file with this text is imported or run.

    All that it could import anywhere, also by a dotted name in a string (`patch("app.cli.run")`),
    and the packages around each; None where it computes what it imports.
    """
    text = _COMMENT.sub("", data.decode(errors="replace").replace("\r", "\n"))
    text = text.replace("\\\n", " ")
    if _COMPUTED.search(text):
        return None
    questions, folder = Questions(lookup), folder_of(path)
    modules: set[Module] = set()
    unknown: set[str] = set()
    for stated in _IMPORT.finditer(text):
        found = set(_modules(stated, folder, questions))
        modules |= found
        if not found:
            unknown.update(re.findall(r"(?:^|,)\s*(\w+)", stated[2] or stated[4] or ""))
    for name in {each[1] for each in _DOTTED.finditer(text)}:
        parts = name.split(".")
        sizes = range(len(parts), 0, -1)
        named = (imported(folder, ".".join(parts[:size]), 0, questions) for size in sizes)
        modules.update(next(([module] for module in named if module is not None), ()))
    files = frozenset(each for module in modules for each in _around(module, lookup))
    return Loads(files, frozenset(unknown - stdlib_module_names))


def beside(path: str, lookup: Lookup) -> frozenset[str]:
    """What pytest loads with a test file, from each folder around it, and the packages around."""
    folders = [path]
    while folders[-1]:
        folders.append(folder_of(folders[-1]))
    found = (f"{folder}/{name}".lstrip("/") for folder in folders[1:] for name in _BESIDE)
    return frozenset((*filter(lookup.exists, found), *_around(path, lookup)))


def _around(module: str, lookup: Lookup) -> Iterator[str]:
    """A module, and the packages around it, which are loaded first."""
    if lookup.exists(module):
        yield module
    folder = folder_of(module)
    while folder and lookup.exists(f"{folder}/__init__.py"):
        yield f"{folder}/__init__.py"
        folder = folder_of(folder)


def _modules(stated: re.Match[str], folder: str, questions: Questions) -> Iterator[Module]:
    if stated[4] is not None:
        for each in stated[4].split(","):
            module = imported(folder, each.split(" as ")[0].strip(), 0, questions)
            yield from (module,) if module is not None else ()
        return
    package = (
        imported(folder, stated[2], len(stated[1]), questions) if any(stated.group(1, 2)) else None
    )
    if package is None:
        return
    yield package
    for each in stated[3].strip("() \t\n").split(","):
        module = submodule(package, each.split(" as ")[0].strip(), questions)
        yield from (module,) if module is not None else ()
