"""What the rest of a Go repository can see of one file, without positions.

A *type text* is a type as written in the file, without needless blank space: it means something
only together with the file's package and imports.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field
from tree_sitter import Node

from statetape.code.treesitter import Block, text

_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_GENERIC = re.compile(r"\[.*", re.DOTALL)


class Function(Struct, frozen=True):
    """A function or method: the type texts of what it takes and returns.

    `generics` are the names of its type parameters, of a method those of its receiver.
    """

    parameters: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    generics: tuple[str, ...] = ()


class Type(Struct, frozen=True):
    """A declared type: its fields by name, as type texts, and what it embeds.

    `methods` are those an interface states. `of` is the type text it is defined as, `alias`
    whether it is the same type (`type A = B`). `together` are the fields that one line declares
    with others: they are no symbols of their own. `generics` are its type parameters.
    """

    kind: Literal["struct", "interface", "type"] = "type"
    fields: dict[str, str] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)
    embeds: tuple[str, ...] = ()
    of: str = ""
    alias: bool = False
    together: frozenset[str] = frozenset()
    generics: tuple[str, ...] = ()


class Value(Struct, frozen=True):
    """A package-level variable or constant: its type text, else the expression that gives it one.

    `at` is its place among the results of the expression. A constant that repeats the expression
    of an earlier one is `repeated`. Without a symbol of its own (`own`) it is stated together
    with others, in the residue.
    """

    type: str = ""
    expression: str = ""
    at: int = 0
    own: bool = True
    repeated: bool = False


class Shape(Struct, frozen=True):
    """The declarations of one file, or of a part of it.

    `imports` are (name, path) pairs, the name empty where none is given, `.` for a dot import.
    Methods are functions under `Type.Method`.
    """

    package: str = ""
    imports: tuple[tuple[str, str], ...] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


class Source(Struct, frozen=True):
    """The detail of a Go file: its shape, and its bytes for the bodies, parsed when asked for.

    `blocks` are the places of each name, `loose` the declarations that bind no name of their own.
    """

    shape: Shape
    data: bytes
    blocks: Mapping[str, Sequence[Block]]
    loose: tuple[bytes, ...] = ()


def merged(shapes: Iterable[Shape]) -> Shape:
    """The shape of a file whose parts have these shapes; of two equal names, the first counts."""
    package = ""
    imports: list[tuple[str, str]] = []
    functions: dict[str, Function] = {}
    types: dict[str, Type] = {}
    values: dict[str, Value] = {}
    for shape in shapes:
        package = package or shape.package
        imports += shape.imports
        for name, function in shape.functions.items():
            functions.setdefault(name, function)
        for name, type_ in shape.types.items():
            types.setdefault(name, type_)
        for name, value in shape.values.items():
            values.setdefault(name, value)
    return Shape(package, tuple(imports), functions, types, values)


def type_text(data: bytes, node: Node) -> str:
    """The type text of a type node."""
    return _SPACE.sub("", text(data, node))


def base(type_: str) -> str:
    """The name in a type text, without pointers and type arguments; a qualifier stays."""
    return _GENERIC.sub("", type_.lstrip("*&("), count=1).rstrip(")")


def arguments(type_: str) -> tuple[str, ...]:
    """The type arguments in a type text, as type texts."""
    start, end = type_.find("["), type_.rfind("]")
    if start <= 0 or end < start or base(type_) == "map":
        return ()
    found, depth = [""], 0
    for character in type_[start + 1 : end]:
        depth += (character in "[({") - (character in "])}")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return tuple(found)
