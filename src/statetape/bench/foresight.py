"""What ways of letting go and bringing in come to against lookahead labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from statetape.bench.lookahead import HeldRow, PointRow
from statetape.bench.score import Score, total
from statetape.manager.candidates import Way
from statetape.manager.choice import BUDGET, OLD, finished, retrieved
from statetape.manager.weights import Logistic, Weights

FACTORS = (0.25, 0.5, 2.0, 4.0)
"""By what the thresholds are multiplied for the other points of the frontier."""


class _Gone(NamedTuple):
    """Which of the held results go, and whether stale ones are shown anew."""

    results: frozenset[int] = frozenset()
    refreshed: bool = False


class _In(NamedTuple):
    """What is brought in: tokens, and those of them that are gold."""

    tokens: int = 0
    gold: int = 0


Letting = Callable[[PointRow, Weights], _Gone]
Bringing = Callable[[PointRow, Weights], _In]


class Method(Struct, frozen=True):
    """One way to decide: what goes, and what comes."""

    letting: Letting
    bringing: Bringing


def scores(points: Iterable[PointRow], method: Method, weights: Weights) -> Score:
    """The sums of one session's points."""
    return total(_scored(point, method, weights) for point in points)


def _scored(point: PointRow, method: Method, weights: Weights) -> Score:
    gone = method.letting(point, weights)
    sums = dict.fromkeys(("unneeded", "needed", "cleared", "lost", "restored"), 0)
    for at, row in enumerate(point.held):
        sums["needed" if row.needed else "unneeded"] += row.tokens
        anew = gone.refreshed and row.stale and row.fresh and at not in gone.results
        if anew and not row.needed:
            sums["cleared"] += row.tokens
            sums["restored"] += row.kept
        elif not anew and (at in gone.results or (gone.refreshed and row.stale)):
            sums["lost" if row.needed else "cleared"] += row.tokens
    brought = method.bringing(point, weights)
    return Score(
        points=1,
        missing=point.missing,
        found=brought.gold,
        added=brought.tokens,
        abstained=int(not brought.tokens),
        **sums,
    )


def _keep(_: PointRow, __: Weights) -> _Gone:
    return _Gone()


def _evict_all(point: PointRow, _: Weights) -> _Gone:
    return _Gone(frozenset(range(len(point.held))))


def _old(point: PointRow, _: Weights) -> _Gone:
    return _Gone(_where(point, lambda row: row.result.turns >= OLD))


def _drop_stale(point: PointRow, _: Weights) -> _Gone:
    return _Gone(_where(point, lambda row: row.stale))


def _refresh_stale(_: PointRow, __: Weights) -> _Gone:
    return _Gone(refreshed=True)


def _finished(point: PointRow, weights: Weights) -> _Gone:
    slots = {
        result.record.slot
        for result in finished((row.result for row in point.held), weights.wanted_again)
    }
    return _Gone(_where(point, lambda row: row.result.record.slot in slots), refreshed=True)


def _where(point: PointRow, chosen: Callable[[HeldRow], bool]) -> frozenset[int]:
    return frozenset(at for at, row in enumerate(point.held) if chosen(row))


def _nothing(_: PointRow, __: Weights) -> _In:
    return _In()


def _whole_files(point: PointRow, _: Weights) -> _In:
    return _In(sum(file.tokens for file in point.files), sum(file.gold for file in point.files))


def _ways(*ways: Way, hops: int) -> Bringing:
    def bringing(point: PointRow, _: Weights) -> _In:
        found = [
            offer
            for offer in point.offers
            if offer.wanted.candidate.way in ways and offer.wanted.candidate.hops <= hops
        ]
        return _In(sum(offer.tokens for offer in found), sum(offer.gold for offer in found))

    return bringing


def _random(point: PointRow, _: Weights) -> _In:
    """As many of the offers as go into the budget, in an order that is the same each time."""
    offers = list(point.offers)
    Random(point.step).shuffle(offers)  # noqa: S311 (no secret: an order)
    sizes = accumulate(offer.tokens for offer in offers)
    found = [offer for offer, size in zip(offers, sizes, strict=True) if size <= BUDGET]
    return _In(sum(offer.tokens for offer in found), sum(offer.gold for offer in found))


def _likely(point: PointRow, weights: Weights) -> _In:
    of = {id(offer.wanted): offer for offer in point.offers}
    offers = ((offer.wanted, offer.tokens) for offer in point.offers)
    found = [of[id(each)] for each in retrieved(offers, weights.wanted_next)]
    return _In(sum(offer.tokens for offer in found), sum(offer.gold for offer in found))


METHODS: Mapping[str, Method] = {
    "keep-all": Method(_keep, _nothing),
    "evict-all": Method(_evict_all, _nothing),
    "masking": Method(_old, _nothing),
    "drop-stale": Method(_drop_stale, _nothing),
    "default": Method(_refresh_stale, _nothing),
    "whole-file": Method(_keep, _whole_files),
    "one-hop-all": Method(_keep, _ways("callee", "caller", "base", "override", hops=1)),
    "two-hop-all": Method(_keep, _ways("callee", "caller", "base", "override", hops=2)),
    "contracts": Method(_keep, _ways("base", "override", hops=9)),
    "random": Method(_keep, _random),
    "heuristic": Method(_finished, _likely),
}
"""The ways that are compared, by name; `heuristic` is the manager's own choice."""


def moved(weights: Weights, factor: float) -> Weights:
    """The weights with another point of the frontier: let go `factor` times as readily."""
    return Weights(_moved(weights.wanted_again, factor), _moved(weights.wanted_next, 1 / factor))


def _moved(model: Logistic, factor: float) -> Logistic:
    return replace(model, threshold=min(1.0, model.threshold * factor))


def macro(per_session: Sequence[Score], share: Callable[[Score], float]) -> float:
    """The mean of a share over sessions, each counting once."""
    return sum(map(share, per_session)) / len(per_session) if per_session else 0.0
