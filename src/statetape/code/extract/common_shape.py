"""What the rest of a repository can see of one file in a language of the common extractor.

A *type text* is a type as the file writes it: it means something only at its place in the file.
Qualified names are dotted, whatever the language writes between their parts.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from statetape.code.treesitter import Block


class Import(NamedTuple):
    """One import: the name it binds in the file, and the dotted name of what it imports.

    The name is `*` for everything under a path, empty for an included or sourced file, whose path
    is then as written. `within` is the symbol that states it, `public` whether others see it.
    """

    name: str
    path: str
    within: str = ""
    public: bool = True


class Declared(Struct, frozen=True):
    """One declared name.

    `types` are the type texts it states: results of a function (one for each overload), the type
    of a variable, what an alias stands for. `generics` are its type parameters with their bounds.
    `marks` are its modifiers. `receiver` is the type text an extension method extends. `package` is
    the package or namespace around it. Not `placed`: no symbol of its own (a statement that
    declares several names, the prototype of a function). A `constant` is known under its last name
    alone, too: the one type text of that is its qualified name.
    """

    kind: str
    types: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    generics: tuple[tuple[str, str], ...] = ()
    marks: frozenset[str] = frozenset()
    receiver: str = ""
    package: str = ""
    placed: bool = True


class Shape(Struct, frozen=True):
    """The detail of a file: its declarations by qualified name, its imports, and its bytes.

    `attributes` are the names that methods give values to (`Class.@name`), each with the symbols
    that do. The bytes are for the bodies, parsed when asked for; `blocks` are
    the places of each name.
    """

    package: str = ""
    declared: dict[str, Declared] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    attributes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    data: bytes = b""
    blocks: Mapping[str, Sequence[Block]] = field(default_factory=dict)


CLASSES = frozenset(("class", "interface", "struct", "enum", "extension"))
FUNCTIONS = frozenset(("function", "method"))
VALUES = frozenset(("field", "variable"))
