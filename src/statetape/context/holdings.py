"""The records of one context, and which of them are about what."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import count

from statetape.context.searches import touches
from statetape.tape import Entry
from statetape.types import Query, Record, RepositoryState, Search, Slot, SymbolId

_NONE: frozenset[Slot] = frozenset()


class Holdings:
    """Records by slot, in the order in which their slots were first seen.

    `tokens` are those of all records, `of_state` the slots of records of the repository's state,
    `searches` what the others look for. Every look-up is one of a dictionary.
    """

    def __init__(self) -> None:
        self._records: dict[Slot, Record] = {}
        self._places: dict[Slot, int] = {}
        self._numbers = count(0, 2)  # what is added to a result stands behind it, before the next
        self._of_symbol: defaultdict[SymbolId, set[Slot]] = defaultdict(set)
        self._of_path: defaultdict[str, set[Slot]] = defaultdict(set)
        self.of_state: set[Slot] = set()
        self.searches: dict[Slot, tuple[Search, ...]] = {}
        self.tokens = 0

    @property
    def records(self) -> Mapping[Slot, Record]:
        """All records."""
        return self._records

    def place(self, slot: Slot) -> int:
        """A number that rises in the order of the slots. KeyError for a slot without a record."""
        return self._places[slot]

    def of_symbol(self, symbol: SymbolId) -> AbstractSet[Slot]:
        """The records that show something of a symbol."""
        return self._of_symbol.get(symbol, _NONE)

    def of_path(self, path: str) -> AbstractSet[Slot]:
        """The records that show something of a file."""
        return self._of_path.get(path, _NONE)

    def touched(self, entries: Iterable[Entry]) -> tuple[set[Slot], set[Slot]]:
        """The records that some writes may have falsified, and the searches for a changed line.

        Records of the written files, records of symbols elsewhere whose dispatch moved, records
        of the repository's state, and searches whose pattern stands in a changed line. All
        records of a written file, for a record may outlive its symbols: while a file is broken
        they go and come, and the text that it shows still stands.
        """
        touched = set(self.of_state)
        searched = set()
        for entry in entries:
            for slot, searches in self.searches.items():
                if any(touches(search, entry.write) for search in searches):
                    searched.add(slot)
            touched |= self.of_path(entry.write.path)
            for symbol in entry.drift.dispatch:
                touched |= self.of_symbol(symbol)
        return touched, searched

    def put(self, record: Record) -> None:
        """A record enters, or takes the place of the one in its slot.

        What is added to a result enters directly behind it. KeyError: there is no such result.
        """
        slot = record.slot
        old = self._records.get(slot)
        if old is not None:
            self._unlist(old)
        elif slot.side == "added":
            self._places[slot] = self._places[Slot(slot.id, "result")] + 1
        else:
            self._places[slot] = next(self._numbers)
        self._records[slot] = record
        if old is None and slot.side == "added":
            self._sort()
        self.tokens += record.tokens
        if isinstance(record.referent, RepositoryState):
            self.of_state.add(slot)
        elif isinstance(record.referent, Query):
            self.searches[slot] = record.referent.searches
        for symbol in getattr(record.referent, "views", ()):
            self._of_symbol[symbol].add(slot)
            self._of_path[symbol.path].add(slot)

    def remove(self, slot: Slot) -> Record | None:
        """The record that was in a slot, which is no more; None where there was none."""
        record = self._records.pop(slot, None)
        if record is not None:
            del self._places[slot]
            self._unlist(record)
        return record

    def _sort(self) -> None:
        """Put the records in order again, in place: others see them."""
        records = sorted(self._records.items(), key=lambda each: self._places[each[0]])
        self._records.clear()
        self._records.update(records)

    def _unlist(self, record: Record) -> None:
        slot = record.slot
        self.tokens -= record.tokens
        self.of_state.discard(slot)
        self.searches.pop(slot, None)
        for symbol in getattr(record.referent, "views", ()):
            self._of_symbol[symbol].discard(slot)
            self._of_path[symbol.path].discard(slot)
