"""Reference points: what is decided without any thought, and what could not be decided better.

Each is a function of the recorded context, in the shape of a policy's effect. They may remove any
record, also what the agent itself said; of the oracle alone the labels are known.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from statetape.bench.definitions import definitions
from statetape.bench.effects import Change, Effect, Sight
from statetape.bench.labels import Point
from statetape.bench.uses import parts
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.regions import remaining
from statetape.types import Lines, Record, Slot


class Moment(NamedTuple):
    """A decision point: its context, the last step that has begun, and files by last write."""

    situation: Situation
    step: int
    written: Sequence[str]


class Decision(NamedTuple):
    """Slots that go without a word, and lines of files that come in.

    `sparing`: of the lines only those that are not held.
    """

    gone: Iterable[Slot] = ()
    lines: Iterable[tuple[str, Lines]] = ()
    sparing: bool = False


def effect(decision: Decision, moment: Moment, sight: Sight) -> Effect:
    """What a decision does."""
    changed = {slot: Change("removed", 0) for slot in decision.gone}
    stated = {line for path, lines in decision.lines for line in sight.within(path, lines)}
    new = stated - sight.standing(moment.situation.held) if stated else stated
    size = sight.weight(new if decision.sparing else stated)
    return Effect(changed, sight.placed(new), size)


def keep_all(_: Moment) -> Decision:
    """Nothing goes, nothing comes: control, and the retriever that never retrieves."""
    return Decision()


def evict_all(moment: Moment) -> Decision:
    """Every record goes."""
    return Decision(moment.situation.held)


def recent(moment: Moment, turns: int) -> Decision:
    """All that is not of the last turns goes."""
    of_slot = moment.situation.turns()
    last = max(of_slot.values(), default=0)
    return Decision([slot for slot, turn in of_slot.items() if turn <= last - turns])


def young(moment: Moment, steps: int) -> Decision:
    """All records go that are more steps old."""
    held = moment.situation.held.items()
    return Decision([slot for slot, record in held if record.step <= moment.step - steps])


def overlapped(moment: Moment) -> Decision:
    """Each record goes that has lines of a file in common with a later one, by their numbers."""
    later: dict[str, list[Lines]] = {}
    gone = []
    for record in reversed(list(moment.situation.held.values())):
        if any(_meets(lines, later.get(path, ())) for path, lines in _spans(record)):
            gone.append(record.slot)
        for path, lines in _spans(record):
            later.setdefault(path, []).append(lines)
    return Decision(gone)


def whole_files(moment: Moment, files: int) -> Decision:
    """The files that were written last come in, whole."""
    return Decision(lines=[(path, Lines(1, 1 << 30)) for path in moment.written[:files]])


def begun(moment: Moment, steps: int) -> Decision:
    """What is not held of every definition that a record of the last steps shows a part of."""
    code = moment.situation.code
    if code is None:
        return Decision()
    held = moment.situation.held.values()
    late = [record for record in held if record.step > moment.step - steps]
    found = dict.fromkeys(each for record in late for each in _around(record, code))
    return Decision(lines=found, sparing=True)


def oracle(point: Point) -> Decision:
    """What the labels say: all that is unneeded goes, all that is missing comes."""
    gone = [held.slot for held in point.held if held.verdict != "needed"]
    absent = [(gold.path, lines) for gold in point.needed for lines in gold.absent]
    return Decision(gone, absent, sparing=True)


REFERENCES: Mapping[str, Callable[[Moment], Decision]] = {
    "keep-all": keep_all,
    "evict-all": evict_all,
    "last 10 turns": partial(recent, turns=10),
    "last 20 turns": partial(recent, turns=20),
    "last 20 steps": partial(young, steps=20),
    "last 50 steps": partial(young, steps=50),
    "span overlap": overlapped,
    "last file whole": partial(whole_files, files=1),
    "last 3 files whole": partial(whole_files, files=3),
    "rest of last reads": partial(begun, steps=2),
    "rest of all reads": partial(begun, steps=1 << 30),
}
"""By the name that tables call them."""

ORACLE = "oracle"


def _spans(record: Record) -> list[tuple[str, Lines]]:
    return [(part.path, part.lines) for part in parts(record)]


def _around(record: Record, code: Code) -> Iterator[tuple[str, Lines]]:
    """The innermost definitions around lines that a record shows and no write has touched."""
    for path, shown in _spans(record):
        inner = _innermost(path, code.text(path) or "")
        for run in remaining(shown, code.writes_of(path, record.born)):
            for line in range(run.first, run.last + 1):
                if line in inner:
                    yield path, inner[line]


@lru_cache(maxsize=512)
def _innermost(path: str, text: str) -> Mapping[int, Lines]:
    """Of each line the innermost definition; of a class what comes before its methods."""
    found: dict[int, Lines] = {}
    for each in sorted(definitions(path, text), key=lambda one: one.first - one.last):
        own = Lines(each.first, each.head)
        found |= dict.fromkeys(range(each.first, each.head + 1), own)
    return found


def _meets(lines: Lines, others: Iterable[Lines]) -> bool:
    return any(lines.first <= other.last and other.first <= lines.last for other in others)
