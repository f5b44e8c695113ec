"""What a policy sees when it decides: the held records, the nominations, and what is possible."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from statetape.types import Nomination, Record, Slot, Tick


class Ask(Struct, frozen=True):
    """A question to the small model."""

    prompt: str


class Reply(Struct, frozen=True):
    """The model's answer; None: none came in time."""

    text: str | None


class Situation(Struct, frozen=True):
    """One request's decision.

    `held` is what the request would carry, in order; `nominations` those of its records that
    writes could have falsified. `fresh` gives the record that a refresh would put in place, or
    None where there is nothing left to show. `rewrite_inputs`: the agent's own texts may be
    rewritten too.
    """

    now: Tick
    held: Mapping[Slot, Record]
    nominations: tuple[Nomination, ...]
    title: Callable[[Record], str]
    fresh: Callable[[Nomination], Record | None]
    rewrite_inputs: bool = False
