"""The tape beside the exact truth: is what is stale nominated, and nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.bench.synth_truth import Known, Truth
from statetape.bench.truth import Verdict
from statetape.policies import POLICIES
from statetape.replay.check import Oracle
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.timeline import Check
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Came, Walk, Went, Wrote
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Files, Nomination, Slot


class Tally(Struct, frozen=True):
    """Records at requests: a record counts once for each request that carries it.

    `caught` are stale and nominated, `missed` stale and not; `over` are fresh and nominated though
    no call of theirs goes elsewhere now, `dispatch` fresh and nominated for such a call alone;
    `open` nobody can judge. `fresh` are all that are fresh.
    """

    caught: int = 0
    missed: int = 0
    over: int = 0
    dispatch: int = 0
    open: int = 0
    fresh: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        names = self.__struct_fields__
        return Tally(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def recall(self) -> float:
        """The share of the stale that is nominated; 1 where nothing is stale."""
        stale = self.caught + self.missed
        return self.caught / stale if stale else 1.0

    @property
    def precision(self) -> float:
        """The share of what is nominated for its text that is stale; 1 for nothing."""
        nominated = self.caught + self.over
        return self.caught / nominated if nominated else 1.0


class Difference(NamedTuple):
    """A record that tape and truth disagree on, at the first request where they do."""

    session: str
    what: Literal["miss", "over"]
    kind: str
    slot: Slot
    step: int
    request: int
    path: str | None


class Agreement(Struct, frozen=True):
    """One session: what the check of `replay` counts, and the tallies by kind and side."""

    check: Check
    tallies: Mapping[str, Tally]
    differences: tuple[Difference, ...]
    problems: tuple[str, ...]


def compared(file: Path, truth: Truth, start: Files | None = None) -> Agreement:
    """A session replayed with nothing changed, and compared with its truth at each request.

    `start` are the files at the start; None: what the log shows of them. BadInput for a file that
    is no session.
    """
    ready = prepared(recording(file))
    seen = history(ready.recording, start, ready.shell_writes)
    walk = Walk(ready, seen)
    held = Session(walk.workspace, POLICIES["control"], tokens, title=walk.title)
    oracle = Oracle(walk.workspace)
    counts = _Counts(truth)
    for happening in walk:
        match happening:
            case Wrote(entry=entry, doubted=doubted):
                if doubted:
                    oracle.doubt(entry.write.path)
                held.catch_up()
                oracle.write(entry.write.path, held.nominations)
            case Came(records=records, step=step):
                for record in records:
                    held.hold(record)
                if step is not None:
                    oracle.hold(step)
            case Went(slots=slots):
                held.forget(slots)
                oracle.forget(slots)
            case Asked():
                held.catch_up()
                counts.take(walk.request, held.nominations)
    held.catch_up()
    counts.take(walk.request + 1, held.nominations)
    problems = (*ready.recording.problems, *seen.problems)
    return Agreement(oracle.verdict(), counts.tallies, tuple(counts.differences), problems)


class _Counts:
    """The tallies of one session so far."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._named: set[Slot] = set()
        self.tallies: dict[str, Tally] = {}
        self.differences: list[Difference] = []

    def take(self, request: int, nominations: Mapping[Slot, Nomination]) -> None:
        """What the tape says when a request leaves."""
        for known in self._truth.records:
            verdict = known.at(request)
            if verdict is None:
                continue
            tally = _tally(verdict, nominations.get(known.slot))
            name = f"{known.kind} {known.side}"
            self.tallies[name] = self.tallies.get(name, Tally()) + tally
            if (tally.missed or tally.over) and known.slot not in self._named:
                self._named.add(known.slot)
                self.differences.append(self._difference(known, request, missed=tally.missed > 0))

    def _difference(self, known: Known, request: int, *, missed: bool) -> Difference:
        what: Literal["miss", "over"] = "miss" if missed else "over"
        return Difference(
            self._truth.session, what, known.kind, known.slot, known.step, request, known.path
        )


def _tally(verdict: Verdict, nominated: Nomination | None) -> Tally:
    if verdict == "either":
        return Tally(open=1)
    if verdict == "stale":
        return Tally(caught=1) if nominated else Tally(missed=1)
    if nominated is None:
        return Tally(fresh=1)
    if nominated.dispatch and not nominated.body:
        return Tally(fresh=1, dispatch=1)
    return Tally(fresh=1, over=1)
