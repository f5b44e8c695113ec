"""What holds for an account whatever is asked of it; costs are those of the literal model."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.economics.literal import bare
from tests.economics.talk import Talk, Turn, doubled, ends, gpt, literal, opus

from statetape.economics.account import Terms
from statetape.economics.prices import Price

SIZES = st.integers(1, 3000)
GAPS = st.sampled_from([0, 1, 1, 1, 200, 299, 300, 301, 3600, 3601])
PRICES = st.sampled_from(
    [
        opus(),
        opus(read=0.025),
        opus(read=0.5),
        opus(tiers=(doubled(12_000),)),
        opus(tiers=(doubled(8_000), doubled(15_000))),
        gpt(),
        gpt(step=128),
    ]
)
TTLS = st.sampled_from([(300, 300), (3600, 300), (3600, 3600)])
TERMS = st.builds(
    Terms,
    horizon=st.sampled_from([1, 5, 20, 100, 1000, "lindy", "rent"]),
    cap=st.sampled_from([1.0, 1.2, 2.0, 1e9]),
    limit=st.sampled_from([1.0, 1.01, 1.2, 1e9]),
)


def went(talk: Talk, data: st.DataObject, *, warm: bool = False) -> Turn:
    """One more request, after some more messages and some more of what could be changed."""
    if talk.turns and not warm and not data.draw(st.integers(0, 7)):
        talk.compact(data.draw(SIZES))
    new = talk.grow(*data.draw(st.lists(SIZES, min_size=not talk.messages, max_size=4)))
    for number, tokens in talk.messages:
        often = 1 if number in new else 3
        if number not in talk.pending and not data.draw(st.integers(0, often)):
            left = tokens - (talk._kept[number][1] if number in talk._kept else 0)
            # On a warm cache what was never sent only shrinks; what was sent may ride.
            least = 0 if warm and number in new else -left
            saved = data.draw(st.integers(least, left))
            risk = data.draw(st.sampled_from([0, 0, 500])) if not warm else 0
            talk.offer(number, saved, risk, text=f"{len(talk.turns)}")
            if data.draw(st.booleans()):
                talk.offer(number, left, risk, text=f"{len(talk.turns)} shorter")
    return talk.request(1 if warm else data.draw(GAPS))


@settings(max_examples=60)
@given(PRICES, TTLS, st.integers(1, 3), TERMS, st.integers(1, 8), st.data())
def test_paying_costs_never_more_than_cap_and_limit(
    price: Price, ttls: tuple[int, int], marks: int, terms: Terms, turns: int, data: st.DataObject
) -> None:
    """No request costs more than `cap` times the unmodified one, their sum never `limit` times.

    By the literal model, under every horizon, of a client that appends, waits, compacts. Not of
    one that goes back to before a change: its old entries are of the history without it. Where a
    cache reads in steps each prompt may lose one of its own more, at most.
    """
    talk = Talk(price, terms, ttls=ttls, marks=marks)
    sums = [0.0, 0.0, 0.0]
    for _ in range(turns):
        turn = went(talk, data)
        slack = (price.step - 1) * (1 - price.read) + 1e-6
        sums = [sums[0] + turn.planned, sums[1] + turn.without, sums[2] + slack]
        assert turn.planned <= terms.cap * turn.without + slack
        assert sums[0] <= terms.limit * sums[1] + sums[2]
        assert turn.prompt.tokens <= turn.unmodified.tokens


@settings(max_examples=60)
@given(
    st.builds(
        Terms,
        maintain=st.sampled_from(["eager", "paying", "never"]),
        edits=st.sampled_from(["free", "tail", "drop_block"]),
        horizon=st.sampled_from([20, "lindy", "rent"]),
        limit=st.sampled_from([1.01, 1e9]),
    ),
    PRICES,
    TTLS,
    st.integers(1, 3),
    st.data(),
)
def test_what_goes_on_begins_like_the_request_before_but_for_declared_changes(
    terms: Terms, price: Price, ttls: tuple[int, int], marks: int, data: st.DataObject
) -> None:
    """And has never more than four breakpoints, none of longer life behind a shorter one."""
    talk = Talk(price, terms, ttls=ttls, marks=marks)
    before: list[Any] = []
    for _ in range(data.draw(st.integers(1, 8))):
        sent = len(before)
        turn = went(talk, data)
        blocks: list[Any] = bare(literal(turn.prompt)["blocks"])
        if talk._sent and len(blocks) >= sent and blocks[1:2] == before[1:2]:
            block = {str(number): n for n, (number, _) in enumerate(talk.messages, 1)}
            declared = {block[change.slot.id] for change in turn.decision.changes}
            differ = {n for n in range(sent) if blocks[n] != before[n]}
            assert differ == {n for n in declared if n < sent}
            if terms.edits == "tail" or terms.maintain == "never":
                assert differ == set()
        marked = list(ends(turn.prompt).values())
        assert len(marked) <= 4
        assert marked == sorted(marked, reverse=True)
        if terms.maintain == "never":
            assert turn.prompt == turn.unmodified
        if turn.decision.changes:
            assert turn.decision.why == ""
        before = blocks


@settings(max_examples=40)
@given(
    st.sampled_from([opus(), opus(read=0.025), opus(read=0.5), gpt()]),
    st.sampled_from([(300, 300), (3600, 3600)]),
    st.sampled_from([1, 3, 5, 20]),
    st.sampled_from([1.01, 1e9]),
    st.data(),
)
def test_where_the_horizon_is_kept_no_request_is_regretted(
    price: Price, ttls: tuple[int, int], horizon: int, limit: float, data: st.DataObject
) -> None:
    """A plan is no dearer than `never` if after each cut as many requests come as the horizon says.

    On a warm cache: each request within the ttl of the last, each with so few new blocks that the
    last end is within the lookback, one ttl, no tiers, no risk, and of what was never sent nothing
    grows (what does uses up what a cut has removed; then only cap and limit hold). For each cut by
    itself saves more than it costs, compared with the same plan without it; so do all of them, one
    after another.
    """
    talk = Talk(price, Terms(horizon=horizon, limit=limit, cap=1e9), ttls=ttls)
    for _ in range(data.draw(st.integers(1, 8))):
        went(talk, data, warm=True)
    talk.pending.clear()
    for _ in range(horizon):
        talk.grow(data.draw(SIZES) if horizon < 5 else 10)
        talk.request()
    planned, without = (
        sum(turn.planned for turn in talk.turns),
        sum(turn.without for turn in talk.turns),
    )
    assert planned <= without + 1e-6
