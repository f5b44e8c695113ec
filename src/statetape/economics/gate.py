"""Now or later: whether changes of what was sent before pay for the cache that they break.

A change in block p makes the provider read again, at the price of writing, all that stands behind
the last cache entry before p. In return every later request reads less. All costs here are in
*units*: tokens at the input price.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from msgspec import Struct

from statetape.economics.prompt import Prompt
from statetape.types import Replace, Slot


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
    """Offers to take now, in the order of their blocks. `block` is the first one that differs.

    The provider can still read the first `kept` blocks, if there is a breakpoint on the last of
    them or within its lookback. `net` are the units that all of it is expected to save, `now`
    those that this request costs more (less, below 0).
    """

    offers: tuple[Offer, ...]
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


def cuts(
    standing: Standing, offers: Sequence[Offer], rate: Rate, most: int | None = None
) -> list[Cut]:
    """The cuts that pay, the best first (`most` of them); each takes all that is worth it behind.

    Of several offers for one slot the one that is worth most counts. One scan from the end: what
    stands behind a cut is written again anyway, so every change there is free (5-cache, gate:
    consequence 2). Where the cache is cold nothing has to be written again, and all is free.

    A change that is worth less than nothing is true, and rides behind a cut that pays for it, the
    cheapest first; riders do not move the cut, and no cut adds tokens in all. About 0.1 ms for
    100 offers.
    """
    best: dict[Slot, Offer] = {}
    for offer in offers:
        known = best.get(offer.change.slot)
        if known is None or offer.worth(rate) > known.worth(rate):
            best[offer.change.slot] = offer
    behind = sorted(best.values(), key=_block, reverse=True)
    paying: list[tuple[float, int]] = []
    worth = 0.0
    for end, offer in enumerate(behind, 1):
        if offer.worth(rate) <= 0:
            continue
        worth += offer.worth(rate)
        net = worth - _again(standing, offer.block, rate)
        if net > 0:
            paying.append((net, end))
    paying.sort(key=lambda cut: cut[0], reverse=True)
    return [_cut(standing, behind[:end], net, rate) for net, end in paying[:most]]


def unsent(offers: Sequence[Offer], first: int, room: float = inf) -> tuple[Offer, ...]:
    """What to take in blocks that were never sent (from `first` on): it breaks nothing.

    Of several for one slot, the first offered. Together they add `room` tokens at most: where
    that is not enough, the cheapest are taken, and for others the first that adds nothing.
    """
    chosen: dict[Slot, Offer] = {}
    for offer in offers:
        if offer.block >= first:
            chosen.setdefault(offer.change.slot, offer)
    room += sum(offer.saved for offer in chosen.values() if offer.saved > 0)
    adding = [offer for offer in chosen.values() if offer.saved < 0]
    for offer in sorted(adding, key=_saved, reverse=True):
        if room + offer.saved >= 0:
            room += offer.saved
            continue
        slot = offer.change.slot
        del chosen[slot]
        for other in offers:
            if other.change.slot == slot and other.saved >= 0:
                chosen[slot] = other
                break
    return tuple(sorted(chosen.values(), key=_block))


def anchors(
    prompt: Prompt, live: Sequence[int], *, most: int, lookback: int, implicit: bool = False
) -> tuple[Sequence[int], bool]:
    """Of the `live` entries those that a prompt changed behind them could read.

    And whether one more breakpoint may be set for it: not if there are `most` already, and not
    where the provider sets the last one itself (`implicit`). Then one that is there has to find
    them: it lies behind, and not farther than the lookback.
    """
    ends = prompt.ends
    if implicit:
        ends = [*ends, len(prompt.blocks)][-most:]
    elif len(ends) + prompt.inner < most:
        return live, True
    return [n for n in live if any(0 <= end - n < lookback for end in ends)], False


def _cut(standing: Standing, behind: Sequence[Offer], net: float, rate: Rate) -> Cut:
    """The cut at the last of the offers `behind` (from the end on), with the riders it pays for."""
    taken = [offer for offer in behind if offer.worth(rate) > 0]
    riders = [offer for offer in behind if offer.worth(rate) <= 0]
    saved = sum(offer.saved for offer in taken)
    for rider in sorted(riders, key=lambda offer: offer.worth(rate), reverse=True):
        if net + rider.worth(rate) > 0 and saved + rider.saved >= 0:
            net += rider.worth(rate)
            saved += rider.saved
            taken.append(rider)
    block = behind[-1].block
    return Cut(
        tuple(sorted(taken, key=_block)),
        block,
        _kept(standing, block),
        net,
        _again(standing, block, rate) - saved * rate.write,
    )


def _saved(offer: Offer) -> int:
    return offer.saved


def _block(offer: Offer) -> int:
    return offer.block


def _again(standing: Standing, block: int, rate: Rate) -> float:
    """The units more for what is written again, and would have been read, if this block differs."""
    lost = standing.totals[standing.read] - standing.totals[_kept(standing, block)]
    return lost * (rate.write - rate.read)


def _kept(standing: Standing, block: int) -> int:
    """How many blocks can be read if this one differs."""
    at = bisect_right(standing.live, block) - 1
    return min(standing.live[at], standing.read) if at >= 0 else 0
