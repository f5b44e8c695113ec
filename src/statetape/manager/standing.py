"""The model manager of one conversation: what it has decided stands until something new comes up.

A policy remembers nothing, so this is the host's. It keeps three promises that no single request
can keep: nobody is asked twice about the same, all asks together stay a small share of what the
agent sends, and no request waits for an answer that is to come behind it.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext

from msgspec.structs import replace

from statetape.context.asking import Ask, Reply, replied
from statetape.context.situation import Situation
from statetape.manager.checked import Decided, checked
from statetape.manager.model import Managed, asked, opening
from statetape.manager.prompt import settled
from statetape.tape import Entry
from statetape.types import Nomination, Plan, Query, Record, Slot, Symbols, Tick

Answer = Callable[[Ask], Reply]
Job = Callable[[], None]

SHARE = 0.04
"""The most that all asks of a conversation may be of the tokens that its agent has sent."""

_CHARACTERS = 3.2  # for one token: prompts are short rows, which take more tokens than prose
_OUTPUT = 400  # tokens of an answer that has something to say
_GROWTH = 1.2  # of a prompt from one round to the next
_OFFERS = 3  # requests that may bring in what an answer asks for


class Standing:
    """A policy for one conversation, which asks `answer`.

    `begin` None: the request waits for the answer. Otherwise it leaves with the fallback's plan,
    `begin` is given the asking to do at any time, and what comes of it is done at a later request
    as far as it still fits; `guard` is held meanwhile, but not while a model is waited for: no
    other thread may change the repository then. `skipped` counts the requests at which there was
    something to ask, and no room for it.
    """

    def __init__(
        self,
        manager: Managed,
        answer: Answer,
        *,
        share: float = SHARE,
        begin: Callable[[Job], None] | None = None,
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        self._manager = manager
        self._answer = answer
        self._share = share
        self._begin = begin
        self._guard = guard or nullcontext()
        self._sent = 0
        self._spent = 0
        self._running = False
        self._made = Decided()
        self._offers = 0
        self.skipped = 0
        self._asked: dict[Slot, Nomination] = {}
        self._at: Tick = 0

    def __call__(self, situation: Situation) -> Generator[Ask, Reply, Plan]:
        """The plan for a situation; it yields nothing."""
        yield from ()
        plan = replied(self._manager.fallback(situation), self._answer)
        self._sent += sum(record.tokens for record in situation.held.values())
        is_due = self._is_new(situation) and not self._running
        rounds = self._rounds(situation) if is_due else 0
        self.skipped += is_due and not rounds
        if rounds and self._begin is None:
            self._take(situation, replied(self._asks(situation, rounds), self._reply))
        plan = checked(self._standing(situation), plan, situation)
        if rounds and self._begin is not None:
            self._running = True
            try:
                self._begin(self._job(situation, rounds))
            except RuntimeError:  # no thread can be started
                self._running = False
        return plan

    def _standing(self, situation: Situation) -> Decided:
        """What was decided last, as far as it still fits.

        Code is brought in soon or not at all: there may be no place for it at once.
        """
        made, self._offers = self._made, self._offers - 1
        actions = {
            each.record.slot: made.actions[each.record.slot]
            for each in situation.nominations
            if each.record.slot in made.actions and self._stands(each, situation)
        }
        soon = self._offers >= 0 and situation.now == self._at
        return Decided(actions, made.evict, made.retrieve if soon else None)

    def _is_new(self, situation: Situation) -> bool:
        """Whether there is a nomination that the model was not asked about as it is now."""
        return any(not self._stands(each, situation) for each in settled(situation))

    def _stands(self, nominated: Nomination, situation: Situation) -> bool:
        known = self._asked.get(nominated.record.slot)
        if known is None or known.record != nominated.record:
            return False
        later = situation.code.tape.since(self._at) if situation.code is not None else ()
        return not any(_touches(entry, nominated.record) for entry in later)

    def _rounds(self, situation: Situation) -> int:
        """How many rounds there is room for."""
        ask = opening(situation, self._manager.toolbox)
        cost = _estimated(ask) * _GROWTH + _OUTPUT
        room = self._share * self._sent - self._spent
        return max(0, min(self._manager.rounds, int(room / cost)))

    def _asks(self, situation: Situation, rounds: int) -> Generator[Ask, Reply, Decided | None]:
        return asked(situation, self._manager.toolbox, rounds)

    def _reply(self, ask: Ask) -> Reply:
        reply = self._answer(ask)
        used = reply.usage.prompt + reply.usage.output
        self._spent += used or (_estimated(ask) if reply.why in (None, "malformed") else 0)
        return reply

    def _take(self, situation: Situation, made: Decided | None) -> None:
        self._made = made or Decided()
        self._offers = _OFFERS
        self._asked = {each.record.slot: each for each in settled(situation)}
        self._at = situation.now

    def _job(self, situation: Situation, rounds: int) -> Job:
        """The asking that is done behind a request, of what there was when it left."""
        frozen = replace(situation, held=dict(situation.held), ledger=dict(situation.ledger))

        def job() -> None:
            try:
                asking = self._asks(frozen, rounds)
                with self._guard:
                    ask = next(asking)
                while True:
                    reply = self._reply(ask)
                    with self._guard:
                        ask = asking.send(reply)
            except StopIteration as stop:
                self._take(frozen, stop.value)
            finally:
                self._running = False

        return job


def _touches(entry: Entry, record: Record) -> bool:
    """Whether a write may have changed what there is to say of a record."""
    referent = record.referent
    if not isinstance(referent, Symbols | Query):
        return True
    if any(part.path == entry.write.path for part in referent.shown):
        return True
    drift = entry.drift
    return any(symbol in drift.body or symbol in drift.dispatch for symbol in referent.views)


def _estimated(ask: Ask) -> int:
    """The tokens of an ask, near enough: nobody here knows how a model counts."""
    return int(sum(map(len, _texts(ask))) / _CHARACTERS)


def _texts(ask: Ask) -> Iterator[str]:
    yield ask.system
    yield str(ask.schema or "")
    for tool in ask.tools:
        yield f"{tool.name}{tool.description}{tool.parameters}"
    for message in ask.messages:
        yield message.text
        yield from (call.arguments for call in message.calls)
        yield from (answer.text for answer in message.answers)
