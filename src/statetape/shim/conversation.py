"""One conversation of one agent, followed request by request."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from statetape.context.added import Brought
from statetape.context.inventory import Inventory
from statetape.context.titles import title
from statetape.context.wording import bare
from statetape.policies import Policy
from statetape.session import MOST_BROUGHT, Session
from statetape.shim.arrivals import (
    Arrival,
    Steps,
    commands_ran,
    outlived,
    unfollowed,
    written_paths,
)
from statetape.shim.checkout import Checkout, Sighting
from statetape.shim.composed import composed, takes_more
from statetape.shim.judging import judged
from statetape.shim.paying import Payer
from statetape.shim.recorded import Recorded
from statetape.shim.stubs import Stubs
from statetape.shim.unsent import first_unsent
from statetape.store.changes import Changes
from statetape.text import speakable
from statetape.tokens import tokens
from statetape.types import (
    Call,
    Edit,
    Plan,
    Record,
    Region,
    Replace,
    Say,
    Slot,
    Step,
    Tick,
    Turn,
    Why,
)
from statetape.wire.raw import Path
from statetape.wire.reading import Reading


class Maintained(NamedTuple):
    """The texts that take the place of the agent's own, and where breakpoints are to be set.

    These by the path of the block, with their ttl in seconds.
    """

    texts: Mapping[Slot, str]
    anchors: Mapping[Path, int]


class Adding(NamedTuple):
    """What is said in results that were never sent: notes of so many tokens (0: none), pointers."""

    notes: int = 0
    dedupe: bool = False


class Volume(NamedTuple):
    """How much code was brought in: regions, and cl100k tokens with what we say of them."""

    regions: int
    tokens: int


NOTHING = Adding()
NOTHING_BROUGHT = Volume(0, 0)
# Changes that leave the record what it was, with less or more beside it.
_BESIDE = ("note", "dedupe")


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
        adding: Adding = NOTHING,
    ) -> None:
        """`steps` has seen nothing yet; its root is the checkout's folder."""
        self._adding = adding
        self._checkout = checkout
        self._changes = changes
        self._steps = steps
        self._inventory = Inventory(checkout.workspace, steps.root, tokens)
        self._recorded = Recorded(self._inventory, checkout)
        self._titles = titles = dict[int, str]()
        self.policy = policy
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
        self._stubs = Stubs(self.session, checkout.workspace)
        self._sent: dict[Slot, str] = {}
        self._unsaved: dict[Slot, Replace] = {}
        self._batch: Tick = 0
        self.payers: dict[str, Payer] = {}
        self.put: list[tuple[bytes, Replace]] = []
        self.brought = NOTHING_BROUGHT

    @property
    def tokens_without(self) -> int:
        """The tokens of the texts as the agent sends them."""
        return sum(self._original.values())

    @property
    def difference(self) -> tuple[int, int]:
        """The tokens that all changes together take away, and those that they add."""
        held = self.session.held
        less = [self._original[slot] - held[slot].tokens for slot in self.session.ledger]
        return sum(n for n in less if n > 0), -sum(n for n in less if n < 0)

    @property
    def made(self) -> list[Why]:
        """Why the texts were changed that this request is the first to have."""
        return [change.why for _, change in self.put]

    @property
    def length(self) -> int:
        """How many messages the last request had."""
        return len(self._chain)

    def common(self, chain: Sequence[bytes]) -> int:
        """How many messages a request has in common with the last one that was followed."""
        pairs = zip(self._chain, chain, strict=False)
        other = (at for at, (ours, theirs) in enumerate(pairs) if ours != theirs)
        return next(other, min(len(self._chain), len(chain)))

    def foresee(self, calls: Iterable[Call]) -> None:
        """The model has asked for these calls; the agent is about to make them."""
        self._checkout.look({path for call in calls for path in self._steps.foreseen(call)})

    def maintained(self, reading: Reading, payer: Payer | None = None) -> Maintained:
        """What is to be changed in this request; `payer` decides what of it is paid for now.

        The changes are persisted. Raises what the store, the disk or the policy raises; the next
        request then tries again.
        """
        self.brought = NOTHING_BROUGHT
        known = self.common(reading.chain)
        first = first_unsent(reading, self._checkout.sighted)
        self._forget(known)
        self._take(reading.turns[known:], reading.chain[known:])
        plan = self._plan(reading, payer, first)
        self._keep(plan.changes)
        self._restore()
        self._add(reading, payer, first, plan.retrieved)
        self.put = [(self._where[slot], change) for slot, change in self._unsaved.items()]
        if self.put:
            self._changes.put(self.put)
            self._sent |= {slot: change.text for slot, change in self._unsaved.items()}
            self._unsaved.clear()
        anchors = payer.closed(self.session, self._original) if payer else {}
        return Maintained(composed(self._sent, reading), anchors)

    def _plan(self, reading: Reading, payer: Payer | None, first: int) -> Plan:
        if payer is None:
            return self.session.request()
        payer.open(reading, time.time(), self.session, self._original, first)
        return self.session.request(lambda plan: payer.chosen(plan, self.session))

    def _forget(self, known: int) -> None:
        """The client dropped or rewrote the messages from `known` on."""
        gone = [slot for slots in self._slots[known:] for slot in slots]
        self._steps.forget(gone)
        for slot in self.session.forget(gone):
            self._where.pop(slot, None)
            self._original.pop(slot, None)
            self._sent.pop(slot, None)
            self._unsaved.pop(slot, None)
        del self._chain[known:], self._slots[known:]

    def _take(self, turns: Sequence[Turn], chain: Sequence[bytes]) -> None:
        """New messages enter, with the changes that were made to the same history before."""
        stored = self._changes.of(chain)
        arrivals = list(self._steps.arrivals(turns))
        self._checkout.catch_up(written_paths(arrivals), ran=commands_ran(arrivals))
        later, unseen = outlived(arrivals), unfollowed(arrivals)
        # What is new was true at some time since the last request, whoever wrote meanwhile.
        seen = [self._checkout.sighting(each, self._batch, unseen=unseen) for each in chain]
        self._batch = self._checkout.workspace.now
        self._chain += chain
        self._slots += [[block.slot for block in turn.blocks] for turn in turns]
        for arrival in arrivals:
            slot, when = arrival.block.slot, seen[arrival.at]
            self._where[slot] = chain[arrival.at]
            for record in self._records(arrival, when):
                self._original[record.slot] = record.tokens
                change = stored.get(record.slot)
                if change is not None and change.why not in _BESIDE:
                    left = self._recorded.changed(arrival.step, record, change)
                    self._resume(arrival.step, change, left)
                    continue
                written = later.get(record.slot, frozenset())
                held, false = judged(arrival.step, record, written, unseen=when.unseen)
                if change is None:
                    self.session.hold(held, outdated=false)
                else:
                    self.session.resume(change, held, outdated=false)
                    self._sent[change.slot] = change.text
            added = stored.get(Slot(slot.id, "added"))
            if added is not None and slot.side == "result" and isinstance(arrival.step, Step):
                self._enters(added.slot)
                record, false = self._recorded.added(arrival.step, added)
                self.session.resume(added, record, outdated=false)
                self._sent[added.slot] = added.text

    def _resume(self, step: Step | int, change: Replace, record: Record) -> None:
        """A change is there, with the record it left; a text of the file may be false by now."""
        self.session.resume(change, record)
        self._sent[change.slot] = change.text
        if change.why == "refresh":
            own = replace(record, text=bare(record.text))
            held, false = judged(step, own, frozenset(), unseen=True)
            if false:
                self.session.hold(replace(held, text=record.text), outdated=True)

    def _records(self, arrival: Arrival, when: Sighting) -> Sequence[Record]:
        match arrival:
            case Arrival(block=Say() as say, step=int(number)):
                return [self._inventory.of_say(say, number)]
            case Arrival(block=Call() as call, step=int(number)):
                return [self._inventory.of_call(call, number, "other")]
            case Arrival(step=Step() as step):
                self._titles[step.index] = title(step)
                self._stubs.heed(arrival.block.slot, step)
                if step.kind != "edit_failed":
                    self.session.said(each for each in step.actions if isinstance(each, Edit))
                return self._recorded.of_step(step, when)
        return []

    def _restore(self) -> None:
        """Put the texts back that references and pointers stand for, where those lead nowhere."""
        for slot, step, text in self._stubs.due():
            change = Replace(slot, speakable(text), "refresh")
            self._resume(
                step, change, self._recorded.changed(step, self.session.held[slot], change)
            )
            self._unsaved[slot] = change
        self._keep(self.session.restore())

    def _enters(self, added: Slot) -> None:
        """Something of ours stands behind a result from now on, in the message of that."""
        self._where[added] = self._where[Slot(added.id, "result")]
        self._original[added] = 0

    def _add(
        self, reading: Reading, payer: Payer | None, first: int, wanted: Sequence[Region]
    ) -> None:
        """What never-sent results allow: pointers in place of what is shown, code, and a note.

        A reference to an earlier read is left out: it may get another text as a whole.
        """
        slots = (block.slot for turn in reading.turns[first:] for block in turn.blocks)
        unsent = [slot for slot in slots if slot in reading.places and slot not in self._stubs]
        if self._adding.dedupe:
            self._keep(self.session.dedupe(unsent))
        if wanted:
            most = MOST_BROUGHT if payer is None else payer.room(self.session, self._original)
            free = [slot for slot in unsent if takes_more(slot, reading)]
            self._bring(self.session.retrieve(free, wanted, most))
        if self._adding.notes and (payer is None or payer.may_add):
            note = self.session.note(unsent, self._adding.notes)
            self._keep([note] if note else [])
        if payer is not None:
            payer.regret(self.session.asked_again())

    def _bring(self, found: Brought | None) -> None:
        if found is not None:
            self.brought = Volume(len(found.regions), found.record.tokens)
            self._enters(found.change.slot)
            self._keep([found.change])

    def _keep(self, changes: Iterable[Replace]) -> None:
        for change in changes:
            self._unsaved[change.slot] = replace(change, text=speakable(change.text))
