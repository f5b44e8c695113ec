"""What removals are expected to cost later, by what became of the earlier ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.gate import Rate
from statetape.economics.regret import Regret
from statetape.types import Why

OPUS = Rate(write=1.25, read=0.1)


def after(why: Why, made: int, again: int) -> Regret:
    regret = Regret()
    for _ in range(made):
        regret.made(why)
    for _ in range(again):
        regret.again(why)
    return regret


def test_before_anything_is_known_a_removal_is_neither_safe_nor_lost() -> None:
    assert 0 < Regret().share("drop") < 0.5


def test_removals_that_nobody_asks_for_become_safer() -> None:
    shares = [after("drop", made, 0).share("drop") for made in (0, 1, 5, 50, 500)]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == len(shares)
    assert shares[-1] < 0.01


def test_each_one_asked_for_again_holds_its_kind_back_and_no_other() -> None:
    shares = [after("evict", 10, again).share("evict") for again in (0, 1, 3, 10)]
    assert shares == sorted(shares)
    assert len(set(shares)) == len(shares)
    assert after("evict", 10, 10).share("drop") == Regret().share("drop")


def test_much_experience_counts_more_than_the_first_guess() -> None:
    assert after("drop", 1000, 250).share("drop") == pytest.approx(0.25, abs=0.01)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_share_is_a_share(made: int, again: int) -> None:
    """Also where more is asked for than was made: somebody reads a text twice, or resumes."""
    assert 0 <= after("drop", made, again).share("drop") <= 1


def test_what_is_asked_for_again_is_written_then_read_and_takes_a_request() -> None:
    certain = after("drop", 0, 100)
    assert certain.share("drop") == 1
    risk = certain.risk("drop", tokens=1000, prompt=50_000, rate=OPUS, requests=20)
    assert risk == pytest.approx(1000 * 1.25 + 20 * 1000 * 0.1 + 50_000 * 0.1)


def test_the_risk_is_the_share_of_that() -> None:
    regret = after("drop", 3, 1)
    certain = after("drop", 0, 100).risk("drop", 1000, 50_000, OPUS, 20)
    expected = regret.share("drop") * certain
    assert regret.risk("drop", 1000, 50_000, OPUS, 20) == pytest.approx(expected)
    assert regret.risk("drop", 0, 0, OPUS, 20) == 0
