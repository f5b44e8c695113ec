"""A session that a policy has maintained from the start, beside the one that the agent had."""

from collections.abc import Iterable, Mapping, Sequence

from statetape.bench.effects import Change, Effect, Sight
from statetape.context.situation import SHOWING
from statetape.session import Session
from statetape.types import Record, Slot


class Maintained:
    """One policy's session. Tokens: `sent` over all requests, `removed` and `regretted` in lines.

    A removed line is regretted when the agent, who had it, read it again or quoted it, and nothing
    else in the maintained context showed it.
    """

    def __init__(self, session: Session, sight: Sight) -> None:
        self._session = session
        self._sight = sight
        self._put: dict[Slot, tuple[int, ...]] = {}
        self._gone: set[int] = set()
        self.sent = 0
        self.removed = 0
        self.regretted = 0

    def hold(self, record: Record) -> None:
        """A record enters."""
        self._session.hold(record)
        self._gone.difference_update(self._sight.came(record.slot))

    def forget(self, slots: Iterable[Slot] | None) -> None:
        """The client dropped these slots; None: all."""
        for slot in self._session.forget(slots):
            self._put.pop(slot, None)
        if slots is None:
            self._gone.clear()

    def use(self, lines: frozenset[int]) -> None:
        """A step used these lines. Before its records are held."""
        missed = lines & self._gone
        if missed:
            missed -= self._shown()
            self.regretted += self._sight.weight(missed)
            self._gone -= missed

    def send(self, unsent: Sequence[Slot], *, counts: bool = True) -> None:
        """A request leaves, with results in `unsent` that none before had.

        `counts`: it was really sent.
        """
        plan = self._session.request()
        for change in plan.changes:
            slot = change.slot
            before = self._lines(slot)
            record = self._session.held[slot]
            self._put[slot] = self._sight.of(record) if change.why in SHOWING else ()
            self._gone.difference_update(self._put[slot])
            lost = set(before) - set(self._put[slot])
            self._gone |= lost
            self.removed += self._sight.weight(lost)
        found = self._session.retrieve(unsent, plan.retrieved)
        if found is not None:
            self._put[found.record.slot] = self._sight.of(found.record)
        self.sent += self._session.tokens if counts else 0

    def effect(self, control: Mapping[Slot, Record]) -> Effect:
        """What stands now against what the agent held."""
        changed: dict[Slot, Change] = {}
        lines: set[int] = set()
        brought = 0
        for slot, now in self._session.held.items():
            was = control.get(slot)
            if was is not None and slot not in self._session.ledger:
                continue
            lines.update(self._put.get(slot, ()))
            if was is None:
                brought += now.tokens
            elif self._session.ledger[slot].why in SHOWING:
                changed[slot] = self._sight.refreshed(was, now, self._put[slot])
            else:
                changed[slot] = Change("removed", now.tokens)
        new = {line for line in lines if self._sight.stands(line)}
        new = new - self._sight.standing(control) if new else new
        return Effect(changed, self._sight.placed(new), brought)

    def _lines(self, slot: Slot) -> tuple[int, ...]:
        return self._put[slot] if slot in self._put else self._sight.came(slot)

    def _shown(self) -> set[int]:
        return {line for slot in self._session.held for line in self._lines(slot)}
