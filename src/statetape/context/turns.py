"""Turns: what the agent asked for at once, with the results that it got."""

from collections.abc import Iterable, Mapping

from statetape.types import Slot


def turns(held: Iterable[Slot]) -> Mapping[Slot, int]:
    """The number of the turn of each slot, from 1 on; `held` in order.

    A turn ends where something else follows a result, with what was added to it: so parallel calls
    and their results are one turn, and what is said before calls belongs to theirs. Follows from
    the slots alone, so that a conversation which is resumed has the same turns.
    """
    found: dict[Slot, int] = {}
    turn = 1
    answered = False
    for slot in held:
        if slot.side in ("result", "added"):
            answered = True
        elif answered:
            turn += 1
            answered = False
        found[slot] = turn
    return found
