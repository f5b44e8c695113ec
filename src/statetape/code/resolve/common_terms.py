"""What a text refers to, without the repository that says what that is: numbered terms."""

from collections.abc import Mapping
from typing import Literal, NamedTuple


class Term(NamedTuple):
    """One use or value. `of` are the numbers of the terms it builds on.

    Uses: a `call` of a name, bare or of a value; a `member` of a value; a free `name`; a `new`
    instance of a type; `init`, the constructor of its own class or base; `parent`, the method that
    the own one overrides; the `mention` of a type. Values alone: `self`,
    `super`, a `stated` type, an `element` of a value, one of several values (`through`), a `local`
    variable (`at` is its number), a `literal`, which has no members here.
    """

    kind: Literal[
        "call",
        "member",
        "name",
        "new",
        "init",
        "self",
        "super",
        "stated",
        "element",
        "through",
        "local",
        "literal",
        "mention",
        "parent",
    ]
    name: str = ""
    of: tuple[int, ...] = ()
    at: int = -1


class Terms(NamedTuple):
    """The terms of a text; its local variables, each with the terms it is given; what it returns.

    `attributes` are the terms that attributes of the own object are given. A term -1 is a value
    of which nothing is known.
    """

    terms: tuple[Term, ...]
    variables: tuple[tuple[int, ...], ...] = ()
    returns: tuple[int, ...] = ()
    attributes: Mapping[str, tuple[int, ...]] = {}
