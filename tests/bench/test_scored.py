"""Effects against labels, by hand."""

import pytest
from msgspec.structs import replace

from statetape.bench.effects import Change, Effect
from statetape.bench.labels import Gold, Held, Point, Steps, Verdict
from statetape.bench.scored import EDITS, bucket, is_usual, scored
from statetape.types import Lines, Slot


def held(name: str, verdict: Verdict, n: int, side: str = "result") -> Held:
    return Held(name, side, "read", "a.py", None, 1, n, verdict, None, "")  # type: ignore[arg-type]


POINT = Point(
    index=0,
    family="P",
    reading="both",
    request=1,
    step=9,
    tick=1,
    edits=3,
    burst=Steps(10, 11),
    held=(
        held("stale", "stale", 100),
        held("done", "finished", 50),
        held("used", "needed", 30),
        held("words", "finished", 7, "say"),
    ),
    needed=(
        Gold("a.py", Lines(1, 9), "f", "G1", 90, 50, (Lines(2, 4), Lines(8, 8)), ""),
        Gold("a.py", Lines(4, 5), "g", "G2", 10, 10, (Lines(4, 5),), ""),
    ),
    missing=60,
)


def removed(tokens: int = 0) -> Change:
    return Change("removed", tokens)


def test_each_record_counts_in_full() -> None:
    effect = Effect({Slot("stale", "result"): removed(5), Slot("used", "result"): removed(5)}, {})
    found = scored(POINT, effect)
    assert (found.of_all.unneeded, found.of_all.needed) == (157, 30)
    assert (found.of_results.unneeded, found.of_results.needed) == (150, 30)
    assert (found.of_all.cleared, found.of_all.lost, found.of_all.added) == (100, 30, 10)
    assert found.of_all.abstained == 1


def test_what_the_agent_said_is_none_of_the_results() -> None:
    found = scored(POINT, Effect({Slot("words", "say"): removed()}, {}))
    assert (found.of_all.cleared, found.of_results.cleared) == (7, 0)


def test_a_refresh_of_a_stale_record_clears_it_and_restores_what_it_repeats() -> None:
    fresh = Change("refreshed", 110, restored=90, covers=True)
    score = scored(POINT, Effect({Slot("stale", "result"): fresh}, {})).of_all
    assert (score.cleared, score.restored, score.added, score.lost) == (100, 90, 110, 0)
    assert score.net_share == 10 / 157
    assert score.abstained == 0
    assert scored(POINT, Effect({Slot("stale", "result"): fresh}, {})).repeated == 90


@pytest.mark.parametrize("covers", [True, False])
def test_a_refresh_loses_nothing_if_it_covers_the_same_symbols(*, covers: bool) -> None:
    fresh = Change("refreshed", 20, covers=covers)
    score = scored(POINT, Effect({Slot("used", "result"): fresh}, {})).of_all
    assert (score.lost, score.cleared) == (0 if covers else 30, 0)


def test_only_missing_lines_are_found_and_each_once() -> None:
    lines = {"a.py": {1: 9, 2: 10, 4: 20, 8: 3}, "b.py": {2: 100}}
    score = scored(POINT, Effect({}, lines, brought=200)).of_all
    assert (score.found, score.missing, score.added) == (33, 60, 200)
    assert score.re == pytest.approx(100 * 33 / 60 / 0.2)


def test_ranges_of_edits_name_the_edit_that_comes_next() -> None:
    names = [bucket(edits) for edits in range(40)]
    assert list(dict.fromkeys(names)) == [name for _, _, name in EDITS]
    assert (names[0], names[1], names[4], names[29], names[30]) == (
        "1", "2-5", "2-5", "21-30", ">30"
    )  # fmt: skip
    assert scored(POINT, Effect({}, {})).bucket == "2-5"


def test_a_point_of_the_strict_reading_alone_is_not_usual() -> None:
    assert is_usual(POINT)
    assert not is_usual(replace(POINT, reading="strict"))
    assert not is_usual(replace(POINT, family="T"))
