"""How long the entries of a client's breakpoints should live: the two lives, side by side."""

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import replace

from statetape.economics.cache import Cache, cache_of
from statetape.economics.prices import Price, dollars
from statetape.economics.prompt import Prompt

Ttl = Literal[300, 3600]
TTLS: tuple[Ttl, Ttl] = (300, 3600)


class Lifetimes:
    """What one conversation's requests would have cost with either life at all breakpoints.

    For caches with breakpoints; others have one life only. An entry that a pause did not kill is
    read for a tenth, one that it killed is written again: which life is cheaper depends on the
    pauses, and those to come are taken to be like those that were.
    """

    def __init__(self, price: Price) -> None:
        self._price = price
        self._caches: dict[Ttl, Cache] = {ttl: cache_of(price) for ttl in TTLS}
        self._costs: dict[Ttl, float] = dict.fromkeys(TTLS, 0.0)

    @property
    def costs(self) -> Mapping[Ttl, float]:
        """Dollars of all prompts so far, by life in seconds."""
        return self._costs

    @property
    def better(self) -> Ttl:
        """The life with which the requests so far would have cost less; at first the shorter."""
        return min(TTLS, key=lambda ttl: (self._costs[ttl], ttl))

    def warm(self, prompt: Prompt) -> None:
        """The provider's cache holds this already, whatever the life of its entries."""
        for ttl in TTLS:
            self._caches[ttl].answered(timed(prompt, ttl))

    def answered(self, prompt: Prompt) -> Mapping[Ttl, float]:
        """A request was answered: the dollars that its prompt would have cost, by life."""
        cost = {
            ttl: dollars(self._price, self._caches[ttl].answered(timed(prompt, ttl)))
            for ttl in TTLS
        }
        self._costs = {ttl: self._costs[ttl] + cost[ttl] for ttl in TTLS}
        return cost


def timed(prompt: Prompt, ttl: Ttl) -> Prompt:
    """The prompt with this life at every breakpoint; the same object where that is so already."""
    if all(block.ttl in (0, ttl) for block in prompt.blocks):
        return prompt
    blocks = tuple(
        block._replace(ttl=ttl) if block.ttl not in (0, ttl) else block for block in prompt.blocks
    )
    return replace(prompt, blocks=blocks)
