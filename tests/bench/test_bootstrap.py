"""Intervals over sessions."""

import random

from statetape.bench.bootstrap import draws, intervals
from statetape.bench.score import Score, total

FIGURES = {"ce": lambda score: score.ce, "cleared": lambda score: score.cleared_share}


def sessions(count: int, seed: int = 1) -> list[Score]:
    draw = random.Random(seed)  # noqa: S311
    return [
        Score(
            points=3, unneeded=100, needed=50, cleared=draw.randrange(100), lost=draw.randrange(9)
        )
        for _ in range(count)
    ]


def test_an_interval_is_of_the_resampled_sums() -> None:
    scores = sessions(7)
    drawn = draws(7, resamples=41)
    found = intervals(scores, FIGURES, drawn)
    shares = sorted(total(scores[at] for at in draw).cleared_share for draw in drawn)
    assert found["cleared"] == (shares[1], shares[-2])
    assert found["cleared"] is not None
    assert found["cleared"][0] < total(scores).cleared_share < found["cleared"][1]


def test_the_same_sessions_have_the_same_intervals() -> None:
    assert draws(5) == draws(5)
    assert draws(5) != draws(5, seed=1)
    assert {at for draw in draws(5) for at in draw} == set(range(5))


def test_more_sessions_narrow_it() -> None:
    few, many = (intervals(sessions(n), FIGURES, draws(n, resamples=200)) for n in (5, 200))
    assert few["cleared"] is not None
    assert many["cleared"] is not None
    assert few["cleared"][1] - few["cleared"][0] > many["cleared"][1] - many["cleared"][0]


def test_there_is_none_of_one_session_nor_of_a_figure_that_has_no_value() -> None:
    assert intervals(sessions(1), FIGURES, draws(1)) == {"ce": None, "cleared": None}
    idle = [Score(points=1, unneeded=9, needed=1) for _ in range(4)]
    assert intervals(idle, FIGURES, draws(4)) == {"ce": None, "cleared": (0.0, 0.0)}
