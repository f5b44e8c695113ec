"""Which symbols of the whole repository go by a name, and which classes inherit from one.

A key is the last name of a definition, or that of a base behind `<`.
"""

from collections.abc import Iterable

from statetape.code.facts import Facts
from statetape.types import SymbolId


def defining(name: str) -> str:
    """The key of the definitions with this last name."""
    return name


def inheriting(name: str) -> str:
    """The key of the classes that state a base of this last name."""
    return f"<{name}"


class NameIndex:
    """The symbols of all files under their keys, kept current by `note`."""

    def __init__(self, files: Iterable[tuple[str, Facts]]) -> None:
        self._symbols: dict[str, set[SymbolId]] = {}
        for path, facts in files:
            self.note(path, None, facts)

    def note(self, path: str, before: Facts | None, after: Facts | None) -> set[str]:
        """The keys under which a write of `path` has changed the index."""
        old, new = _stated(path, before), _stated(path, after)
        for key, symbol in old - new:
            self._symbols[key].discard(symbol)
        for key, symbol in new - old:
            self._symbols.setdefault(key, set()).add(symbol)
        return {key for key, _ in old ^ new}

    def under(self, key: str) -> tuple[SymbolId, ...]:
        """The symbols under a key, sorted."""
        return tuple(sorted(self._symbols.get(key, ())))


def _stated(path: str, facts: Facts | None) -> set[tuple[str, SymbolId]]:
    if facts is None:
        return set()
    found = {
        (defining(d.name.rpartition(".")[2]), SymbolId(path, d.name))
        for d in facts.definitions
        if d.name
    }
    found |= {
        (inheriting(base), SymbolId(path, name)) for name, bases in facts.bases for base in bases
    }
    return found
