"""A recorded session walked through: what was written, came in, was asked and went, in order.

No policy takes part: whoever walks along holds what he likes of it.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from statetape.context.inventory import Inventory
from statetape.context.titles import title
from statetape.replay.history import History
from statetape.replay.prepared import Prepared
from statetape.replay.recording import Event, Forgot, Happened, Sent
from statetape.replay.timeline import Hand
from statetape.replay.unseen import unseen
from statetape.session import Session
from statetape.tape import Entry
from statetape.tokens import tokens
from statetape.types import Call, Record, Say, Slot, Step, StepKind
from statetape.workspace import Workspace


class Wrote(NamedTuple):
    """A file was written in step `step`; `doubted`: nobody has seen what it holds now."""

    entry: Entry
    hand: Hand
    why: str
    step: int
    doubted: bool


class Came(NamedTuple):
    """Records entered the context; `step` is the finished step they are of, None before that."""

    records: tuple[Record, ...]
    step: Step | None


class Asked(NamedTuple):
    """A request is about to leave: it carries all that came and did not go."""

    sent: Sent


class Went(NamedTuple):
    """The client dropped these slots; None: everything so far."""

    slots: frozenset[Slot] | None


Happening = Wrote | Came | Asked | Went


def follow(session: Session, happening: Happening) -> None:
    """The session holds what came, has let go what went, and knows what was written."""
    match happening:
        case Came(records=records):
            for record in records:
                session.hold(record)
        case Went(slots=slots):
            session.forget(slots)
        case Wrote():
            session.catch_up()


class Walk:
    """One walk. Iterate once; the workspace is as of the happening that came last.

    `step` is the last step that has begun, `request` the number of requests so far, `titles` the
    titles of steps by number, `kinds` what each step was and the request whose answer it is in.
    """

    def __init__(self, ready: Prepared, seen: History) -> None:
        self._ready = ready
        self._history = seen
        self.workspace = Workspace(seen.files)
        self.titles: dict[int, str] = {}
        self.kinds: dict[int, tuple[StepKind, int]] = {}
        self.step = 0
        self.request = 0
        self._batch = 0

    @cached_property
    def _inventory(self) -> Inventory:
        return Inventory(self.workspace, self._ready.recording.root, tokens)

    def __iter__(self) -> Iterator[Happening]:
        """What happens, one after another."""
        doubts = unseen(self._ready, self._history)
        for at, event in enumerate(self._ready.recording.events):
            step = self._entered(at, event)
            for seen in self._history.writes.get(at, ()):
                entry = self.workspace.observe(seen.write)
                yield Wrote(entry, seen.hand, seen.why, step, doubted=False)
            for path in doubts.get(at, ()):
                why = "what the command wrote is never shown"
                yield Wrote(self.workspace.doubt(path), "shell", why, step, doubted=True)
            happened = self._happening(at, event)
            if happened is not None:
                yield happened

    def title(self, record: Record) -> str:
        """What a record is of, in one line."""
        return self.titles.get(record.step, "a message")

    def _entered(self, at: int, event: Event) -> int:
        """The number of the step that the event belongs to.

        Of parallel calls the results come after all calls, so it may be less than the last one.
        """
        begun = self._ready.steps.begun.get(at)
        finished = self._ready.steps.finished.get(at)
        if begun is not None:
            self.step, kind = begun
            self.kinds[self.step] = kind, self.request
        elif finished is not None:
            self.step = max(self.step, finished.index)
            self.titles[finished.index] = title(finished)
            return finished.index
        elif at in self._ready.steps.remarks:
            self.step = self._ready.steps.remarks[at]
            match event:
                case Happened(block=Say(role="assistant")):
                    self.kinds[self.step] = "say", self.request
        return self.step

    def _happening(self, at: int, event: Event) -> Happening | None:
        match event:
            case Sent() as sent:
                self.request += 1
                self._batch = self.workspace.now
                return Asked(sent)
            case Forgot(slots=slots):
                return Went(slots)
            case Happened(block=Say() as say):
                record = self._inventory.of_say(say, self._ready.steps.remarks[at])
                return Came((record,), None)
            case Happened(block=Call() as call):
                index, kind = self._ready.steps.begun[at]
                self.titles.setdefault(index, call.tool)
                return Came((self._inventory.of_call(call, index, kind),), None)
            case Happened():
                step = self._ready.steps.finished[at]
                return Came(self._inventory.of_step(step, self._batch), step)
        return None
