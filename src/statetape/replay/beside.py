"""Sessions beside the one that is told of: the same recording on other terms, in one replay."""

from collections.abc import Callable, Iterator, Sequence

from statetape.replay.priced import Payment, Priced, Sums
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Event, Forgot, Sent
from statetape.session import Session
from statetape.types import Record, Slot, Step


class Beside:
    """One session for each payment.

    What a client sends does not depend on the terms: it is rebuilt once for all that count alike.
    """

    def __init__(self, models: Sequence[str], session: Callable[[bool], Session]) -> None:
        """`session` makes one; whether it rewrites the agent's inputs is what it is asked with."""
        self._models = models
        self._session = session
        self._prompts: dict[object, Prompts] = {}
        self._all: list[Priced | None] = []

    def add(self, payment: Payment) -> None:
        """One more, if its model has a price."""
        session = self._session(payment.rewrite_inputs)
        self._all.append(payment.priced(session, self._models, self._prompts))

    def hold(self, record: Record) -> None:
        """A record enters the context."""
        for priced in self._priced():
            priced.session.hold(record)

    def said(self, step: Step) -> None:
        """A step has come to its end."""
        for priced in self._priced():
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
        """What the requests came to, by payment; None where there is no price."""
        return [None if priced is None else priced.sums for priced in self._all]

    def _priced(self) -> Sequence[Priced]:
        return [priced for priced in self._all if priced is not None]


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
