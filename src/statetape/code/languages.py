"""Which extractor and which resolver read a file, by its suffix.

Modules and grammars are imported when the first file needs them. One that is missing degrades
its files to a single symbol each, never to an error.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Literal, NamedTuple, cast

from statetape.code import wholefile
from statetape.code.facts import Extractor, Facts, Lookup, Resolver
from statetape.types import SymbolId

PARSE_LIMIT = 5_000_000
"""Bytes. A larger file is a single symbol."""


class Language(NamedTuple):
    """Where a language's code lives: `module:function` under this package, and its grammar.

    `visible` gives, for facts and a name, all that the resolution of other symbols can see of it.
    """

    suffixes: tuple[str, ...]
    extractor: str
    resolver: str | None = None
    grammar: str | None = None
    visible: str | None = None


_JAVASCRIPT = "resolve.javascript:edges"
LANGUAGES = (
    Language(
        (".py", ".pyi"),
        "extract.python:facts",
        "resolve.python:edges",
        "tree_sitter_python",
        "resolve.python_visible:visible",
    ),
    Language(
        (".js", ".jsx", ".mjs", ".cjs"),
        "extract.javascript:javascript_facts",
        _JAVASCRIPT,
        "tree_sitter_javascript",
    ),
    Language(
        (".ts", ".mts", ".cts"),
        "extract.javascript:typescript_facts",
        _JAVASCRIPT,
        "tree_sitter_typescript",
    ),
    Language((".tsx",), "extract.javascript:tsx_facts", _JAVASCRIPT, "tree_sitter_typescript"),
    Language((".go",), "extract.go:facts", "resolve.go:edges", "tree_sitter_go"),
    Language((".mod",), "extract.go:module_facts"),
    Language((".md", ".mdx", ".markdown"), "extract.markdown:facts"),
    Language((".yaml", ".yml"), "extract.yaml:facts"),
    Language((".toml",), "extract.toml:facts"),
    Language((".json",), "extract.json:facts"),
)
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def facts(path: str, data: bytes) -> Facts:
    """The facts of one file. Binary files and those above `PARSE_LIMIT` are a single symbol."""
    if len(data) > PARSE_LIMIT or b"\0" in data:
        return wholefile.facts(path, data)
    return _extractor(_suffix(path))(path, data)


def edges(owner: SymbolId, lookup: Lookup) -> frozenset[SymbolId]:
    """The outgoing edges of one symbol; none in a language without a resolver."""
    resolver = _resolver(_suffix(owner.path))
    return resolver(owner, lookup) if resolver else frozenset()


def reach(before: Facts, after: Facts) -> Literal["nothing", "file", "repository"]:
    """How far a change of a file can move edges, beyond the symbols whose own text changed."""
    visible = _visible(_suffix(after.path))
    if after.interface and before.interface == after.interface:
        return "file" if visible is None else "nothing"
    if visible is None:
        return "repository"
    old, new = ({each.name: each.digest for each in f.definitions} for f in (before, after))
    changed = [name for name, digest in new.items() if old.get(name) != digest]
    if old.keys() == new.keys() and all(
        visible(before, name) == visible(after, name) for name in changed
    ):
        return "nothing"
    return "repository"


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""


@cache
def _extractor(suffix: str) -> Extractor:
    language = _BY_SUFFIX.get(suffix)
    if language is None:
        return wholefile.facts
    try:
        if language.grammar:
            import_module(language.grammar)
        extractor = cast(Extractor, _function(language.extractor))
    except ImportError:
        return wholefile.facts
    return extractor


@cache
def _resolver(suffix: str) -> Resolver | None:
    language = _BY_SUFFIX.get(suffix)
    if language is None or language.resolver is None:
        return None
    try:
        resolver = cast(Resolver, _function(language.resolver))
    except ImportError:
        return None
    return resolver


@cache
def _visible(suffix: str) -> Callable[[Facts, str], object] | None:
    language = _BY_SUFFIX.get(suffix)
    if language is None or language.visible is None or _resolver(suffix) is None:
        return None
    return cast(Callable[[Facts, str], object], _function(language.visible))


def _function(name: str) -> object:
    module, _, function = name.partition(":")
    found: object = getattr(import_module(f"statetape.code.{module}"), function)
    return found
