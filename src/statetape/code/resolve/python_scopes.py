"""What the own text of one Python definition binds, calls and returns: the words for it."""

import ast
from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

Position = tuple[int, int]
"""Line and column in the own text: orders bindings and uses of one scope."""


class Binding(NamedTuple):
    """One statement that gives a name a meaning.

    `value` is the expression the meaning comes from: the right-hand side, the iterable (`element`),
    the context manager (`entered`), the caught class (`caught`). `part` are the positions
    to take of it, outermost first (None: any). Of an import, `module` and `level` say what is
    imported from where, `name` what of it (None: the module itself, `*`: all its names).
    """

    kind: Literal["definition", "import", "value", "element", "entered", "caught", "parameter"]
    at: Position
    conditional: bool = False
    value: ast.expr | None = None
    annotation: ast.expr | None = None
    part: tuple[int | None, ...] = ()
    module: str = ""
    level: int = 0
    name: str | None = None


class Use(NamedTuple):
    """An expression that is called (or read, where it may be a property).

    `inner` are the names that a lambda or comprehension around it binds.
    """

    value: ast.expr
    at: Position
    inner: Mapping[str, Binding]
    called: bool = True


class Scope(Struct, frozen=True):
    """One place of a definition (or the module). Names are as written, nothing is resolved.

    `attributes` are assignments to attributes of the first parameter; `outer` are the uses that
    belong to the definition but see only the names around it (decorators, defaults).
    """

    bindings: Mapping[str, tuple[Binding, ...]]
    stars: tuple[Binding, ...] = ()
    uses: tuple[Use, ...] = ()
    outer: tuple[Use, ...] = ()
    returns: tuple[Use, ...] = ()
    returned: ast.expr | None = None
    yields: bool = False
    parameters: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[Binding, ...]] = {}
    bases: tuple[ast.expr, ...] = ()
    decorators: tuple[ast.expr, ...] = ()
    above: frozenset[str] = frozenset()
    exports: frozenset[str] | None = None


NOTHING = Scope({})
