"""The few rules that tell the prompt caches of the providers apart."""

from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.economics.prompt import Prompt

HOUR = 3600
"""Seconds; what is written to live as long as this, or longer, has a price of its own."""


class Rules(Struct, frozen=True):
    """How one model's prompts are cached; figures are tokens, blocks and seconds.

    `explicit`: entries end at breakpoints. At most `breakpoints` of them write, each looks back
    over `lookback` positions, itself included. `implicit` is the ttl of the breakpoint that the
    provider itself sets on the last block (OpenAI, unless the request forbids it); of too many
    the last ones count. 0: it sets none, and refuses a request with too many, or with a longer
    ttl behind a shorter one (Anthropic).

    `automatic`: every prompt is kept for `lifetime` after its last use, and what it shares with
    the next one is read.

    Nothing below `least` is written or read. Of what could be read the last `tail` tokens are
    not, and the rest is rounded down to `offset` and a multiple of `step`. The documents have
    steps of 128 and know neither of the others; seen are steps of 512 (gpt-5.5) and 1,024
    (gpt-5.6), tails of 0 to 112, and an offset that each client has for itself (LOG.md).
    """

    caching: Literal["explicit", "automatic"] = "explicit"
    least: int = 1024
    breakpoints: int = 4
    lookback: int = 20
    implicit: int = 0
    lifetime: int = 300
    step: int = 1
    offset: int = 0
    tail: int = 0

    def read(self, tokens: int) -> int:
        """The tokens that are read of a prefix of so many that is in the cache."""
        if tokens < self.least:
            return 0
        known = tokens - self.tail
        return max(0, known - (known - self.offset) % self.step)


class Mark(NamedTuple):
    """A breakpoint behind the first `end` blocks, and its ttl in seconds."""

    end: int
    ttl: int


def marks(prompt: Prompt, rules: Rules) -> tuple[Mark, ...] | None:
    """The breakpoints of a request in the order of the prompt; None: it is refused."""
    blocks = prompt.blocks
    found = [Mark(end, blocks[end - 1].ttl) for end in prompt.ends]
    if rules.implicit:
        if blocks and not blocks[-1].ttl:
            found.append(Mark(len(blocks), rules.implicit))
        return tuple(found[-rules.breakpoints :])
    ttls = [mark.ttl for mark in found]
    if len(found) > rules.breakpoints or ttls != sorted(ttls, reverse=True):
        return None
    return tuple(found)
