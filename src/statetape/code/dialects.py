"""The languages that share one extractor and one resolver: a grammar, a query file, a few rules."""

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from tree_sitter import Query

from statetape.code import treesitter
from statetape.code.extract import common_imports as imports
from statetape.code.extract import common_mend
from statetape.code.extract.common_shape import Import

_SECTION = re.compile(r"^;;; (\w+).*$", re.MULTILINE)


class Dialect(NamedTuple):
    """What one language does its own way.

    `suffixes` are those of the files it can refer to. `imported` reads an import statement,
    `mended` is a text as the grammar can read it.
    `outside` says how a name reaches other files: by declared packages, by included files, or by
    module paths. In a language whose types are `open`, a type can have members in other files.
    `members` says whether a bare name in a method reaches the members of its class, `declares`
    whether local names are declared. `virtual` are the marks of a method that can be overridden,
    empty where all can that are not `final`. `wrappers` are generic types that answer for their
    first argument, `through` methods that answer their receiver. `constructor` is the name of the
    constructors, empty where they have the name of the class, `maker` that of the method of a
    class that calls them. Where a language `mixes`, what is mixed in has its `super` in the
    classes that do so. One that `requires` files prefers what they have. `sigil` begins the name
    of what a method knows as its object's own.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: tuple[str, str]
    outside: Literal["packages", "includes", "modules"] = "packages"
    imported: Callable[[str], tuple[Import, ...]] = imports.nothing
    mended: Callable[[bytes], bytes] = common_mend.as_it_is
    open: bool = False
    members: bool = True
    virtual: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    constructor: str = ""
    maker: str = ""
    declares: bool = True
    mixes: bool = False
    requires: bool = False
    sigil: str = ""

    def query(self, section: str) -> Query:
        """The compiled query of a section (`definitions`, `uses`) of the language's file."""
        return treesitter.query(_sections(self.name)[section], *self.grammar)


@cache
def _sections(name: str) -> dict[str, str]:
    source = files("statetape.code").joinpath("queries", f"{name}.scm").read_text("utf-8")
    _, *parts = _SECTION.split(source)
    return dict(zip(parts[::2], parts[1::2], strict=True))


_C = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl")
_OVERRIDABLE = frozenset(("virtual", "abstract", "override", "open"))

JAVA = Dialect(
    "java",
    (".java",),
    ("tree_sitter_java", "language"),
    imported=imports.java,
    wrappers=frozenset(("Optional",)),
    through=frozenset(("get", "orElse", "orElseThrow", "orElseGet")),
)
KOTLIN = Dialect(
    "kotlin",
    (".kt", ".kts"),
    ("tree_sitter_kotlin", "language"),
    imported=imports.kotlin,
    open=True,
    virtual=_OVERRIDABLE,
    constructor="constructor",
    through=frozenset(("also", "apply")),
)
CSHARP = Dialect(
    "csharp",
    (".cs",),
    ("tree_sitter_c_sharp", "language"),
    imported=imports.csharp,
    open=True,
    virtual=_OVERRIDABLE,
    wrappers=frozenset(("Task", "ValueTask", "Lazy", "Nullable")),
)
PHP = Dialect(
    "php",
    (".php", ".phtml"),
    ("tree_sitter_php", "language_php"),
    imported=imports.php,
    members=False,
    declares=False,
    mixes=True,
    requires=True,
    constructor="__construct",
)
SWIFT = Dialect(
    "swift",
    (".swift",),
    ("tree_sitter_swift", "language"),
    open=True,
    wrappers=frozenset(("Optional",)),
    constructor="init",
)
RUBY = Dialect(
    "ruby",
    (".rb", ".rake"),
    ("tree_sitter_ruby", "language"),
    imported=imports.ruby,
    open=True,
    constructor="initialize",
    maker="new",
    declares=False,
    mixes=True,
    requires=True,
    sigil="@",
    through=frozenset(("tap", "dup", "clone", "freeze")),
)
RUST = Dialect(
    "rust",
    (".rs",),
    ("tree_sitter_rust", "language"),
    outside="modules",
    imported=imports.rust,
    open=True,
    members=False,
    wrappers=frozenset(
        [
            "Box",
            "Rc",
            "Arc",
            "Option",
            "Result",
            "RefCell",
            "Cell",
            "Mutex",
            "RwLock",
            "Ref",
            "RefMut",
            "MutexGuard",
            "Cow",
            "Pin",
        ]
    ),
    through=frozenset(
        [
            "unwrap",
            "expect",
            "unwrap_or",
            "unwrap_or_default",
            "unwrap_or_else",
            "ok",
            "clone",
            "borrow",
            "borrow_mut",
            "as_ref",
            "as_mut",
            "as_deref",
            "lock",
            "read",
            "write",
            "to_owned",
            "take",
            "cloned",
            "copied",
        ]
    ),
)
C = Dialect("c", _C, ("tree_sitter_c", "language"), outside="includes", imported=imports.included)
CPP = Dialect(
    "cpp",
    _C,
    ("tree_sitter_cpp", "language"),
    mended=common_mend.without_exports,
    outside="includes",
    imported=imports.included,
    open=True,
    virtual=_OVERRIDABLE,
    wrappers=frozenset(["unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper"]),
    through=frozenset(("get", "lock", "value")),
)
BASH = Dialect(
    "bash",
    (".sh", ".bash"),
    ("tree_sitter_bash", "language"),
    outside="includes",
    imported=imports.sourced,
    declares=False,
)
DIALECTS = {d.name: d for d in (JAVA, KOTLIN, CSHARP, PHP, SWIFT, RUBY, RUST, C, CPP, BASH)}
