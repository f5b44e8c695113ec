"""What a policy sees when it decides: the held records, the nominations, and what is possible."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from statetape.code.moves import Moved
from statetape.types import Nomination, Record, Slot, SymbolId, Tick


class Ask(Struct, frozen=True):
    """A question to the small model."""

    prompt: str


class Reply(Struct, frozen=True):
    """The model's answer; None: none came in time."""

    text: str | None


def nothing_moved(_: Nomination) -> Mapping[SymbolId, Moved]:
    """The answer of a host that does not follow definitions to other files."""
    return {}


class Situation(Struct, frozen=True):
    """One request's decision.

    `held` is what the request would carry, in order; `nominations` those of its records that
    writes could have falsified. `fresh` gives the record that a refresh would put in place, or
    None where there is nothing left to show. `rewrite_inputs`: the agent's own texts may be
    rewritten too. `moved` says where those of its symbols are now that went to another file.
    """

    now: Tick
    held: Mapping[Slot, Record]
    nominations: tuple[Nomination, ...]
    title: Callable[[Record], str]
    fresh: Callable[[Nomination], Record | None]
    rewrite_inputs: bool = False
    moved: Callable[[Nomination], Mapping[SymbolId, Moved]] = nothing_moved
