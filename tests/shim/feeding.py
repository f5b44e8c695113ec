"""Policies that bring code in: the default one, and whatever regions they are told to."""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.policies import Policy
from statetape.policies.default import default
from statetape.types import Lines, Plan, Region, SymbolId


def region(path: str, first: int, last: int, name: str = "", reason: str = "called") -> Region:
    return Region(path, Lines(first, last), SymbolId(path, name), "G2", reason)


class Wish:
    """The regions that the policy asks for at each request, and how often it was asked."""

    def __init__(self) -> None:
        self.regions: tuple[Region, ...] = ()
        self.asked = 0


def feeding(wish: Wish) -> Policy:
    """The default policy, which brings in what is wished for."""

    def policy(situation: Situation) -> Generator[Ask, Reply, Plan]:
        wish.asked += 1
        plan = yield from default(situation)
        return Plan(plan.changes, plan.kept, plan.shorter, wish.regions)

    return policy
