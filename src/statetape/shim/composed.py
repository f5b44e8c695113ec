"""The texts of a request by the places that take them: what was added stands behind its result."""

from collections.abc import Mapping

from statetape.text import speakable
from statetape.types import Result, Slot
from statetape.wire.reading import Reading


def composed(texts: Mapping[Slot, str], reading: Reading) -> dict[Slot, str]:
    """The texts that have a place in a request; each by the slot whose place takes it.

    What was added to a result has no place of its own: it follows the text of the result, as the
    client sends that or as it was changed, behind a line break.
    """
    found = {slot: text for slot, text in texts.items() if slot in reading.places}
    added = {Slot(slot.id, "result"): text for slot, text in texts.items() if slot.side == "added"}
    own = _results(reading) if added.keys() - found.keys() else {}
    for slot, text in added.items():
        before = found.get(slot, own.get(slot))
        if before is not None and slot in reading.places:
            found[slot] = f"{before}\n{text}"
    return found


def takes_more(slot: Slot, reading: Reading) -> bool:
    """Whether something can be added to a result: it is one text and nothing else."""
    place = reading.places.get(slot)
    return slot.side == "result" and place is not None and not (place.cut or place.mixed)


def _results(reading: Reading) -> Mapping[Slot, str]:
    """The results of a request as its client sends them."""
    blocks = (block for turn in reading.turns for block in turn.blocks)
    return {block.slot: speakable(block.text) for block in blocks if isinstance(block, Result)}
