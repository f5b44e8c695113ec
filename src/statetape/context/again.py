"""What the agent asked for again after a change had taken it away: the harm that a change does."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from statetape.context.repository import Repository
from statetape.regions import moved
from statetape.types import (
    Lines,
    Query,
    Record,
    RepositoryState,
    Slot,
    Symbols,
    Why,
)

_SOON = 10  # steps after which a third read has nothing to do with a pointer


class Again(NamedTuple):
    """The agent asked again for what a change of kind `why` had taken from a slot.

    `tokens` of what it was given now are for that.
    """

    slot: Slot
    why: Why
    tokens: int


class Removed(NamedTuple):
    """A record that a change took away, with what it was called, and the lines that went.

    `lines` are those of the file when the record was born.
    """

    record: Record
    why: Why
    title: str
    lines: tuple[tuple[str, Lines], ...]


class Removals:
    """What changes have removed from one context, as long as nobody asked for it again."""

    def __init__(self, repository: Repository, title: Callable[[Record], str]) -> None:
        self._repository = repository
        self._title = title
        self._removed: dict[Slot, Removed] = {}

    def made(
        self, record: Record, why: Why, lines: tuple[tuple[str, Lines], ...] | None = None
    ) -> None:
        """A change has taken a record away, or some `lines` of it."""
        self._removed[record.slot] = Removed(
            record, why, self._title(record), shown(record) if lines is None else lines
        )

    def forget(self, slot: Slot) -> None:
        """The client dropped the slot, or has its text back: nobody misses what was there."""
        self._removed.pop(slot, None)

    def asked(self, record: Record) -> list[Again]:
        """What a new result shows again. Each removal is asked for once.

        Lines of a file that were shown, wherever they are now; the same search; the same command
        on a repository in the same state. A test that is run again after a write is none.
        """
        if record.slot.side == "input":
            return []
        found = []
        for slot, removed in list(self._removed.items()):
            tokens = self._tokens(record, removed) if slot != record.slot else 0
            if tokens:
                del self._removed[slot]
                found.append(Again(slot, removed.why, tokens))
        return found

    def _tokens(self, record: Record, removed: Removed) -> int:
        match removed.record.referent, record.referent:
            case RepositoryState() as was, RepositoryState() as now:
                same = was.state == now.state and removed.title == self._title(record)
                return record.tokens if same else 0
            case Query() as was, Query() as now:
                return record.tokens if was.searches == now.searches else 0
            case Symbols() as was, Symbols() as now:
                if removed.why == "dedupe" and not self._is_soon(record, removed):
                    return 0
                if not removed.lines:
                    paths = {symbol.path for symbol in was.views}
                    again = any(symbol.path in paths for symbol in now.views)
                    return min(record.tokens, removed.record.tokens) if again else 0
                return self._overlap(record, removed)
        return 0

    def _is_soon(self, record: Record, removed: Removed) -> bool:
        """Whether it is a pointer that a read comes after, and no write."""
        born = removed.record.born
        written = any(self._repository.writes_of(path, born) for path, _ in removed.lines)
        return not written and record.step <= removed.record.step + _SOON

    def _overlap(self, record: Record, removed: Removed) -> int:
        new = shown(record)
        total = sum(_length(lines) for _, lines in new)
        gone = list(self._now(removed))
        common = sum(
            max(0, min(one.last, other.last) - max(one.first, other.first) + 1)
            for path, one in new
            for at, other in gone
            if at == path
        )
        return round(record.tokens * min(1.0, common / total)) if total else 0

    def _now(self, removed: Removed) -> Iterator[tuple[str, Lines]]:
        for path, lines in removed.lines:
            place = moved(lines, self._repository.writes_of(path, removed.record.born))
            if place is not None:
                yield path, place


def shown(record: Record) -> tuple[tuple[str, Lines], ...]:
    """The lines that a record shows, each run with its path."""
    referent = record.referent
    if not isinstance(referent, Symbols | Query):
        return ()
    return tuple((part.path, part.lines) for part in referent.shown)


def _length(lines: Lines) -> int:
    return lines.last - lines.first + 1
