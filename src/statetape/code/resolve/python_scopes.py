"""What the own text of one Python definition binds, calls and returns: the words for it."""

import ast
from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

Position = tuple[int, int]
"""Line and column in the own text: orders bindings and uses of one scope."""

Part = int | tuple[int, int] | None
"""What unpacking takes: the element at a position (from the end, if below 0), those from a first
position on without some last ones, or any element."""


Kind = Literal[
    "definition",
    "import",
    "value",
    "element",
    "entered",
    "caught",
    "tested",
    "parameter",
    "rest",
    "named",
    "unknown",
]


class Binding(NamedTuple):
    """One statement that gives a name a meaning.

    `value` is the expression the meaning comes from: the right-hand side, the iterable (`element`),
    the context manager (`entered`), the class that is caught or `tested` by `isinstance`. `part`
    are the positions to take of it, outermost first. Of an import, `module` and `level` say what is
    imported from where, `name` what of it (None: the module itself, `*`: all its names).
    `rest` and `named` are the parameters behind `*` and `**`. A `sole` statement binds nothing
    else: outside of functions it is a symbol.
    """

    kind: Kind
    at: Position
    conditional: bool = False
    value: ast.expr | None = None
    annotation: ast.expr | None = None
    part: tuple[Part, ...] = ()
    module: str = ""
    level: int = 0
    name: str | None = None
    sole: bool = False


class Filling(NamedTuple):
    """One statement that puts something into the container that a name or attribute holds.

    `keys` lead to the place, outermost first (None: any). A `merged` value is a container itself.
    """

    at: Position
    keys: tuple[ast.expr | None, ...]
    value: ast.expr
    merged: bool = False


class Use(NamedTuple):
    """An expression that is used, also an attribute that is written or what `with` enters.

    `call` is the whole call of what is called, None where it comes without arguments (`raise`).
    `inner` are the names that a lambda or comprehension around it binds. `holder` is the name of
    the variable whose statement it stands in, empty in all other text. `method` is the one that
    the operation on an operand runs.
    """

    kind: Literal["called", "read", "written", "iterated", "entered", "operand"]
    value: ast.expr
    at: Position
    inner: Mapping[str, Binding] = {}
    call: ast.Call | None = None
    holder: str = ""
    method: str = ""


class Scope(Struct, frozen=True, eq=False):
    """One place of a definition (or the module). Names are as written, nothing is resolved.

    `text` is what was read: the own text, its indentation mended where that was needed.
    `attributes` are assignments to attributes of the first parameter, `fillings` what is put into
    names and (behind a dot) into such attributes. `outer` are the uses that belong to the
    definition but see only the names around it (defaults, annotations, bases, what is in
    decorators). `yielded` are `yield` expressions, `delegated` those with `from`.
    """

    bindings: Mapping[str, tuple[Binding, ...]]
    stars: tuple[Binding, ...] = ()
    uses: tuple[Use, ...] = ()
    outer: tuple[Use, ...] = ()
    returns: tuple[Use, ...] = ()
    yielded: tuple[Use, ...] = ()
    delegated: tuple[Use, ...] = ()
    returned: ast.expr | None = None
    generates: bool = False
    parameters: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[Binding, ...]] = {}
    fillings: Mapping[str, tuple[Filling, ...]] = {}
    bases: tuple[ast.expr, ...] = ()
    metaclass: ast.expr | None = None
    decorators: tuple[ast.expr, ...] = ()
    above: frozenset[str] = frozenset()
    exports: frozenset[str] | None = None
    text: str = ""


NOTHING = Scope({})
