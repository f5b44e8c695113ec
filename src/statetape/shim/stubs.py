"""Results that say "unchanged since your last read", of a read that the context may not have."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from statetape.agents.numbered import stub
from statetape.context.reread import reread
from statetape.session import Session
from statetape.types import Read, Slot, Step, Symbols
from statetape.workspace import Workspace


class Due(NamedTuple):
    """A reference that leads nowhere, and the text that it stands for."""

    slot: Slot
    step: Step
    text: str


class Stubs:
    """The references of one conversation, and the reads that they may refer to."""

    def __init__(self, session: Session, workspace: Workspace) -> None:
        self._session = session
        self._workspace = workspace
        self._reads: defaultdict[str, list[Slot]] = defaultdict(list)
        self._stubs: dict[Slot, Step] = {}

    def __contains__(self, slot: object) -> bool:
        """Whether a reference stands there that may have to get its text."""
        return slot in self._stubs

    def heed(self, slot: Slot, step: Step) -> None:
        """The result of a step came: a read, a reference to one, or neither."""
        if stub(step.result.text if step.result else ""):
            self._stubs[slot] = step
        else:
            for read in _reads(step):
                self._reads[read.path].append(slot)

    def due(self) -> Iterator[Due]:
        """The references to reads that are gone, whether before they came or with this request.

        Each is told once: whoever asks puts the text in its place.
        """
        for slot, step in list(self._stubs.items()):
            if slot not in self._session.held or slot in self._session.ledger:
                del self._stubs[slot]
                continue
            for read in _reads(step):
                text = reread(read, self._workspace)
                if text is not None and not self._is_shown(read):
                    del self._stubs[slot]
                    yield Due(slot, step, text)
                    self._reads[read.path].append(slot)
                    break

    def _is_shown(self, read: Read) -> bool:
        """Whether what is held of the file shows all the lines that a read asks for."""
        text = self._workspace.text(read.path) or ""
        last = text.count("\n") + (not text.endswith("\n"))
        first, last = read.first or 1, min(read.last or last, last)
        held = (self._session.held[slot] for slot in self._reads[read.path] if self._shows(slot))
        return any(
            part.path == read.path and part.lines.first <= first and last <= part.lines.last
            for record in held
            if isinstance(record.referent, Symbols)
            for part in record.referent.shown
        )

    def _shows(self, slot: Slot) -> bool:
        """Whether the context still has the text of a read."""
        change = self._session.ledger.get(slot)
        return slot in self._session.held and (change is None or change.why in _SHOWING)


_SHOWING = ("refresh", "note")


def _reads(step: Step) -> Iterator[Read]:
    yield from (action for action in step.actions if isinstance(action, Read))
