"""One request as its provider's prompt cache sees it: a row of blocks."""

from itertools import accumulate, compress, count
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct


class Block(NamedTuple):
    """A piece of the prompt that a cache entry may end behind.

    `digest` is that of its own content, cache marks aside: equal digests, equal bytes. `tokens`
    are the model's own, as far as they can be estimated. `ttl` is how long the entry of the
    client's breakpoint on it lives, in seconds; 0: no breakpoint. `joined`: it counts with the
    block before as one position of a lookback, as a run of tool calls or of tool results does
    (Anthropic's guide to prompt caching, 2026).
    """

    digest: bytes
    tokens: int
    ttl: int = 0
    joined: bool = False


_TOKENS, _TTL = itemgetter(1), itemgetter(2)


class Prompt(Struct, frozen=True):
    """A request: its blocks in the order in which the provider reads them.

    The first `tools` blocks are tool definitions, the next `system` blocks the system prompt, all
    others messages. `settings` is a digest of what else the messages' entries depend on
    (tool_choice, thinking, effort, whether there are images). `at` is when it starts, in seconds.
    `inner`: so many breakpoints more stand inside of blocks (several in the tools, say), which
    count where there may be only so many.
    """

    model: str
    at: float
    blocks: tuple[Block, ...]
    tools: int = 0
    system: int = 0
    settings: bytes = b""
    inner: int = 0

    @property
    def tokens(self) -> int:
        """The tokens of the whole prompt."""
        return sum(map(_TOKENS, self.blocks))

    @property
    def totals(self) -> list[int]:
        """At n the tokens of the first n blocks."""
        return list(accumulate(map(_TOKENS, self.blocks), initial=0))

    @property
    def ends(self) -> list[int]:
        """The breakpoints: behind how many blocks each is."""
        return list(compress(count(1), map(_TTL, self.blocks)))
