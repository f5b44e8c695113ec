"""Sessions beside the one that is told of: the same recording on other terms, in one replay."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from statetape.economics.alike import kind
from statetape.economics.prices import Price
from statetape.replay.priced import Payment, Priced, Sums
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Event, Forgot, Sent
from statetape.replay.timeline import Cost
from statetape.session import Session
from statetape.types import Record, Slot, Step


class Beside:
    """One session for each payment, by every price that makes a difference of its own.

    What a client sends does not depend on the terms: it is rebuilt once for all that count alike.
    """

    def __init__(self, models: Sequence[str], session: Callable[[bool], Session]) -> None:
        """`session` makes one; whether it rewrites the agent's inputs is what it is asked with."""
        self._models = models
        self._session = session
        self._prompts: dict[object, Prompts] = {}
        self._kinds: dict[object, Priced] = {}
        self._leading: list[Priced | None] = []
        self._all: list[tuple[Price, Priced] | None] = []

    def lead(self, payment: Payment, session: Session) -> Priced | None:
        """The one that is told of pays, too, if its model has a price; it follows by itself."""
        priced = payment.priced(session, self._models, self._prompts)
        self._leading.append(priced)
        return priced

    def add(self, payment: Payment) -> None:
        """One more, if its model has a price."""
        price = payment.price_for(self._models)
        key = price and kind(price), replace(payment, prices=(), price=None)
        if key not in self._kinds:
            session = self._session(payment.rewrite_inputs)
            priced = payment.priced(session, self._models, self._prompts)
            if priced is not None:
                self._kinds[key] = priced
        known = self._kinds.get(key)
        self._all.append(None if price is None or known is None else (price, known))

    def hold(self, record: Record) -> None:
        """A record enters the context."""
        for priced in self._priced():
            priced.session.hold(record)

    def said(self, step: Step) -> None:
        """A step has come to its end, for the one that leads, too."""
        for priced in (*self._leading, *self._priced()):
            if priced is not None:
                priced.said(step)

    def catch_up(self) -> None:
        """A write has happened."""
        for priced in self._priced():
            priced.session.catch_up()

    def forget(self, slots: frozenset[Slot] | None) -> None:
        """The client dropped these slots; None: all."""
        for priced in self._priced():
            priced.session.forget(slots)
        for prompts in self._prompts.values():
            prompts.forget(slots)

    def send(self, sent: Sent, control: Session, left: int) -> None:
        """One request leaves; `left` are still to come."""
        for priced in self._priced():
            priced.send(sent, control, left)

    def sums(self) -> list[Sums | None]:
        """What the requests came to, by payment; None where there is no price.

        In dollars of the first price of its kind: for ratios.
        """
        return [each[1].sums if each else None for each in self._all]

    def costs(self) -> list[Cost | None]:
        """What they cost, the one that leads before all, what the model said included."""
        first = [None if priced is None else priced.cost() for priced in self._leading]
        return first + [each[1].cost(each[0]) if each else None for each in self._all]

    def _priced(self) -> Iterable[Priced]:
        return self._kinds.values()


def requests_left(events: Sequence[Event]) -> Iterator[int]:
    """For each request how many come after it, before the client forgets all or is done."""
    found, left = [], 0
    for event in reversed(events):
        match event:
            case Sent():
                found.append(left)
                left += 1
            case Forgot(slots=None):
                left = 0
    return reversed(found)
