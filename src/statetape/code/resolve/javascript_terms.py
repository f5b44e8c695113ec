"""What a JavaScript text refers to, without the repository that says what that is.

Terms are *values*, which other values and uses build on, or *uses*, which edges come from.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple


class Term(NamedTuple):
    """One value or use. `of` is the number of the term it builds on, always a smaller one.

    Values: what a `free` name is; a definition `nested` in the owner of the text, or else `of`;
    `this`; a `member` or an `inherited` member of that name; an `element` of a value; what it is
    `called`, or `made` with `new`; what a destructuring has `picked` by a key; something `typed`
    as the text `name`; the `required` module of that name.
    Uses: a value that is `used`, one that is `constructed`.
    """

    kind: Literal[
        "free",
        "nested",
        "this",
        "member",
        "inherited",
        "element",
        "called",
        "made",
        "picked",
        "typed",
        "required",
        "used",
        "constructed",
    ]
    name: str = ""
    of: int = -1


class Terms(NamedTuple):
    """The terms of a text in order.

    `local` are the names it gives the definitions nested in it, by number; -1: nothing known.
    `value` is the number of what the text is, where it is an expression.
    """

    terms: tuple[Term, ...] = ()
    local: Mapping[str, int] = {}
    value: int = -1
