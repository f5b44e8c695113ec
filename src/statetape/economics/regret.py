"""How often what was taken away is asked for again, and what that is expected to cost."""

from collections import Counter

from statetape.economics.gate import Rate
from statetape.types import Why

EXPECTED = 0.05
"""The share of removals that is asked for again, before anything is known."""

_SURE = 5.0  # removals: what is expected beforehand is as sure as after so many


class Regret:
    """What became of the removals of one conversation, by the kind of change."""

    def __init__(self, expected: float = EXPECTED) -> None:
        """`expected`: the share of them that is asked for again, before anything is known."""
        self._expected = expected
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
        asked, made = self._again[why] + _SURE * self._expected, self._made[why] + _SURE
        return min(1.0, asked / made)

    def risk(self, why: Why, tokens: int, prompt: int, rate: Rate, requests: float) -> float:
        """The units that a change which takes `tokens` away is expected to cost later.

        Asked for again, they are written once and read from then on; and it takes a request that
        reads the whole prompt.
        """
        again = tokens * (rate.write + requests * rate.read) + prompt * rate.read
        return self.share(why) * again
