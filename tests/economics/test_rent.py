"""Rent or buy: what `rent` promises, and where."""

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.economics.talk import SYSTEM, Talk, opus

from statetape.economics.account import Terms

RENT = Terms(horizon="rent", cap=1e9, limit=1e9)

Arrivals = list[tuple[int, int, int]]
"""Before which request which message could be changed, and the tokens that this removes."""


@st.composite
def arrivals(draw: st.DrawFn, requests: int, messages: list[int]) -> Arrivals:
    """Each message may become stale once."""
    found = []
    for number, tokens in enumerate(messages):
        if draw(st.booleans()):
            found.append((draw(st.integers(0, requests - 1)), number, draw(st.integers(1, tokens))))
    return found


def extra(buys: set[int], came: Arrivals, requests: int, total: int, read: float) -> float:
    """Units above what it would cost if each change were made for nothing as it comes.

    A request that carries pending changes reads them; one that buys writes what it would read.
    """
    units, carried, left = 0.0, 0, total
    for n in range(requests):
        new = sum(saved for when, _, saved in came if when == n)
        carried += new
        left -= new
        if n in buys and carried:
            units += left * (1.25 - read)
            carried = 0
        units += carried * read
    return units


def clairvoyant(came: Arrivals, requests: int, total: int, read: float) -> float:
    """The least `extra` of all sets of requests to buy at: the last one, then all before it."""
    least = [0.0] * (requests + 1)  # least[n]: of the requests before n, with nothing carried on
    for end in range(1, requests + 1):
        choices = []
        for last in range(end):
            # Bought at `end - 1`, and before that at `last - 1`, or never.
            part = [(when - last, number, saved) for when, number, saved in came if when >= last]
            gone = sum(saved for when, _, saved in came if when < last)
            once = extra({end - 1 - last}, part, end - last, total - gone, read)
            choices.append(least[last] + once)
        least[end] = min(choices)
    ends = [least[requests]]
    for last in range(requests + 1):
        part = [(when - last, number, saved) for when, number, saved in came if when >= last]
        ends.append(least[last] + extra(set(), part, requests - last, 0, read))
    return min(ends)


@settings(max_examples=60)
@given(st.integers(1, 30), st.sampled_from([0.1, 0.25, 0.5]), st.data())
def test_rent_costs_at_most_twice_what_a_clairvoyant_pays(
    requests: int, read: float, data: st.DataObject
) -> None:
    """Where the price of a cut does not rise while a change waits, and is the same for all.

    Exactly: (1) all that may change stands behind one and the same cache entry, so that any cut
    costs the same; (2) the history does not grow, so that what a cut writes again only shrinks;
    (3) the cache stays warm; (4) no cap, limit or risk forbids a cut; (5) changes only remove. Then
    it is the problem of acknowledging packets (Dooly, Goldman, Scott 2001; of renting skis, with
    one change): between two cuts the rent for all that waits is at most the price of the second
    one, and a clairvoyant pays at least the larger of the two, once.

    Counted are the units above what nobody can avoid, so the whole costs keep the bound, too.
    The session may end whenever it likes: this is what a fixed horizon cannot promise.
    """
    messages = data.draw(st.lists(st.integers(1, 3000), min_size=1, max_size=5))
    came = data.draw(arrivals(requests, messages))
    talk = Talk(opus(read=read), RENT)
    talk.grow(*messages)
    talk.request()
    buys = set()
    for n in range(requests):
        for when, number, saved in came:
            if when == n:
                talk.offer(number, saved)
        if talk.request().changed:
            buys.add(n)
    total = sum(messages)
    rented = extra(buys, came, requests, total, read)
    nothing, left = 0.0, total
    for n in range(requests):
        left -= sum(saved for when, _, saved in came if when == n)
        nothing += (SYSTEM + left) * read
    assert sum(turn.planned for turn in talk.turns[1:]) == pytest.approx(nothing + rented)
    assert rented <= 2 * clairvoyant(came, requests, total, read) + 1e-6


@settings(max_examples=30)
@given(st.data())
def test_the_clairvoyant_is_right(data: st.DataObject) -> None:
    messages = data.draw(st.lists(st.integers(1, 300), min_size=1, max_size=4))
    came = data.draw(arrivals(6, messages))
    sets = chain.from_iterable(combinations(range(6), count) for count in range(7))
    least = min(extra(set(buys), came, 6, sum(messages), 0.5) for buys in sets)
    assert clairvoyant(came, 6, sum(messages), 0.5) == pytest.approx(least)


def test_the_bound_is_reached() -> None:
    came, requests = [(0, 0, 10)], 10_000
    price = 1.15 * 90
    first = int(price / 1.0)
    rented = extra({first}, came, requests, 100, 0.1)
    assert rented / clairvoyant(came, first + 1, 100, 0.1) == pytest.approx(2, abs=0.02)


def test_where_the_history_grows_rent_may_wait_for_ever() -> None:
    """The price of the cut then rises faster than the rent that was paid: nothing is promised."""
    talk = Talk(opus(), RENT)
    talk.grow(500)
    talk.request()
    talk.offer(0, 400)
    for _ in range(30):
        talk.grow(500)
        assert talk.request().changed == []
    once = Talk(opus(), Terms(horizon=30, cap=1e9, limit=1e9))
    once.grow(500)
    once.request()
    once.offer(0, 400)
    assert once.request().changed == [0]
    for _ in range(30):
        once.grow(500)
        once.request()
    spent = [sum(turn.planned for turn in it.turns) for it in (talk, once)]
    assert spent[0] > spent[1]
