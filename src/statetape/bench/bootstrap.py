"""Intervals by resampling sessions: what a figure would be had other sessions been recorded."""

import random
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from statetape.bench.score import Score

RESAMPLES = 1_000
SEED = 20_260

Interval = tuple[float, float]
"""The middle 95 % of resamples."""


def draws(sessions: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> list[Sequence[int]]:
    """Sessions by number, drawn with replacement, for each resample: the same for the same number.

    All figures of one report use the same draws.
    """
    source = random.Random(seed)  # noqa: S311 (no secret)
    return [source.choices(range(sessions), k=sessions) for _ in range(resamples)]


def intervals(
    scores: Sequence[Score],
    figures: Mapping[str, Callable[[Score], float | None]],
    drawn: Sequence[Sequence[int]],
) -> dict[str, Interval | None]:
    """The interval of each figure over sessions whose sums are `scores`.

    None where a figure has no value in half of the resamples or more (of one session, no interval
    says anything). Costs a sum over the sessions for each resample and each field of a score.
    """
    if len(scores) < 2:
        return dict.fromkeys(figures)
    names = Score.__struct_fields__
    columns = [[getattr(score, name) for score in scores] for name in names]
    totals = [_total(columns, draw) for draw in drawn]
    return {name: _middle([figure(score) for score in totals]) for name, figure in figures.items()}


def _total(columns: Sequence[Sequence[int]], draw: Sequence[int]) -> Score:
    chosen = itemgetter(*draw)
    return Score(*(sum(chosen(column)) for column in columns))


def _middle(values: Sequence[float | None]) -> Interval | None:
    known = sorted(value for value in values if value is not None)
    if 2 * len(known) <= len(values):
        return None
    cut = round(0.025 * (len(known) - 1))
    return known[cut], known[-1 - cut]
