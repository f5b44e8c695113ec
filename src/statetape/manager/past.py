"""What the held records and the tape tell of a conversation so far, in steps."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.types import Query, Record, Slot, SymbolId, Symbols, Tick

_NEVER = 500
"""Steps ago, of what has never happened."""


class Past(Struct, frozen=True):
    """What happened when, by step number; `now` is the last step.

    `shown` is the last step that showed a symbol, `written` the last one whose write it drifted
    at or was created by; `newest` the last record that shows it. `reads` and `writes` are the
    steps that read and wrote a file, oldest first.
    """

    now: int
    shown: Mapping[SymbolId, int]
    written: Mapping[SymbolId, int]
    newest: Mapping[SymbolId, Slot]
    reads: Mapping[str, Sequence[int]]
    writes: Mapping[str, Sequence[int]]

    def since(self, step: int | None) -> int:
        """How many steps ago that was; 500 for never."""
        return _NEVER if step is None else min(_NEVER, self.now - step)

    def focus(self, steps: int) -> list[SymbolId]:
        """The symbols written in the last so many steps, the last ones first."""
        last = ((step, symbol) for symbol, step in self.written.items())
        near = [(step, symbol) for step, symbol in last if self.now - step < steps]
        return [symbol for _, symbol in sorted(near, key=lambda each: (-each[0], each[1]))]


def past(situation: Situation, code: Code) -> Past:
    """The past of a situation. Costs a look at each held record and each write on the tape."""
    shown: dict[SymbolId, int] = {}
    newest: dict[SymbolId, Slot] = {}
    reads: defaultdict[str, list[int]] = defaultdict(list)
    times: list[tuple[Tick, int]] = []
    for slot, record in situation.held.items():
        if slot.side in ("input", "say"):
            times.append((record.born, record.step))
            continue
        for path in record.read:
            reads[path].append(record.step)
        for symbol in symbols(record):
            shown[symbol] = max(record.step, shown.get(symbol, 0))
            newest[symbol] = slot
    now = max((record.step for record in situation.held.values()), default=0)
    written, writes = _written(code, begun(situation), sorted(times), now)
    _add_from_before(situation, written, writes)
    return Past(now, shown, written, newest, reads, writes)


def begun(situation: Situation) -> Tick:
    """The birth of the oldest held record.

    What was written before is of another conversation of the repository, or of one that was
    compacted since.
    """
    return min((record.born for record in situation.held.values()), default=situation.now)


def symbols(record: Record) -> Mapping[SymbolId, object]:
    """The symbols of which a record shows something."""
    return record.referent.views if isinstance(record.referent, Symbols | Query) else {}


def _written(
    code: Code, since: Tick, times: Sequence[tuple[Tick, int]], now: int
) -> tuple[dict[SymbolId, int], dict[str, list[int]]]:
    """Symbols and files by the steps that wrote them.

    The tape has ticks alone: a write belongs to the first step that came to be held after it.
    """
    written: dict[SymbolId, int] = {}
    writes: defaultdict[str, list[int]] = defaultdict(list)
    for entry in code.tape.since(since):
        at = bisect_left(times, (entry.tick, 0))
        step = times[at][1] if at < len(times) else now
        for symbol in entry.drift.body | entry.drift.created:
            written[symbol] = step
        writes[entry.write.path].append(step)
    return written, writes


def _add_from_before(
    situation: Situation, written: dict[SymbolId, int], writes: dict[str, list[int]]
) -> None:
    """The edits from before the tape, when another process followed the conversation."""
    first = min((step for steps in writes.values() for step in steps), default=None)
    for slot, record in situation.held.items():
        if slot.side != "input" or (first is not None and record.step >= first):
            continue
        for path in record.written:
            writes.setdefault(path, []).append(record.step)
            for symbol in symbols(record):
                if symbol.path == path:
                    written[symbol] = max(record.step, written.get(symbol, 0))
    for steps in writes.values():
        steps.sort()
