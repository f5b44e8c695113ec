"""Who reaches a symbol, from edges that were resolved before and what a write has left of them.

What was resolved for one state of the files holds for another, where nothing differs that it rests
on. What does not hold, or nobody has resolved yet, is resolved when somebody asks.
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from statetape.code import languages
from statetape.code.chosen import vendored
from statetape.code.grounds import Prints, differing, prints
from statetape.code.mentions import mentioning
from statetape.code.shelf import Shelf
from statetape.types import Mark, SymbolId

Marks = Mapping[SymbolId, Mark]
_FEW = 1000


class KeptFile(NamedTuple):
    """A file of the state that the kept edges are of.

    `digest` is of its bytes, empty where nobody has looked into it. `resolved` counts the symbols
    of which the edges are kept.
    """

    digest: bytes
    resolved: int


class Kept(Protocol):
    """Edges that were resolved before, of one state of the files of a repository."""

    def state(self) -> Mapping[str, KeptFile]:
        """Every file there was, and every other one that was looked into; empty: nothing is kept.

        The same object as long as what is kept is the same.
        """

    def prints(self, path: str) -> Prints | None:
        """What a file has shown; None where that is not known any more."""

    def callers(self, symbol: SymbolId) -> Iterable[tuple[SymbolId, Mark]]:
        """Who had an edge to a symbol."""

    def edges(self, path: str) -> Mapping[str, Marks]:
        """The edges of those symbols of a file that are resolved, by name."""

    def resting(self, numbers: AbstractSet[int]) -> Iterable[SymbolId]:
        """Whose edges rest on one of these numbers (`code.grounds`). Cost: a look at all edges."""


class Unresolved(NamedTuple):
    """The symbols without edges that hold.

    `moved` may have others now, or are new. `open` nobody has resolved yet, by file. `shown` is
    what the files show now that have changed, None: the file is gone. `lost`: nobody can tell any
    more what the kept edges are of.
    """

    moved: AbstractSet[SymbolId] = frozenset()
    open: Mapping[str, AbstractSet[str]] = {}
    shown: Mapping[str, Prints | None] = {}
    lost: bool = False

    def has(self, symbol: SymbolId) -> bool:
        """Whether a symbol is one of them."""
        return symbol in self.moved or symbol.name in self.open.get(symbol.path, ())


class Reaches:
    """What of the kept edges holds for the files as they are now, and the rest on demand."""

    def __init__(self, kept: Kept, shelf: Shelf) -> None:
        self._kept = kept
        self._shelf = shelf
        self._seen: tuple[object, int] | None = None
        self._unresolved = Unresolved()

    def callers(self, symbol: SymbolId, marks: Callable[[SymbolId], Marks]) -> dict[SymbolId, Mark]:
        """Who reaches a symbol, and how; `marks` resolves the edges of one that has none kept.

        Those that may have moved are all resolved, if they are not very many. What nobody has
        resolved yet is sought by what it mentions.
        """
        left = self.unresolved()
        found = {owner: mark for owner, mark in self._kept.callers(symbol) if not left.has(owner)}
        owners = set(left.moved) if len(left.moved) <= _FEW else set[SymbolId]()
        if left.open or len(left.moved) > _FEW:
            owners.update(each for each in mentioning(symbol, self._shelf) if left.has(each))
        for owner in owners:
            mark = marks(owner).get(symbol)
            if mark is not None:
                found[owner] = mark
        return found

    def edges(self, path: str) -> dict[str, Marks]:
        """The edges of those symbols of a file that have edges which hold, by name."""
        left = self.unresolved()
        kept = self._kept.edges(path)
        return {name: kept[name] for name in kept if not left.has(SymbolId(path, name))}

    def unresolved(self) -> Unresolved:
        """What has to be resolved anew. Looked for when a file or what is kept has changed."""
        state = self._kept.state()
        seen = (state, self._shelf.writes)
        if self._seen is None or self._seen[0] is not state or self._seen[1] != seen[1]:
            self._seen = seen
            self._unresolved = self._sought(state)
        return self._unresolved

    def _sought(self, state: Mapping[str, KeptFile]) -> Unresolved:
        now = self._shelf.interfaces()
        own = {p: each for p, each in now.items() if not each.generated and languages.resolves(p)}
        shown: dict[str, Prints | None] = {}
        numbers: set[int] = set()
        for path in self._written(state) if state else ():
            before = self._kept.prints(path) if path in state else None
            if before is None and path in state:
                return Unresolved(open={p: set(each.names) for p, each in own.items()}, lost=True)
            shown[path] = self._shown(path)
            numbers |= differing(path, before, shown[path])
        moved = set(self._kept.resting(numbers)) if numbers else set[SymbolId]()
        left: dict[str, AbstractSet[str]] = {}
        for path, each in own.items():
            there = state[path].resolved if path in state else 0
            if path in shown or there != len(each.names):
                names = set(each.names).difference(self._kept.edges(path) if there else ())
                if path in shown:
                    moved |= {SymbolId(path, name) for name in names}
                elif names:
                    left[path] = names
        return Unresolved(moved, left, shown)

    def _written(self, state: Mapping[str, KeptFile]) -> Iterable[str]:
        """The files that are not what they were."""
        now, listed = self._shelf.interfaces(), set(self._shelf.folders())
        for path in listed.difference(state):
            yield path
        for path, file in state.items():
            if path in now:
                if file.digest and file.digest != now[path].digest:
                    yield path
            elif file.digest:
                facts = self._shelf.facts(path)
                if facts is None or facts.digest != file.digest:
                    yield path
            elif path not in listed:
                yield path

    def _shown(self, path: str) -> Prints | None:
        if vendored(path) and not self._shelf.has_looked_into(path):
            return {} if path in self._shelf.folders() else None
        facts = self._shelf.facts(path)
        return None if facts is None else prints(facts, self._shelf.interfaces().get(path))
