"""For how long a client's breakpoints should write: by the gaps between requests seen so far."""

from msgspec.structs import replace

from statetape.economics.prices import Price, rates
from statetape.economics.prompt import Prompt

MINUTES, HOUR = 300, 3600


class Lifetime:
    """Keeps account of what an hour would have saved one conversation.

    What is written for an hour costs more; in return a prompt that comes after more than five
    minutes is read and not written again. Once that has paid for itself, the hour is chosen where
    the cache is cold anyway, so that nothing rests on an entry that was written for less. Never
    the other way: a pause that the client's hour would have outlasted would cost many times what
    it has to.
    """

    def __init__(self, price: Price) -> None:
        self._price = price
        self._at: float | None = None
        self._tokens = 0
        self._gain = 0.0
        self._hour = False

    def chosen(self, prompt: Prompt) -> int:
        """The seconds for this request, which is about to leave; 0: as the client has it."""
        own = max((block.ttl for block in prompt.blocks), default=0)
        gap = 0.0 if self._at is None else prompt.at - self._at
        tokens, rate = prompt.tokens, rates(self._price, prompt.tokens)
        new = tokens if gap > HOUR else max(0, tokens - self._tokens)
        cold = gap > (own or MINUTES)
        if cold and gap <= HOUR:
            self._gain += self._tokens * (rate.write_5m - rate.read)
        self._gain -= new * (rate.write_1h - rate.write_5m)
        if cold and self._gain > 0:
            self._hour = True
        self._at, self._tokens = prompt.at, tokens
        return HOUR if self._hour and 0 < own < HOUR else 0


def lasting(prompt: Prompt, ttl: int) -> Prompt:
    """The prompt with this lifetime at each of its breakpoints; 0: as it is."""
    if not ttl:
        return prompt
    blocks = (block._replace(ttl=ttl) if block.ttl else block for block in prompt.blocks)
    return replace(prompt, blocks=tuple(blocks))
