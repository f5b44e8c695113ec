"""The changes that a session makes, and where they stand in an earlier state of their files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from statetape.bench.chronicle import Chronicle, State, Written
from statetape.bench.labels import Steps
from statetape.regions import Block, blocks
from statetape.types import Tick


class Hunk(NamedTuple):
    """Lines of a file that a write changed, by number (`Lineage`).

    `old` were taken away, `new` put in their place, `above` and `below` stood around both (None:
    the file's edge). `step` is 0 for a hunk of a reference patch; its `tick` is then 0, too.
    """

    path: str
    step: int
    tick: Tick
    old: tuple[int, ...]
    new: tuple[int, ...]
    above: int | None
    below: int | None

    def places(self, state: State) -> tuple[int, ...]:
        """The lines (1-based) of a state that it changes, none for an insertion."""
        return tuple(state.places[line] for line in self.old if line in state.places)

    def gap(self, state: State) -> tuple[int, int] | None:
        """The lines of a state between which it stands; None where that cannot be told."""
        above = 0 if self.above is None else state.places.get(self.above)
        below = len(state.numbers) + 1 if self.below is None else state.places.get(self.below)
        if above is None and below is None:
            return None
        return (
            below - 1 if above is None and below is not None else above or 0,
            above + 1 if below is None and above is not None else below or 0,
        )


def hunks(chronicle: Chronicle, agents: Mapping[Tick, int]) -> tuple[Hunk, ...]:
    """The hunks of a session's own edits, in order; `agents` are its writes' ticks, with steps."""
    found = [
        hunk
        for written in chronicle.writes.values()
        for each in written
        if each.tick in agents
        for hunk in _of(each, chronicle.at(each.write.path, each.tick), agents[each.tick])
    ]
    return tuple(sorted(found, key=lambda hunk: hunk.tick))


def within(found: Sequence[Hunk], burst: Steps) -> tuple[Hunk, ...]:
    """Those of a burst."""
    return tuple(hunk for hunk in found if burst.first <= hunk.step <= burst.last)


def _of(written: Written, after: State, step: int) -> Iterator[Hunk]:
    for block in blocks(written.write):
        yield _hunk(written, block, after.numbers, step)


def _hunk(written: Written, block: Block, after: Sequence[int], step: int) -> Hunk:
    before = written.before
    return Hunk(
        written.write.path,
        step,
        written.tick,
        tuple(before[block.old_start : block.old_end]),
        tuple(after[block.new_start : block.new_end]),
        before[block.old_start - 1] if block.old_start else None,
        before[block.old_end] if block.old_end < len(before) else None,
    )
