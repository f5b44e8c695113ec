"""What is known of a value, and how edges are marked."""

from collections.abc import Iterable
from typing import NamedTuple

from statetape.types import Mark, SymbolId


class Value(NamedTuple):
    """An instance, or the class itself (`static`), as far as it is known.

    `of` None: of a class outside the repository. `exact`: not of an heir. `behind`: asked for
    what its class inherits. `type` is the type text it was stated with, `at` where.
    """

    of: SymbolId | None
    exact: bool = False
    static: bool = False
    behind: bool = False
    type: str = ""
    at: SymbolId = SymbolId("", "")


Values = tuple[Value, ...] | None
"""None: nothing is known of it."""

FOREIGN = Value(None)
"""A value whose class is not in the repository."""


def together(found: Iterable[Values]) -> Values:
    """One of several values, as far as they are known."""
    known = [values for values in found if values is not None]
    return tuple(dict.fromkeys(each for values in known for each in values)) if known else None


class Marks(dict[SymbolId, Mark]):
    """The edges of a symbol, each with its strongest mark."""

    def note(self, symbols: Iterable[SymbolId], mark: Mark) -> None:
        """Adds edges."""
        for symbol in symbols:
            if symbol not in self or _STRENGTH.index(mark) < _STRENGTH.index(self[symbol]):
                self[symbol] = mark


_STRENGTH: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")
