"""One conversation on a workspace: what it holds, what was nominated, what was changed for good."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from statetape.additions import Additions
from statetape.contents import Contents
from statetape.context.added import Brought
from statetape.context.again import Again
from statetape.context.asking import Ask, Reply, no_answer
from statetape.context.situation import SHOWING, Situation
from statetape.judgements import Judgements
from statetape.policies import Policy, planned
from statetape.types import Edit, Nomination, Plan, Record, Region, Replace, Slot, Tick
from statetape.workspace import Workspace

MOST_BROUGHT = 8_000
"""Tokens of code that is brought in at one request, where nobody has to pay for them."""


def in_full(plan: Plan) -> Plan:
    """The choice of a host to whom changes cost nothing: all of them, now."""
    return plan


class Session:
    """The one stateful object a host holds for a conversation.

    `held` is what the next request carries, slot by slot, as the policy has left it; `ledger` the
    changes that every later request carries again; `nominations` what the tape says of `held`.
    For each request: `request`, then, as the host likes, `restore`, `dedupe`, `retrieve`, `note`.
    """

    def __init__(
        self,
        workspace: Workspace,
        policy: Policy,
        tokens: Callable[[str], int],
        *,
        title: Callable[[Record], str],
        answer: Callable[[Ask], Reply] = no_answer,
        rewrite_inputs: bool = False,
    ) -> None:
        self._workspace = workspace
        self._policy = policy
        self._tokens = tokens
        self._answer = answer
        self._rewrite_inputs = rewrite_inputs
        self._contents = Contents(workspace, tokens, title)
        self._additions = Additions(self._contents)
        self._again: list[Again] = []
        self._told = 0

    @property
    def held(self) -> Mapping[Slot, Record]:
        """The records, in the order in which their slots were first seen.

        What was added to a result stands directly behind it.
        """
        return self._contents.records

    @property
    def tokens(self) -> int:
        """The tokens of all records."""
        return self._contents.holdings.tokens

    @property
    def nominations(self) -> Mapping[Slot, Nomination]:
        """The nominations as of the last `catch_up`."""
        return self._contents.nominations

    @property
    def ledger(self) -> Mapping[Slot, Replace]:
        """The sticky changes: what every request from now on has in these slots."""
        return self._contents.ledger

    def share(self, judgements: Judgements) -> None:
        """Sessions over the same records need each judgement once. Before anything is held."""
        self._contents.share(judgements)

    def title(self, record: Record) -> str:
        """What a record is of, in one line."""
        return self._contents.title(record)

    def hold(self, record: Record, *, outdated: bool = False) -> None:
        """A record enters the context, or takes the place of the one in its slot.

        `outdated`: writes that the tape has not seen are known to have falsified it.
        """
        self.catch_up()
        if record.slot not in self.held:
            self._again += (again := self._contents.removals.asked(record))
            self._contents.pointers.heed(again)
        self._contents.take(record, outdated=outdated)

    def resume(self, change: Replace, record: Record, *, outdated: bool = False) -> None:
        """A change that was made to the same history before; `record` is what it left.

        Of a note and of pointers, it is the record as the client sends it; of what was added to a
        result, which is held by now, what `context.added.resumed` says. `outdated` as for `hold`.
        """
        self.catch_up()
        match change.why:
            case "dedupe":
                shown = self._contents.shown()
                record = self._contents.pointers.resumed(change, record, shown)
            case "note":
                record = self._contents.with_text(record, change.text)
        self._contents.take(record, outdated=outdated)
        self._contents.sign(change)

    def forget(self, slots: Iterable[Slot] | None = None) -> tuple[Slot, ...]:
        """The client dropped these slots (None: all), and what was added to them; all that went."""
        gone = tuple(self.held if slots is None else slots)
        added = (Slot(slot.id, "added") for slot in gone if slot.side == "result")
        gone += tuple(slot for slot in added if slot in self.held and slot not in gone)
        self._contents.forget(gone)
        return gone

    def said(self, edits: Iterable[Edit]) -> None:
        """A finished step made these edits: nobody has to tell the agent. For hosts with notes."""
        self._contents.notes.said(edits)

    def catch_up(self) -> None:
        """Judge the held records that the writes since the last time have touched."""
        self._contents.catch_up()

    def situation(self) -> Situation:
        """What the policy would see of a request that leaves now."""
        self.catch_up()
        contents = self._contents
        return Situation(
            self._workspace.now,
            self.held,
            contents.in_order(),
            contents.title,
            contents.replacements.fresh,
            self._rewrite_inputs,
            contents.judgements.moved,
            self.ledger,
            self._changed,
            contents.replacements.whole,
            self._workspace,
            tuple(self._again),
            contents.unreached,
        )

    def request(self, chosen: Callable[[Plan], Plan] = in_full) -> Plan:
        """The plan for the request about to leave; `held` and `ledger` already follow it.

        `chosen` says what of the policy's plan is carried out now. The rest is not lost: its
        records stay nominated, and the policy is asked again at the next request.
        """
        plan = chosen(planned(self._policy, self.situation(), self._answer))
        kept = self._contents.notes.kept
        plan = replace(plan, changes=tuple(kept(change) for change in plan.changes))
        for change in plan.changes:
            self._contents.put(change)
        for each in plan.kept:
            self._contents.vouch(each.slot)
        return plan

    def restore(self) -> list[Replace]:
        """Texts, or tombstones, in place of pointers to what went; they stand behind it."""
        return self._additions.restore()

    def dedupe(self, unsent: Iterable[Slot]) -> list[Replace]:
        """Pointers to what is shown already, in results that were never sent.

        None any more once the agent has read a third time what a pointer stood for.
        """
        return self._additions.dedupe(unsent)

    def retrieve(
        self, unsent: Sequence[Slot], regions: Iterable[Region], most: int = MOST_BROUGHT
    ) -> Brought | None:
        """Code behind the last one of some results that were never sent, or None.

        Those of the `regions` that are whole lines of files as they are now and that nothing true
        shows, the first ones first, in at most about `most` tokens. It is a record of its own from
        then on, in the slot of what is added to that result. Without a result there is none, and
        the policy is asked again at the next request.
        """
        self.catch_up()
        return self._additions.retrieve(unsent, regions, most)

    def note(self, unsent: Sequence[Slot], budget: int) -> Replace | None:
        """A note behind the last unchanged one of some results that were never sent, or None.

        It tells what went stale and stays so, and who calls unseen what was written: in at most
        `budget` tokens, each write once. Without a result, it waits for the next request.
        """
        self.catch_up()
        return self._additions.note(unsent, budget)

    def asked_again(self) -> list[Again]:
        """What the agent has asked for again of what changes removed, since this was asked."""
        found, self._told = self._again[self._told :], len(self._again)
        return found

    def tokens_after(self, change: Replace) -> int:
        """The tokens of a slot after this change of a plan, with those that pointers to it save."""
        made = self._contents.replacements.made(self.held[change.slot], change.text)
        if made is not None:
            return made.tokens
        saved = 0 if change.why in SHOWING else self._contents.pointers.saved(change.slot)
        return self._tokens(change.text) + saved

    def _changed(self, path: str, since: Tick) -> bool:
        return self._workspace.text(path) != self._workspace.text_at(path, since)
