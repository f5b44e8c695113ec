"""What the user asked for, as far as the held records tell."""

from collections.abc import Iterable

from statetape.context.titles import shortened
from statetape.types import Record

_MOST = 1_500  # characters of what a model is told


def task(held: Iterable[Record]) -> str:
    """The first words of the user that are no envelope of the agent's own (`<...>`).

    Else the first envelope; "" where the user has said nothing. Instructions that an API has
    among the messages are the system's.
    """
    says = [record.text for record in held if record.by == "user"]
    spoken = (each for each in says if not each.lstrip().startswith("<"))
    return next(spoken, says[0] if says else "")


def task_in_short(held: Iterable[Record]) -> str:
    """The same on one line, in at most 1,500 characters (paper, proof of Theorem 2(b))."""
    return shortened(task(held)[: 4 * _MOST], _MOST)
