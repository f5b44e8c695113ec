"""Effects against labels: the only place where the two meet."""

from collections.abc import Sequence

from msgspec import Struct

from statetape.bench.effects import Effect
from statetape.bench.labels import Family, Held, Point, Reading
from statetape.bench.score import Score

EDITS: Sequence[tuple[int, int | None, str]] = (
    (1, 1, "1"),
    (2, 5, "2-5"),
    (6, 10, "6-10"),
    (11, 20, "11-20"),
    (21, 30, "21-30"),
    (31, None, ">30"),
)
"""Which edit comes next, from and to (None: any later one), and what plots call it."""


class Scored(Struct, frozen=True):
    """One decision: scored on all held records, and on the results of tools alone.

    Policies remove results only. What is added and found is the same in both. `repeated` is the
    part of what is added that says again what the text in its place has said.
    """

    index: int
    family: Family
    reading: Reading
    edits: int
    of_all: Score
    of_results: Score
    repeated: int = 0

    @property
    def bucket(self) -> str:
        """The name of its row in `EDITS`: the edit that comes next is the one after `edits`."""
        return bucket(self.edits)


class Cell(Struct, frozen=True):
    """All decisions of one session under one policy.

    Over the whole session, in tokens: `sent` by all requests, `sent_control` by those of the
    unmodified agent; lines of files `removed`, and those of them `regretted`. They are 0 where
    each decision is on the recorded context.
    """

    points: tuple[Scored, ...]
    sent: int = 0
    sent_control: int = 0
    removed: int = 0
    regretted: int = 0


def bucket(edits: int) -> str:
    """The name of the row in `EDITS` of a point with so many edits before it."""
    return next(name for _, last, name in EDITS if last is None or edits + 1 <= last)


def is_usual(point: Point | Scored) -> bool:
    """Whether a point is one before a burst, as the paper's labels have it."""
    return point.family == "P" and point.reading != "strict"


def scored(point: Point, effect: Effect) -> Scored:
    """What a decision comes to.

    Each held record counts in full. A fresh text in the place of a needed one loses nothing if it
    covers the same symbols; the missing tokens that are found are counted line by line.
    """
    common = Score(
        points=1,
        missing=point.missing,
        found=_found(point, effect),
        added=effect.added,
        abstained=int(effect.abstains),
    )
    results = [held for held in point.held if held.side == "result"]
    return Scored(
        point.index,
        point.family,
        point.reading,
        point.edits,
        common + _held(point.held, effect),
        common + _held(results, effect),
        sum(change.restored for change in effect.changed.values()),
    )


def _held(records: Sequence[Held], effect: Effect) -> Score:
    unneeded = needed = cleared = lost = restored = 0
    for held in records:
        change = effect.changed.get(held.slot)
        if held.verdict == "needed":
            needed += held.n
            if change is not None and not change.covers:
                lost += held.n
        else:
            unneeded += held.n
            if change is not None:
                cleared += held.n
                restored += min(held.n, change.restored)
    return Score(unneeded=unneeded, needed=needed, cleared=cleared, lost=lost, restored=restored)


def _found(point: Point, effect: Effect) -> int:
    absent = {
        (gold.path, number)
        for gold in point.needed
        for first, last in gold.absent
        for number in range(first, last + 1)
    }
    return sum(effect.lines.get(path, {}).get(number, 0) for path, number in absent)
