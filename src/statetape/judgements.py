"""What the tape says of records and what would take their place: each worked out once."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from statetape.code.loading import Loaded, loaded
from statetape.code.moves import Moved
from statetape.context.fresh import refreshed
from statetape.context.searches import added
from statetape.context.unreached import unreached
from statetape.tape import Entry, nomination
from statetape.types import (
    Decision,
    Nomination,
    Query,
    Record,
    RepositoryState,
    SymbolId,
    Symbols,
    Tick,
)
from statetape.workspace import Workspace


class _Judged:
    """One record, judged at tick `at`. What stands in lists is there once asked for."""

    def __init__(self, record: Record, at: Tick, found: Nomination | None) -> None:
        self.record = record
        self.at = at
        self.found = found
        self.fresh: list[Record | None] = []
        self.unreached: list[str | None] = []
        self.moved: list[Mapping[SymbolId, Moved]] = []


class Judgements:
    """Of the records of one workspace, by the records themselves.

    They follow from a record and the tape alone, so sessions that hold the same records can share
    them. A record that several sessions hold has to be the same object in all.
    """

    def __init__(self, workspace: Workspace, tokens: Callable[[str], int]) -> None:
        self._workspace = workspace
        self._tokens = tokens
        self._judged: dict[int, _Judged] = {}
        # What tests load, as of a tick.
        self._loads: dict[tuple[str, ...], tuple[Tick, Loaded | None]] = {}
        # What writes have added to searches, and the tick up to which that is known.
        self._added: dict[int, tuple[Tick, dict[str, list[int]] | None]] = {}

    def nomination(
        self, record: Record, *, outdated: bool, searched: bool = False
    ) -> Nomination | None:
        """What the tape says of the record now. Asked at every write that touched it.

        `outdated`: it is false whatever the tape says. `searched`: a write added or took lines
        that it looks for.
        """
        known = self._judged.get(id(record))
        now = self._workspace.now
        if known is None or known.at != now or (outdated and known.found is None):
            found = self._found(record, outdated=outdated, searched=searched)
            self._judged[id(record)] = known = _Judged(record, now, found)
        return known.found

    def fresh(self, nominated: Nomination) -> Record | None:
        """What a refresh would put in place; made once, for nominations follow every write.

        The record may be one that the tape has not nominated.
        """
        if id(nominated.record) not in self._judged:
            self.nomination(nominated.record, outdated=False)
        known = self._judged[id(nominated.record)]
        if not known.fresh:
            known.fresh.append(self._refreshed(nominated.record))
        return known.fresh[0]

    def made(self, record: Record) -> Record | None:
        """What `fresh` said of the record last; None: it was not asked, or there is nothing."""
        known = self._judged.get(id(record))
        return known.fresh[0] if known is not None and known.fresh else None

    def moved(self, nominated: Nomination) -> Mapping[SymbolId, Moved]:
        """Where those of the nomination's symbols are now that went to another file."""
        known = self._judged[id(nominated.record)]
        if not known.moved:
            known.moved.append(self._moved(nominated))
        return known.moved[0]

    def unreached(self, nominated: Nomination) -> str | None:
        """Why no write can have falsified a test result; None where one can, or it is no test.

        Worked out once after each write. Costs what `code.loading.loaded` does, where tests load
        what was written or a file came since that was asked for them; else a look-up.
        """
        known = self._judged[id(nominated.record)]
        if not known.unreached:
            known.unreached.append(unreached(nominated.record, self._workspace, self._loaded))
        return known.unreached[0]

    def forget(self, record: Record) -> None:
        """Nobody holds the record any more."""
        self._judged.pop(id(record), None)
        self._added.pop(id(record), None)

    def _loaded(self, tests: Sequence[str], but: Sequence[str]) -> frozenset[str] | None:
        key, now = tuple(tests), self._workspace.now
        since, found = self._loads.get(key, (now, None))
        if found is None or any(
            _may_load(entry, found.files) for entry in self._workspace.tape.since(since)
        ):
            found = loaded(tests, self._workspace.graph, but)
        self._loads[key] = now, found
        spared = found is not None and found.spares(but)
        return found.files if found is not None and spared else None

    def _found(self, record: Record, *, outdated: bool, searched: bool) -> Nomination | None:
        found = nomination(record, self._workspace.tape, self._workspace)
        if found is None and outdated:
            return _outdated(record)
        if not isinstance(record.referent, Query):
            return found
        more = self._more(record, record.referent, searched=searched)
        if more == {}:
            return found
        if found is None:
            found = Nomination(record, frozenset(), frozenset(), record.born + 1, "refresh")
        return replace(found, default="rerun" if more is None else "refresh")

    def _more(self, record: Record, query: Query, *, searched: bool) -> dict[str, list[int]] | None:
        now = self._workspace.now
        known = self._added.get(id(record))
        if known is None or (searched and known[0] != now):
            known = self._added[id(record)] = now, added(record, query, self._workspace)
        return known[1]

    def _refreshed(self, record: Record) -> Record | None:
        more = None
        if isinstance(record.referent, Query):
            more = added(record, record.referent, self._workspace)
            if more is None:
                return None
        return refreshed(record, self._workspace, self._tokens, more)

    def _moved(self, nominated: Nomination) -> Mapping[SymbolId, Moved]:
        record = nominated.record
        if not isinstance(record.referent, Symbols | Query):
            return {}
        views = record.referent.views
        held = {symbol: views[symbol].digest for symbol in nominated.body}
        return self._workspace.moved(held, record.born)


def _may_load(entry: Entry, files: frozenset[str]) -> bool:
    """Whether tests that loaded these files may load others since a write.

    It is of one of them, or of a file that was not there.
    """
    write = entry.write
    return write.path in files or write.before is None


def _outdated(record: Record) -> Nomination:
    of_state = isinstance(record.referent, RepositoryState)
    symbols = frozenset(getattr(record.referent, "views", ()))
    default: Decision = "rerun" if of_state else "refresh"
    return Nomination(record, symbols, frozenset(), record.born + 1, default)
