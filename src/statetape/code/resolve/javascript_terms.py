"""What a JavaScript text refers to, without the repository that says what that is."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Kind = Literal[
    "free",
    "nested",
    "local",
    "either",
    "this",
    "member",
    "inherited",
    "element",
    "called",
    "made",
    "typed",
    "required",
    "constant",
    "object",
    "function",
    "parameter",
    "class",
    "variable",
    "unknown",
]


class Term(NamedTuple):
    """One value. `of` are the numbers of the terms that it builds on.

    `free`: what a name is outside the text. `nested`: the definition of that name in the owner of
    the text, else `of`. `local`: the variable of that number. `either`: any of `of`. `this`.
    `member`, or `inherited` member, of that name, of `of[0]`. `element`: of `of[0]`, at `of[1]`
    where given. `called`, `made` with `new`: `of[0]`, with the rest. `typed`: of the type `name`.
    `required`: the module of that name. `constant`: a literal of that text. `object`: `keys` and
    their values `of`; a spread has the key `...`. `function`: the one of that number. `parameter`:
    the one at position `keys[0]` of the function of number `name`. `class`: without a name, with
    the base `of`. `variable`: a top-level variable that holds `of` now.
    """

    kind: Kind
    name: str = ""
    of: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


class Function(NamedTuple):
    """A function in a text.

    `parameters` are the stated types of its parameters, empty where there is none; `results` the
    terms that it returns, or yields where it `generates`; `passed` the call that it is an
    argument of and its position there, -1: it is what is called.
    """

    parameters: tuple[str, ...] = ()
    results: tuple[int, ...] = ()
    stated: str = ""
    generates: bool = False
    passed: tuple[int, int] | None = None


class Written(NamedTuple):
    """An assignment to a member: `of.name = value`, by the numbers of terms."""

    of: int
    name: str
    value: int


class Terms(NamedTuple):
    """The terms of a text in order.

    `calls` are the `called` and `made` ones, `mentions` those that name something. `functions` are
    those of the text, `own` the number of the one that the definition is. `locals_` are the values
    of its variables. `named` are, for each definition nested in it, the names in scope there.
    `stated` are the values that the text gives to names outside it, "" for the field that it is.
    `types` are the names of types.
    """

    terms: tuple[Term, ...] = ()
    calls: tuple[int, ...] = ()
    mentions: tuple[int, ...] = ()
    functions: tuple[Function, ...] = ()
    own: int = -1
    locals_: tuple[tuple[int, ...], ...] = ()
    named: Mapping[str, Mapping[str, int]] = {}
    stated: Mapping[str, tuple[int, ...]] = {}
    written: tuple[Written, ...] = ()
    types: tuple[str, ...] = ()
