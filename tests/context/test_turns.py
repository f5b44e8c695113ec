"""Which slots are of one turn."""

from statetape.context.turns import turns
from statetape.types import Slot


def numbers(*sides: str) -> list[int]:
    slots = [Slot(str(n), side) for n, side in enumerate(sides)]  # type: ignore[arg-type]
    return list(turns(slots).values())


def test_a_turn_ends_where_something_follows_a_result() -> None:
    assert numbers("say", "input", "result", "input", "result") == [1, 1, 1, 2, 2]


def test_parallel_calls_are_one_turn() -> None:
    sides = "input", "input", "result", "result", "input", "result"
    assert numbers(*sides) == [1, 1, 1, 1, 2, 2]


def test_words_belong_to_the_calls_that_follow() -> None:
    sides = "say", "say", "input", "result", "say", "say", "input", "input", "result"
    assert numbers(*sides) == [1, 1, 1, 1, 2, 2, 2, 2, 2]


def test_nothing_has_no_turns() -> None:
    assert numbers() == []
