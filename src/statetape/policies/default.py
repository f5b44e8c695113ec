"""The complete deterministic policy: every nomination gets its default, no model is asked."""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.settling import default_change, removal
from statetape.context.situation import Situation
from statetape.types import Plan


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
