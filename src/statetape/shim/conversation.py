"""One conversation of one agent, followed request by request."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from statetape.agents.numbered import stub
from statetape.context.inventory import Inventory
from statetape.context.reread import reread
from statetape.context.titles import title
from statetape.context.wording import current
from statetape.policies import Policy
from statetape.session import Session
from statetape.shim.arrivals import Arrival, Steps, commands_ran, outlived, written_paths
from statetape.shim.checkout import Checkout
from statetape.store.changes import Changes
from statetape.tokens import tokens
from statetape.types import (
    Call,
    Read,
    Record,
    Replace,
    RepositoryState,
    Say,
    Slot,
    Step,
    Symbols,
    Tick,
    Turn,
    Untracked,
)
from statetape.wire.reading import Reading

_Stored = Mapping[Slot, Replace]


class Conversation:
    """What an agent holds of one checkout, and the sticky changes to it.

    Not thread-safe: one request at a time, with the checkout's lock held.
    """

    def __init__(
        self,
        checkout: Checkout,
        steps: Steps,
        policy: Policy,
        changes: Changes,
        *,
        rewrite_inputs: bool = False,
    ) -> None:
        """`steps` has seen nothing yet; its root is the checkout's folder."""
        self._checkout = checkout
        self._changes = changes
        self._steps = steps
        self._inventory = Inventory(checkout.workspace, steps.root, tokens)
        self._titles: dict[int, str] = {}
        titles = self._titles
        self.session = Session(
            checkout.workspace,
            policy,
            tokens,
            title=lambda record: titles.get(record.step, "a message"),
            rewrite_inputs=rewrite_inputs,
        )
        self._chain: list[bytes] = []
        self._slots: list[list[Slot]] = []
        self._where: dict[Slot, bytes] = {}
        self._original: dict[Slot, int] = {}
        self._reads: defaultdict[str, list[Slot]] = defaultdict(list)
        self._stubs: dict[Slot, Step] = {}
        self._unsaved: dict[Slot, Replace] = {}
        self._batch: Tick = 0

    @property
    def tokens_without(self) -> int:
        """The tokens of the texts as the agent sends them."""
        return sum(self._original.values())

    def common(self, chain: Sequence[bytes]) -> int:
        """How many messages a request has in common with the last one that was followed."""
        pairs = zip(self._chain, chain, strict=False)
        other = (at for at, (ours, theirs) in enumerate(pairs) if ours != theirs)
        return next(other, min(len(self._chain), len(chain)))

    def foresee(self, calls: Iterable[Call]) -> None:
        """The model has asked for these calls; the agent is about to make them."""
        self._checkout.look({path for call in calls for path in self._steps.foreseen(call)})

    def maintained(self, reading: Reading) -> Mapping[Slot, str]:
        """The texts that take the place of the agent's own in this request.

        The changes behind them are persisted. Raises what the store, the disk or the policy
        raises; the next request then tries again.
        """
        known = self.common(reading.chain)
        self._forget(known)
        self._take(reading.turns[known:], reading.chain[known:])
        for change in self.session.request().changes:
            self._unsaved[change.slot] = change
        self._restore()
        if self._unsaved:
            self._changes.put([(self._where[slot], c) for slot, c in self._unsaved.items()])
            self._unsaved.clear()
        return self.kept(reading)

    def kept(self, reading: Reading) -> Mapping[Slot, str]:
        """The texts of the changes that were made so far, whatever was written since.

        May be asked without the checkout's lock.
        """
        ledger = dict(self.session.ledger)
        texts = {slot: change.text for slot, change in ledger.items() if slot in reading.places}
        return {slot: text for slot, text in texts.items() if slot not in self._unsaved}

    def _forget(self, known: int) -> None:
        """The client dropped or rewrote the messages from `known` on."""
        gone = [slot for slots in self._slots[known:] for slot in slots]
        self.session.forget(gone)
        self._steps.forget(gone)
        for slot in gone:
            self._where.pop(slot, None)
            self._original.pop(slot, None)
            self._unsaved.pop(slot, None)
        del self._chain[known:], self._slots[known:]

    def _take(self, turns: Sequence[Turn], chain: Sequence[bytes]) -> None:
        """New messages enter, with the changes that were made to the same history before."""
        stored = self._changes.of(chain)
        resumed = not self._chain
        arrivals = list(self._steps.arrivals(turns))
        batch = self._batch
        self._checkout.catch_up(written_paths(arrivals), ran=commands_ran(arrivals))
        later = outlived(arrivals, unseen=resumed)
        self._chain += chain
        self._slots += [[block.slot for block in turn.blocks] for turn in turns]
        # What is new was true at some time since the last request, whoever wrote meanwhile.
        self._batch = self._checkout.workspace.now
        for arrival in arrivals:
            slot = arrival.block.slot
            self._where[slot] = chain[arrival.at]
            for record in self._records(arrival, batch):
                self._original[record.slot] = record.tokens
                change = stored.get(record.slot)
                if change is None:
                    falsified = _falsified(record, later.get(record.slot, frozenset()))
                    self.session.hold(record, outdated=falsified)
                else:
                    self.session.resume(change, self._changed(arrival.step, record, change, batch))

    def _records(self, arrival: Arrival, batch: Tick) -> Sequence[Record]:
        match arrival:
            case Arrival(block=Say() as say, step=int(number)):
                return [self._inventory.of_say(say, number)]
            case Arrival(block=Call() as call, step=int(number)):
                return [self._inventory.of_call(call, number, "other")]
            case Arrival(step=Step() as step):
                self._titles[step.index] = title(step)
                if stub(step.result.text if step.result else ""):
                    self._stubs[arrival.block.slot] = step
                else:
                    for read in _reads(step):
                        self._reads[read.path].append(arrival.block.slot)
                return self._inventory.of_step(step, batch)
        return []

    def _changed(self, step: Step | int, record: Record, change: Replace, batch: Tick) -> Record:
        """The record that a change leaves: a refreshed text is about what it shows."""
        if change.why == "refresh" and isinstance(step, Step) and step.result is not None:
            text = change.text.removesuffix("\n" + current())
            shown = replace(step, result=replace(step.result, text=text))
            for each in self._inventory.of_step(shown, batch):
                if each.slot == change.slot:
                    return replace(each, text=change.text, tokens=tokens(change.text))
        return replace(record, text=change.text, referent=Untracked(), tokens=tokens(change.text))

    def _restore(self) -> None:
        """Put the text where a result says "unchanged since your last read" of a read that is gone.

        Whether it went before the reference came, or with this request.
        """
        for slot, step in list(self._stubs.items()):
            if slot not in self.session.held or slot in self.session.ledger:
                del self._stubs[slot]
                continue
            for read in _reads(step):
                text = reread(read, self._checkout.workspace)
                if text is None or any(map(self._shows, self._reads[read.path])):
                    continue
                change = Replace(slot, text, "refresh")
                record = self.session.held[slot]
                self.session.resume(change, self._changed(step, record, change, self._batch))
                self._unsaved[slot] = change
                self._reads[read.path].append(slot)
                del self._stubs[slot]
                break

    def _shows(self, slot: Slot) -> bool:
        """Whether the context still has the text of a read."""
        change = self.session.ledger.get(slot)
        return slot in self.session.held and (change is None or change.why == "refresh")


def _reads(step: Step) -> Iterator[Read]:
    yield from (action for action in step.actions if isinstance(action, Read))


def _falsified(record: Record, written: AbstractSet[str]) -> bool:
    """Whether a record is older than later steps that arrived with it.

    A read that still stands in its file is true whatever was written.
    """
    match record.referent:
        case RepositoryState():
            return bool(written)
        case Symbols(views=views, whole=False):
            return any(symbol.path in written for symbol in views)
    return False
