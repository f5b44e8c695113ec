"""Where the decision points of a session lie: by its steps alone, before anything is replayed."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from statetape.bench.labels import Family, Reading, Steps
from statetape.replay.prepared import Prepared
from statetape.replay.recording import Happened, Sent
from statetape.types import Edit, Run, Say, Step, StepKind

_TO_DO = frozenset({"todowrite", "todoread", "update_plan", "taskcreate", "taskupdate", "tasklist"})
"""Tools that keep a list of what is to be done, in lower case."""


class Taken(NamedTuple):
    """A step as it was taken: its number, and that of the request that it answers.

    `step` is None where it never came to an end. `followed` is the number of the first request
    after its result, one more than the last where there is none.
    """

    number: int
    kind: StepKind
    request: int
    step: Step | None
    followed: int

    @property
    def edits(self) -> bool:
        """Whether it changes files, by an editing tool or by a command that says so."""
        return self.kind == "edit" or (self.kind == "run" and bool(self._of(Edit)))

    @property
    def tests(self) -> bool:
        """Whether it is a genuine test run: a command that runs tests, and came to an end."""
        return any(run.kind == "test" for run in self._of(Run) if isinstance(run, Run))

    @property
    def keeps(self) -> bool:
        """Whether a run of edits goes on over it: words, a to-do list, an edit that failed."""
        tool = self.step.call.tool.lower() if self.step and self.step.call else ""
        return self.kind in ("say", "edit_failed") or tool in _TO_DO

    def _of(self, kind: type) -> list[object]:
        actions = self.step.actions if self.step else ()
        return [action for action in actions if isinstance(action, kind)]


class Cut(NamedTuple):
    """A decision point before anything is known of it; fields as in `Point`.

    `shell`: all the edits of its burst are commands.
    """

    family: Family
    reading: Reading
    request: int
    edits: int
    burst: Steps | None
    shell: bool = False


def taken(ready: Prepared) -> tuple[Taken, ...]:
    """The steps of a recording, in order."""
    request = 0
    found: dict[int, tuple[StepKind, int]] = {}
    ends: dict[int, tuple[Step, int]] = {}
    for at, event in enumerate(ready.recording.events):
        if isinstance(event, Sent):
            request += 1
        elif at in ready.steps.begun:
            index, kind = ready.steps.begun[at]
            found[index] = kind, request
        elif at in ready.steps.finished:
            step = ready.steps.finished[at]
            found.setdefault(step.index, (step.kind, request))
            ends[step.index] = step, request + 1
        elif at in ready.steps.remarks and _says(event):
            found[ready.steps.remarks[at]] = "say", request
    return tuple(
        Taken(index, kind, number, *ends.get(index, (None, request + 1)))
        for index, (kind, number) in sorted(found.items())
    )


def cuts(steps: Sequence[Taken]) -> tuple[Cut, ...]:
    """The points by the requests that carry their context; of one request P, then T, then F.

    Bursts that begin in the answer to one request are one: it was one decision.
    """
    usual = _bursts(steps, lambda each: each.keeps)
    strict = _bursts(steps, lambda _: False)
    found = [_before(burst, steps, "both" if burst in strict else "usual") for burst in usual]
    found += [_before(burst, steps, "strict") for burst in strict if burst not in usual]
    for request in sorted({each.followed for each in steps if each.tests}):
        coming = (burst for burst in usual if _answers(burst, steps) >= request)
        found.append(Cut("T", "both", request, _edits(steps, request), next(coming, None)))
    last = max((each.followed for each in steps), default=1)
    found.append(Cut("F", "both", last, _edits(steps, last), None))
    return tuple(sorted(found, key=_order))


def _order(cut: Cut) -> tuple[int, int, Steps]:
    return cut.request, "PTF".index(cut.family), cut.burst or Steps(0, 0)


def _bursts(steps: Sequence[Taken], keeps: Callable[[Taken], bool]) -> list[Steps]:
    return list(_joined(_runs(steps, keeps), {each.number: each.request for each in steps}))


def _runs(steps: Sequence[Taken], keeps: Callable[[Taken], bool]) -> Iterator[Steps]:
    """The maximal runs of edits, each from its first edit to its last."""
    first = last = None
    for each in steps:
        if each.edits:
            first, last = first or each.number, each.number
        elif first and last and not keeps(each):
            yield Steps(first, last)
            first = None
    if first and last:
        yield Steps(first, last)


def _joined(runs: Iterator[Steps], requests: dict[int, int]) -> Iterator[Steps]:
    """The runs, those that begin in one answer as one."""
    now: Steps | None = None
    for run in runs:
        if now is not None and requests[now.first] == requests[run.first]:
            now = Steps(now.first, run.last)
            continue
        if now is not None:
            yield now
        now = run
    if now is not None:
        yield now


def _before(burst: Steps, steps: Sequence[Taken], reading: Reading) -> Cut:
    edits = [each for each in steps if each.edits and burst.first <= each.number <= burst.last]
    request = edits[0].request
    shell = all(each.kind == "run" for each in edits)
    return Cut("P", reading, request, _edits(steps, request), burst, shell)


def _answers(burst: Steps, steps: Sequence[Taken]) -> int:
    return next(each.request for each in steps if each.number == burst.first)


def _edits(steps: Sequence[Taken], request: int) -> int:
    """The edit steps in the answers to the requests before one."""
    return sum(each.edits and each.request < request for each in steps)


def _says(event: object) -> bool:
    match event:
        case Happened(block=Say(role="assistant")):
            return True
    return False
