"""The records behind the texts that a policy may put in place: tracked, where they show files."""

from collections.abc import Callable

from statetape.context.dedupe import Pointers
from statetape.context.whole import whole
from statetape.judgements import Judgements
from statetape.types import Nomination, Record, Slot, Tick
from statetape.workspace import Workspace


class Replacements:
    """Of the records of one session. Each is made once for as long as it is true."""

    def __init__(
        self,
        workspace: Workspace,
        judgements: Judgements,
        pointers: Pointers,
        tokens: Callable[[str], int],
    ) -> None:
        self._workspace = workspace
        self._judgements = judgements
        self._pointers = pointers
        self._tokens = tokens
        self._whole: dict[Slot, tuple[Record, Tick, Record | None]] = {}

    def share(self, judgements: Judgements) -> None:
        """Sessions over the same records need each judgement once."""
        self._judgements = judgements

    def fresh(self, nominated: Nomination) -> Record | None:
        """What a refresh puts in place: of what has pointers, all that they stand for, too."""
        record = self._pointers.original(nominated.record)
        if record is not nominated.record:
            nominated = self._judgements.nomination(record, outdated=False) or nominated
        return self._judgements.fresh(nominated)

    def whole(self, record: Record) -> Record | None:
        """All lines of the one file that a record reads; None where there is no such file."""
        known = self._whole.get(record.slot)
        if known is not None and known[0] is record:
            (path,) = record.read
            if not self._workspace.writes_of(path, known[1]):
                return known[2]
        made = whole(record, self._workspace, self._tokens)
        if len(record.read) == 1:
            self._whole[record.slot] = record, self._workspace.now, made
        return made

    def made(self, held: Record, text: str) -> Record | None:
        """The record that a text in the place of a held one was made from; None for words."""
        _, _, entire = self._whole.get(held.slot, (None, 0, None))
        for record in (self._judgements.made(self._pointers.original(held)), entire):
            if record is not None and record.text == text:
                return record
        return None

    def forget(self, slot: Slot) -> None:
        """The slot has another record now, or is gone."""
        self._whole.pop(slot, None)
