"""One conversation on a workspace: what it holds, what was nominated, what was changed for good."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from statetape.context.again import Again, Removals
from statetape.context.asking import Ask, Reply, no_answer
from statetape.context.dedupe import Pointers
from statetape.context.holdings import Holdings
from statetape.context.notes import Notes, Untold
from statetape.context.situation import SHOWING, Situation
from statetape.context.wording import tombstone
from statetape.judgements import Judgements
from statetape.policies import Policy, planned
from statetape.replacements import Replacements
from statetape.types import Edit, Nomination, Plan, Record, Replace, Slot, Tick, Untracked
from statetape.workspace import Workspace


def in_full(plan: Plan) -> Plan:
    """The choice of a host to whom changes cost nothing: all of them, now."""
    return plan


class Session:
    """The one stateful object a host holds for a conversation.

    `held` is what the next request carries, slot by slot, as the policy has left it; `ledger` the
    changes that every later request carries again; `nominations` what the tape says of `held`.
    For each request: `request`, then, as the host likes, `restore`, `dedupe` and `note`.
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
        self._judgements = Judgements(workspace, tokens)
        self._shared = False
        self._title = title
        self._answer = answer
        self._rewrite_inputs = rewrite_inputs
        self._seen = workspace.now
        self._holdings = Holdings()
        self._nominations: dict[Slot, Nomination] = {}
        self._outdated: set[Slot] = set()
        self._ledger: dict[Slot, Replace] = {}
        self._notes = Notes(workspace)
        self._pointers = Pointers(workspace, title, tokens)
        self._replacements = Replacements(workspace, self._judgements, self._pointers, tokens)
        self._removals = Removals(workspace, title)
        self._again: list[Again] = []
        self._told = 0

    @property
    def held(self) -> Mapping[Slot, Record]:
        """The records, in the order in which their slots were first seen."""
        return self._holdings.records

    @property
    def tokens(self) -> int:
        """The tokens of all records."""
        return self._holdings.tokens

    @property
    def nominations(self) -> Mapping[Slot, Nomination]:
        """The nominations as of the last `catch_up`."""
        return self._nominations

    @property
    def ledger(self) -> Mapping[Slot, Replace]:
        """The sticky changes: what every request from now on has in these slots."""
        return self._ledger

    def share(self, judgements: Judgements) -> None:
        """Sessions over the same records need each judgement once. Before anything is held."""
        self._judgements = judgements
        self._shared = True
        self._replacements.share(judgements)

    def hold(self, record: Record, *, outdated: bool = False) -> None:
        """A record enters the context, or takes the place of the one in its slot.

        `outdated`: writes that the tape has not seen are known to have falsified it.
        """
        self.catch_up()
        if record.slot not in self.held:
            self._again += (again := self._removals.asked(record))
            self._pointers.heed(again)
        self._take(record, outdated=outdated)

    def resume(self, change: Replace, record: Record, *, outdated: bool = False) -> None:
        """A change that was made to the same history before; `record` is what it left.

        Of a note and of pointers, it is the record as the client sends it; `outdated` is as for
        `hold`.
        """
        self.catch_up()
        match change.why:
            case "dedupe":
                record = self._pointers.resumed(change, record, self._shown())
            case "note":
                record = self._with_text(record, change.text)
        self._take(record, outdated=outdated)
        self._sign(change)

    def forget(self, slots: Iterable[Slot] | None = None) -> None:
        """The client dropped these slots (None: all)."""
        for slot in list(self.held) if slots is None else slots:
            record = self._holdings.remove(slot)
            if record is not None:
                self._leave(record)
            self._ledger.pop(slot, None)
            self._notes.forget(slot)
            self._pointers.forget(slot)
            self._removals.forget(slot)

    def said(self, edits: Iterable[Edit]) -> None:
        """A finished step made these edits: nobody has to tell the agent. For hosts with notes."""
        self._notes.said(edits)

    def catch_up(self) -> None:
        """Judge the held records that the writes since the last time have touched."""
        entries = self._workspace.tape.since(self._seen)
        if not entries:
            return
        self._seen = self._workspace.now
        touched, searched = self._holdings.touched(entries)
        for slot in touched | searched:
            self._judge(slot, searched=slot in searched)

    def situation(self) -> Situation:
        """What the policy would see of a request that leaves now."""
        self.catch_up()
        return Situation(
            self._workspace.now,
            self.held,
            self._in_order(),
            self._title,
            self._replacements.fresh,
            self._rewrite_inputs,
            self._judgements.moved,
            self._ledger,
            self._changed,
            self._replacements.whole,
            self._workspace,
            tuple(self._again),
        )

    def request(self, chosen: Callable[[Plan], Plan] = in_full) -> Plan:
        """The plan for the request about to leave; `held` and `ledger` already follow it.

        `chosen` says what of the policy's plan is carried out now. The rest is not lost: its
        records stay nominated, and the policy is asked again at the next request.
        """
        plan = chosen(planned(self._policy, self.situation(), self._answer))
        plan = replace(plan, changes=tuple(self._notes.kept(change) for change in plan.changes))
        for change in plan.changes:
            self._apply(change)
        return plan

    def restore(self) -> list[Replace]:
        """Texts, or tombstones, in place of pointers to what went; they stand behind it."""
        found = []
        for record in self._pointers.lost(self._shown()):
            self._removals.forget(record.slot)
            self._take(record)
            nominated = self._nominations.get(record.slot)
            fresh = self._judgements.fresh(nominated) if nominated else None
            if nominated is not None and fresh is None:
                words = tombstone(nominated, self._title(record), self._judgements.moved(nominated))
                found.append(Replace(record.slot, words, "drop"))
                self._apply(found[-1])
                continue
            if fresh is not None:
                self._take(fresh)
            found.append(Replace(record.slot, (fresh or record).text, "refresh"))
            self._sign(found[-1])
        return found

    def dedupe(self, unsent: Iterable[Slot]) -> list[Replace]:
        """Pointers to what is shown already, in results that were never sent.

        None any more once the agent has read a third time what a pointer stood for.
        """
        found = []
        shown = self._shown(true=True)
        for slot in unsent:
            record = shown.get(slot)
            if record is None or slot in self._ledger:
                continue
            pointed = self._pointers.made(record, shown)
            if pointed is not None:
                shown[slot] = pointed.record
                self._removals.made(record, "dedupe", pointed.lines)
                self._take(pointed.record)
                found.append(Replace(slot, pointed.record.text, "dedupe"))
                self._sign(found[-1])
        return found

    def note(self, unsent: Sequence[Slot], budget: int) -> Replace | None:
        """A note behind the last unchanged one of some results that were never sent, or None.

        It tells what went stale and stays so, and who calls unseen what was written: in at most
        `budget` tokens, each write once. Without a result, it waits for the next request.
        """
        self.catch_up()
        free = [slot for slot in unsent if slot in self.held and slot not in self._ledger]
        slot = next((slot for slot in reversed(free) if slot.side == "result"), None)
        untold = Untold(self._holdings, self._in_order(), self._outdated, self._judgements.moved)
        text = self._notes.due(untold, budget, self._tokens, waits=slot is None)
        if slot is None or not text:
            return None
        change = Replace(slot, f"{self.held[slot].text}\n{text}", "note")
        record = self._with_text(self.held[slot], change.text)
        self._take(record, outdated=slot in self._outdated)
        self._sign(change)
        return change

    def asked_again(self) -> list[Again]:
        """What the agent has asked for again of what changes removed, since this was asked."""
        found, self._told = self._again[self._told :], len(self._again)
        return found

    def tokens_after(self, change: Replace) -> int:
        """The tokens of a slot after this change of a plan, with those that pointers to it save."""
        made = self._replacements.made(self.held[change.slot], change.text)
        if made is not None:
            return made.tokens
        saved = 0 if change.why in SHOWING else self._pointers.saved(change.slot)
        return self._tokens(change.text) + saved

    def _apply(self, change: Replace) -> None:
        record = self.held[change.slot]
        made = self._replacements.made(record, change.text)
        if made is None:
            words = replace(record, referent=Untracked(), born=self._workspace.now)
            made = self._with_text(words, change.text)
        if change.why not in SHOWING:
            self._removals.made(record, change.why)
        self._pointers.forget(change.slot)
        self._take(made)
        self._sign(change)

    def _changed(self, path: str, since: Tick) -> bool:
        return self._workspace.text(path) != self._workspace.text_at(path, since)

    def _sign(self, change: Replace) -> None:
        self._ledger[change.slot] = change
        self._notes.keep(change)

    def _with_text(self, record: Record, text: str) -> Record:
        return replace(record, text=text, tokens=self._tokens(text))

    def _shown(self, *, true: bool = False) -> dict[Slot, Record]:
        """The records of which no change took the lines away; `true`: and that are not stale."""
        gone = {slot for slot, change in self._ledger.items() if change.why not in SHOWING}
        gone |= self._nominations.keys() if true else set()
        return {slot: record for slot, record in self.held.items() if slot not in gone}

    def _in_order(self) -> tuple[Nomination, ...]:
        place = self._holdings.place
        return tuple(sorted(self._nominations.values(), key=lambda n: place(n.record.slot)))

    def _take(self, record: Record, *, outdated: bool = False) -> None:
        """A record enters or takes the place of another, and is judged."""
        slot = record.slot
        if (old := self.held.get(slot)) is not None:
            self._leave(old)
        self._holdings.put(record)
        if outdated:
            self._outdated.add(slot)
        if outdated or record.born < self._workspace.now:
            self._judge(slot)

    def _leave(self, record: Record) -> None:
        self._replacements.forget(record.slot)
        self._outdated.discard(record.slot)
        self._nominations.pop(record.slot, None)
        if not self._shared:
            self._judgements.forget(record)

    def _judge(self, slot: Slot, *, searched: bool = False) -> None:
        found = self._judgements.nomination(
            self.held[slot], outdated=slot in self._outdated, searched=searched
        )
        if found is None:
            self._nominations.pop(slot, None)
        else:
            self._nominations[slot] = found
