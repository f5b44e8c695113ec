"""What happened to the records at each step, and which write made which of them stale."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from statetape.replay.timeline import Passage, RecordRow, Replayed, WriteRow

MAINTAINED = ("refreshed", "dropped", "rerun", "evicted", "kept")
# The states in which a record has the text it came with.
_OWN = ("fresh", "retrieved", "stale", "kept")


class Change(NamedTuple):
    """A record that entered a state after it was born.

    `then` is what maintenance made of a stale one in the same step, empty where nothing, and `why`
    the reason where it was kept.
    """

    record: RecordRow
    passage: Passage
    then: str = ""
    why: str = ""


class StepChanges(NamedTuple):
    """The changes of one step: those a write explains, by its tick, and all others."""

    by_write: dict[int, list[Change]]
    others: list[Change]


def changes_by_step(replayed: Replayed) -> dict[int, StepChanges]:
    """The writes and changes of each step that has any.

    A record went stale by the first write of the step that drifted a symbol of it; one that
    names no symbol (it is of the repository's state), by the first write of the step.
    """
    writes: dict[int, list[WriteRow]] = {}
    for write in replayed.writes:
        writes.setdefault(write.step, []).append(write)
    found = {step: StepChanges({row.tick: [] for row in rows}, []) for step, rows in writes.items()}
    for record in replayed.records:
        for change in _changes(record):
            step = change.passage.step
            changes = found.setdefault(step, StepChanges({}, []))
            cause = _cause(change.passage, writes.get(step, ()))
            place = changes.others if cause is None else changes.by_write[cause.tick]
            place.append(change)
    return found


class Held(NamedTuple):
    """A record as it was held after a step; `since` and `because` of its state then.

    `because` of a record that maintenance changed is what had made it stale, of one that was kept
    the reason.
    """

    record: RecordRow
    state: str
    since: int
    because: tuple[str, ...]
    tokens: int


def held_at(replayed: Replayed, step: int) -> Iterator[Held]:
    """The records held after `step`, in order. What the client forgot is no longer held.

    The tokens of a record that maintenance changed are those it was left with last.
    """
    for record in replayed.records:
        life = [passage for passage in record.life if passage.step <= step]
        if not life or life[-1].state == "forgotten":
            continue
        state = life[-1].state
        causes = [
            passage.because for passage in life if passage.because and passage.state != "kept"
        ]
        because = life[-1].because if state == "kept" else causes[-1] if causes else ()
        tokens = record.tokens if state in _OWN else record.tokens_now
        yield Held(record, state, life[-1].step, because if state != "fresh" else (), tokens)


def _changes(record: RecordRow) -> Iterator[Change]:
    """A record's changes; a stale one that is maintained in the same step is one change.

    That it came is none, unless a policy brought it in.
    """
    life = deque(record.life)
    if life and life[0].state == "fresh":
        life.popleft()
    while life:
        passage = life.popleft()
        follows = bool(life) and life[0].step == passage.step and life[0].state in MAINTAINED
        if passage.state == "stale" and follows:
            then = life.popleft()
            yield Change(record, passage, then.state, _reason(then))
        else:
            yield Change(record, passage, why=_reason(passage))


def _reason(passage: Passage) -> str:
    return passage.because[0] if passage.state == "kept" else ""


def _cause(passage: Passage, writes: Sequence[WriteRow]) -> WriteRow | None:
    if passage.state != "stale":
        return None
    because = set(passage.because)
    for write in writes:
        if not because or not because.isdisjoint((*write.body, *write.dispatch)):
            return write
    return None
