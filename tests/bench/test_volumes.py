"""What labels come to."""

from statetape.bench.labels import Gold, Held, Labelled, Point, Steps, Verdict
from statetape.bench.volumes import volumes
from statetape.types import Lines


def held(verdict: Verdict, n: int, side: str = "result") -> Held:
    return Held(f"{verdict}{n}", side, "read", None, None, 1, n, verdict, None, "")  # type: ignore[arg-type]


def point(edits: int, family: str = "P", reading: str = "both", missing: int = 30) -> Point:
    return Point(
        0, family, reading, 1, 1, 0, edits, Steps(2, 2),  # type: ignore[arg-type]
        (held("stale", 60), held("superseded", 10), held("finished", 20),
         held("needed", 40, "say")),
        (Gold("a.py", Lines(1, 9), "f", "G1", 50, missing, (), ""),),
        missing,
    )  # fmt: skip


SESSIONS = [
    Labelled("a", "x", (point(0), point(1, reading="usual", missing=0)), 3),
    Labelled("b", "x", (point(0, "T"), point(9, reading="strict"), point(40), point(50, "F")), 1),
]


def test_the_blocks_are_of_points_before_bursts_alone() -> None:
    found = volumes(SESSIONS)
    assert (found.sessions, found.decision_points, found.skipped) == (2, 3, 4)
    assert (found.points, found.strict) == ({"P": 3, "T": 1, "F": 1}, 3)
    assert (found.of_all.tokens, found.of_all.unneeded, found.of_all.records) == (390, 270, 12)
    assert found.of_all.unneeded_share == 270 / 390
    assert found.of_all.stale_share == 180 / 270
    assert (found.of_results.tokens, found.of_results.needed) == (270, 0)


def test_the_needed_side_is_of_regions() -> None:
    wanted = volumes(SESSIONS).wanted
    assert wanted.regions == {"G1": 3, "G2": 0, "G3": 0, "G4": 0}
    assert (wanted.tokens, wanted.missing, wanted.held, wanted.empty) == (150, 60, 90, 1)
    assert wanted.missing_share == 0.4


def test_growth_is_by_the_edit_that_comes_next() -> None:
    steps = {step.edits: step for step in volumes(SESSIONS).steps}
    assert [name for name, step in steps.items() if step.points] == ["1", "2-5", ">30"]
    assert (steps["1"].held, steps["1"].unneeded, steps["1"].missing) == (130, 90, 30)


def test_nothing_has_no_shares() -> None:
    found = volumes([])
    assert (found.of_all.unneeded_share, found.wanted.missing_share) == (0.0, 0.0)
