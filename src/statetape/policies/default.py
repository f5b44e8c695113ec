"""The complete deterministic policy: every nomination gets its default, no model is asked."""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import spent_input, stub, tombstone
from statetape.types import Nomination, Plan, Replace, Symbols


def default(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """Refresh what still exists, drop what does not, ask to rerun what cannot be shown anew.

    It never keeps and never retrieves. The agent's own inputs are left alone unless the situation
    says otherwise: they are what the model itself said. What is refreshed could be dropped as
    well: that is shorter.
    """
    yield from ()
    changes = []
    shorter = []
    for nominated in situation.nominations:
        if nominated.record.slot.side == "input" and not situation.rewrite_inputs:
            continue
        changes.append(change := default_change(nominated, situation))
        if change.why == "refresh":
            shorter.append(removal(nominated, situation))
    return Plan(tuple(changes), shorter=tuple(shorter))


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
