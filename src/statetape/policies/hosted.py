"""What a host makes of a policy that may ask a model: one conversation's own, which asks nothing.

Who is asked, and what that has cost, stays with the conversation.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from msgspec import Struct
from msgspec.structs import replace

from statetape.context.asking import Ask, Reply
from statetape.manager.model import Managed
from statetape.manager.standing import Job, Standing
from statetape.policies import Model, Policy, answered
from statetape.types import Usage


class Spent(Struct, frozen=True):
    """What models were asked: how often, with how many tokens, and why there was no answer."""

    asks: int = 0
    usage: Usage = Usage()
    failed: Mapping[str, int] = {}


class Tally:
    """A model that counts what it is asked. Safe to use from several threads."""

    def __init__(self, answer: Model) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._spent = Spent()

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
            self._spent = Spent(self._spent.asks + 1, usage, dict(failed))
        return reply

    def take(self) -> Spent:
        """What was spent since this was asked."""
        with self._lock:
            spent, self._spent = self._spent, Spent()
        return spent


def hosted(
    decide: Policy,
    answer: Model,
    *,
    begin: Callable[[Job], None] | None = None,
    guard: AbstractContextManager[object] | None = None,
) -> Policy:
    """The policy of one conversation that has `answer` reply to all that `decide` asks.

    The model manager remembers what it has decided (`Standing`, which has `begin` and `guard`).
    """
    if isinstance(decide, Managed):
        return Standing(decide, answer, begin=begin, guard=guard)
    return answered(decide, answer)


def do(job: Job) -> None:
    """A job is done at once: for `begin`, where time does not pass."""
    job()


def together(one: Usage, other: Usage) -> Usage:
    """The tokens of both."""
    return replace(
        one,
        **{field: getattr(one, field) + getattr(other, field) for field in Usage.__struct_fields__},
    )
