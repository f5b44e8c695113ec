"""What a decision means for each kind of cache: anchors, steps, tiers."""

import pytest
from tests.economics.talk import ANY, SYSTEM, Talk, begun, doubled, ends, gpt, opus

from statetape.economics.account import Account, Decision, Terms, changed, marked
from statetape.economics.gate import Offer, Rate
from statetape.economics.prices import Tier
from statetape.economics.prompt import Block, Prompt
from statetape.types import Replace, Slot


def test_the_anchor_is_on_the_kept_prefix_and_the_provider_reads_it() -> None:
    it = begun(turns=40)
    it.offer(15, 1000)
    it.offer(16, 1000)
    # It costs 5.4 times what it would have, and 8.1 times without the anchor.
    it.account.terms = Terms(cap=6, limit=1e9, horizon=500)
    it.grow(1000)
    turn = it.request()
    assert turn.changed == [15, 16]
    assert turn.decision.anchor == 16  # the system prompt and the messages 0 to 14
    assert ends(turn.prompt) == {1: 300, 16: 300, 42: 300}
    assert turn.read == SYSTEM + 15_000
    lost = turn.prompt.blocks[16:]
    assert turn.planned == pytest.approx(turn.read * 0.1 + sum(b.tokens for b in lost) * 1.25)


def test_an_anchor_lives_as_long_as_what_is_written_behind_it() -> None:
    for ttls in ((3600, 300), (3600, 3600), (300, 300)):
        it = begun(ttls=ttls)
        it.offer(8, 1000)
        it.grow(1000)
        turn = it.request()
        assert ends(turn.prompt) == {1: ttls[0], 9: ttls[1], 12: ttls[1]}
        assert turn.read == SYSTEM + 8000


def test_with_three_ends_marked_no_anchor_is_set_and_the_clients_own_have_to_find_it() -> None:
    it = begun(turns=30, marks=3)
    assert len(ends(it.turns[-1].prompt)) == 4
    it.account.terms = Terms(cap=1e9, limit=1e9, horizon=1000)
    it.offer(20, 1000)
    it.grow(1000)
    turn = it.request()
    assert (turn.changed, turn.decision.anchor) == ([20], 0)
    assert turn.read == SYSTEM + 20_000, "within twenty blocks of the first of the three"
    it.offer(2, 1000)
    it.grow(1000)
    turn = it.request()
    assert turn.changed in ([], [2])
    assert len(ends(turn.prompt)) == 4
    if turn.changed:
        assert turn.read == SYSTEM, "nothing nearer is in reach"


def test_an_automatic_cache_needs_no_anchor() -> None:
    it = Talk(gpt(), ANY)
    for _ in range(40):
        it.grow(1000)
        it.request()
    it.offer(38, 900)
    it.grow(1000)
    turn = it.request()
    assert (turn.changed, turn.decision.anchor) == ([38], 0)
    assert turn.read == SYSTEM + 38_000
    assert ends(turn.prompt) == {}


def test_steps_do_not_hide_what_is_cached() -> None:
    # A prompt of 10,000 tokens reads 9,984 of itself: its last block, of 5,000, is cached as well.
    it = Talk(gpt(step=128), ANY)
    it.grow(5000)
    it.request()
    it.offer(0, 1000)
    turn = it.request()
    assert turn.without == pytest.approx(9984 * 0.1 + 16)
    assert turn.changed == [], "5,000 tokens would have to be paid for again"


def test_where_the_provider_sets_the_last_breakpoint_no_anchor_is_asked_for() -> None:
    price = opus().__class__(
        model="gpt-5.6", input=1, output=0, write_5m=1.25, write_1h=1.25, read=0.1,
        caching="explicit", lookback=80, breakpoints=4, implicit=1800,
    )  # fmt: skip
    account = Account(price, ANY)
    row = [Block(b"system", 5000), *(Block(b"%d" % n, 1000) for n in range(10))]
    for n in range(8, 11):
        prompt = Prompt("gpt-5.6", n, tuple(row[: n + 1]), system=1)
        account.answered(prompt, prompt)
    asked = Prompt("gpt-5.6", 20, tuple(row), system=1)
    gone = Offer(Replace(Slot("9", "result"), "gone", "drop"), 10, 900, 20)
    assert account.decided(asked, asked, [gone], 11) == Decision((gone.change,), 0)
    now = marked(changed(asked, [gone]), 0)
    assert account.answered(asked, now).planned.cache_read == 5000 + 9000


def test_long_contexts_do_not_break_the_cap() -> None:
    """A cut is weighed at the price of the prompt's tier, and compared with the unmodified one."""
    it = Talk(opus(tiers=(doubled(20_000),)), Terms(limit=1e9, horizon=100))
    for _ in range(14):
        it.grow(1000)
        it.request()
    assert it.account.rate(it.turns[-1].unmodified) == Rate(1.25, 0.1)
    it.grow(2000)  # 21,000 tokens: twice the price
    for number in (10, 11, 12):
        it.offer(number, 900)
    turn = it.request()
    assert turn.changed == [10, 11, 12]
    assert turn.planned < turn.without, "below the tier again"


def test_the_rate_is_that_of_the_tier_and_of_the_life_of_the_end() -> None:
    tier = Tier(above=1000, input=2, output=0, write_5m=3, write_1h=5, read=0.5)
    account = Account(opus(tiers=(tier,)), ANY)
    short = Prompt("m", 0, (Block(b"", 900, 3600), Block(b"", 100, 300)))
    assert account.rate(short) == Rate(1.25, 0.1)
    hour = Prompt("m", 0, (Block(b"", 1000, 3600), Block(b"", 100)))
    assert account.rate(hour) == Rate(2.5, 0.25)
    free = opus().__class__(model="f", input=0, output=0, write_5m=0, write_1h=0, read=0)
    assert Account(free, ANY).rate(hour) == Rate(0.0, 0.0)
