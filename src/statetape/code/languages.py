"""Which extractor and which resolver read a file, by its suffix.

Modules and grammars are imported when the first file needs them. One that is missing degrades
its files to a single symbol each, never to an error.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple, cast

from msgspec.structs import replace

from statetape.code import wholefile
from statetape.code.chosen import generated, minified
from statetape.code.facts import Extractor, Facts, Loads, Lookup, Resolver
from statetape.types import Mark, SymbolId

PARSE_LIMIT = 5_000_000
"""Bytes. A larger file is a single symbol. `limit_parsing` sets another one."""


class Language(NamedTuple):
    """Where a language's code lives: `module:function` under this package, and its grammar.

    `changed` gives, for two states of a file, the names under which a resolution that looked at
    the first can see a difference in the second; `visible` beside it says what there is to see.
    Without one, nothing but `detail` is looked at.
    `stated` is the module that knows what a class and a file state of others.
    `mends`: the extractor finds by itself what broken text still states.
    """

    suffixes: tuple[str, ...]
    extractor: str
    grammar: str | None = None
    resolver: str | None = None
    changed: str | None = None
    stated: str | None = None
    mends: bool = False


_JAVASCRIPT = (
    "resolve.javascript:edges",
    "resolve.javascript_visible:changed",
    "resolve.javascript_stated",
    True,
)
_COMMON = ("resolve.common:edges", "resolve.common_visible:changed", "resolve.common_stated")
LANGUAGES = (
    Language(
        (".py", ".pyi"),
        "extract.python:facts",
        "tree_sitter_python",
        "resolve.python:edges",
        "resolve.python_visible:changed",
        "resolve.python_stated",
        mends=True,
    ),
    Language(
        (".js", ".jsx", ".mjs", ".cjs"),
        "extract.javascript:javascript_facts",
        "tree_sitter_javascript",
        *_JAVASCRIPT,
    ),
    Language(
        (".ts", ".mts", ".cts"),
        "extract.javascript:typescript_facts",
        "tree_sitter_typescript",
        *_JAVASCRIPT,
    ),
    Language((".tsx",), "extract.javascript:tsx_facts", "tree_sitter_typescript", *_JAVASCRIPT),
    Language(
        (".go",),
        "extract.go:facts",
        "tree_sitter_go",
        "resolve.go:edges",
        "resolve.go_visible:changed",
        "resolve.go_stated",
        mends=True,
    ),
    Language((".mod", ".work"), "extract.go_module:facts"),
    Language((".java",), "extract.common:java", "tree_sitter_java", *_COMMON),
    Language((".rs",), "extract.common:rust", "tree_sitter_rust", *_COMMON),
    Language((".c",), "extract.common:c", "tree_sitter_c", *_COMMON),
    Language((".h",), "extract.common:header", "tree_sitter_cpp", *_COMMON),
    Language(
        (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl"),
        "extract.common:cpp",
        "tree_sitter_cpp",
        *_COMMON,
    ),
    Language((".cs",), "extract.common:csharp", "tree_sitter_c_sharp", *_COMMON),
    Language((".rb", ".rake"), "extract.common:ruby", "tree_sitter_ruby", *_COMMON),
    Language((".php", ".phtml"), "extract.common:php", "tree_sitter_php", *_COMMON),
    Language((".kt", ".kts"), "extract.common:kotlin", "tree_sitter_kotlin", *_COMMON),
    Language((".swift",), "extract.common:swift", "tree_sitter_swift", *_COMMON),
    Language((".sh", ".bash"), "extract.common:bash", "tree_sitter_bash", *_COMMON),
    Language((".md", ".mdx", ".markdown"), "extract.markdown:facts"),
    Language((".yaml", ".yml"), "extract.yaml:facts"),
    Language((".toml",), "extract.toml:facts"),
    Language((".json",), "extract.json:facts"),
)
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def facts(path: str, data: bytes) -> Facts:
    """The facts of one file.

    Binary files, scripts made for machines, and files above `PARSE_LIMIT` are a single symbol.
    """
    if len(data) > PARSE_LIMIT or b"\0" in data or minified(path, data):
        return wholefile.facts(path, data)
    found = _extractor(suffix(path))(path, data)
    return replace(found, generated=True) if generated(path, data) else found


def limit_parsing(size: int) -> None:
    """Have files above `size` bytes be a single symbol, in this process and from now on."""
    global PARSE_LIMIT  # noqa: PLW0603 -- a setting of the process, made before any file is read
    PARSE_LIMIT = size


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """The outgoing edges of one symbol; none in a language without a resolver."""
    resolver = _resolver(suffix(owner.path))
    return resolver(owner, lookup) if resolver else {}


def changed(before: Facts, after: Facts) -> set[str]:
    """The names in a file under which resolutions can see a difference between two states of it.

    What a language calls a name is its own affair: its resolver asks a `Lookup` for the same.
    """
    compared = _compared(suffix(after.path))
    if compared is not None:
        return compared(before, after)
    return {""} if before.detail != after.detail else set()


def visible(facts: Facts) -> Mapping[str, object]:
    """What resolutions can see of a file, by name; the values can be written by `msgspec`.

    Where two states of a file have the same under a name, `changed` does not give that name.
    """
    found = _visible(suffix(facts.path))
    return {"": facts.digest} if found is None else found(facts)


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The classes of the repository that a class states as its bases, verified, in their order."""
    find = _stated(suffix(symbol.path), "bases")
    return cast(tuple[SymbolId, ...], find(symbol, lookup)) if find else ()


def implementations(method: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The methods of types that implement the interface of a method and do not say so (Go)."""
    find = _stated(suffix(method.path), "implementations")
    return cast(tuple[SymbolId, ...], find(method, lookup)) if find else ()


def importing(path: str, lookup: Lookup) -> frozenset[str]:
    """Words of which every file mentions at least one that `imports` this file."""
    find = _stated(suffix(path), "importing")
    return cast(frozenset[str], find(path, lookup)) if find else frozenset()


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """What a file states to import another one, verified; nothing where it does not."""
    find = _stated(suffix(path), "imports")
    return cast(tuple[str, ...], find(path, target, lookup)) if find else ()


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """What a file with these bytes can load when it runs.

    None where nobody can tell: what it loads is computed, or the language is not one of those.
    """
    find = _stated(suffix(path), "loads")
    return cast(Loads | None, find(path, data, lookup)) if find else None


def beside(path: str, lookup: Lookup) -> frozenset[str]:
    """The files that are loaded with a test file though it does not name them."""
    find = _stated(suffix(path), "beside")
    return cast(frozenset[str], find(path, lookup)) if find else frozenset()


def kin(path: str, other: str) -> bool:
    """Whether two files are of languages that load each other, and what they load can be told."""
    one, two = (_BY_SUFFIX.get(suffix(each)) for each in (path, other))
    known = one is not None and two is not None and one.stated == two.stated
    return known and _stated(suffix(path), "loads") is not None


def mends(path: str) -> bool:
    """Whether the facts of such a file are as good as can be where its text is broken."""
    language = _BY_SUFFIX.get(suffix(path))
    return language is not None and language.mends


def knows(path: str) -> bool:
    """Whether more can be said of such a file than that it is there."""
    return suffix(path) in _BY_SUFFIX


def resolves(path: str) -> bool:
    """Whether the symbols of such a file can have edges."""
    return _resolver(suffix(path)) is not None


def suffix(path: str) -> str:
    """The end of a file's name that says its language, in lower case; "" where it has none."""
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
def _compared(suffix: str) -> Callable[[Facts, Facts], set[str]] | None:
    language = _BY_SUFFIX.get(suffix)
    if language is None or language.changed is None or _resolver(suffix) is None:
        return None
    return cast(Callable[[Facts, Facts], set[str]], _function(language.changed))


@cache
def _visible(suffix: str) -> Callable[[Facts], Mapping[str, object]] | None:
    language = _BY_SUFFIX.get(suffix)
    if language is None or language.changed is None or _resolver(suffix) is None:
        return None
    module = language.changed.partition(":")[0]
    return cast(Callable[[Facts], Mapping[str, object]], _function(f"{module}:visible"))


@cache
def _stated(suffix: str, name: str) -> Callable[..., object] | None:
    language = _BY_SUFFIX.get(suffix)
    if language is None or language.stated is None or _resolver(suffix) is None:
        return None
    module = import_module(f"statetape.code.{language.stated}")
    return cast(Callable[..., object] | None, getattr(module, name, None))


def _function(name: str) -> object:
    module, _, function = name.partition(":")
    found: object = getattr(import_module(f"statetape.code.{module}"), function)
    return found
