"""Clearing: once more than a trigger is held, all results but the last few go."""

from functools import partial

import pytest
from tests.policies.rivals import Rival

from statetape.context.wording import cleared
from statetape.policies.clearing import clearing
from statetape.types import Say, Slot


@pytest.fixture
def talk() -> Rival:
    return Rival(partial(clearing, trigger=1000))


def full(talk: Rival, tokens: int = 1000) -> list[Slot]:
    """Turns until more than so many tokens are held."""
    slots = []
    while talk.session.tokens <= tokens:
        slots.append(talk.turn())
    return slots


def test_up_to_the_trigger_nothing_goes(talk: Rival) -> None:
    full(talk, 900)
    assert talk.session.tokens <= 1000
    assert talk.ask() == {}


def test_above_it_all_but_the_last_three_results_go(talk: Rival) -> None:
    slots = full(talk)
    assert len(slots) > 5
    assert talk.ask() == dict.fromkeys(slots[:-3], "evict")
    assert talk.text(slots[0]) == cleared("a tool")


def test_what_was_cleared_stays_so_and_the_trigger_is_waited_for_again(talk: Rival) -> None:
    slots = full(talk)
    talk.ask()
    assert talk.session.tokens <= 1000
    slots += [talk.turn()]
    assert talk.ask() == {}
    slots += full(talk)
    found = talk.ask()
    assert set(found) == set(slots[:-3]) - set(slots[: slots.index(next(iter(found)))])
    assert [slot in talk.session.ledger for slot in slots] == [True] * (len(slots) - 3) + [
        False
    ] * 3


def test_the_words_of_both_sides_and_inputs_count_and_stay(talk: Rival) -> None:
    say = Say(Slot("m", "say"), "user", "word " * 2000)
    talk.session.hold(talk.inventory.of_say(say, 0))
    slots = [talk.turn() for _ in range(4)]
    assert talk.ask() == {slots[0]: "evict"}


@pytest.mark.parametrize(("least", "cleared"), [(100, True), (100_000, False)])
def test_a_clearing_that_takes_too_little_is_none(least: int, *, cleared: bool) -> None:
    talk = Rival(partial(clearing, trigger=1000, clear_at_least=least))
    full(talk)
    assert bool(talk.ask()) is cleared


@pytest.mark.parametrize("gone", [0, 1, 5])
def test_as_many_as_are_asked_for_stay(gone: int) -> None:
    slots = full(Rival(clearing))
    talk = Rival(partial(clearing, trigger=1000, keep=len(slots) - gone))
    assert full(talk) == slots
    assert list(talk.ask()) == slots[:gone]


def test_all_stay_where_there_are_fewer_than_are_to_stay() -> None:
    slots = full(Rival(clearing))
    talk = Rival(partial(clearing, trigger=1000, keep=len(slots) + 2))
    full(talk)
    assert talk.ask() == {}


def test_what_is_as_much_as_the_trigger_is_not_above_it() -> None:
    talk = Rival(clearing)
    full(talk)
    for below in (0, 1):
        exact = Rival(partial(clearing, trigger=talk.session.tokens - below))
        full(exact)
        assert bool(exact.ask()) is bool(below)


def test_the_defaults_are_those_that_the_provider_documents() -> None:
    talk = Rival(clearing)
    slots = [talk.turn("word " * 10_000) for _ in range(9)]
    assert talk.ask() == {}
    slots += [talk.turn("word " * 10_000) for _ in range(2)]
    assert talk.session.tokens > 100_000
    assert list(talk.ask()) == slots[:-3]


def test_a_result_that_is_shorter_than_its_placeholder_stays(talk: Rival) -> None:
    short = talk.turn("ok")
    full(talk)
    assert short not in talk.ask()
