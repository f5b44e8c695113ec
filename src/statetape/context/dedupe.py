"""A read of what is shown already becomes a pointer to it, and what is new in it.

Line by line: a row goes only if an earlier result that is still sent shows the same text at the
same number. So what is false above hides nothing that is true below.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from statetape.context.again import Again
from statetape.context.claims import marks_of
from statetape.context.repository import Repository
from statetape.context.wording import pointer
from statetape.types import Lines, Record, Replace, Shown, Slot, Symbols, Untracked

_LEAST = 50  # tokens that it has to save in all
_LEAST_RUN = 4  # rows
_LEAST_GAIN = 20  # tokens; a run that is hardly longer than its pointer stays


class Pointed(NamedTuple):
    """A record of which some rows became pointers: `record` is what is left of it.

    `original` is the record as the client sends it, `by` are the slots that the pointers lead to,
    `lines` those that they stand for, each with its path.
    """

    record: Record
    original: Record
    by: frozenset[Slot]
    lines: tuple[tuple[str, Lines], ...]


class Pointers:
    """The pointers of one context, and whether they are any good.

    Each method takes the records that are sent with their lines, `shown`, in order.
    """

    def __init__(
        self,
        repository: Repository,
        title: Callable[[Record], str],
        tokens: Callable[[str], int],
    ) -> None:
        self._repository = repository
        self._title = title
        self._tokens = tokens
        self._pointed: dict[Slot, Pointed] = {}
        self._regretted = False

    def made(self, record: Record, shown: Mapping[Slot, Record]) -> Pointed | None:
        """A record with pointers to what is shown before it; None where there are to be none."""
        found = None if self._regretted else self._found(record, shown)
        if found is not None:
            self._pointed[record.slot] = found
        return found

    def resumed(self, change: Replace, record: Record, shown: Mapping[Slot, Record]) -> Record:
        """What a change from before, with pointers, has left of a record.

        If they cannot be followed any more they stay as long as all that is shown of the files.
        """
        found = self._found(record, shown)
        if found is None or found.record.text != change.text:
            left = replace(
                record,
                text=change.text,
                referent=Untracked(),
                tokens=self._tokens(change.text),
            )
            paths = _paths(record)
            by = frozenset(slot for slot, other in shown.items() if paths & _paths(other))
            found = Pointed(left, record, by - {record.slot}, ())
        self._pointed[record.slot] = found
        return found.record

    def original(self, record: Record) -> Record:
        """A record as it would be without pointers: what a refresh has to show anew."""
        pointed = self._pointed.get(record.slot)
        return record if pointed is None else pointed.original

    def lost(self, shown: Mapping[Slot, Record]) -> list[Record]:
        """The records as the client sends them whose pointers lead nowhere now: they have none."""
        gone = [slot for slot, each in self._pointed.items() if not each.by <= shown.keys()]
        return [self._pointed.pop(slot).original for slot in gone]

    def saved(self, slot: Slot) -> int:
        """The tokens that come back if a slot goes: those that pointers to it save."""
        led = (each for each in self._pointed.values() if slot in each.by)
        return sum(max(0, each.original.tokens - each.record.tokens) for each in led)

    def forget(self, slot: Slot) -> None:
        """The slot has other text now, or is gone."""
        self._pointed.pop(slot, None)

    def heed(self, again: Iterable[Again]) -> None:
        """What was asked for again: a pointer that was not enough is the last one."""
        self._regretted = self._regretted or any(each.why == "dedupe" for each in again)

    def _found(self, record: Record, shown: Mapping[Slot, Record]) -> Pointed | None:
        earlier = takewhile(lambda other: other.slot != record.slot, shown.values())
        return pointed(record, earlier, self._repository, self._title, self._tokens)


class _Run(NamedTuple):
    """Rows (1-based, inclusive) of a record whose lines another one shows."""

    part: Shown
    lines: Lines
    rows: Lines
    by: Record


def pointed(
    record: Record,
    earlier: Iterable[Record],
    repository: Repository,
    title: Callable[[Record], str],
    tokens: Callable[[str], int],
) -> Pointed | None:
    """The record with pointers to earlier ones where these show the same; None: it saves little.

    `earlier` come before it in the context and are sent as they are. What stands between the
    lines of the file stays. Linear in the rows, for each earlier record of the same files.
    """
    referent = record.referent
    if record.slot.side == "input" or record.kind == "edit":
        return None
    if not isinstance(referent, Symbols) or not referent.whole:
        return None
    rows = record.text.split("\n")
    others = [other for other in earlier if other.slot.side != "input"]
    runs = [
        run
        for part in referent.shown
        for run in _runs(part, rows, others)
        if tokens("\n".join(rows[run.rows.first - 1 : run.rows.last]))
        >= tokens(_pointer(run, title)) + _LEAST_GAIN
    ]
    out: list[str] = []
    parts: list[Shown] = []
    at = 0
    for run in sorted(runs, key=lambda run: run.rows):
        _keep(referent.shown, rows, Lines(at + 1, run.rows.first - 1), out, parts)
        out.append(_pointer(run, title))
        at = run.rows.last
    _keep(referent.shown, rows, Lines(at + 1, len(rows)), out, parts)
    text = "\n".join(out)
    size = tokens(text)
    if record.tokens - size < _LEAST:
        return None
    shown = marks_of(parts, repository, record.born)
    views = {symbol: view for symbol, view in referent.views.items() if symbol in shown}
    left = replace(
        record,
        text=text,
        referent=Symbols(views, tuple(parts)) if parts else Untracked(),
        tokens=size,
    )
    lines = tuple((run.part.path, run.lines) for run in runs)
    return Pointed(left, record, frozenset(run.by.slot for run in runs), lines)


def _pointer(run: _Run, title: Callable[[Record], str]) -> str:
    return pointer(run.part.path, run.lines, title(run.by))


def _runs(part: Shown, rows: Sequence[str], others: Sequence[Record]) -> Iterable[_Run]:
    """The longest runs of a part that one other record shows each, from its first line on."""
    mine = _texts(part, rows)
    theirs = [(other, shown) for other in others if (shown := _shown(other, part))]
    number, last = part.lines
    while number <= last:
        end, by = number - 1, None
        for other, shown in theirs:
            n = number
            while n <= last and shown.get(n) == mine[n]:
                n += 1
            if n - 1 > end:
                end, by = n - 1, other
        if by is not None and end - number + 1 >= _LEAST_RUN:
            first = part.rows.first + number - part.lines.first
            # A form may number the empty line behind the last one.
            rest = part.rows.last if end == last else first + end - number
            yield _Run(part, Lines(number, end), Lines(first, rest), by)
        number = max(end, number) + 1


def _shown(record: Record, part: Shown) -> Mapping[int, str]:
    """The lines of the same file that a record shows, by number, as it shows them."""
    if not isinstance(record.referent, Symbols):
        return {}
    found: dict[int, str] = {}
    rows: list[str] = []
    for other in record.referent.shown:
        if other.path == part.path and bool(other.prefixes) == bool(part.prefixes):
            rows = rows or record.text.split("\n")
            found |= _texts(other, rows)
    return found


def _texts(part: Shown, rows: Sequence[str]) -> dict[int, str]:
    found = {}
    for at, number in enumerate(range(part.lines.first, part.lines.last + 1)):
        prefix = part.prefixes[at] if part.prefixes else ""
        found[number] = rows[part.rows.first - 1 + at].removeprefix(prefix)
    return found


def _keep(
    shown: Sequence[Shown], rows: Sequence[str], kept: Lines, out: list[str], parts: list[Shown]
) -> None:
    """Put rows of a text to the new ones, and the parts that they show to the new parts."""
    moved = len(out) + 1 - kept.first
    for part in shown:
        first, last = max(kept.first, part.rows.first), min(kept.last, part.rows.last)
        lines = Lines(
            part.lines.first + first - part.rows.first,
            min(part.lines.last, part.lines.first + last - part.rows.first),
        )
        if first > last or lines.first > lines.last:
            continue
        text = part.text.split("\n")[lines.first - part.lines.first :][
            : lines.last - lines.first + 1
        ]
        prefixes = part.prefixes[first - part.rows.first : last - part.rows.first + 1]
        parts.append(
            Shown(part.path, lines, Lines(first + moved, last + moved), "\n".join(text), prefixes)
        )
    out += rows[kept.first - 1 : kept.last]


def _paths(record: Record) -> set[str]:
    return {symbol.path for symbol in getattr(record.referent, "views", ())}
