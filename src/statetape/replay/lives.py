"""The life of every record of a replay: when it was true, stale, changed, forgotten, last used."""

from collections import defaultdict
from collections.abc import Iterable

from statetape.context.titles import brought_title, shortened
from statetape.replay.timeline import Passage, RecordRow, State
from statetape.session import Session
from statetape.types import (
    Edit,
    Lines,
    Plan,
    Query,
    Read,
    Record,
    RepositoryState,
    Shown,
    Slot,
    Step,
    Symbols,
    Untracked,
    Why,
)

# A change puts something current in the record's place, or takes the record away.
_STATES: dict[Why, State] = {
    "refresh": "refreshed",
    "retrieve": "refreshed",
    "note": "refreshed",
    "dedupe": "evicted",
    "drop": "dropped",
    "rerun": "rerun",
    "evict": "evicted",
    "mask": "evicted",
    "summarise": "evicted",
}
_ALL = Lines(1, 1 << 60)


class Lives:
    """Follows one session; asked at the end for one row a record."""

    def __init__(self) -> None:
        self._born: dict[Slot, Record] = {}
        self._passages: defaultdict[Slot, list[Passage]] = defaultdict(list)
        self._stale: set[Slot] = set()
        self._touched: defaultdict[str, list[tuple[int, Lines]]] = defaultdict(list)
        self.nominations = 0

    def begin(self, record: Record) -> None:
        """A record entered the context, or took the place of a provisional one in its slot."""
        self._born[record.slot] = record
        self._passages[record.slot] = [Passage(record.step, "fresh")]
        self._stale.discard(record.slot)

    def bring(self, record: Record, step: int) -> None:
        """A policy brought code in at a step."""
        self._born[record.slot] = record
        self._passages[record.slot] = [Passage(step, "retrieved")]

    def use(self, step: Step, records: Iterable[Record]) -> None:
        """A step touched the lines that it names or shows."""
        for action in step.actions:
            if isinstance(action, Read):
                lines = Lines(action.first or 1, action.last or _ALL.last)
                self._touched[action.path].append((step.index, lines))
            elif isinstance(action, Edit) and not action.new and not action.patch:
                self._touched[action.path].append((step.index, _ALL))
        for record in records:
            for part in _shown(record):
                self._touched[part.path].append((step.index, part.lines))

    def judge(self, session: Session, step: int) -> None:
        """Note which records became stale, or true again, at a step."""
        now = session.nominations
        for slot in now.keys() - self._stale:
            nominated = now[slot]
            because = tuple(sorted(map(str, nominated.body | nominated.dispatch)))
            self._passages[slot].append(Passage(step, "stale", because))
            self.nominations += 1
        for slot in self._stale - now.keys():
            if slot in session.held and self._passages[slot][-1].state != "kept":
                self._passages[slot].append(Passage(step, "fresh"))
        self._stale = set(now)

    def change(self, plan: Plan, step: int) -> None:
        """Note what a policy did."""
        for change in plan.changes:
            self._passages[change.slot].append(Passage(step, _STATES[change.why]))
            self._stale.discard(change.slot)
        for each in plan.kept:
            if self._passages[each.slot][-1].state != "kept":
                self._passages[each.slot].append(Passage(step, "kept", (each.reason,)))

    def forget(self, slots: Iterable[Slot], step: int) -> None:
        """Note what the client dropped."""
        for slot in slots:
            if slot in self._born:
                self._passages[slot].append(Passage(step, "forgotten"))
                self._stale.discard(slot)

    def rows(
        self, titles: dict[int, str], now: dict[Slot, Record], last: int
    ) -> tuple[RecordRow, ...]:
        """One row a record, oldest first; `now` are the records that a policy has changed."""
        return tuple(
            RecordRow(
                id=slot.id,
                side=slot.side,
                step=record.step,
                kind=record.kind,
                title=_title(record, titles),
                tokens=record.tokens,
                tokens_now=now.get(slot, record).tokens,
                text=record.text,
                now=now[slot].text if slot in now else None,
                life=tuple(self._passages[slot]),
                last_use=self._last_use(record, last),
            )
            for slot, record in self._born.items()
        )

    def _last_use(self, record: Record, last: int) -> int:
        if isinstance(record.referent, Untracked):
            return last
        if isinstance(record.referent, RepositoryState):
            return record.step
        return max(
            (
                step
                for part in _shown(record)
                for step, lines in self._touched[part.path]
                if step > record.step
                and lines.first <= part.lines.last
                and part.lines.first <= lines.last
            ),
            default=record.step,
        )


def _title(record: Record, titles: dict[int, str]) -> str:
    if record.slot.side == "added":
        return brought_title(record.read)
    return shortened(record.text) if record.slot.side == "say" else titles.get(record.step, "")


def _shown(record: Record) -> tuple[Shown, ...]:
    return record.referent.shown if isinstance(record.referent, Symbols | Query) else ()
