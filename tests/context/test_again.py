"""Harm: what a change took away and the agent asks for again."""

import pytest
from tests.context.talk import Talk

from statetape.context.again import Again
from statetape.types import Edit, Read, Run, Search


@pytest.fixture
def talk() -> Talk:
    return Talk()


class TestReads:
    def test_the_lines_that_went(self, talk: Talk) -> None:
        slot = talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        assert talk.session.ledger[slot].why == "drop"
        again = talk.read("a.py", 4, 5)
        assert talk.session.asked_again() == [Again(slot, "drop", talk.session.held[again].tokens)]
        assert talk.session.asked_again() == []

    def test_each_removal_once(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        talk.read("a.py")
        talk.read("a.py")
        assert len(talk.session.asked_again()) == 1

    def test_only_the_part_of_it_is_ours(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        slot = talk.read("a.py")
        (again,) = talk.session.asked_again()
        assert again.tokens == round(talk.session.held[slot].tokens * 2 / 9)

    def test_wherever_they_are_now(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        text = talk.space.text("a.py") or ""
        talk.put("a.py", "# one\n# two\n# three\n# four\n" + text)
        talk.read("a.py", 4, 7)
        assert talk.session.asked_again() == []
        talk.read("a.py", 8, 8)
        assert len(talk.session.asked_again()) == 1

    def test_not_other_lines_and_not_other_files(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        talk.read("a.py", 7, 9)
        talk.read("b.py")
        assert talk.session.asked_again() == []

    def test_not_the_agents_own_edit(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        talk.step(Edit("a.py", new="    return helper()"), text="ok", kind="edit")
        assert talk.session.asked_again() == []

    def test_not_what_was_refreshed(self, talk: Talk) -> None:
        slot = talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.session.request()
        assert talk.session.ledger[slot].why == "refresh"
        talk.read("a.py")
        assert talk.session.asked_again() == []

    def test_not_what_the_client_dropped_too(self, talk: Talk) -> None:
        slot = talk.read("a.py", 4, 5)
        talk.change("b.py", "def helper", "def other")
        talk.session.request()
        talk.session.forget([slot])
        talk.read("a.py")
        assert talk.session.asked_again() == []

    def test_a_form_that_nobody_knows_counts_by_its_file(self, talk: Talk) -> None:
        slot = talk.step(Read("a.py"), text="something about it, and more")
        talk.put("a.py", None)
        talk.session.request()
        assert talk.session.ledger[slot].why == "drop"
        talk.put("a.py", "def load():\n    return 1\n\n\ndef save():\n    return 2\n")
        talk.read("b.py")
        assert talk.session.asked_again() == []
        talk.read("a.py")
        assert [again.slot for again in talk.session.asked_again()] == [slot]


class TestCommandsAndSearches:
    def test_a_test_that_is_run_again_after_a_write_is_no_harm(self, talk: Talk) -> None:
        talk.step(Run("pytest", "test"), text="1 passed", name="pytest")
        talk.put("x.txt", "x")
        talk.session.request()
        talk.step(Run("pytest", "test"), text="1 passed", name="pytest")
        assert talk.session.asked_again() == []

    def test_one_in_the_same_state_is(self, talk: Talk) -> None:
        slot = talk.step(Run("pytest", "test"), text="1 passed", name="pytest")
        talk.put("x.txt", "x")
        talk.session.request()
        talk.put("x.txt", None)
        talk.step(Run("make", "build"), text="ok", name="make")
        assert talk.session.asked_again() == []
        again = talk.step(Run("pytest", "test"), text="1 passed", name="pytest")
        assert talk.session.asked_again() == [Again(slot, "rerun", talk.session.held[again].tokens)]

    def test_the_same_search(self, talk: Talk) -> None:
        slot = talk.step(Search(None), text="a.py\nb.py")
        talk.put("d.py", "")
        talk.session.request()
        assert talk.session.ledger[slot].why == "rerun"
        talk.step(Search("def"), text="a.py:8:def save():")
        assert talk.session.asked_again() == []
        talk.step(Search(None), text="a.py\nb.py\nd.py")
        assert [again.slot for again in talk.session.asked_again()] == [slot]
