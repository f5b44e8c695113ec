"""One conversation on a workspace: what it holds, what was nominated, what was changed for good."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count

from msgspec.structs import replace

from statetape.context.searches import touches
from statetape.context.situation import Ask, Reply, Situation
from statetape.judgements import Judgements
from statetape.policies import Policy, planned
from statetape.types import (
    Nomination,
    Plan,
    Query,
    Record,
    Replace,
    RepositoryState,
    Search,
    Slot,
    SymbolId,
    Untracked,
)
from statetape.workspace import Workspace


def no_answer(_: Ask) -> Reply:
    """The reply of a host without a model."""
    return Reply(None)


def in_full(plan: Plan) -> Plan:
    """The choice of a host to whom changes cost nothing: all of them, now."""
    return plan


class Session:
    """The one stateful object a host holds for a conversation.

    `held` is what the next request carries, slot by slot, as the policy has left it; `ledger` the
    changes that every later request carries again; `nominations` what the tape says of `held`.
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
        self._holders: defaultdict[SymbolId, set[Slot]] = defaultdict(set)
        self._readers: defaultdict[str, set[Slot]] = defaultdict(set)
        self._of_state: set[Slot] = set()
        self._searches: dict[Slot, tuple[Search, ...]] = {}
        self._held: dict[Slot, Record] = {}
        self._order: dict[Slot, int] = {}
        self._numbers = count()
        self._nominations: dict[Slot, Nomination] = {}
        self._outdated: set[Slot] = set()
        self._ledger: dict[Slot, Replace] = {}
        self.tokens = 0

    @property
    def held(self) -> Mapping[Slot, Record]:
        """The records, in the order in which their slots were first seen."""
        return self._held

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

    def hold(self, record: Record, *, outdated: bool = False) -> None:
        """A record enters the context, or takes the place of the one in its slot.

        `outdated`: writes that the tape has not seen are known to have falsified it.
        """
        self.catch_up()
        self._put(record)
        if outdated:
            self._outdated.add(record.slot)
        if outdated or record.born < self._workspace.now:
            self._judge(record.slot)

    def resume(self, change: Replace, record: Record) -> None:
        """A change that was made to the same history before; `record` is what it left."""
        self.hold(record)
        self._ledger[change.slot] = change

    def forget(self, slots: Iterable[Slot] | None = None) -> None:
        """The client dropped these slots (None: all)."""
        for slot in list(self._held) if slots is None else slots:
            self._remove(slot)
            self._ledger.pop(slot, None)

    def catch_up(self) -> None:
        """Judge the held records by the writes since the last time.

        Looks only at records of the written files, at records of symbols elsewhere whose dispatch
        moved, at records of the repository's state, and at searches whose pattern stands in a
        changed line. All records of a written file, for a record may outlive its symbols: while a
        file is broken they go and come, and the text that it shows still stands.
        """
        entries = self._workspace.tape.since(self._seen)
        if not entries:
            return
        self._seen = self._workspace.now
        touched = set(self._of_state)
        searched = {
            slot
            for entry in entries
            for slot, searches in self._searches.items()
            if any(touches(search, entry.write) for search in searches)
        }
        for entry in entries:
            touched |= self._readers.get(entry.write.path, frozenset())
            for symbol in entry.drift.dispatch:
                touched |= self._holders.get(symbol, frozenset())
        for slot in touched | searched:
            self._judge(slot, searched=slot in searched)

    def request(self, chosen: Callable[[Plan], Plan] = in_full) -> Plan:
        """The plan for the request about to leave; `held` and `ledger` already follow it.

        `chosen` says what of the policy's plan is carried out now. The rest is not lost: its
        records stay nominated, and the policy is asked again at the next request.
        """
        self.catch_up()
        nominations = sorted(self._nominations.values(), key=lambda n: self._order[n.record.slot])
        situation = Situation(
            self._workspace.now,
            self._held,
            tuple(nominations),
            self._title,
            self._judgements.fresh,
            self._rewrite_inputs,
            self._judgements.moved,
        )
        plan = chosen(planned(self._policy, situation, self._answer))
        for change in plan.changes:
            self._apply(change)
        return plan

    def tokens_after(self, change: Replace) -> int:
        """The tokens of a slot if this change of a plan were carried out."""
        fresh = self._judgements.made(self._held[change.slot])
        if fresh is not None and fresh.text == change.text:
            return fresh.tokens
        return self._tokens(change.text)

    def _apply(self, change: Replace) -> None:
        record = self._held[change.slot]
        fresh = self._judgements.made(record)
        if fresh is None or fresh.text != change.text:
            fresh = replace(
                record,
                text=change.text,
                referent=Untracked(),
                born=self._workspace.now,
                tokens=self._tokens(change.text),
            )
        self._put(fresh)
        self._ledger[change.slot] = change

    def _put(self, record: Record) -> None:
        slot = record.slot
        old = self._held.get(slot)
        if old is None:
            self._order[slot] = next(self._numbers)
        else:
            self._unlist(old)
        self._held[slot] = record
        self.tokens += record.tokens
        self._nominations.pop(slot, None)
        if isinstance(record.referent, RepositoryState):
            self._of_state.add(slot)
        elif isinstance(record.referent, Query):
            self._searches[slot] = record.referent.searches
        for symbol in getattr(record.referent, "views", ()):
            self._holders[symbol].add(slot)
            self._readers[symbol.path].add(slot)

    def _remove(self, slot: Slot) -> None:
        record = self._held.pop(slot, None)
        if record is not None:
            self._unlist(record)
            self._nominations.pop(slot, None)

    def _unlist(self, record: Record) -> None:
        self.tokens -= record.tokens
        self._of_state.discard(record.slot)
        self._searches.pop(record.slot, None)
        self._outdated.discard(record.slot)
        if not self._shared:
            self._judgements.forget(record)
        for symbol in getattr(record.referent, "views", ()):
            self._holders[symbol].discard(record.slot)
            self._readers[symbol.path].discard(record.slot)

    def _judge(self, slot: Slot, *, searched: bool = False) -> None:
        found = self._judgements.nomination(
            self._held[slot], outdated=slot in self._outdated, searched=searched
        )
        if found is None:
            self._nominations.pop(slot, None)
        else:
            self._nominations[slot] = found
