"""Observation masking: results that are some turns old become a placeholder, whatever they show.

The paper's Appendix D: tool outputs older than the last 10 turns, after Lindenbauer et al., "The
Complexity Trap" (2025), arXiv:2508.21433. It looks at age alone: not at the tape, not at texts.
"""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import masked
from statetape.types import Plan, Replace


def masking(situation: Situation, *, kept: int = 10) -> Generator[Ask, Reply, Plan]:
    """Mask every result but those of the last `kept` turns (a turn: `context.turns`).

    A result that is no longer than its placeholder stays, which the paper does not say.
    """
    yield from ()
    turns = situation.turns()
    last = max(turns.values(), default=0)
    changes = []
    for record in situation.results():
        if turns[record.slot] <= last - kept:
            text = masked(situation.title(record), record.text.count("\n") + 1)
            if len(text) < len(record.text):
                changes.append(Replace(record.slot, text, "mask"))
    return Plan(tuple(changes))
