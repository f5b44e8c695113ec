"""The tape: what each write changed, and which held records that could have falsified.

It compares graphs and texts and asks no model. A record is nominated iff the local view of one of
its symbols differs between its birth and now (Theorem 1 needs only the two ends of the window),
narrowed by what the record shows: lines of which its own copy still stands are not falsified.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from statetape.types import (
    Drift,
    Nomination,
    Query,
    Record,
    RepositoryState,
    Shown,
    SymbolId,
    Symbols,
    Tick,
    View,
    Write,
)


class Entry(Struct, frozen=True):
    """One write on the tape; `tick` counts from 1."""

    tick: Tick
    write: Write
    drift: Drift


class Tape:
    """An append-only log of writes, indexed by symbol and by path."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._of_symbol: defaultdict[SymbolId, list[Tick]] = defaultdict(list)
        self._of_path: defaultdict[str, list[Tick]] = defaultdict(list)

    @property
    def now(self) -> Tick:
        """How many writes the tape holds."""
        return len(self._entries)

    def append(self, write: Write, drift: Drift) -> Entry:
        """The new last entry."""
        entry = Entry(self.now + 1, write, drift)
        self._entries.append(entry)
        for symbol in drift.body | drift.dispatch | drift.created:
            self._of_symbol[symbol].append(entry.tick)
        self._of_path[write.path].append(entry.tick)
        return entry

    def since(self, tick: Tick) -> Sequence[Entry]:
        """The entries after `tick`, oldest first."""
        return self._entries[tick:]

    def first_after(self, symbol: SymbolId, tick: Tick) -> Tick | None:
        """The first tick after `tick` at which `symbol` drifted or was created."""
        return _first_after(self._of_symbol.get(symbol, ()), tick)

    def first_write_after(self, path: str, tick: Tick) -> Tick | None:
        """The first tick after `tick` at which the file was written."""
        return _first_after(self._of_path.get(path, ()), tick)

    def write_at(self, tick: Tick) -> Write:
        """The write at a tick."""
        return self._entries[tick - 1].write

    def writes_of(self, path: str, since: Tick) -> Sequence[Write]:
        """The writes of one file after a tick, oldest first."""
        ticks = self._of_path.get(path, [])
        return [self._entries[t - 1].write for t in ticks[bisect_right(ticks, since) :]]

    def written_since(self, tick: Tick) -> Iterable[str]:
        """The paths written after `tick`, each once, in order of their first write."""
        return dict.fromkeys(entry.write.path for entry in self._entries[tick:])


def _first_after(ticks: Sequence[Tick], tick: Tick) -> Tick | None:
    at = bisect_right(ticks, tick)
    return ticks[at] if at < len(ticks) else None


class Present(Protocol):
    """The repository as it is now, as far as the tape asks."""

    @property
    def state(self) -> int:
        """The digest of everything the repository holds."""

    def digest(self, symbol: SymbolId) -> bytes | None:
        """The digest of a symbol's own text, None where there is no such symbol."""

    def view(self, symbol: SymbolId) -> View | None:
        """The local view of a symbol, None where there is no such symbol."""

    def stands(self, shown: Shown, born: Tick) -> bool:
        """Whether these lines, true at a tick, still stand in their file: the same copy of them."""


def nomination(record: Record, tape: Tape, present: Present) -> Nomination | None:
    """The nomination of one record against the present (Eq. 7, net over its window), or None.

    A `Query` is nominated here for the lines it shows; matches that a write added are the
    search's affair (`context.searches`). Costs one dictionary look-up a symbol, and for a symbol
    that was touched one comparison of views and one search of the file for each run of lines.
    """
    match record.referent:
        case RepositoryState(state=state):
            if state == present.state:
                return None
            return Nomination(record, frozenset(), frozenset(), record.born + 1, "rerun")
        case Symbols() | Query() as referent:
            return _of_views(record, referent, tape, present)
    return None


def _of_views(
    record: Record, referent: Symbols | Query, tape: Tape, present: Present
) -> Nomination | None:
    views = referent.views
    touched = {
        symbol: tick
        for symbol in views
        if (tick := tape.first_after(symbol, record.born)) is not None
    }
    body = {symbol for symbol in touched if present.digest(symbol) != views[symbol].digest}
    dispatch = {
        symbol
        for symbol in touched
        if symbol not in body
        and views[symbol].edges is not None
        and present.view(symbol) != views[symbol]
    }
    if referent.whole:
        fallen = {
            part.path: tick
            for part in referent.shown
            if (tick := tape.first_write_after(part.path, record.born)) is not None
            and not present.stands(part, record.born)
        }
        named = {symbol for symbol in views if symbol.path in fallen}
        # Where another definition of a name takes the place of an equal one, no view tells.
        body = body & named or named
        touched = {**{symbol: fallen[symbol.path] for symbol in named}, **touched}
    if not body and not dispatch:
        return None
    # The other hits of a search whose one hit is gone are there to be shown.
    left = isinstance(referent, Query) or any(present.digest(symbol) is not None for symbol in body)
    return Nomination(
        record,
        frozenset(body),
        frozenset(dispatch),
        min(touched[symbol] for symbol in body | dispatch),
        "refresh" if body and left else "drop",
    )
