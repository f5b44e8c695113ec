"""Control: the unmodified agent. It changes nothing."""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.types import Plan


def control(_: Situation) -> Generator[Ask, Reply, Plan]:
    """The empty plan."""
    yield from ()
    return Plan()
