"""Type texts and names as a file writes them, in one notation: dotted, without decoration."""

import re
from collections.abc import Iterable

from tree_sitter import Node

from statetape.code.treesitter import text

_SEPARATOR = re.compile(r"::|\\")
_SEEN_AS = re.compile(r"^<\s*&?([\w:]+)\s+as\s[^>]*>")  # Rust: `<Type as Trait>::method`
_ARGUMENTS = re.compile(r"<.*>|\[.*\]", re.DOTALL)
_WORDS = re.compile(
    r"\b(?:struct|union|enum|class|const|volatile|mut|dyn|impl|ref|out|in|readonly|final|inout|some"
    r"|any|typename|static|inline|extern|unsigned|signed|register|vararg|params|this|crate::)\s+"
    r"|'\w+\s*|@\w+\s+|[&*?!^+]+"
)
_NAMED = re.compile(r"\.?[^\W\d][\w.]*")
_DEEPEST = 8
"""How many wrappers in wrappers are unwrapped."""


def name_text(name: str) -> str:
    """A name with dots between its parts, without type arguments, quotes and blank space.

    It begins with a dot where it says that it is whole.
    """
    if name.isidentifier():
        return name
    name = _SEEN_AS.sub(r"\1", name)
    if "operator" in name:
        return "".join(_SEPARATOR.sub(".", name).split())
    bare = _ARGUMENTS.sub("", name) if "<" in name else name
    return "".join(_SEPARATOR.sub(".", bare).split()).strip("`:\"'").rstrip(".")


def type_text(data: bytes, node: Node) -> str:
    """The type text of a type node, on one line."""
    type_ = text(data, node)
    if type_.isidentifier():
        return type_
    return " ".join(_SEPARATOR.sub(".", type_).split()).lstrip(": ")


def names_of(type_: str, wrappers: frozenset[str] = frozenset(), depth: int = 0) -> tuple[str, ...]:
    """The dotted names of the classes that a value of a type can be an instance of.

    A wrapper answers for its first argument; a list, a tuple and a function type have none.
    """
    found: list[str] = []
    for part in _apart(type_, "|&"):
        bare = _WORDS.sub(" ", part.strip() + " ").strip(" ()")
        named = _NAMED.match(bare)
        if named is None or bare.endswith("]") or "->" in part or "=>" in part:
            continue
        name = named[0]
        if name.rpartition(".")[2] in wrappers and depth < _DEEPEST:
            arguments = arguments_of(bare)
            found += names_of(arguments[0], wrappers, depth + 1) if arguments else ()
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


def arguments_of(type_: str) -> tuple[str, ...]:
    """The type arguments in `Name<A, B>`, `Name[A, B]`, and the parts of `[A]` or `[A: B]`."""
    openings = [at for at in (type_.find("<"), type_.find("[")) if at >= 0]
    if not openings:
        return ()
    inner = type_[min(openings) + 1 :]
    closing = max(inner.rfind(">"), inner.rfind("]"))
    parts = (part.strip() for part in _apart(inner[:closing], ",;:"))
    return tuple(part for part in parts if part)


def element_of(type_: str) -> str:
    """The type text of what a loop over a value of a type gives, empty where it is not known."""
    bare = _WORDS.sub(" ", type_.strip() + " ").strip()
    if bare.endswith("[]"):
        return bare[:-2]
    if bare.startswith("[") and bare.endswith("]"):
        return element_of_list(bare)
    arguments = arguments_of(bare)
    return arguments[-1] if arguments else ""


def element_of_list(bare: str) -> str:
    """`A` of `[A]` and `[A; 3]`, `B` of `[A: B]`."""
    arguments = arguments_of(bare)
    if not arguments:
        return ""
    return arguments[-1] if ":" in bare and ";" not in bare else arguments[0]


def last_names(types: Iterable[str]) -> tuple[str, ...]:
    """The last names of the classes that types name."""
    names = (name.rpartition(".")[2] for type_ in types for name in names_of(type_))
    return tuple(dict.fromkeys(name for name in names if name))


def _apart(text_: str, separators: str) -> list[str]:
    """The parts between the separators that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text_):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth -= 1
        elif character in separators and depth <= 0:
            parts.append(text_[start:at])
            start = at + 1
    return [*parts, text_[start:]]
