"""Supersede: a later read or write of a file by the agent drops the reads of it before."""

import pytest
from tests.policies.rivals import Rival

from statetape.context.wording import superseded
from statetape.policies.supersede import supersede
from statetape.types import Edit, Read, Run, Search, Slot


@pytest.fixture
def talk() -> Rival:
    return Rival(supersede)


def both(talk: Rival) -> Slot:
    """A read of two files by one command."""
    texts = [talk.space.text(path) or "" for path in ("a.py", "long.py")]
    return talk.step(Read("a.py"), Read("long.py"), text="".join(texts), kind="run", name="cat")


def test_a_read_alone_stays(talk: Rival) -> None:
    talk.read("long.py")
    talk.read("a.py")
    assert talk.ask() == {}


def test_a_later_read_of_the_file_drops_it(talk: Rival) -> None:
    first, second = talk.read("long.py"), talk.read("long.py")
    assert talk.ask() == {first: "drop"}
    assert talk.text(first) == superseded("read long.py")
    third = talk.read("long.py")
    assert talk.ask() == {second: "drop"}
    assert third not in talk.session.ledger


def test_though_it_shows_other_lines(talk: Rival) -> None:
    """By paths alone: that is what is wrong with it."""
    first = talk.read("long.py", 1, 20)
    talk.read("long.py", 60, 80)
    assert talk.ask() == {first: "drop"}


def test_a_later_edit_of_the_file_drops_it(talk: Rival) -> None:
    read, other = talk.read("long.py"), talk.read("a.py")
    talk.edit("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {read: "drop"}
    assert other not in talk.session.ledger


def test_a_removal_and_both_ends_of_a_move_count(talk: Rival) -> None:
    read, gone = talk.read("long.py"), talk.read("a.py")
    talk.step(Edit("b.py", moved_to="long.py"), text="", kind="run")
    talk.step(Edit("a.py", absent=True), text="", kind="run")
    assert set(talk.ask()) == {read, gone}


def test_an_edit_that_failed_drops_nothing(talk: Rival) -> None:
    talk.read("long.py")
    talk.failed_edit("long.py")
    assert talk.ask() == {}


def test_what_another_hand_writes_is_not_noticed(talk: Rival) -> None:
    slot = talk.read("long.py")
    talk.change("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {}
    assert set(talk.session.nominations) == {slot}


def test_a_later_read_that_shows_nothing_counts_for_nothing(talk: Rival) -> None:
    talk.read("long.py")
    talk.step(Read("long.py"), text="File unchanged since last read.", kind="read")
    talk.failed_read("long.py")
    assert talk.ask() == {}


def test_a_read_of_two_files_stays_until_both_are_read_again(talk: Rival) -> None:
    slot = both(talk)
    talk.read("long.py")
    assert talk.ask() == {}
    talk.read("a.py")
    assert talk.ask() == {slot: "drop"}


def test_a_read_of_two_files_drops_earlier_reads_of_either(talk: Rival) -> None:
    slots = talk.read("long.py"), talk.read("a.py")
    both(talk)
    assert set(talk.ask()) == set(slots)


def test_tests_and_searches_stay_whatever_they_show_beside(talk: Rival) -> None:
    lines = (talk.space.text("long.py") or "").splitlines()
    hits = "\n".join(f"long.py:{n}:{line}" for n, line in enumerate(lines, 1))
    talk.step(Search("def", ("long.py",)), text=hits, kind="search")
    talk.step(Run("pytest", "test"), Read("long.py"), text="\n".join(lines), kind="run")
    talk.edit("long.py", "return 1 ", "return 99 ")
    assert talk.ask() == {}


def test_a_read_that_is_shorter_than_its_tombstone_stays(talk: Rival) -> None:
    talk.read("a.py", 4, 4)
    talk.read("a.py")
    assert talk.ask() == {}
