"""CORVUS: a file that was read and has changed is shown as a whole, once."""

import pytest
from tests.context.talk import LONG
from tests.policies.rivals import Rival

from statetape.context.wording import current, noted, outdated
from statetape.policies.corvus import corvus
from statetape.tokens import tokens
from statetape.types import Edit, Plan, Read, Run, Search, Slot, Symbols

EDITED = LONG.replace("return 1 ", "return 99 ")


@pytest.fixture
def talk() -> Rival:
    return Rival(corvus)


def numbered(text: str) -> str:
    rows = [f"{n}\t{line}" for n, line in enumerate(text.splitlines(), 1)]
    return "\n".join([*rows, current()])


def test_what_has_not_changed_stays_as_it_was_read(talk: Rival) -> None:
    talk.read("long.py", 1, 10)
    talk.read("a.py")
    talk.edit("b.py", "LIMIT = 1", "LIMIT = 2")
    assert talk.ask() == {}


def test_a_read_of_some_lines_becomes_the_whole_file_once_it_changes(talk: Rival) -> None:
    """Also where the lines that it shows are what they were."""
    slot = talk.read("long.py", 50, 60)
    talk.edit("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {slot: "refresh"}
    assert talk.text(slot) == numbered(EDITED)


def test_the_whole_file_is_tracked_like_any_read(talk: Rival) -> None:
    slot = talk.read("long.py", 50, 60)
    talk.edit("long.py", "return 1 ", "return 99 ")
    talk.ask()
    referent = talk.session.held[slot].referent
    assert isinstance(referent, Symbols)
    assert [part.text for part in referent.shown] == [EDITED.removesuffix("\n")]
    talk.change("long.py", "return 2 ", "return 98 ")
    talk.session.catch_up()
    assert slot in talk.session.nominations


def test_each_change_is_shown_whoever_writes(talk: Rival) -> None:
    slot = talk.read("long.py")
    for n in (1, 2, 3):
        talk.change("long.py", f"return {n} ", f"return {n}00 ")
        assert talk.ask() == {slot: "refresh"}
        assert talk.text(slot) == numbered(talk.space.text("long.py") or "")
        assert talk.ask() == {}


def test_a_change_that_was_taken_back_is_none(talk: Rival) -> None:
    talk.read("long.py", 50, 60)
    talk.edit("long.py", "return 1 ", "return 99 ")
    talk.edit("long.py", "return 99 ", "return 1 ")
    assert talk.ask() == {}


def test_it_is_shown_where_it_was_read_last_and_the_other_reads_go(talk: Rival) -> None:
    first, second, third = (talk.read("long.py", n, n + 9) for n in (1, 30, 60))
    talk.edit("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {first: "drop", second: "drop", third: "refresh"}
    assert talk.text(first) == outdated("read long.py")
    assert talk.text(third) == numbered(EDITED)


def test_a_later_read_of_the_whole_file_is_not_shown_again(talk: Rival) -> None:
    first = talk.read("long.py", 1, 10)
    talk.edit("long.py", "return 1 ", "return 99 ")
    talk.read("long.py")
    assert talk.ask() == {first: "drop"}


def test_a_later_read_of_some_lines_becomes_the_whole_file(talk: Rival) -> None:
    first = talk.read("long.py")
    talk.edit("long.py", "return 1 ", "return 99 ")
    second = talk.read("long.py", 60, 70)
    assert talk.ask() == {first: "drop", second: "refresh"}


def test_without_numbers_it_has_none(talk: Rival) -> None:
    slot = talk.read("long.py", form="")
    talk.edit("long.py", "return 1 ", "return 99 ")
    talk.ask()
    assert talk.text(slot) == f"{EDITED.removesuffix(chr(10))}\n{current()}"


def test_of_a_file_that_is_gone_the_tombstone_says_so(talk: Rival) -> None:
    slot = talk.read("long.py")
    talk.put("long.py", None)
    assert talk.ask() == {slot: "drop"}
    assert "went away" in talk.text(slot)


def test_an_empty_file_is_dropped(talk: Rival) -> None:
    slot = talk.read("long.py")
    talk.put("long.py", "")
    assert talk.ask() == {slot: "drop"}


def test_what_another_file_moves_is_not_seen(talk: Rival) -> None:
    """It looks at texts, not at calls."""
    slot = talk.read("a.py", 4, 5)
    talk.edit("b.py", "def helper", "def other")
    assert talk.ask() == {}
    assert slot in talk.session.nominations


def test_searches_tests_and_edits_stay_as_they_are(talk: Rival) -> None:
    talk.step(Search("def"), text="long.py:1:def value_0():", kind="search")
    talk.step(Run("pytest", "test"), text="1 passed", kind="run")
    talk.step(Edit("long.py", new="x"), text="1\tdef value_0():", kind="edit")
    talk.edit("long.py", "value_0", "value_zero")
    assert talk.ask() == {}
    assert talk.session.nominations


def test_of_several_files_read_at_once_the_lines_are_refreshed(talk: Rival) -> None:
    texts = [talk.space.text(path) or "" for path in ("a.py", "long.py")]
    slot = talk.step(Read("a.py"), Read("long.py"), text="".join(texts), kind="run")
    talk.edit("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {slot: "refresh"}
    assert "return 99 " in talk.text(slot)


def test_what_a_command_shows_of_its_own_edit_stays_as_it_is(talk: Rival) -> None:
    talk.change("long.py", "return 1 ", "return 99 ")
    shows = Edit("long.py"), Read("long.py")
    talk.step(*shows, text=talk.space.text("long.py") or "", kind="run")
    talk.edit("long.py", "return 2 ", "return 98 ")
    assert talk.ask() == {}


def test_what_is_put_off_is_shown_as_it_is_when_it_is_made(talk: Rival) -> None:
    slot = talk.read("long.py", 50, 60)
    for n in (1, 2, 3):
        talk.change("long.py", f"return {n} ", f"return {n}00 ")
        offered: list[Plan] = []

        def later(plan: Plan, offered: list[Plan] = offered) -> Plan:
            offered.append(plan)
            return Plan()

        talk.session.request(later)
        (change,) = offered[0].changes
        assert change.text == numbered(talk.space.text("long.py") or "")
        assert talk.session.tokens_after(change) == tokens(change.text)
    assert talk.ask() == {slot: "refresh"}
    assert isinstance(talk.session.held[slot].referent, Symbols)


def test_what_is_known_to_be_false_without_a_write_is_shown_anew(talk: Rival) -> None:
    """A live host knows of writes that were made before it came."""
    slot = Slot("c1", "result")
    talk.read("long.py", 1, 10)
    record = talk.session.held[slot]
    talk.session.hold(record, outdated=True)
    assert talk.ask() == {slot: "refresh"}


def test_a_note_stays_behind_it(talk: Rival) -> None:
    first = talk.read("a.py")
    talk.change("b.py", "def helper():", "def helper(n=1):")
    talk.read("b.py")
    slot = talk.read("long.py")
    talk.change("a.py", "return 1", "return 2")
    note = talk.session.note([slot], 120)
    assert note is not None
    words = noted(talk.text(slot))
    assert words
    talk.change("long.py", "return 1 ", "return 99 ")
    assert talk.ask()[slot] == "refresh"
    assert noted(talk.text(slot)) == words
    assert isinstance(talk.session.held[slot].referent, Symbols)
    assert first in talk.session.ledger
