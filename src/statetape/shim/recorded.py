"""The records of a step as they were when its result was first seen, and as a change left them."""

from collections.abc import Sequence

from msgspec.structs import replace

from statetape.context.added import resumed
from statetape.context.inventory import Inventory
from statetape.context.wording import bare
from statetape.shim.checkout import Checkout, Sighting
from statetape.shim.judging import strays
from statetape.tokens import tokens
from statetape.types import Record, Replace, RepositoryState, Step, Untracked


class Recorded:
    """Makes them against one checkout."""

    def __init__(self, inventory: Inventory, checkout: Checkout) -> None:
        self._inventory = inventory
        self._checkout = checkout

    def of_step(self, step: Step, when: Sighting) -> Sequence[Record]:
        """The records of a step whose result was first seen at some tick, as they were then."""
        if when.tick == self._checkout.workspace.now:
            return self._inventory.of_step(step, when.batch)
        records = self._inventory.of_step(step, when.tick)
        if any(strays(record) for record in records):
            earlier = self._inventory.of_step(step, when.batch)
            if not any(strays(record) for record in earlier):
                records = earlier
        # Of what nobody followed the tape does not have all writes: no test result is told apart.
        return [
            replace(record, referent=_then(record.referent, when), born=when.tick)
            if isinstance(record.referent, RepositoryState)
            else record
            for record in records
        ]

    def changed(self, step: Step | int, record: Record, change: Replace) -> Record:
        """The record that a change leaves: a refreshed text is about what it shows."""
        if change.why == "refresh" and isinstance(step, Step) and step.result is not None:
            shown = replace(step, result=replace(step.result, text=bare(change.text)))
            for each in self._inventory.of_step(shown, self._checkout.workspace.now):
                if each.slot == change.slot:
                    return replace(each, text=change.text, tokens=tokens(change.text))
        return replace(record, text=change.text, referent=Untracked(), tokens=tokens(change.text))

    def added(self, step: Step, change: Replace) -> tuple[Record, bool]:
        """What was added to the result of a step, and whether it is stale by now."""
        return resumed(change, step.index, self._checkout.workspace, tokens)


def _then(referent: RepositoryState, when: Sighting) -> RepositoryState:
    tests = () if when.unseen else referent.tests
    return replace(referent, state=when.state, tests=tests)
