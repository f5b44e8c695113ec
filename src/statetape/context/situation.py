"""What a policy sees when it decides: the held records, the nominations, and what is possible."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from statetape.code.moves import Moved
from statetape.context.again import Again
from statetape.context.repository import Code
from statetape.context.turns import turns
from statetape.types import Nomination, Record, Replace, Slot, SymbolId, Tick, Why

SHOWING: frozenset[Why] = frozenset({"refresh", "note", "dedupe", "retrieve"})
"""The changes that leave lines of a file, or the result itself, in their slot."""

_NO_CHANGES: Mapping[Slot, Replace] = MappingProxyType({})


def nothing_moved(_: Nomination) -> Mapping[SymbolId, Moved]:
    """The answer of a host that does not follow definitions to other files."""
    return {}


def nothing_changed(_path: str, _since: Tick) -> bool:
    """The answer of a host without files."""
    return False


def nothing_whole(_: Record) -> Record | None:
    """The answer of a host without files."""
    return None


def standing(held: Mapping[Slot, Record], ledger: Mapping[Slot, Replace]) -> dict[Slot, Record]:
    """The records of which no change has taken the lines away, in order."""
    gone = {slot for slot, change in ledger.items() if change.why not in SHOWING}
    return {slot: record for slot, record in held.items() if slot not in gone}


def nothing_unreached(_: Nomination) -> str | None:
    """The answer of a host that does not follow what tests load."""
    return None


class Situation(Struct, frozen=True):
    """One request's decision.

    `held` is what the request would carry, in order; `nominations` those of its records that
    writes could have falsified. `fresh` gives the record that a refresh would put in place, or
    None where there is nothing left to show. `rewrite_inputs`: the agent's own texts may be
    rewritten too. `moved` says where those of its symbols are now that went to another file.
    `unreached` says why no write can have falsified a test result, or None.
    `ledger` are the changes so far, as every request carries them. `changed` tells whether a file
    has another text now than at a tick, `whole` gives the record that shows all of the one file
    that a record reads, or None. `code` is the repository with its graph and its tape, None for a
    host without one; `again` what the agent has asked for again in this conversation after a
    change had removed it, oldest first.
    """

    now: Tick
    held: Mapping[Slot, Record]
    nominations: tuple[Nomination, ...]
    title: Callable[[Record], str]
    fresh: Callable[[Nomination], Record | None]
    rewrite_inputs: bool = False
    moved: Callable[[Nomination], Mapping[SymbolId, Moved]] = nothing_moved
    ledger: Mapping[Slot, Replace] = _NO_CHANGES
    changed: Callable[[str, Tick], bool] = nothing_changed
    whole: Callable[[Record], Record | None] = nothing_whole
    code: Code | None = None
    again: Sequence[Again] = ()
    unreached: Callable[[Nomination], str | None] = nothing_unreached

    def results(self) -> list[Record]:
        """The results of tools that no change has taken away, in order."""
        return [record for slot, record in self.standing().items() if slot.side == "result"]

    def standing(self) -> Mapping[Slot, Record]:
        """The records of which no change has taken the lines away, in order."""
        return standing(self.held, self.ledger)

    def turns(self) -> Mapping[Slot, int]:
        """The number of the turn of each held record, from 1 on (`turns.turns`)."""
        return turns(self.held)
