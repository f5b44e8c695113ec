"""For how long a client's breakpoints should write: by the gaps between requests seen so far."""

from msgspec.structs import replace

from statetape.economics.prices import Price, rates
from statetape.economics.prompt import Prompt

MINUTES, HOUR = 300, 3600


class Lifetime:
    """Keeps account of what both lifetimes would have cost one conversation.

    What is written for an hour costs more; in return a prompt that comes after more than five
    minutes is read and not written again. The choice is made anew only where the cache is cold
    anyway, so nothing rests on an entry that was written for another time. No choice is made
    where the client sets no breakpoint.
    """

    def __init__(self, price: Price) -> None:
        self._price = price
        self._at: float | None = None
        self._tokens = 0
        self._gain = 0.0
        self._chosen = 0

    def chosen(self, prompt: Prompt) -> int:
        """The seconds for this request, which is about to leave; 0: as the client has it."""
        own = max((block.ttl for block in prompt.blocks), default=0)
        if not own:
            return 0
        gap = 0.0 if self._at is None else prompt.at - self._at
        tokens = prompt.tokens
        rate = rates(self._price, tokens)
        new = max(0, tokens - self._tokens)
        if MINUTES < gap <= HOUR:
            self._gain += self._tokens * (rate.write_5m - rate.read)
        elif gap > HOUR:
            new = tokens
        self._gain -= new * (rate.write_1h - rate.write_5m)
        if not self._chosen:
            self._chosen = own
        elif gap > self._chosen:
            self._chosen = HOUR if self._gain > 0 else MINUTES
        self._at, self._tokens = prompt.at, tokens
        return self._chosen


def lasting(prompt: Prompt, ttl: int) -> Prompt:
    """The prompt with this lifetime at each of its breakpoints; 0: as it is."""
    if not ttl:
        return prompt
    blocks = (block._replace(ttl=ttl) if block.ttl else block for block in prompt.blocks)
    return replace(prompt, blocks=tuple(blocks))
