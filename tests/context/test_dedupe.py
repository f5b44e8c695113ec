"""Pointers: what is shown already, and still true, is not sent a second time."""

import pytest
from tests.context.talk import LONG, Talk, nothing

from statetape.types import Edit, Read, Record, Replace, Run, Slot, Symbols, Untracked


@pytest.fixture
def talk() -> Talk:
    return Talk()


def texts(changes: list[Replace]) -> list[str]:
    return [change.text for change in changes]


class TestWhatBecomesAPointer:
    def test_a_file_that_is_read_again(self, talk: Talk) -> None:
        talk.read("long.py")
        slot = talk.read("long.py")
        (change,) = talk.dedupe()
        assert change.text == "[statetape: lines 1-80 as shown above, in read long.py]"
        assert (change.slot, change.why) == (slot, "dedupe")
        assert talk.session.ledger == {slot: change}
        assert talk.text(slot) == change.text
        assert isinstance(talk.session.held[slot].referent, Untracked)

    def test_lines_of_it(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.read("long.py", 11, 60)
        assert texts(talk.dedupe()) == ["[statetape: lines 11-60 as shown above, in read long.py]"]

    def test_what_is_new_stays_with_its_own_numbers(self, talk: Talk) -> None:
        talk.read("long.py", 11, 70)
        slot = talk.read("long.py", 9, 72, "{:>6}→")
        (change,) = talk.dedupe()
        assert change.text.split("\n") == [
            "     9→def value_4():",
            "    10→    return 4  # the value of number 4",
            "[statetape: lines 11-70 as shown above, in read long.py]",
            "    71→def value_35():",
            "    72→    return 35  # the value of number 35",
        ]
        referent = talk.session.held[slot].referent
        assert isinstance(referent, Symbols)
        assert [(*part.lines, *part.rows) for part in referent.shown] == [
            (9, 10, 1, 2),
            (71, 72, 4, 5),
        ]
        assert {symbol.name for symbol in referent.views} == {"value_4", "value_35"}

    def test_each_run_points_to_where_it_is_shown(self, talk: Talk) -> None:
        talk.read("long.py", 1, 40)
        talk.read("long.py", 41, 80)
        talk.titles |= {1: "the first half", 2: "the second half"}
        talk.read("long.py")
        (change,) = talk.dedupe()
        assert change.text.split("\n") == [
            "[statetape: lines 1-40 of long.py as shown above, in the first half]",
            "[statetape: lines 41-80 of long.py as shown above, in the second half]",
        ]

    def test_what_a_tool_says_around_the_lines_stays(self, talk: Talk) -> None:
        talk.read("long.py")
        text = talk.text(Slot("c1", "result"))
        talk.step(Read("long.py"), text=f"{text}\n\n<system-reminder>\nbe good\n</system-reminder>")
        (change,) = talk.dedupe()
        assert change.text.startswith("[statetape: lines 1-80")
        assert change.text.endswith("]\n\n<system-reminder>\nbe good\n</system-reminder>")

    def test_a_text_without_numbers_points_to_one_without(self, talk: Talk) -> None:
        one = talk.step(Read("long.py"), text=LONG)
        talk.read("long.py")
        assert talk.dedupe() == []
        talk.step(Read("long.py"), text=LONG)
        (change,) = talk.dedupe()
        assert change.text.startswith(
            "[statetape: lines 1-80 of long.py as shown above, in step 1]"
        )
        assert talk.text(one) == LONG

    def test_a_refreshed_text_shows_it_too(self, talk: Talk) -> None:
        one = talk.read("long.py")
        talk.change("long.py", "return 3 ", "return 33 ")
        talk.session.request()
        assert talk.session.ledger[one].why == "refresh"
        talk.take()
        talk.read("long.py")
        assert len(talk.dedupe()) == 1


class TestWhatStays:
    def test_a_first_read(self, talk: Talk) -> None:
        talk.read("long.py")
        assert talk.dedupe() == []

    def test_what_was_sent(self, talk: Talk) -> None:
        talk.read("long.py")
        slot = talk.read("long.py")
        talk.session.request(nothing)
        assert talk.session.dedupe([]) == []
        assert talk.session.dedupe([Slot("never", "result")]) == []
        assert slot not in talk.session.ledger

    def test_what_saves_little(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.read("long.py", 1, 4)
        assert talk.dedupe() == []

    def test_a_line_that_changed_and_what_is_numbered_otherwise_since(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.take()
        talk.change("long.py", "return 20 ", "\n    return 20 ")
        slot = talk.read("long.py")
        assert talk.dedupe() == []  # the first one is stale: it may go
        talk.session.request(nothing)
        assert "return 20 " in talk.text(slot)

    def test_lines_that_moved(self, talk: Talk) -> None:
        talk.read("long.py", 1, 80)
        talk.take()
        talk.put("long.py", "# above\n" + LONG)
        talk.session.catch_up()
        assert talk.session.nominations == {}
        talk.read("long.py", 2, 81)
        assert talk.dedupe() == []

    def test_what_a_stale_record_shows(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.take()
        talk.change("long.py", "return 39 ", "return 40 ")
        talk.read("long.py", 1, 60)
        assert talk.dedupe() == []

    def test_what_was_dropped(self, talk: Talk) -> None:
        slot = talk.read("long.py")
        talk.put("long.py", None)
        talk.session.request()
        assert "dropped" in talk.text(slot)
        talk.put("long.py", LONG)
        talk.take()
        talk.read("long.py")
        assert talk.dedupe() == []

    def test_what_comes_later_in_the_context(self, talk: Talk) -> None:
        one = talk.read("long.py")
        talk.read("long.py")
        assert talk.session.dedupe([one]) == []

    def test_the_agents_own_text_has_no_numbers(self, talk: Talk) -> None:
        talk.put("new.py", LONG)
        talk.step(Edit("new.py", content=LONG), text="ok", kind="edit")
        talk.read("new.py")
        assert talk.dedupe() == []

    def test_what_an_edit_shows_for_proof(self, talk: Talk) -> None:
        talk.read("long.py")
        text = talk.text(Slot("c1", "result"))
        talk.step(Edit("long.py", old="x", new="y"), text=text, kind="edit")
        assert talk.dedupe() == []

    def test_the_output_of_a_command(self, talk: Talk) -> None:
        for _ in range(2):
            talk.step(Run("pytest", "test"), text=LONG)
        assert talk.dedupe() == []


class TestAfterwards:
    def test_it_stays_while_what_it_leads_to_stays(self, talk: Talk) -> None:
        talk.read("long.py")
        slot = talk.read("long.py")
        (change,) = talk.dedupe()
        talk.change("long.py", "return 3 ", "return 33 ")
        talk.session.request()
        assert talk.session.restore() == []
        assert talk.text(slot) == change.text

    def test_it_is_undone_when_that_is_dropped_by_the_client(self, talk: Talk) -> None:
        one, slot = talk.read("long.py"), talk.read("long.py", 11, 60)
        text = talk.text(slot)
        talk.dedupe()
        talk.session.forget([one])
        (change,) = talk.session.restore()
        assert change == Replace(slot, text, "refresh")
        assert talk.text(slot) == text
        assert talk.session.ledger[slot] == change
        assert talk.session.restore() == []
        talk.change("long.py", "return 12 ", "return 13 ")
        talk.session.catch_up()
        assert slot in talk.session.nominations

    def test_it_is_undone_when_that_is_dropped_by_us(self, talk: Talk) -> None:
        talk.titles[1] = "it"
        one, slot = talk.read("long.py", 1, 60), talk.read("long.py", 1, 60)
        talk.dedupe()
        talk.put("long.py", LONG[LONG.index("def value_35") :])
        talk.session.request()
        assert talk.session.ledger[one].why == "drop"
        (change,) = talk.session.restore()
        assert (change.slot, change.why) == (slot, "drop")
        assert "value_1" in change.text
        assert talk.text(slot) == change.text
        assert talk.session.nominations == {}
        assert talk.session.restore() == []

    def test_what_comes_back_counts_for_a_change_that_takes_it(self, talk: Talk) -> None:
        one, slot = talk.read("long.py"), talk.read("long.py", 11, 60)
        original = talk.session.held[slot].tokens
        drop, refresh = Replace(one, "gone", "drop"), Replace(one, "now", "refresh")
        before = talk.session.tokens_after(drop)
        assert before == talk.session.tokens_after(Replace(one, "gone", "evict"))
        talk.dedupe()
        saved = original - talk.session.held[slot].tokens
        assert talk.session.tokens_after(drop) == before + saved
        assert talk.session.tokens_after(refresh) == 1

    def test_what_comes_back_is_as_the_file_is_now(self, talk: Talk) -> None:
        one, slot = talk.read("long.py"), talk.read("long.py", 11, 60)
        talk.dedupe()
        talk.change("long.py", "return 12 ", "return 13 ")
        talk.session.forget([one])
        (change,) = talk.session.restore()
        assert "return 13 " in change.text
        assert talk.session.nominations == {}
        assert talk.text(slot) == change.text

    def test_a_refresh_shows_what_the_pointers_stood_for(self, talk: Talk) -> None:
        talk.read("long.py", 11, 70)
        slot = talk.read("long.py", 9, 72)
        talk.dedupe()
        talk.change("long.py", "return 4 ", "return 44 ")
        talk.change("long.py", "return 20 ", "return 200 ")
        plan = talk.session.request()
        assert {change.slot for change in plan.changes} == {Slot("c1", "result"), slot}
        assert "return 44 " in talk.text(slot)
        assert "return 200 " in talk.text(slot)
        assert "as shown above" not in talk.text(slot)
        assert isinstance(talk.session.held[slot].referent, Symbols)
        assert talk.session.tokens == sum(r.tokens for r in talk.session.held.values())

    def test_a_third_read_right_after_is_the_last_pointer(self, talk: Talk) -> None:
        talk.read("long.py")
        slot = talk.read("long.py")
        assert len(talk.dedupe()) == 1
        third = talk.read("long.py", 1, 40)
        (again,) = talk.session.asked_again()
        assert (again.slot, again.why) == (slot, "dedupe")
        assert again.tokens == talk.session.held[third].tokens
        assert talk.dedupe() == []
        talk.read("a.py")
        talk.read("long.py")
        assert talk.dedupe() == []

    def test_one_long_after_is_not(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.read("long.py")
        talk.dedupe()
        for _ in range(10):
            talk.step(text="ok")
        talk.read("long.py")
        assert talk.session.asked_again() == []
        assert len(talk.dedupe()) == 1

    def test_nor_one_after_a_write(self, talk: Talk) -> None:
        talk.read("long.py")
        talk.read("long.py")
        talk.dedupe()
        talk.change("long.py", "return 3 ", "return 33 ")
        talk.read("long.py")
        assert talk.session.asked_again() == []

    def test_it_comes_back_with_the_history(self, talk: Talk) -> None:
        talk.read("long.py")
        slot = talk.read("long.py", 9, 72)
        original = talk.session.held[slot]
        (change,) = talk.dedupe()
        other = Talk()
        one = other.read("long.py")
        other.titles = talk.titles
        other.session.resume(change, original)
        assert other.session.held[slot] == talk.session.held[slot]
        other.session.forget([one])
        assert other.session.restore() == [Replace(slot, original.text, "refresh")]

    def test_one_that_cannot_be_followed_stays_as_long_as_all_of_the_file(self) -> None:
        talk = Talk()
        one, other = talk.read("long.py", 1, 40), talk.read("long.py", 41, 80)
        slot = Slot("old", "result")
        record = talk.session.held[other]
        original = Record(slot, 3, "read", record.text, record.referent, record.born, record.tokens)
        talk.session.resume(Replace(slot, "[from another time]", "dedupe"), original)
        assert talk.text(slot) == "[from another time]"
        assert talk.session.restore() == []
        talk.session.forget([one])
        assert talk.session.restore() == [Replace(slot, original.text, "refresh")]


def test_nothing_but_what_stands_at_the_same_number_is_hidden(talk: Talk) -> None:
    """Equal lines elsewhere in the file are none of those."""
    talk.put("same.py", "x = 1\n" * 200)
    talk.read("same.py", 1, 100)
    talk.read("same.py", 101, 200)
    assert talk.dedupe() == []
