"""What Python files load: by statements, by names in strings, and by what a test runner adds."""

import re
from collections.abc import Iterator
from sys import stdlib_module_names

from statetape.code.extract.python import Text
from statetape.code.facts import Loads, Lookup
from statetape.code.index import folder_of
from statetape.code.resolve.python_modules import Module, imported, submodule
from statetape.code.resolve.python_questions import Questions
from statetape.code.runner_options import OF_PYTEST

# Strings of one line, and comments outside of them: whichever starts first.
_COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*""")
# Of brackets up to the next one alone: what is broken ends soon, whatever follows.
_IMPORT = re.compile(
    r"(?:^|(?<=[;:]))[ \t\f]*(?:from\b[ \t]*((?:\.[ \t]*)*)(?:(\w[\w.]*)[ \t]*)?\bimport\b[ \t]*"
    r"(\([^()]*\)|[^\n;]*)|import\b[ \t]+([^\n;]+))",
    re.MULTILINE,
)
_DOTTED = re.compile(r"""["':]([A-Za-z_]\w*(?:\.\w+){1,12})|\bimportorskip\(\s*["'](\w+)""")
_BEGUN = re.compile(r"""["']([A-Za-z_]\w*(?:\.\w+){0,12})\.(?=[{%"'])""")  # f"app.{name}.run"
_QUOTED = re.compile(r"""["'](\w+)["']""")
_COMPUTED = re.compile(
    r"\b(?:__import__|import_(?:module|string|object|class|name|from|by|all|sub|attr)\w*|runpy|pydoc"
    r"|load_(?:module|object|class|plugin|entry)\w*|spec_from_\w+|\w*lazy_?import\w*|LazyLoader"
    r"|pkgutil|iter_modules|entry_points|iter_entry_points|pytest_plugins|exec|attach_stub"
    r"|INSTALLED_APPS|DJANGO_SETTINGS_MODULE|autodiscover\w*|find_modules|loadTestsFrom\w+)\b"
    r"|\bgetattr\(\s*importlib|\bimportorskip\(\s*[^\"'\s]"
    # Frameworks that load what their settings name.
    r"|\b(?:from|import)[ \t]+(?:django|alembic|airflow|hydra|stevedore|pluginbase)\b"
)
_BESIDE = ("conftest.py", *OF_PYTEST)


def statements(data: bytes) -> Iterator[re.Match[str]]:
    """The import statements of a file, for `imported_modules`; a few that are none, too."""
    return _IMPORT.finditer(_COMMENT.sub(r"\1", _text(data)).replace("\\\n", " "))


def imported_modules(stated: re.Match[str], folder: str, questions: Questions) -> Iterator[Module]:
    """The modules that a statement imports in the files of a folder."""
    named = _named(stated, folder, questions)
    return (module for _, module, _ in named if module is not None)


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """What is loaded when a file with this text is imported or run.

    All that it could import anywhere, also by a dotted name in a string (`patch("app.cli.run")`),
    and the packages around each; of a package what it names (`__all__`). None where it computes
    what it imports, or imports something of the repository that is not there.
    """
    text = _text(data)
    if _COMPUTED.search(_COMMENT.sub(r"\1", text)):
        return None
    questions, folder = Questions(lookup), folder_of(path)
    modules: set[Module] = set()
    unknown: set[str] = set()
    tops: set[str] = set()
    for stated in statements(data):
        if stated[4] is not None or not stated[1]:
            tops.update(each.partition(".")[0] for each in _names(stated[4] or stated[2] or ""))
        for name, module, package in _named(stated, folder, questions):
            if module is not None:
                modules.add(module)
            elif package is None and name:
                unknown.add(name)
            elif package is None or not _may_define(package, name, lookup):
                return None
    for name in {each[1] or each[2] for each in _DOTTED.finditer(text)}:
        parts = name.split(".")
        sizes = range(len(parts), 0, -1)
        named = (imported(folder, ".".join(parts[:size]), 0, questions) for size in sizes)
        modules.update(next(([module] for module in named if module is not None), ()))
    for name in {each[1] for each in _BEGUN.finditer(text)}:
        begun = imported(folder, name, 0, questions)
        if begun is not None and begun.folder is not None:
            return None
        modules.update([begun] if begun is not None else [])
    own = Module(path)
    if own.folder is not None:
        inner = (submodule(own, each[1], questions) for each in _QUOTED.finditer(text))
        modules.update(each for each in inner if each is not None)
    files = frozenset(each for module in modules for each in _around(module, lookup))
    return Loads(files, frozenset(unknown - stdlib_module_names), frozenset(tops))


def beside(path: str, lookup: Lookup) -> frozenset[str]:
    """What pytest loads with a test file, from each folder around it, and the packages around."""
    folders = [path]
    while folders[-1]:
        folders.append(folder_of(folders[-1]))
    found = (f"{folder}/{name}".lstrip("/") for folder in folders[1:] for name in _BESIDE)
    setups = (f"{folder}/setup.py".lstrip("/") for folder in folders[1:])
    return frozenset(
        (
            *filter(lookup.exists, found),
            *(each for each in setups if b"pytest11" in _data(each, lookup)),
            *_around(path, lookup),
        )
    )


def _text(data: bytes) -> str:
    text = data.decode(errors="replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _data(path: str, lookup: Lookup) -> bytes:
    facts = lookup.facts(path)
    return facts.detail.data if facts is not None and isinstance(facts.detail, Text) else b""


def _around(module: str, lookup: Lookup) -> Iterator[str]:
    """A module, and the packages around it, which are loaded first."""
    if lookup.exists(module):
        yield module
    folder = folder_of(module)
    while folder:
        if lookup.exists(f"{folder}/__init__.py"):
            yield f"{folder}/__init__.py"
        folder = folder_of(folder)


def _named(
    stated: re.Match[str], folder: str, questions: Questions
) -> Iterator[tuple[str, Module | None, Module | None]]:
    """The names of a statement, the modules they are, and the packages they are looked for in.

    Without a package: the first part of the name; "" where that is of the folders around.
    """
    if stated[4] is not None:
        for name in _names(stated[4]):
            yield name.partition(".")[0], imported(folder, name, 0, questions), None
        return
    level, name = stated[1].count("."), (stated[2] or "").strip(".")
    if not level and not name:
        return
    package = imported(folder, name, level, questions)
    yield "" if level else name.partition(".")[0], package, None
    if package is not None and package.folder is not None:
        for each in _names(stated[3]):
            yield each, submodule(package, each, questions), package


def _names(text: str) -> Iterator[str]:
    """The names in a list, without those that they are bound to. What is none is left out."""
    for each in text.strip("() \t\n").split(","):
        words = each.split()
        if words and re.fullmatch(r"\w+(?:\.\w+)*", words[0]):
            yield words[0]


def _may_define(package: Module, name: str, lookup: Lookup) -> bool:
    """Whether the file of a package may define a name, which is then no module."""
    data = _data(str(package), lookup) if lookup.exists(str(package)) else b""
    anything = b"import *" in data or b"__getattr__" in data or b"globals(" in data
    return anything or name.encode() in data
