"""Lookahead labels, and what ways of deciding come to against them, on small sessions."""

from pathlib import Path

import pytest
from tests.bench.sessions import Told

from statetape.bench.foresight import FACTORS, METHODS, macro, moved, scores
from statetape.bench.lookahead import HeldRow, PointRow, points
from statetape.bench.score import Score, total
from statetape.manager import finished, wanted
from statetape.manager.weights import Logistic, Weights
from statetape.tokens import tokens

A = "".join(f"def a_{n}():\n    return {n}\n\n\n" for n in range(30))
B = "".join(f"def b_{n}():\n    return {n}\n\n\n" for n in range(30))
C = "import b\n\n\ndef use():\n    x = b.b_0()\n    return x\n"
FILES = {"a.py": A, "b.py": B, "c.py": C}


def flat(size: int, bias: float) -> Logistic:
    """A regression that always says the same."""
    return Logistic((0.0,) * size, (1.0,) * size, (0.0,) * size, bias, 0.5)


def known(again: float, following: float) -> Weights:
    """Weights for which everything, or nothing, is wanted again, and next."""
    return Weights(flat(len(finished.FEATURES), again), flat(len(wanted.FEATURES), following))


def session(folder: Path) -> Told:
    """Reads two files, writes one, then quotes the other and reads a third."""
    told = Told(folder, FILES)
    told.read("a.py")
    told.read("b.py")
    told.edit("b.py", "    return 0\n", "    return 100\n")
    told.read("c.py")
    told.edit("a.py", "    return 7\n", "    return 70\n")
    told.say("Done.")
    return told


@pytest.fixture
def rows(tmp_path: Path) -> list[PointRow]:
    return points(session(tmp_path).saved())


def of(rows: list[PointRow], at: int, path: str) -> HeldRow:
    """What is known of the one read of a file at a point."""
    (found,) = [
        row
        for row in rows[at].held
        if row.result.record.kind == "read" and row.result.record.read == (path,)
    ]
    return found


def test_a_point_is_a_request_that_follows_a_write(rows: list[PointRow]) -> None:
    assert [point.step for point in rows] == [3, 5]


def test_a_result_is_needed_if_a_later_step_uses_its_lines(rows: list[PointRow]) -> None:
    assert of(rows, 0, "a.py").needed
    assert not of(rows, 0, "b.py").needed
    assert not of(rows, 1, "a.py").needed


def test_what_the_write_falsified_would_be_patched(rows: list[PointRow]) -> None:
    b = of(rows, 0, "b.py")
    assert b.stale
    assert 0.9 * b.tokens < b.kept < b.fresh < 1.2 * b.tokens
    assert not of(rows, 0, "a.py").stale


def test_gold_are_the_lines_read_next_that_are_not_held(rows: list[PointRow]) -> None:
    assert rows[0].missing == sum(tokens(line + "\n") for line in C.split("\n")[:-1])
    assert rows[1].missing == 0


def test_gold_are_the_lines_that_are_edited_next_with_those_around(tmp_path: Path) -> None:
    told = Told(tmp_path, FILES)
    told.edit("b.py", "    return 0\n", "    return 100\n")
    told.edit("a.py", "    return 7\n", "    return 70\n")
    told.say("Done.")
    (first, _) = points(told.saved())
    at = A.split("\n").index("    return 7")
    assert first.missing == sum(tokens(line + "\n") for line in A.split("\n")[at - 3 : at + 4])


def test_the_caller_is_among_the_offers(tmp_path: Path) -> None:
    (first, _) = points(session(tmp_path).saved())
    (offer,) = [each for each in first.offers if each.wanted.candidate.path == "c.py"]
    assert offer.wanted.candidate.way == "caller"
    assert offer.gold == offer.tokens > 0


def test_a_later_result_has_the_credit_for_the_same_lines(tmp_path: Path) -> None:
    told = Told(tmp_path, FILES)
    told.read("a.py")
    told.edit("b.py", "    return 0\n", "    return 100\n")
    told.read("a.py", 1, 60)
    told.edit("b.py", "    return 1\n", "    return 101\n")
    told.edit("a.py", "    return 7\n", "    return 70\n")
    told.say("Done.")
    rows = points(told.saved())
    whole, some = [row for row in rows[1].held if row.result.record.read == ("a.py",)][:2]
    assert not whole.needed
    assert some.needed


def test_reference_points_come_out(rows: list[PointRow]) -> None:
    weights = known(0.0, 0.0)
    sums = {name: scores(rows, method, weights) for name, method in METHODS.items()}
    assert sums["evict-all"].lift == pytest.approx(1.0)
    assert sums["evict-all"].ce == sums["evict-all"].unneeded / sums["evict-all"].needed
    assert sums["keep-all"].ce is None
    assert sums["keep-all"].cleared == sums["keep-all"].lost == sums["keep-all"].added == 0
    assert sums["keep-all"].abstained == sums["keep-all"].points == 2
    assert sums["default"].cleared > sums["default"].restored > 0
    assert sums["default"].lost == 0
    assert {(each.points, each.unneeded, each.needed, each.missing) for each in sums.values()} == {
        (2, sums["keep-all"].unneeded, sums["keep-all"].needed, sums["keep-all"].missing)
    }


def test_the_heuristic_does_what_its_weights_say(rows: list[PointRow]) -> None:
    method = METHODS["heuristic"]
    bold = scores(rows, method, known(-9.0, 9.0))
    shy = scores(rows, method, known(9.0, -9.0))
    assert bold.found == bold.added > 0
    assert shy.found == shy.added == 0
    assert shy.cleared == scores(rows, METHODS["default"], known(9.0, -9.0)).cleared


def test_the_frontier_goes_both_ways() -> None:
    weights = known(0.0, 0.0)
    for factor in FACTORS:
        other = moved(weights, factor)
        assert (other.wanted_again.threshold > 0.5) == (factor > 1)
        assert (other.wanted_next.threshold < 0.5) == (factor > 1)


def test_each_session_counts_once_in_the_macro_average() -> None:
    many = Score(points=9, missing=90, found=90, added=1)
    none = Score(points=1, missing=10)
    assert macro([many, none], lambda score: score.found_share) == 0.5
    assert total([many, none]).found_share == 0.9
    assert macro([], lambda score: score.found_share) == 0.0
