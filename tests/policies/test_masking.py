"""Observation masking: results of the last ten turns stay, older ones become placeholders."""

from functools import partial

import pytest
from tests.policies.rivals import Rival

from statetape.context.wording import masked
from statetape.policies.masking import masking
from statetape.types import Run, Untracked


@pytest.fixture
def talk() -> Rival:
    return Rival(masking)


def test_the_results_of_ten_turns_stay(talk: Rival) -> None:
    for _ in range(10):
        talk.turn()
        assert talk.ask() == {}


def test_the_eleventh_turn_masks_the_first_and_each_later_one_the_next(talk: Rival) -> None:
    slots = [talk.turn() for _ in range(11)]
    assert talk.ask() == {slots[0]: "mask"}
    assert talk.ask() == {}
    talk.turn()
    assert talk.ask() == {slots[1]: "mask"}


def test_a_placeholder_says_what_was_there_and_how_much(talk: Rival) -> None:
    slot = talk.read("long.py")
    for _ in range(10):
        talk.turn()
    talk.ask()
    assert talk.text(slot) == masked("read long.py", 80)
    assert "80 lines" in talk.text(slot)
    assert talk.session.held[slot].referent == Untracked()


def test_parallel_calls_are_one_turn() -> None:
    talk = Rival(partial(masking, kept=2))
    together = talk.parallel("word " * 60, "word " * 70, "word " * 80)
    talk.turn()
    assert talk.ask() == {}
    talk.turn()
    assert talk.ask() == dict.fromkeys(together, "mask")


def test_age_counts_and_nothing_else(talk: Rival) -> None:
    """What is stale stays as long as what is true, and a test goes like a read."""
    read, run = talk.read("long.py"), talk.step(Run("pytest", "test"), text="line\n" * 60)
    talk.change("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {}
    assert set(talk.session.nominations) == {read, run}
    for _ in range(10):
        talk.turn()
    assert talk.ask() == {read: "mask", run: "mask"}


def test_a_result_that_is_shorter_than_its_placeholder_stays(talk: Rival) -> None:
    talk.turn("ok")
    for _ in range(20):
        talk.turn("ok")
    assert talk.ask() == {}


def test_a_resumed_conversation_has_the_turns_that_it_had(talk: Rival) -> None:
    """Ages follow from what is held, not from the requests that were seen."""
    slots = [talk.turn() for _ in range(13)]
    assert talk.ask() == dict.fromkeys(slots[:3], "mask")
