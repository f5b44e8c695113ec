"""What one context holds: its records, judged by the tape, and the changes made to them."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from statetape.context.again import Removals
from statetape.context.dedupe import Pointers
from statetape.context.holdings import Holdings
from statetape.context.notes import Notes
from statetape.context.situation import SHOWING, standing
from statetape.context.titles import brought_title
from statetape.judgements import Judgements
from statetape.replacements import Replacements
from statetape.types import Nomination, Record, Replace, RepositoryState, Slot, Untracked
from statetape.workspace import Workspace


class Contents:
    """The records of one conversation by slot, in order; `nominations` as of the last `catch_up`.

    `ledger` are the sticky changes, `outdated` the slots of records that writes which the tape has
    not seen have falsified. Beside them what is known of the changes: `notes`, `pointers`,
    `replacements` and `removals`. `tokens` counts those of a text, `title` says what a record is.
    """

    def __init__(
        self,
        workspace: Workspace,
        tokens: Callable[[str], int],
        title: Callable[[Record], str],
    ) -> None:
        """`title` of records that came from the client; what we bring in has one of its own."""
        self.workspace = workspace
        self.tokens = tokens
        self._title = title
        self.holdings = Holdings()
        self.records = self.holdings.records
        self.nominations: dict[Slot, Nomination] = {}
        self.outdated: set[Slot] = set()
        self.ledger: dict[Slot, Replace] = {}
        self.judgements = Judgements(workspace, tokens)
        self.notes = Notes(workspace)
        self.pointers = Pointers(workspace, self.title, tokens)
        self.replacements = Replacements(workspace, self.judgements, self.pointers, tokens)
        self.removals = Removals(workspace, self.title)
        self._shared = False
        self._seen = workspace.now

    def share(self, judgements: Judgements) -> None:
        """Contexts of the same records need each judgement once. Before anything is held."""
        self.judgements = judgements
        self._shared = True
        self.replacements.share(judgements)

    def title(self, record: Record) -> str:
        """What a record is, in one line."""
        return brought_title(record.read) if record.slot.side == "added" else self._title(record)

    def take(self, record: Record, *, outdated: bool = False) -> None:
        """A record enters or takes the place of another, and is judged."""
        slot = record.slot
        if (old := self.records.get(slot)) is not None:
            self._leave(old)
        self.holdings.put(record)
        if outdated:
            self.outdated.add(slot)
        if outdated or record.born < self.workspace.now:
            self._judge(slot)

    def forget(self, slots: Iterable[Slot]) -> None:
        """These slots are gone, with all that is known of them."""
        for slot in slots:
            record = self.holdings.remove(slot)
            if record is not None:
                self._leave(record)
            self.ledger.pop(slot, None)
            self.notes.forget(slot)
            self.pointers.forget(slot)
            self.removals.forget(slot)

    def sign(self, change: Replace) -> None:
        """Every request from now on has this text in this slot."""
        self.ledger[change.slot] = change
        self.notes.keep(change)

    def put(self, change: Replace) -> None:
        """A change takes the place of what is held: the record that it was made from, or words."""
        record = self.records[change.slot]
        made = self.replacements.made(record, change.text)
        if made is None:
            words = replace(record, referent=Untracked(), born=self.workspace.now)
            made = self.with_text(words, change.text)
        if change.why not in SHOWING:
            self.removals.made(record, change.why)
        self.pointers.forget(change.slot)
        self.take(made)
        self.sign(change)

    def catch_up(self) -> None:
        """Judge the held records that the writes since the last time have touched."""
        entries = self.workspace.tape.since(self._seen)
        if not entries:
            return
        self._seen = self.workspace.now
        touched, searched = self.holdings.touched(entries)
        for slot in touched | searched:
            self._judge(slot, searched=slot in searched)

    def unreached(self, nominated: Nomination) -> str | None:
        """Why no write can have falsified a test result; None where one can, seen or not."""
        known = nominated.record.slot not in self.outdated
        return self.judgements.unreached(nominated) if known else None

    def vouch(self, slot: Slot) -> None:
        """A nominated record stays; if no write can have falsified it, it is true as of now."""
        nominated = self.nominations.get(slot)
        if nominated is None or self.unreached(nominated) is None:
            return
        record, state = nominated.record, self.workspace.state
        if isinstance(record.referent, RepositoryState):
            referent = replace(record.referent, state=state)
            self.take(replace(record, referent=referent, born=self.workspace.now))

    def with_text(self, record: Record, text: str) -> Record:
        """The record with another text, about the same."""
        return replace(record, text=text, tokens=self.tokens(text))

    def shown(self, *, true: bool = False) -> dict[Slot, Record]:
        """The records of which no change took the lines away; `true`: and that are not stale."""
        found = standing(self.records, self.ledger)
        return {s: r for s, r in found.items() if s not in self.nominations} if true else found

    def in_order(self) -> tuple[Nomination, ...]:
        """The nominations, in the order of their slots."""
        place = self.holdings.place
        return tuple(sorted(self.nominations.values(), key=lambda n: place(n.record.slot)))

    def _leave(self, record: Record) -> None:
        self.replacements.forget(record.slot)
        self.outdated.discard(record.slot)
        self.nominations.pop(record.slot, None)
        if not self._shared:
            self.judgements.forget(record)

    def _judge(self, slot: Slot, *, searched: bool = False) -> None:
        found = self.judgements.nomination(
            self.records[slot], outdated=slot in self.outdated, searched=searched
        )
        if found is None:
            self.nominations.pop(slot, None)
        else:
            self.nominations[slot] = found
