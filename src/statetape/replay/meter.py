"""Tokens over the requests of a replay: what was sent, what of it was stale, with and without."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from statetape.replay.timeline import Moment, RecordRow, Tokens
from statetape.session import Session
from statetape.types import Nomination, Record, Slot


class Meter:
    """Reads both sessions at every request."""

    def __init__(self) -> None:
        self._request = 0
        self._held: dict[Slot, int] = {}
        self._spans: defaultdict[Slot, list[tuple[int, int]]] = defaultdict(list)
        self._steps: list[int] = []
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._inputs = 0

    def hold(self, record: Record) -> None:
        """A record is in every request from the next one on."""
        self._held.setdefault(record.slot, self._request + 1)

    def forget(self, slots: Iterable[Slot]) -> None:
        """These slots are in no request from the next one on."""
        for slot in slots:
            if slot in self._held:
                self._spans[slot].append((self._held.pop(slot), self._request))

    def send(self, request: int, step: int, control: Session, subject: Session) -> None:
        """One request leaves."""
        self._request = request
        self._steps.append(step)
        ours = sum(subject.held[slot].tokens for slot in subject.ledger)
        self._inputs += _stale(subject.nominations, inputs=True)
        self._rows.append(
            (
                control.tokens,
                _stale(control.nominations, inputs=False),
                subject.tokens,
                _stale(subject.nominations, inputs=False),
                ours,
            )
        )

    def tokens(self) -> Tokens:
        """The sums."""
        return Tokens(
            held_peak=max((row[0] for row in self._rows), default=0),
            sent_control=sum(row[0] for row in self._rows),
            sent_policy=sum(row[2] for row in self._rows),
            stale_sent_control=sum(row[1] for row in self._rows),
            stale_sent_policy=sum(row[3] for row in self._rows),
            stale_inputs_sent=self._inputs,
        )

    def moments(self, records: Iterable[RecordRow]) -> tuple[Moment, ...]:
        """One moment a request. What is finished is known only now, from the records' last use."""
        finished = self._finished(records)
        moments = []
        for index, (control, control_stale, sent, stale, ours) in enumerate(self._rows):
            done = min(finished[index + 1], max(0, sent - stale - ours))
            fresh = max(0, sent - stale - ours - done)
            moments.append(
                Moment(
                    index + 1, self._steps[index], fresh, done, stale, ours, control, control_stale
                )
            )
        return tuple(moments)

    def _finished(self, records: Iterable[RecordRow]) -> Mapping[int, int]:
        changes: Counter[int] = Counter()
        for row in records:
            if row.side == "added":
                continue  # ours from the beginning
            slot = Slot(row.id, row.side)  # type: ignore[arg-type]
            ours_from = next(
                (p.step for p in row.life if p.state in ("refreshed", "dropped", "rerun")), None
            )
            spans = [*self._spans.get(slot, ())]
            if slot in self._held:
                spans.append((self._held[slot], self._request))
            for first, last in spans:
                start = max(first, self._first_at(row.last_use) + 1)
                end = last if ours_from is None else min(last, self._first_at(ours_from) - 1)
                if start <= end:
                    changes[start] += row.tokens
                    changes[end + 1] -= row.tokens
        total = 0
        found: dict[int, int] = {}
        for request in range(1, self._request + 1):
            total += changes[request]
            found[request] = total
        return found

    def _first_at(self, step: int) -> int:
        """The first request sent at or after a step (one beyond the last: none was)."""
        return bisect_left(self._steps, step) + 1


def _stale(nominations: Mapping[Slot, Nomination], *, inputs: bool) -> int:
    return sum(
        nominated.record.tokens
        for slot, nominated in nominations.items()
        if (slot.side == "input") == inputs
    )
