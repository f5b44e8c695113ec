"""What an expression may be, as far as it matters for edges."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from statetape.code.resolve.javascript_types import OTHER, Type

if TYPE_CHECKING:
    from statetape.code.resolve.javascript_meaning import Meaning

Bound = tuple[tuple[str, "Value"], ...]
"""Type parameters with what they are bound to; under `this` the receiver."""


class Value(NamedTuple):
    """One thing that an expression may be.

    A `definition` of that name in the file; an `instance` of the class of that name, `exact` where
    it was made here; a `module`; something of a `type`, as stated in the scope of that name; what
    a `term` of a text stands for; a `constant` of that text; or `external`: nothing of the
    repository.
    """

    kind: Literal["definition", "instance", "module", "type", "term", "constant", "external"]
    path: str = ""
    name: str = ""
    exact: bool = False
    bound: Bound = ()
    type: Type = OTHER
    text: "Meaning | None" = None
    number: int = -1


Several = tuple[Value, ...]
EXTERNAL = Value("external")


def merged(values: Iterable[Iterable[Value]]) -> Several:
    """All values of several, each once."""
    return tuple(dict.fromkeys(value for each in values for value in each))
