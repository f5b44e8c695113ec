"""What a host makes of a policy that may ask a model: one conversation's own, which asks nothing.

Who is asked, and what that has cost, stays with the conversation.
"""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, suppress

from msgspec import Struct
from msgspec.structs import replace

from statetape.context.asking import Ask, Reply, no_answer
from statetape.context.situation import Situation
from statetape.errors import StatetapeError
from statetape.manager.model import Managed
from statetape.manager.standing import SHARE, Job, Standing
from statetape.policies import Model, Policy, answered
from statetape.types import Plan, Usage


class Spent(Struct, frozen=True):
    """What a model was asked: how often, with how many tokens, and why there was no answer."""

    model: str = ""
    asks: int = 0
    usage: Usage = Usage()
    failed: Mapping[str, int] = {}


class Tally:
    """A model that counts what it is asked. Safe to use from several threads."""

    def __init__(self, answer: Model, name: str = "") -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._none = Spent(name)
        self._spent = self._none

    def __call__(self, ask: Ask) -> Reply:
        """The model's reply."""
        reply = self._answer(ask)
        if reply.why == "no model":
            return reply
        with self._lock:
            failed = Counter(self._spent.failed)
            if reply.why is not None:
                failed[reply.why] += 1
            usage = together(self._spent.usage, reply.usage)
            self._spent = replace(
                self._spent, asks=self._spent.asks + 1, usage=usage, failed=dict(failed)
            )
        return reply

    def take(self) -> Spent:
        """What was spent since this was asked."""
        with self._lock:
            spent, self._spent = self._spent, self._none
        return spent


class Hosted:
    """The policy of one conversation: `answer` has replied to all that `decide` asks.

    The model manager remembers what it has decided (`Standing`, which has the other parameters).
    """

    def __init__(
        self,
        decide: Policy,
        answer: Model,
        name: str = "",
        *,
        share: float = SHARE,
        begin: Callable[[Job], None] | None = None,
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        self._tally = Tally(answer, name)
        self._decide = (
            Standing(decide, self._tally, share=share, begin=begin, guard=guard)
            if isinstance(decide, Managed)
            else answered(decide, self._tally)
        )

    def __call__(self, situation: Situation) -> Generator[Ask, Reply, Plan]:
        """The plan for a situation; it yields nothing."""
        return self._decide(situation)

    def take(self) -> Spent:
        """What was spent since this was asked."""
        return self._tally.take()


class Models(Struct, frozen=True):
    """Whom the policies of a host ask; `name` is the model's, `behind`: no request waits for it.

    `answer` may be asked from any thread. `share` bounds what the model manager may ask
    (`Standing`).
    """

    answer: Model = no_answer
    name: str = ""
    behind: bool = False
    share: float = SHARE

    def hosted(self, decide: Policy, guard: AbstractContextManager[object]) -> Hosted:
        """The policy of one conversation; `guard` is held by whoever changes its repository."""
        begin = in_a_thread if self.behind else None
        share = self.share
        return Hosted(decide, self.answer, self.name, share=share, begin=begin, guard=guard)


NO_MODEL = Models()


def at_once(job: Job) -> None:
    """A job is done now: for `begin`, where no time passes."""
    job()


def in_a_thread(job: Job) -> None:
    """A job is done meanwhile. It may not keep the process from ending, nor say that it failed."""

    def done() -> None:
        with suppress(StatetapeError, OSError):
            job()

    threading.Thread(target=done, name="statetape-manager", daemon=True).start()


def together(one: Usage, other: Usage) -> Usage:
    """The tokens of both."""
    return replace(
        one,
        **{field: getattr(one, field) + getattr(other, field) for field in Usage.__struct_fields__},
    )
