"""Which changes pay now, and which wait: the gate by itself, on prompts of plain numbers."""

from itertools import accumulate, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.gate import Offer, Rate, Standing, anchors, cuts, unsent
from statetape.economics.prompt import Block, Prompt
from statetape.types import Replace, Slot

OPUS = Rate(write=1.25, read=0.1)
HOURS = Rate(write=2.0, read=0.1)


def offer(
    block: int, saved: int, requests: float = 20, risk: float = 0.0, text: str = "gone"
) -> Offer:
    return Offer(Replace(Slot(f"c{block}", "result"), text, "drop"), block, saved, requests, risk)


def standing(*tokens: int, live: tuple[int, ...], read: int | None = None) -> Standing:
    """Blocks of so many tokens; all that was ever written behind is read."""
    return Standing(list(accumulate(tokens, initial=0)), live[-1] if read is None else read, live)


def test_a_change_near_the_end_pays_at_once_and_one_far_from_it_waits() -> None:
    # 100 blocks of 1,000 tokens, an entry behind each. T/s = 1 costs 1.15 * 1,000 - 1.25 * 900.
    near_and_far = standing(*[1000] * 100, live=tuple(range(101)))
    (near,) = cuts(near_and_far, [offer(98, saved=900)], OPUS)
    assert (near.block, near.kept) == (98, 98)
    assert near.now == pytest.approx(2000 * 1.15 - 900 * 1.25)
    assert near.net == pytest.approx(900 * (1.25 + 20 * 0.1) - 2000 * 1.15)
    assert cuts(near_and_far, [offer(10, saved=900)], OPUS) == []


@pytest.mark.parametrize(
    ("rate", "requests"),
    [(OPUS, 11.5), (HOURS, 19), (Rate(1.25, 0.05), 24), (Rate(1.25, 0.025), 49), (Rate(1, 0.1), 9)],
)
def test_it_pays_after_as_many_requests_as_the_page_says(rate: Rate, requests: float) -> None:
    # T / s is 10; and what is removed need not be written now, which is worth W / R requests.
    all_of_it = standing(0, 10_000, live=(1, 2))
    after = 10 * requests - rate.write / rate.read
    assert cuts(all_of_it, [offer(1, 1000, requests=after - 0.1)], rate) == []
    assert len(cuts(all_of_it, [offer(1, 1000, requests=after + 0.1)], rate)) == 1


def test_once_a_cut_is_made_everything_worth_it_behind_is_taken() -> None:
    row = standing(*[1000] * 20, live=tuple(range(21)))
    alone = [cuts(row, [offer(block, 800)], OPUS) for block in (18, 15, 10)]
    assert [len(found) for found in alone] == [1, 0, 0]
    far = offer(10, 4000)
    best = cuts(row, [offer(15, 800), far, offer(18, 800)], OPUS)[0]
    assert [each.block for each in best.offers] == [10, 15, 18]
    assert best.block == best.kept == 10


def test_small_changes_pay_together_where_none_pays_alone() -> None:
    row = standing(*[1000] * 10, live=tuple(range(11)))
    small = [offer(block, 500) for block in (5, 6, 7, 8)]
    assert all(cuts(row, [each], OPUS) == [] for each in small)
    assert [each.block for each in cuts(row, small, OPUS)[0].offers] == [5, 6, 7, 8]


def test_where_the_cache_is_cold_everything_goes() -> None:
    cold = standing(*[1000] * 50, live=(), read=0)
    offers = [offer(block, 1, requests=0) for block in range(50)]
    best = cuts(cold, offers, OPUS)[0]
    assert best.offers == tuple(offers)
    assert best.now == pytest.approx(-50 * 1.25)
    assert best.kept == 0


def test_where_only_the_system_prompt_is_warm_everything_behind_it_goes() -> None:
    compacted = standing(20_000, *[1000] * 9, live=(1,))
    best = cuts(compacted, [offer(block, 1, requests=0) for block in range(1, 10)], OPUS)[0]
    assert (len(best.offers), best.kept) == (9, 1)


def test_what_is_behind_the_last_entry_is_free_though_it_was_sent() -> None:
    row = standing(*[1000] * 10, live=(8,))
    (cut,) = cuts(row, [offer(8, 10, requests=0)], OPUS)
    assert cut.now == pytest.approx(-12.5)


def test_a_cut_falls_back_to_the_last_entry_before_it() -> None:
    row = standing(*[1000] * 10, live=(2, 6, 10))
    best = cuts(row, [offer(7, 900)], OPUS)
    assert best == []
    (cut,) = cuts(row, [offer(7, 2000)], OPUS)
    assert (cut.block, cut.kept) == (7, 6)
    assert cut.now == pytest.approx(4000 * 1.15 - 2000 * 1.25)
    (cut,) = cuts(row, [offer(1, 9000)], OPUS)
    assert cut.kept == 0


def test_a_true_change_that_adds_rides_only_behind_a_cut_that_pays_for_it() -> None:
    row = standing(*[1000] * 10, live=tuple(range(11)))
    adds = offer(8, -100)
    assert cuts(row, [adds], OPUS) == [], "alone it never goes"
    assert cuts(row, [adds, offer(9, 500)], OPUS)[0].offers == (offer(9, 500),), (
        "it is before the cut"
    )
    paid = cuts(row, [adds, offer(6, 1900)], OPUS)[0]
    assert paid.offers == (offer(6, 1900), adds)
    assert paid.net == pytest.approx((1900 - 100) * 3.25 - 4000 * 1.15)
    assert paid.now == pytest.approx(4000 * 1.15 - (1900 - 100) * 1.25)


def test_the_cheapest_riders_go_first_and_no_further_than_the_gain() -> None:
    cold = standing(*[1000] * 5, live=(), read=0)
    riders = [offer(1, -60), offer(2, -30), offer(3, -50)]
    best = cuts(cold, [*riders, offer(0, 100)], OPUS)[0]
    assert [each.block for each in best.offers] == [0, 2, 3]
    assert best.net == pytest.approx(20 * 3.25)


def test_riders_do_not_move_the_cut() -> None:
    row = standing(*[1000] * 10, live=tuple(range(11)))
    # The cut at 5 gains most; the change at 6, true and dear, rides behind it.
    far, near, dear = offer(5, 2500), offer(9, 600), offer(6, -300)
    best, second = cuts(row, [far, near, dear], OPUS)
    assert best.offers == (far, dear, near)
    assert second.offers == (near,)


def test_riders_never_make_a_prompt_longer() -> None:
    cold = standing(*[1000] * 3, live=(), read=0)
    # By its horizon the first is worth more than the second costs; it removes less than that adds.
    best = cuts(cold, [offer(0, 10, requests=200), offer(1, -50, requests=0)], OPUS)[0]
    assert [each.block for each in best.offers] == [0]


def test_risk_holds_back() -> None:
    row = standing(*[1000] * 3, live=(0, 1, 2, 3))
    worth = offer(2, 500).worth(OPUS)
    assert cuts(row, [offer(2, 500, risk=worth - 1150 - 1)], OPUS)
    assert cuts(row, [offer(2, 500, risk=worth - 1150 + 1)], OPUS) == []


def test_of_two_changes_of_a_block_the_one_that_is_worth_most_counts() -> None:
    row = standing(*[1000] * 3, live=(0, 1, 2, 3))
    refresh, drop = offer(2, 400, text="new"), offer(2, 900)
    for offers in ([refresh, drop], [drop, refresh]):
        assert cuts(row, offers, OPUS)[0].offers == (drop,)
    risky = offer(2, 900, risk=drop.worth(OPUS) - refresh.worth(OPUS) + 1)
    assert cuts(row, [risky, refresh], OPUS)[0].offers == (refresh,)


def test_no_more_cuts_are_made_up_than_are_asked_for() -> None:
    cold = standing(*[1000] * 9, live=(), read=0)
    offers = [offer(block, 10) for block in range(9)]
    found = cuts(cold, offers, OPUS, 2)
    assert [len(cut.offers) for cut in found] == [9, 8]
    assert len(cuts(cold, offers, OPUS)) == 9


def test_what_was_never_sent_is_free_and_the_first_offer_counts() -> None:
    first, other, sent = offer(5, 10, text="new"), offer(5, 90), offer(4, 500)
    assert unsent([sent, first, other], first=5) == (first,)
    assert unsent([sent], first=5) == ()


def test_what_was_never_sent_grows_only_by_what_was_removed_before() -> None:
    adds, less, saves = offer(5, -40), offer(6, -10), offer(7, 20)
    shorter = offer(5, 300, text="shorter")
    assert unsent([adds, less, saves], 5) == (adds, less, saves)
    assert unsent([adds, less], 5, room=0) == ()
    assert unsent([adds, less, saves], 5, room=0) == (less, saves), "the cheapest first"
    assert unsent([adds, less, saves], 5, room=30) == (adds, less, saves)
    assert unsent([adds, less, shorter], 5, room=0) == (shorter,)
    assert unsent([adds, shorter], 5, room=40) == (adds,), "where there is room, as the policy says"


def marked(count: int, *ends: int) -> Prompt:
    blocks = (Block(b"%d" % n, 100, 300 * (n in ends)) for n in range(1, count + 1))
    return Prompt("m", 0, tuple(blocks))


def test_an_anchor_may_be_set_while_there_are_fewer_breakpoints_than_allowed() -> None:
    live = (1, 40, 45, 60)
    assert anchors(marked(60, 1, 50, 60), live, most=4, lookback=20) == (live, True)


def test_with_all_breakpoints_taken_only_what_they_find_is_kept() -> None:
    full = marked(60, 1, 30, 50, 60)
    reached, free = anchors(full, (1, 10, 11, 31, 40, 60), most=4, lookback=20)
    assert (list(reached), free) == ([1, 11, 31, 40, 60], False)
    assert anchors(full, (30,), most=4, lookback=20)[0] == [30]
    assert anchors(marked(40, 1, 2, 3, 30), (35,), most=4, lookback=20)[0] == [], "it lies before"


def test_where_the_provider_sets_the_last_breakpoint_itself_none_is_added() -> None:
    plain = marked(100)
    found = anchors(plain, (10, 21, 99), most=4, lookback=80, implicit=True)
    assert found == ([21, 99], False)
    crowded = marked(100, 1, 2, 3, 4, 5)
    reached, _ = anchors(crowded, (1, 2, 3), most=4, lookback=80, implicit=True)
    assert reached == [1, 2, 3], "the last four find it"
    reached, _ = anchors(crowded, (4, 5), most=2, lookback=80, implicit=True)
    assert reached == [4, 5]


OFFERS = st.lists(
    st.builds(
        offer,
        st.integers(0, 7),
        st.integers(-400, 1000),
        st.sampled_from([0, 1, 5, 20, 60]),
        st.sampled_from([0.0, 0.0, 100.0, 2000.0]),
        st.text("ab", max_size=2),
    ),
    max_size=8,
)
RATES = st.sampled_from([OPUS, HOURS, Rate(1.25, 0.025), Rate(1.0, 0.1), Rate(1.0, 0.5)])


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    tokens = draw(st.lists(st.integers(0, 2000), min_size=8, max_size=8))
    live = sorted(draw(st.sets(st.integers(0, 8))))
    read = draw(st.sampled_from(live)) if live else 0
    return standing(*tokens, live=tuple(live), read=read)


def gained(row: Standing, taken: tuple[Offer, ...], rate: Rate) -> float:
    """The gate's objective from the page: what the changes are worth less what is read again."""
    first = min(each.block for each in taken)
    kept = max((n for n in row.live if n <= min(first, row.read)), default=0)
    lost = row.totals[row.read] - row.totals[kept] if row.read > kept else 0
    worth = sum(
        each.saved * rate.write + each.saved * each.requests * rate.read - each.risk
        for each in taken
    )
    return worth - lost * (rate.write - rate.read)


@given(standings(), OFFERS, RATES)
def test_no_choice_of_changes_is_better_than_the_first_cut(
    row: Standing, offers: list[Offer], rate: Rate
) -> None:
    """Against all subsets with one change a block; riders are left out, they only take."""
    most = 0.0
    for count in range(1, len(offers) + 1):
        for taken in combinations(offers, count):
            if len({each.block for each in taken}) == count:
                most = max(most, gained(row, taken, rate))
    found = cuts(row, offers, rate)
    if most <= 1e-6:
        assert all(gained(row, cut.offers, rate) <= 1e-6 for cut in found)
        return
    paying = tuple(each for each in found[0].offers if each.worth(rate) > 0)
    assert gained(row, paying, rate) == pytest.approx(most)


@given(standings(), OFFERS, RATES)
def test_every_cut_is_what_it_says(row: Standing, offers: list[Offer], rate: Rate) -> None:
    for cut in cuts(row, offers, rate):
        blocks = [each.block for each in cut.offers]
        assert blocks == sorted(set(blocks)), "in the order of the prompt, one a block"
        assert cut.block == blocks[0]
        assert cut.offers[0].worth(rate) > 0, "a rider never is the first"
        assert set(cut.offers) <= set(offers)
        assert cut.net == pytest.approx(gained(row, cut.offers, rate))
        assert cut.net > 0
        assert sum(each.saved for each in cut.offers) >= 0
        assert cut.kept <= cut.block
        later = sum(each.saved * each.requests * rate.read - each.risk for each in cut.offers)
        assert cut.now == pytest.approx(later - cut.net)


@given(OFFERS, st.integers(0, 7), st.integers(0, 500))
def test_the_unsent_never_add_more_than_there_is_room(
    offers: list[Offer], first: int, room: int
) -> None:
    taken = unsent(offers, first, room)
    assert room + sum(each.saved for each in taken) >= 0
    assert all(each.block >= first for each in taken)
    assert len({each.block for each in taken}) == len(taken)
    open_to_all = {each.block for each in offers if each.block >= first and each.saved >= 0}
    assert open_to_all <= {each.block for each in taken}
