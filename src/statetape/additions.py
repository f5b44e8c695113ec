"""What is said in results that were never sent: pointers, notes, and code that is brought in."""

from collections.abc import Iterable, Sequence

from statetape.contents import Contents
from statetape.context.added import Brought, brought
from statetape.context.notes import Untold
from statetape.context.wording import tombstone
from statetape.types import Region, Replace, Slot


class Additions:
    """Of one conversation. What a change here takes or adds, its contents follow at once."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def restore(self) -> list[Replace]:
        """Texts, or tombstones, in place of pointers to what went; they stand behind it."""
        held = self._contents
        found = []
        for record in held.pointers.lost(held.shown()):
            held.removals.forget(record.slot)
            held.take(record)
            nominated = held.nominations.get(record.slot)
            fresh = held.judgements.fresh(nominated) if nominated else None
            if nominated is not None and fresh is None:
                moved = held.judgements.moved(nominated)
                words = tombstone(nominated, held.title(record), moved)
                found.append(Replace(record.slot, words, "drop"))
                held.put(found[-1])
                continue
            if fresh is not None:
                held.take(fresh)
            found.append(Replace(record.slot, (fresh or record).text, "refresh"))
            held.sign(found[-1])
        return found

    def dedupe(self, unsent: Iterable[Slot]) -> list[Replace]:
        """Pointers to what is shown already; see `Session.dedupe`."""
        held = self._contents
        found = []
        shown = held.shown(true=True)
        for slot in unsent:
            record = shown.get(slot)
            if record is None or slot in held.ledger:
                continue
            pointed = held.pointers.made(record, shown)
            if pointed is not None:
                shown[slot] = pointed.record
                held.removals.made(record, "dedupe", pointed.lines)
                held.take(pointed.record)
                found.append(Replace(slot, pointed.record.text, "dedupe"))
                held.sign(found[-1])
        return found

    def note(self, unsent: Sequence[Slot], budget: int) -> Replace | None:
        """A note behind the last unchanged one of some results; see `Session.note`."""
        held = self._contents
        free = [slot for slot in unsent if slot in held.records and slot not in held.ledger]
        slot = next((slot for slot in reversed(free) if slot.side == "result"), None)
        moved = held.judgements.moved
        untold = Untold(held.holdings, held.in_order(), held.outdated, moved)
        text = held.notes.due(untold, budget, held.tokens, waits=slot is None)
        if slot is None or not text:
            return None
        change = Replace(slot, f"{held.records[slot].text}\n{text}", "note")
        record = held.with_text(held.records[slot], change.text)
        held.take(record, outdated=slot in held.outdated)
        held.sign(change)
        return change

    def retrieve(
        self, unsent: Sequence[Slot], regions: Iterable[Region], most: int
    ) -> Brought | None:
        """Code behind the last one of some results; see `Session.retrieve`."""
        held = self._contents
        slot = next((slot for slot in reversed(unsent) if self._is_free(slot)), None)
        if slot is None or most <= 0:
            return None
        result, shown = held.records[slot], held.shown(true=True)
        found = brought(result, regions, shown, held.workspace, held.tokens, most)
        if found is not None:
            held.take(found.record)
            held.sign(found.change)
        return found

    def _is_free(self, slot: Slot) -> bool:
        records = self._contents.records
        return slot.side == "result" and slot in records and Slot(slot.id, "added") not in records
