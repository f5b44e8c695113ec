"""What a Go text refers to and what types it has, without the repository that says what they are.

Terms are *uses*, which edges come from, or *types*, which uses and other types build on.
"""

from typing import Literal, NamedTuple


class Term(NamedTuple):
    """One use or type. `of` is the number of the term it builds on, always a smaller one.

    Uses: a free `name`; the `member` of that name of a value or package; a `key` in a literal of
    a type, which is a field of it or else a free name; the type text of a `literal`; a type that
    is `mentioned`.
    Types: `stated` as the type text `name`; of a package-level variable (`global`); of a `field`;
    of what a `function` or `method` of that name returns in place `at`; of what a `called` value
    returns; of an `element` of a value, or the `index` a loop over it gives. A function may have
    type arguments (`given`). Both: a `qualifier`, the free name before a dot.
    """

    kind: Literal[
        "name",
        "member",
        "key",
        "literal",
        "mentioned",
        "qualifier",
        "stated",
        "global",
        "field",
        "function",
        "method",
        "called",
        "element",
        "index",
    ]
    name: str = ""
    of: int = -1
    at: int = 0
    given: str = ""


class Terms(NamedTuple):
    """The terms of a text in order, and the number of its type where it is an expression."""

    terms: tuple[Term, ...]
    type: int = -1
