"""How often what was taken away is asked for again, and what that is expected to cost."""

from collections import Counter

from statetape.economics.gate import Rate
from statetape.types import Why

# Before anything is known: one removal in ten is asked for again, as sure as after five of them.
_AGAIN, _OF = 0.5, 5.0


class Regret:
    """What became of the removals of one conversation, by the kind of change."""

    def __init__(self) -> None:
        self._made: Counter[Why] = Counter()
        self._again: Counter[Why] = Counter()

    def made(self, why: Why) -> None:
        """A change of this kind took a text away."""
        self._made[why] += 1

    def again(self, why: Why) -> None:
        """The agent asked again for what such a change had taken away."""
        self._again[why] += 1

    def share(self, why: Why) -> float:
        """The share of such changes that is expected to be asked for again, 0 to 1."""
        asked, made = self._again[why] + _AGAIN, self._made[why] + _OF
        return min(1.0, asked / made)

    def risk(self, why: Why, tokens: int, prompt: int, rate: Rate, requests: float) -> float:
        """The units that a change which takes `tokens` away is expected to cost later.

        Asked for again, they are written once and read from then on; and it takes a request that
        reads the whole prompt.
        """
        again = tokens * (rate.write + requests * rate.read) + prompt * rate.read
        return self.share(why) * again
