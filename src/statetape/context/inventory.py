"""Steps become records: what each text is, what it is about, when it was true."""

import json
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from statetape.context.claims import of_input, of_result
from statetape.context.repository import Repository
from statetape.types import (
    Call,
    Edit,
    Read,
    Record,
    Referent,
    Say,
    Slot,
    Step,
    StepKind,
    Tick,
    Untracked,
)


class Inventory(Struct, frozen=True):
    """Makes records against one repository, with one measure of tokens.

    `root` is the repository's folder as the agent spells it. A record is frozen when it is first
    seen: nothing that happens later changes what it claimed or when it was true.
    """

    repository: Repository
    root: str
    tokens: Callable[[str], int]

    def of_say(self, say: Say, index: int) -> Record:
        """The record of a remark, a message or a reminder: words, which no write falsifies."""
        record = self._record(say.slot, index, "say", say.text, Untracked(), self.repository.now)
        return replace(record, by=say.role)

    def of_call(self, call: Call, index: int, kind: StepKind) -> Record:
        """The record of a call that has no result yet."""
        return self._record(
            call.slot, index, kind, input_text(call), Untracked(), self.repository.now
        )

    def of_step(self, step: Step, batch: Tick) -> tuple[Record, ...]:
        """The records of a finished call: its input, and its result where there is one.

        `batch` is the tick before the parallel calls that the step belongs to (the birth rule:
        a result that does not fit the present was true then).
        """
        records = []
        if step.call is not None:
            edits = [action for action in step.actions if isinstance(action, Edit)]
            referent = of_input(edits, self.repository)
            text = input_text(step.call)
            born = self.repository.now
            records.append(
                self._record(step.call.slot, step.index, step.kind, text, referent, born)
            )
        if step.result is not None:
            referent, born = of_result(step, self.repository, self.root, batch)
            text = step.result.text
            records.append(
                self._record(step.result.slot, step.index, step.kind, text, referent, born)
            )
        read, written = _read(step), _written(step)
        return tuple(replace(each, read=read, written=written) for each in records)

    def _record(
        self, slot: Slot, index: int, kind: StepKind, text: str, referent: Referent, born: Tick
    ) -> Record:
        return Record(slot, index, kind, text, referent, born, self.tokens(text))


def _read(step: Step) -> tuple[str, ...]:
    paths = (action.path for action in step.actions if isinstance(action, Read))
    return tuple(dict.fromkeys(paths))


def _written(step: Step) -> tuple[str, ...]:
    if step.kind == "edit_failed":
        return ()
    edits = (action for action in step.actions if isinstance(action, Edit))
    paths = (path for edit in edits for path in (edit.path, edit.moved_to) if path is not None)
    return tuple(dict.fromkeys(paths))


def input_text(call: Call) -> str:
    """A call's input as the model wrote it, near enough to count and to show."""
    if isinstance(call.input, str):
        return call.input
    return json.dumps(call.input, ensure_ascii=False, default=str)
