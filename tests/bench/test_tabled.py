"""Rows over several cells."""

import pytest

from statetape.bench.decisions import Asker
from statetape.bench.reference import ORACLE
from statetape.bench.score import Score
from statetape.bench.scored import Cell, Scored
from statetape.bench.tabled import rows, sums

ONE = Score(points=1, unneeded=100, needed=50, cleared=80, lost=10, missing=40, found=10, added=500)
OTHER = Score(points=1, unneeded=60, needed=10, cleared=20, lost=10, abstained=1)
RESULTS = Score(points=1, unneeded=40, needed=20, cleared=30, lost=0)


def point(score: Score, edits: int, family: str = "P", reading: str = "both") -> Scored:
    return Scored(0, family, reading, edits, score, RESULTS, repeated=100)  # type: ignore[arg-type]


CELLS = [
    Cell((point(ONE, 0), point(OTHER, 0, "T"), point(OTHER, 0, reading="strict")), 70, 100, 50, 5),
    Cell((point(OTHER, 7),), 20, 50, 0, 0),
]


def test_a_row_is_of_the_sums_over_points_before_bursts() -> None:
    (row,) = rows([(Asker("default", "rolling"), [sums(cell) for cell in CELLS])])
    assert row.points == 2
    assert (row.ce, row.cleared, row.lost) == (100 / 20, 100 / 160, 20 / 60)
    assert row.lift == row.cleared / row.lost
    assert (row.found, row.added_per_decision) == (0.25, 250)
    assert row.re == 100 * 0.25 / 0.25
    assert row.new_per_decision == 150
    assert row.re_new == pytest.approx(100 * 0.25 / 0.15)
    assert (row.abstained, row.sent, row.regretted) == (0.5, 90 / 150, 0.1)
    assert (row.of_results.ce, row.of_results.precision, row.of_results.cleared) == (
        None,
        1.0,
        0.75,
    )
    assert row.of_results.f1 == 2 * 0.75 / 1.75


def test_by_edits_takes_the_sum_apart() -> None:
    (row,) = rows([(Asker("default", "rolling"), [sums(cell) for cell in CELLS])])
    points = {each.edits: each.points for each in row.by_edits}
    assert points == {"1": 1, "2-5": 0, "6-10": 1, "11-20": 0, "21-30": 0, ">30": 0}
    assert next(each.ce for each in row.by_edits if each.edits == "1") == 8


def test_policies_come_before_reference_points_and_what_asks_a_model_is_marked() -> None:
    names = [ORACLE, "evict-all", "text", "keep-all", "control"]
    found = rows((Asker(name, "recorded"), [sums(CELLS[1])]) for name in names)
    assert [row.policy for row in found] == ["control", "text", "keep-all", "evict-all", ORACLE]
    assert [row.reference for row in found] == [False, False, True, True, True]
    assert [row.scripted for row in found] == [False, True, False, False, False]


def test_what_was_not_removed_has_no_precision() -> None:
    idle = Cell((point(Score(points=1, unneeded=5, needed=5), 0),))
    (row,) = rows([(Asker("control", "recorded"), [sums(idle)])])
    assert (row.of_all.precision, row.of_all.f1, row.ce, row.re, row.sent) == (None,) * 5
