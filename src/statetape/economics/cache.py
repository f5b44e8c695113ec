"""What a provider's prompt cache holds, and what a request would cost it: the seam."""

from typing import Protocol

from statetape.economics.cache_automatic import Automatic
from statetape.economics.cache_explicit import Explicit, Held
from statetape.economics.cache_rules import Rules
from statetape.economics.prices import Price
from statetape.economics.prompt import Prompt
from statetape.types import Usage


class Cache(Protocol):
    """A provider's prompt cache, simulated: of one price row, over one session's requests.

    Prompts come in the order in which they start. A prompt that begins like the one asked about
    before costs about 0.1 ms in 2,000 blocks. Pure: it knows no clock but `prompt.at`.
    """

    def expected(self, prompt: Prompt) -> Usage:
        """What the provider would report for this request, `output` 0; changes nothing.

        A request that it would refuse is all `input`, so that no plan gains by one.
        """

    def answered(self, prompt: Prompt) -> Usage:
        """The same, and from now on the cache holds what this request wrote and refreshed."""

    def live(self, prompt: Prompt) -> tuple[int, ...]:
        """The ascending n for which the first n blocks could be read at `prompt.at`.

        With breakpoints: if one of them lay within the lookback behind it.
        """


class Entries:
    """What one provider's cache holds: several conversations may share it."""

    def __init__(self) -> None:
        self.explicit: dict[bytes, Held] = {}
        self.automatic: dict[bytes, float] = {}


def cache_by(rules: Rules, entries: Entries | None = None) -> Cache:
    """A cache that follows these rules and holds these entries; None: it is empty."""
    held = Entries() if entries is None else entries
    if rules.caching == "explicit":
        return Explicit(rules, held.explicit)
    return Automatic(rules, held.automatic)


def cache_of(
    price: Price, entries: Entries | None = None, *, offset: int = 0, tail: int = 0
) -> Cache:
    """The cache of a model that holds these entries; None: none.

    Requests that ask for retention need a `price` of that lifetime. `offset` and `tail`, tokens:
    see Rules; the first is what is over a `step` in any read.
    """
    return cache_by(
        Rules(
            caching=price.caching,
            least=price.least,
            breakpoints=price.breakpoints,
            lookback=price.lookback,
            implicit=price.implicit,
            lifetime=price.lifetime,
            step=price.step,
            offset=offset % price.step,
            tail=tail,
        ),
        entries,
    )
