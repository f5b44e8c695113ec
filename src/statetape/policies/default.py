"""The complete deterministic policy: every nomination gets its default, no model is asked."""

from collections.abc import Generator

from statetape.context.situation import Ask, Reply, Situation
from statetape.context.wording import spent_input, stub, tombstone
from statetape.types import Nomination, Plan, Replace, Symbols


def default(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """Refresh what still exists, drop what does not, ask to rerun what cannot be shown anew.

    It never keeps and never retrieves. The agent's own inputs are left alone unless the situation
    says otherwise: they are what the model itself said.
    """
    yield from ()
    return Plan(
        tuple(
            default_change(nominated, situation)
            for nominated in situation.nominations
            if nominated.record.slot.side != "input" or situation.rewrite_inputs
        )
    )


def default_change(nominated: Nomination, situation: Situation) -> Replace:
    """The change that a nomination's default makes.

    A refresh that can show nothing becomes a drop, or, for a search or the output of a command, a
    rerun.
    """
    record = nominated.record
    title = situation.title(record)
    if record.slot.side == "input":
        return Replace(record.slot, spent_input(title), "drop")
    if nominated.default == "refresh":
        fresh = situation.fresh(nominated)
        if fresh is not None:
            return Replace(record.slot, fresh.text, "refresh")
    if nominated.default == "drop" or isinstance(record.referent, Symbols):
        return Replace(record.slot, tombstone(nominated, title, situation.moved(nominated)), "drop")
    return Replace(record.slot, stub(title), "rerun")
