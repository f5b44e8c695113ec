"""Which symbols of the whole repository go by a name, and which classes inherit from one.

A key is the last name of a definition, or that of a base behind `<`.
"""

from collections.abc import Iterable, Iterator

from statetape.code.facts import Interface
from statetape.types import SymbolId


def defining(name: str) -> str:
    """The key of the definitions with this last name."""
    return name


def inheriting(name: str) -> str:
    """The key of the classes that state a base of this last name."""
    return f"<{name}"


class NameIndex:
    """The symbols of all files under their keys, kept current by `note`.

    It holds the files of a key; their symbols are sought when somebody asks for it first.
    """

    def __init__(self, files: Iterable[tuple[str, Interface]]) -> None:
        self._stated = dict(files)
        self._files: dict[str, list[str]] = {}
        self._symbols: dict[str, tuple[SymbolId, ...]] = {}
        found = self._files
        for path, interface in self._stated.items():
            for key in _keys(interface):
                if key in found:
                    found[key].append(path)
                else:
                    found[key] = [path]

    def note(self, path: str, after: Interface | None) -> set[str]:
        """The keys under which a write of `path` has changed the index."""
        old = set(named(self._stated.pop(path, None)))
        new = set(named(after))
        if after is not None:
            self._stated[path] = after
        changed = {key for key, _ in old ^ new}
        for key in changed:
            self._symbols.pop(key, None)
            self._files.setdefault(key, []).append(path)
        return changed

    def under(self, key: str) -> tuple[SymbolId, ...]:
        """The symbols under a key, sorted."""
        if key not in self._symbols:
            # A file may be there twice, or no longer say anything under the key.
            self._symbols[key] = tuple(
                sorted(
                    SymbolId(path, name)
                    for path in set(self._files.get(key, ()))
                    for name in {n for each, n in named(self._stated.get(path)) if each == key}
                )
            )
        return self._symbols[key]


def _keys(interface: Interface) -> set[str]:
    """The keys under which a file has something: those of `named`, at half the cost."""
    if interface.generated:
        return set()
    found = {name.rpartition(".")[2] for name in interface.names}
    found.discard("")
    if interface.bases:
        found.update(inheriting(base) for _, bases in interface.bases for base in bases)
    return found


def named(interface: Interface | None) -> Iterator[tuple[str, str]]:
    """The keys with the qualified names that a file has under them."""
    if interface is None or interface.generated:
        return
    for name in interface.names:
        if name:
            yield defining(name[name.rfind(".") + 1 :]), name
    for name, bases in interface.bases:
        for base in bases:
            yield inheriting(base), name
