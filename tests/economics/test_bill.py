"""The ledger is fair: what the simulator does not foresee is an error, neither gain nor loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.bill import Bill, Entry, by_conversation, by_model, close, cost, total
from statetape.economics.prices import Price, Tier, dollars
from statetape.types import Usage

PRICE = Price(model="m", input=10, output=50, write_5m=12.5, write_1h=20, read=1)
PRICES = (PRICE,)
WARM = Usage(input=100, cache_read=90_000, cache_write_5m=2_000)
COLD = Usage(input=100, cache_write_5m=92_000)


def entry(number: int = 1, **fields: object) -> Entry:
    known = {"conversation": "c", "at": float(number), "model": "m", "number": number}
    return Entry(**{**known, **fields})  # type: ignore[arg-type]


def test_what_was_saved_is_the_difference_of_what_was_simulated() -> None:
    longer = Usage(input=100, cache_read=95_000, cache_write_5m=2_000)
    paid = Usage(input=100, cache_read=90_000, cache_write_5m=2_000, output=1_000)
    found = cost(entry(paid=paid, planned=WARM, unmodified=longer), PRICE)
    assert found.paid == pytest.approx((100 * 10 + 90_000 + 2_000 * 12.5 + 1_000 * 50) / 1e6)
    assert found.saved == pytest.approx(5_000 * 1 / 1e6)
    assert found.unmodified == pytest.approx((found.paid or 0) + 0.005)
    assert found.error == pytest.approx(0)


def test_a_rewrite_that_costs_more_is_a_negative_saving() -> None:
    found = cost(entry(paid=COLD, planned=COLD, unmodified=WARM), PRICE)
    assert found.saved == pytest.approx(-90_000 * 11.5 / 1e6)


def test_a_cache_that_lost_its_entry_is_no_loss_of_ours() -> None:
    found = cost(entry(paid=COLD, planned=WARM, unmodified=WARM), PRICE)
    assert found.saved == 0
    assert found.unmodified == found.paid
    assert found.error == pytest.approx(-90_000 * 11.5 / 1e6)


def test_a_cache_that_lived_longer_is_no_saving_of_ours() -> None:
    found = cost(entry(paid=WARM, planned=COLD, unmodified=COLD), PRICE)
    assert found.saved == 0
    assert found.error == pytest.approx(90_000 * 11.5 / 1e6)


def test_output_is_the_same_on_both_sides_and_no_error() -> None:
    paid = Usage(input=100, cache_read=90_000, cache_write_5m=2_000, output=5_000)
    guessed = Usage(input=100, cache_read=90_000, cache_write_5m=2_000, output=77)
    found = cost(entry(paid=paid, planned=WARM, unmodified=guessed), PRICE)
    assert found.saved == 0
    assert found.error == 0


def test_harm_is_taken_off_at_the_price_of_input() -> None:
    found = cost(entry(paid=WARM, planned=WARM, unmodified=WARM, harm=12_000), PRICE)
    assert found.harm == pytest.approx(0.12)
    assert found.saved == pytest.approx(-0.12)
    assert found.unmodified == pytest.approx((found.paid or 0) - 0.12)


def test_each_side_has_the_tier_of_its_own_prompt() -> None:
    tier = Tier(above=1_000, input=20, output=100, write_5m=25, write_1h=40, read=2)
    price = Price(model="m", tiers=(tier,), input=10, output=50, write_5m=12.5, write_1h=20, read=1)
    below, over = Usage(input=1_000), Usage(input=1_001)
    found = cost(entry(paid=below, planned=below, unmodified=over, harm=10), price)
    assert found.saved == pytest.approx((1_001 * 20 - 1_000 * 10 - 10 * 10) / 1e6)


def test_without_a_simulation_of_what_was_sent_what_was_paid_takes_its_place() -> None:
    found = cost(entry(paid=WARM, unmodified=COLD), PRICE)
    assert found.saved == pytest.approx(90_000 * 11.5 / 1e6)
    assert found.error is None


def test_what_is_not_known_is_none() -> None:
    assert cost(entry(paid=WARM, planned=WARM, unmodified=WARM), None).unmodified is None
    assert cost(entry(paid=WARM, planned=WARM, unmodified=WARM), None).paid is None
    assert cost(entry(paid=WARM), PRICE).saved is None
    assert cost(entry(), PRICE).paid is None
    assert cost(entry(paid=Usage(), planned=WARM, unmodified=WARM), PRICE).paid is None
    assert close(entry(paid=Usage(), planned=WARM)) is None
    assert cost(entry(planned=WARM, unmodified=WARM), PRICE).error is None


def test_a_read_is_foreseen_within_half_a_percent_of_the_prompt() -> None:
    paid = Usage(cache_read=9_950, input=50)
    assert close(entry(paid=paid, planned=Usage(cache_read=10_000))) is True
    assert close(entry(paid=paid, planned=Usage(cache_read=10_001))) is False
    assert close(entry(paid=paid, planned=Usage(cache_read=9_899))) is False
    assert close(entry(paid=paid)) is None
    assert close(entry(planned=paid)) is None


def test_sums_say_what_they_are_sums_of() -> None:
    entries = [
        entry(1, paid=WARM, planned=WARM, unmodified=COLD, sent=5, changes={"drop": 2}),
        entry(2, paid=COLD, planned=WARM, unmodified=WARM, harm=1_000, nothing="why"),
        entry(3, paid=WARM, nothing="why", removed=3, added=2),
        entry(4, planned=COLD, unmodified=WARM, rewritten=9, latency=0.5),
        entry(5, model="other", paid=WARM, planned=WARM, changes={"drop": 1, "rerun": 1}),
    ]
    bill = total(entries, PRICES)
    warm, cold = dollars(PRICE, WARM), dollars(PRICE, COLD)
    assert (bill.requests, bill.unpriced, bill.reported, bill.compared) == (5, 1, 3, 2)
    assert bill.paid == pytest.approx(2 * warm + cold)
    assert bill.saved == pytest.approx(cold - warm - 0.01)
    assert bill.unmodified == pytest.approx(warm + 2 * cold - 0.01)
    assert bill.error == pytest.approx(warm - cold)
    assert bill.error_size == pytest.approx(cold - warm)
    assert (bill.checked, bill.foreseen) == (3, 2)
    assert (bill.sent, bill.removed, bill.added, bill.rewritten) == (5, 3, 2, 9)
    assert (bill.harm_tokens, bill.latency) == (1_000, 0.5)
    assert bill.harm == pytest.approx(0.01)
    assert bill.changes == {"drop": 3, "rerun": 1}
    assert bill.nothing == {"why": 2}


def test_an_unknown_model_has_tokens_only() -> None:
    bill = total([entry(model="other", paid=WARM, planned=WARM, unmodified=COLD, sent=7)], PRICES)
    assert (bill.paid, bill.saved, bill.unmodified, bill.error) == (None, None, None, None)
    assert (bill.sent, bill.unpriced, bill.foreseen) == (7, 1, 1)
    assert total([], PRICES) == Bill()


usages = st.builds(Usage, *([st.integers(0, 10**6)] * 5))
entries = st.builds(
    Entry,
    conversation=st.sampled_from("ab"),
    number=st.integers(1, 9),
    at=st.floats(0, 2e9),
    model=st.sampled_from(["m", "x/m", "other"]),
    paid=st.none() | usages,
    unmodified=st.none() | usages,
    planned=st.none() | usages,
    harm=st.integers(0, 10**5),
)


@given(st.lists(entries))
def test_the_parts_sum_up_to_the_whole(some: list[Entry]) -> None:
    whole = total(some, PRICES)
    for parts in (by_conversation(some, PRICES), by_model(some, PRICES)):
        assert sum(part.requests for part in parts.values()) == len(some)
        assert sum(part.paid or 0 for part in parts.values()) == pytest.approx(whole.paid or 0)
        assert sum(part.saved or 0 for part in parts.values()) == pytest.approx(
            whole.saved or 0, abs=1e-9
        )
    assert whole.unpriced + whole.reported <= whole.requests
    assert whole.compared <= whole.reported
    assert (whole.paid is None) == (whole.reported == 0)


@given(entries)
def test_nothing_done_saves_nothing_whatever_was_paid(one: Entry) -> None:
    same = Entry(
        conversation="c", number=1, at=0.0, model="m", paid=one.paid, planned=one.planned,
        unmodified=one.planned,
    )  # fmt: skip
    assert cost(same, PRICE).saved in ({None, 0.0} if not one.planned else {0.0})
