"""Now or later: whether changes of what was sent before pay for the cache that they break.

A change in block p makes the provider read again, at the price of writing, all that stands behind
the last cache entry before p. In return every later request reads less. All costs here are in
*units*: tokens at the input price.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from statetape.economics.prompt import Prompt
from statetape.types import Replace


class Rate(NamedTuple):
    """What a token costs that is written to the cache, and one that is read, in units."""

    write: float
    read: float


class Offer(NamedTuple):
    """A change that could be made now: it is in block `block` and removes `saved` tokens.

    `saved` are the model's own, less than 0 where the change adds. `requests` is for how many
    requests after this one that is expected to count (a horizon). `risk` are the units that the
    change may cost later: somebody asks again for what it removed.
    """

    change: Replace
    block: int
    saved: int
    requests: float
    risk: float = 0.0

    def worth(self, rate: Rate) -> float:
        """The units that the change saves behind a cut, now and later."""
        return self.saved * (rate.write + self.requests * rate.read) - self.risk


class Cut(Struct, frozen=True):
    """Changes to make now. `block` is the first one that differs.

    The provider can still read the first `kept` blocks, if there is a breakpoint on the last of
    them or within its lookback. `net` are the units that all of it is expected to save, `now`
    those that this request costs more (less, below 0).
    """

    changes: tuple[Replace, ...]
    block: int
    kept: int
    net: float
    now: float


class Standing(NamedTuple):
    """How a prompt stands to the cache before anything is changed.

    `totals[n]` are the tokens of the first n blocks, `read` is how many blocks are read if
    nothing is changed, `live` are the ascending numbers of blocks behind which an entry could be
    read in a changed prompt (`anchors`).
    """

    totals: Sequence[int]
    read: int
    live: Sequence[int]


def cuts(standing: Standing, offers: Sequence[Offer], rate: Rate) -> list[Cut]:
    """The cuts that pay, the best first; at each one, all changes behind it that are worth it.

    Of several offers for one block the one that is worth most counts. One scan from the end: what
    stands behind a cut is written again anyway, so every change there is free (5-cache, gate:
    consequence 2). Where the cache is cold nothing has to be written again, and all is free.
    A change that is worth less than nothing is true, and rides behind a cut that pays for it.
    """
    best: dict[int, Offer] = {}
    for offer in offers:
        known = best.get(offer.block)
        if known is None or offer.worth(rate) > known.worth(rate):
            best[offer.block] = offer
    found: list[Cut] = []
    taken: list[Offer] = []
    riders: list[Offer] = []
    for block in sorted(best, reverse=True):
        offer = best[block]
        if offer.worth(rate) <= 0:
            riders.append(offer)
            continue
        taken.append(offer)
        kept, lost = _lost(standing, block)
        again = lost * (rate.write - rate.read)
        net = sum(each.worth(rate) for each in taken) - again
        if net <= 0:
            continue
        behind = [*taken]
        for rider in sorted(riders, key=lambda each: each.worth(rate), reverse=True):
            if net + rider.worth(rate) > 0:
                net += rider.worth(rate)
                behind.append(rider)
        now = again - sum(each.saved for each in behind) * rate.write
        first = min(each.block for each in behind)
        changes = tuple(each.change for each in sorted(behind, key=lambda each: each.block))
        found.append(Cut(changes, first, kept, net, now))
    return sorted(found, key=lambda cut: cut.net, reverse=True)


def unsent(offers: Sequence[Offer], first: int) -> tuple[Replace, ...]:
    """The changes in blocks that were never sent (from `first` on): they break nothing.

    Of several for one block, the first offered.
    """
    chosen: dict[int, Replace] = {}
    for offer in offers:
        if offer.block >= first:
            chosen.setdefault(offer.block, offer.change)
    return tuple(chosen[block] for block in sorted(chosen))


def anchors(
    prompt: Prompt, live: Sequence[int], *, most: int, lookback: int
) -> tuple[Sequence[int], bool]:
    """Of the `live` entries those that a prompt changed behind them could read.

    And whether one more breakpoint may be set for it. Where it may not, a breakpoint of the
    client's has to find them: it lies behind, and not farther than the lookback.
    """
    ends = [n for n, block in enumerate(prompt.blocks, 1) if block.ttl]
    if len(ends) < most:
        return live, True
    return [n for n in live if any(0 <= end - n < lookback for end in ends)], False


def _lost(standing: Standing, block: int) -> tuple[int, int]:
    """How many blocks can be read if this block differs, and the tokens that cannot any more."""
    at = bisect_right(standing.live, block) - 1
    kept = standing.live[at] if at >= 0 else 0
    kept = min(kept, standing.read)
    return kept, standing.totals[standing.read] - standing.totals[kept]
