"""What an account decides request by request, in conversations paid for to the letter."""

import pytest
from tests.economics.talk import ANY, SYSTEM, Talk, Turn, begun, opus

from statetape.economics.account import Account, Decision, Terms, changed, marked
from statetape.economics.gate import Offer
from statetape.economics.prompt import Block, Prompt
from statetape.economics.reasons import NOT_ALLOWED, NOT_YET, NOTES_ONLY, NOTHING_STALE
from statetape.types import Replace, Slot


def test_a_change_near_the_end_goes_at_once() -> None:
    it = begun()
    it.offer(8, 900)
    it.grow(1000)
    turn = it.request()
    assert turn.changed == [8]
    # Of the prompt before it the system and 8 messages are read, 1,100 of 2,000 tokens and the
    # new thousand are written; unmodified, 10 messages would be read and one written.
    assert turn.read == SYSTEM + 8000
    assert turn.planned == pytest.approx((SYSTEM + 8000) * 0.1 + 2100 * 1.25)
    assert turn.without == pytest.approx((SYSTEM + 10_000) * 0.1 + 1000 * 1.25)


def test_a_change_far_from_the_end_waits_and_says_so() -> None:
    it = begun()
    it.offer(1, 900)
    it.grow(1000)
    turn = it.request()
    assert turn.decision == Decision(why=NOT_YET)
    assert turn.planned == turn.without


def test_one_that_waited_goes_with_the_first_cut_before_it() -> None:
    it = begun()
    it.offer(6, 900)
    it.grow(1000)
    assert it.request().changed == []
    it.offer(5, 1000)
    it.offer(7, 1000)
    it.grow(1000)
    assert it.request().changed == [5, 6, 7]


def test_nothing_stale_nothing_said() -> None:
    it = begun(turns=1)
    assert it.turns[-1].decision == Decision(why=NOTHING_STALE)


def after_a_while(it: Talk) -> Turn:
    it.grow(10)
    return it.request(after=301)


def another_model(it: Talk) -> Turn:
    it.model = "other"
    return it.request()


def other_tools(it: Talk) -> Turn:
    it.tools = 1
    return it.request()


@pytest.mark.parametrize("free", [after_a_while, another_model, other_tools])
def test_where_the_cache_is_cold_anyway_everything_pending_goes(free: object) -> None:
    it = begun(Terms())
    for number in range(10):
        it.offer(number, 10)
    it.grow(1000)
    assert it.request().changed == [], "warm, it does not pay"
    turn = free(it)  # type: ignore[operator]
    assert turn.changed == list(range(10))
    assert turn.planned < turn.without
    assert turn.decision.anchor == 0


def test_after_a_compaction_of_the_client_everything_pending_goes() -> None:
    it = begun(Terms(), turns=5)
    it.compact(4000)
    it.grow(1000)
    it._sent = 2  # resumed: both were sent in a conversation before
    summary = it.messages[0][0]
    it.offer(summary, 10)
    turn = it.request()
    assert turn.changed == [summary]
    assert turn.read == SYSTEM


def test_a_cache_of_an_hour_is_not_cold_after_five_minutes() -> None:
    it = begun(Terms(), ttls=(3600, 3600))
    it.offer(1, 10)
    assert after_a_while(it).changed == []
    assert it.request(after=3601).changed == [1]


def test_where_only_the_end_is_cold_the_system_prompt_is_still_read() -> None:
    it = begun(Terms(), ttls=(3600, 300))
    it.offer(1, 10)
    turn = after_a_while(it)
    assert (turn.changed, turn.read) == ([1], SYSTEM)


def test_a_true_change_that_adds_waits_for_a_cut_that_pays_for_it() -> None:
    it = begun()
    it.offer(9, -50)
    it.grow(1000)
    assert it.request().changed == []
    it.offer(10, 900)
    it.grow(1000)
    assert it.request().changed == [10], "it stands before that cut"
    it.offer(7, 1000)
    it.offer(8, 1000)
    it.grow(1000)
    assert it.request().changed == [7, 8, 9]


def test_risk_holds_back() -> None:
    for risk, moved in ((0.0, [8]), (5000.0, [])):
        it = begun()
        it.offer(8, 900, risk=risk)
        it.grow(1000)
        assert it.request().changed == moved


def test_no_request_costs_more_than_the_cap() -> None:
    for cap, moved in ((3.8, []), (4.0, [2])):
        it = begun(Terms(cap=cap, limit=1e9, horizon=200))
        it.offer(2, 1000)
        it.grow(1000)
        turn = it.request()
        assert turn.changed == moved, "it costs 3.89 times what it would have"
        assert turn.planned <= cap * turn.without


def test_where_the_best_cut_is_too_dear_a_cheaper_one_is_made() -> None:
    it = begun(Terms(cap=1.5, limit=1e9, horizon=200))
    it.offer(1, 900)
    it.offer(9, 500)
    it.grow(1000)
    turn = it.request()
    assert turn.changed == [9]
    assert turn.planned <= 1.5 * turn.without


def test_all_together_never_cost_more_than_the_limit() -> None:
    it = begun(Terms(limit=1.01))
    it.offer(8, 900)
    it.grow(1000)
    assert it.request().changed == [], "it would pay in the end, but there is no end in sight"
    for _ in range(9):
        it.grow(1000)
        it.request()
        assert sum(turn.planned for turn in it.turns) <= 1.01 * sum(t.without for t in it.turns)
    generous = begun(Terms(limit=1.1))
    generous.offer(8, 900)
    generous.grow(1000)
    assert generous.request().changed == [8]


def test_harm_counts_toward_the_limit_and_what_saves_at_once_is_done_all_the_same() -> None:
    it = begun(Terms())
    it.account.charge(100_000)
    it.offer(8, 900)
    it.grow(1000)
    assert it.request().changed == []
    assert after_a_while(it).changed == [8]


def test_on_binding_models_only_what_was_never_sent_is_changed() -> None:
    it = begun(Terms(edits="tail"))
    it.offer(9, 900)
    it.grow(1000)
    assert it.request().decision == Decision(why=NOT_ALLOWED)
    (new,) = it.grow(1000)
    it.offer(new, 900)
    turn = it.request()
    assert (turn.changed, turn.decision.anchor) == ([new], 0)
    assert turn.planned < turn.without
    it.offer(new, 50)
    assert after_a_while(it).changed == [], "not when the cache is cold either"


def test_what_was_never_sent_goes_at_once_and_opens_no_cut() -> None:
    it = begun()
    it.offer(1, 900)
    (new,) = it.grow(1000)
    it.offer(new, 5)
    turn = it.request()
    assert (turn.changed, turn.decision.anchor, turn.decision.why) == ([new], 0, "")


def test_what_was_never_sent_grows_only_by_what_was_removed_before() -> None:
    it = begun()
    (new,) = it.grow(1000)
    it.offer(new, -5)
    assert it.request().changed == []
    (other,) = it.grow(1000)
    it.offer(other, -5)
    it.offer(8, 1000)
    it.offer(9, 1000)
    assert it.request().changed == [8, 9, new], "behind the cut; what is new is asked first"
    (third,) = it.grow(1000)
    it.offer(third, -5)
    assert third in it.request().changed


def test_what_was_never_sent_grows_only_within_the_cap() -> None:
    for kept_to, grown in ((Terms(cap=1, limit=1e9), False), (ANY, True)):
        it = begun()
        (new,) = it.grow(1000)
        it.offer(new, 100)
        it.request()
        it.account.terms = kept_to
        (other,) = it.grow(1000)
        it.offer(other, -100)
        turn = it.request()
        assert turn.changed == [other] * grown
        assert (turn.planned > turn.without) is grown


def test_eager_takes_everything_at_once_whatever_it_costs() -> None:
    it = begun(Terms(maintain="eager"))
    it.offer(2, 1)
    it.offer(5, -100)
    (new,) = it.grow(1000)
    it.offer(new, -5)
    turn = it.request()
    assert turn.changed == [2, 5, new]
    assert turn.planned > turn.without
    assert turn.decision.anchor == 3, "and still reads what it can"
    assert turn.read == SYSTEM + 2000


def test_eager_on_binding_models_keeps_to_what_was_never_sent() -> None:
    it = begun(Terms(maintain="eager", edits="tail"))
    it.offer(2, 900)
    (new,) = it.grow(1000)
    it.offer(new, -5)
    assert it.request().changed == [new]


def test_never_takes_none() -> None:
    it = begun(Terms(maintain="never"))
    (new,) = it.grow(1000)
    it.offer(new, 900)
    assert it.request().decision == Decision(why=NOTES_ONLY)
    assert after_a_while(it).decision == Decision(why=NOTES_ONLY)


def test_horizons() -> None:
    it = begun(Terms(horizon="lindy"), turns=7)
    assert it.account.horizon(Slot("1", "result")) == 7
    assert begun(Terms(horizon=30)).account.horizon(Slot("1", "result")) == 30


def test_rent_goes_when_what_was_paid_for_carrying_is_the_price_of_the_cut() -> None:
    it = Talk(opus(), Terms(horizon="rent", cap=1e9, limit=1e9))
    it.grow(2000)
    it.request()
    it.offer(0, 1000)
    # A request that carries it pays 100 units; the cut costs 1,000 * (1.25 - 0.1) = 1,150.
    waited = 0
    while not it.request().changed:
        waited += 1
    assert waited == 11
    assert sum(turn.planned - turn.without for turn in it.turns) == pytest.approx(1050)
    it.offer(0, 100)
    assert it.account.horizon(Slot("0", "result")) == 0, "the next change begins to wait anew"


def test_what_the_cache_held_before_the_conversation_is_read() -> None:
    account = Account(opus(), ANY)
    opening = Prompt("m", 0, (Block(b"system", 5000, 300),), system=1)
    account.warm(opening, opening)
    first = Prompt("m", 1, (Block(b"system", 5000, 300), Block(b"0", 10, 300)), system=1)
    assert account.answered(first, first).unmodified.cache_read == 5000
    assert account.requests == 1
    assert account.spent == account.unmodified == pytest.approx((500 + 12.5) / 1e6)


def test_a_block_never_gets_less_than_nothing() -> None:
    prompt = Prompt("m", 0, (Block(b"0", 10),))
    gone = Offer(Replace(Slot("0", "result"), "\ud800", "drop"), 0, 20, 1)
    (block,) = changed(prompt, [gone]).blocks
    assert block.tokens == 0
    assert block.digest != b"0"
    assert changed(prompt, []) is prompt
    assert marked(prompt, 0) is prompt
