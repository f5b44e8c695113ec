"""What each step of a session used of the files' lines, and which records show them.

Follows a walk from its start. Nothing here knows of a policy, a graph or a tape: what a step read
or quoted is what its log says, whoever might have foreseen it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from statetape.bench.lineage import Lineage
from statetape.replay.walk import Came, Happening, Wrote
from statetape.text import text_of
from statetape.types import Edit, Query, Record, Run, Shown, Slot, Step, Symbols, Tick, Write

AROUND = 3
"""Lines on either side of one that is used or changed that count with it."""
REACH = 10
"""Steps ahead within which what the agent goes for counts as next (lookahead's k)."""


class Use(Struct, frozen=True):
    """Step `step` read or quoted these lines (`Lineage`), at tick `tick`.

    `read`: they were shown; `quote`: an edit states them, changes them or stands around them.
    `around` are these and the `AROUND` lines on either side, in the file as it was then: what an
    edit ends stands in it no more once it is made.
    """

    step: int
    tick: Tick
    how: Literal["read", "quote"]
    lines: frozenset[int]
    around: frozenset[int]


class Uses:
    """The uses of a walk so far, in order, and the lines that each record showed when it came.

    `commands` are the steps that ran each command, by its text.
    """

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._written: defaultdict[int, list[tuple[Write, tuple[int, ...], tuple[int, ...]]]]
        self._written = defaultdict(list)
        self.all: list[Use] = []
        self.shown: dict[Slot, tuple[int, ...]] = {}
        self.commands: defaultdict[str, list[int]] = defaultdict(list)

    def follow(self, happening: Happening) -> None:
        """Take in what happened next."""
        match happening:
            case Wrote(entry=entry, hand=hand, step=step, doubted=False):
                before, ended = self._lineage.wrote(entry.write, entry.tick)
                if hand == "agent":
                    self._written[step].append((entry.write, tuple(before), tuple(ended)))
            case Came(records=records, step=step):
                for record in records:
                    self.shown[record.slot] = tuple(dict.fromkeys(self._of(record)))
                if step is not None:
                    self._use(step, records)

    def _of(self, record: Record) -> Iterator[int]:
        for part in parts(record):
            yield from self._lineage.shown(part)

    def _use(self, step: Step, records: tuple[Record, ...]) -> None:
        now = max((record.born for record in records), default=0)
        quoted: set[int] = set()
        near: set[int] = set()
        for before, lines in self._quoted(step):
            quoted |= lines
            near |= self._around(before, lines)
        if quoted:
            self.all.append(Use(step.index, now, "quote", frozenset(quoted), frozenset(near)))
        if step.kind not in ("edit", "edit_failed", "search"):
            read = {
                line
                for record in records
                if record.slot.side == "result" and isinstance(record.referent, Symbols)
                for line in self.shown[record.slot]
            }
            near = {
                each
                for path in {self._lineage.paths[line] for line in read}
                for each in self._around(self._lineage.lines(path), read)
            }
            if read:
                self.all.append(Use(step.index, now, "read", frozenset(read), frozenset(near)))
        for action in step.actions:
            if isinstance(action, Run):
                self.commands[action.command].append(step.index)

    def _around(self, file: Sequence[int], lines: Collection[int]) -> set[int]:
        """Some lines of a file with those around them; `file` are all of it in order."""
        if file and not self._lineage.texts[file[-1]]:
            file = file[:-1]  # what stands behind the last newline is no line
        places = [at for at, line in enumerate(file) if line in lines]
        return {line for at in places for line in file[max(0, at - AROUND) : at + AROUND + 1]}

    def _quoted(self, step: Step) -> Iterator[tuple[Sequence[int], set[int]]]:
        """For each write of a step: the lines of its file before it, and those that it quotes."""
        edits = [action for action in step.actions if isinstance(action, Edit)]
        for write, before, ended in self._written.pop(step.index, ()):
            found = set(ended)
            text = text_of(write.before) or ""
            for edit in edits:
                olds = (
                    (edit.old, *(old for old, _ in edit.patch)) if edit.path == write.path else ()
                )
                for old in filter(None, olds):
                    for first, last in _standing(old, text, every=edit.every):
                        found.update(before[first:last])
            yield before, found


def _standing(quoted: str, text: str, *, every: bool) -> Iterator[tuple[int, int]]:
    """The lines (0-based, half-open) over which a quoted text stands in a file's text."""
    at = text.find(quoted)
    while at >= 0:
        first = text.count("\n", 0, at)
        yield first, first + quoted.rstrip("\n").count("\n") + 1
        at = text.find(quoted, at + len(quoted)) if every else -1


def parts(record: Record) -> tuple[Shown, ...]:
    """The runs of lines that a record shows."""
    return record.referent.shown if isinstance(record.referent, Symbols | Query) else ()
