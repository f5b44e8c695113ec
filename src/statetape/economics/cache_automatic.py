"""A prompt cache that needs no breakpoints: OpenAI's before GPT-5.6."""

from bisect import bisect_left

from statetape.economics.cache_rules import Rules
from statetape.economics.prefixes import Prefixes, prefixes
from statetape.economics.prompt import Prompt
from statetape.types import Usage

_MANY = 65_536
"""Prefixes, from which on the dead ones are forgotten; a request leaves one for each block."""


class Automatic:
    """The prompts that were answered, each block for `lifetime` after the last request with it.

    *Read* is what the prompt shares with them from its beginning, in whole blocks, rounded as
    the rules say. Nothing is charged for writing, so all else is `input`. A request uses its
    whole prompt, so all of it is refreshed. Best effort, says the provider: of the requests that
    should have hit, one in ten does not. Times ascend.
    """

    def __init__(self, rules: Rules, until: dict[bytes, float] | None = None) -> None:
        """`until`: what the cache holds, by prefix; several conversations share one cache."""
        self._rules = rules
        self._until = {} if until is None else until
        self._known: Prefixes | None = None

    def expected(self, prompt: Prompt) -> Usage:
        """What the provider would report."""
        known = self._prefixes(prompt)
        read = self._rules.read(known.tokens[self._held(known)])
        return Usage(input=known.tokens[-1] - read, cache_read=read)

    def answered(self, prompt: Prompt) -> Usage:
        """The same; from now on the cache holds the whole prompt."""
        usage = self.expected(prompt)
        known = self._prefixes(prompt)
        until, held = prompt.at + self._rules.lifetime, self._until
        for key in known.keys:
            # Never back: conversations that share a cache need not come in the order of time.
            if held.get(key, until) <= until:
                held[key] = until
        if len(self._until) > _MANY:
            for key in [key for key, until in list(self._until.items()) if until < prompt.at]:
                del self._until[key]
        return usage

    def live(self, prompt: Prompt) -> tuple[int, ...]:
        """The ascending n for which the first n blocks are held at `prompt.at`, from `least` on."""
        known = self._prefixes(prompt)
        first = max(1, bisect_left(known.tokens, self._rules.least))
        return tuple(range(first, self._held(known) + 1))

    def _prefixes(self, prompt: Prompt) -> Prefixes:
        if self._known is None or self._known.prompt is not prompt:
            self._known = prefixes(prompt, self._known)
        return self._known

    def _held(self, known: Prefixes) -> int:
        """The number of blocks held from the beginning.

        Whatever holds a prefix holds every shorter one as long: so the longest is found by halving.
        """
        low, high = 0, len(known.keys) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._until.get(known.keys[middle], float("-inf")) >= known.prompt.at:
                low = middle
            else:
                high = middle - 1
        return low
