"""What becomes of one nominated record: its default, carried out."""

from statetape.context.situation import Situation
from statetape.context.wording import spent_input, stub, tombstone
from statetape.types import Nomination, Replace, Symbols


def default_change(nominated: Nomination, situation: Situation) -> Replace:
    """The change that a nomination's default makes.

    A refresh that can show nothing becomes a drop, or, for a search or the output of a command, a
    rerun.
    """
    if nominated.default == "refresh" and nominated.record.slot.side != "input":
        fresh = situation.fresh(nominated)
        if fresh is not None:
            return Replace(nominated.record.slot, fresh.text, "refresh")
    return removal(nominated, situation)


def removal(nominated: Nomination, situation: Situation) -> Replace:
    """The change that takes the text away: a drop, or a rerun where nothing can be read instead."""
    record = nominated.record
    title = situation.title(record)
    if record.slot.side == "input":
        return Replace(record.slot, spent_input(title), "drop")
    if nominated.default == "drop" or isinstance(record.referent, Symbols):
        return Replace(record.slot, tombstone(nominated, title, situation.moved(nominated)), "drop")
    return Replace(record.slot, stub(title), "rerun")
