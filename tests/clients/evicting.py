"""`statetape` with a policy that evicts each file read once another request has gone by."""

from collections.abc import Generator

from statetape.cli import main
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.policies import POLICIES
from statetape.types import Plan, Replace, Slot, Symbols

_SEEN: set[Slot] = set()


def evicting(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """Every read that an earlier request carried."""
    yield from ()
    reads = [
        slot
        for slot, record in situation.held.items()
        if slot.side == "result" and record.kind == "read" and isinstance(record.referent, Symbols)
    ]
    gone = [slot for slot in reads if slot in _SEEN]
    _SEEN.update(reads)
    return Plan(tuple(Replace(slot, "[evicted by a test]", "evict") for slot in gone))


if __name__ == "__main__":
    POLICIES["default"] = evicting
    main()
