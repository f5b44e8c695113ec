"""Notes: what went stale and stays so is told once, at the end, and nothing that is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.context.talk import A, Talk, only

from statetape.context.wording import bare, current, names, note, noted, said, without_note
from statetape.tokens import tokens
from statetape.types import Edit, Record, Run, Search, Slot, Symbols, Untracked


@pytest.fixture
def talk() -> Talk:
    return Talk()


class TestWhatIsTold:
    def test_a_function_that_somebody_changed_with_its_lines_now(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "def load", "# new\ndef load")
        talk.change("a.py", "return 1", "return 2")
        talk.step(text="ok")
        note = talk.note()
        assert note.startswith("[statetape: not as shown above any more:\n")
        assert "\na.py: load (4-6) changed; save (9-10) changed\n" in note or (
            "\na.py: save (9-10) changed\n" in note
        )
        assert note.endswith("]")

    def test_it_stands_behind_the_result_that_is_new(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.note()
        talk.change("a.py", "return 1", "return 2")
        first, last = talk.step(text="one"), talk.step(text="two")
        note = talk.note()
        assert talk.text(last) == f"two\n{note}"
        assert talk.text(first) == "one"
        assert talk.session.ledger[last].why == "note"

    def test_what_is_gone_and_what_went_elsewhere(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.put("d.py", "def save():\n    return 1\n")
        talk.put("a.py", A[: A.index("def load")])
        talk.step(text="ok")
        note = talk.note()
        assert "save is in d.py now (1-2)" in note
        assert "load is gone" in note

    def test_a_file_that_is_gone_is_one_thing(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.put("a.py", None)
        talk.step(text="ok")
        assert talk.note().split("\n")[1:] == ["a.py: is gone]"]

    def test_a_file_without_definitions_is_named_alone(self, talk: Talk) -> None:
        talk.put("notes.txt", "one\ntwo\nthree\nfour\n")
        talk.read("notes.txt")
        talk.note()
        talk.change("notes.txt", "two", "2")
        talk.step(text="ok")
        assert talk.note().split("\n")[1:] == ["notes.txt: changed]"]

    def test_text_outside_definitions_counts_where_nothing_else_does(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "from b import helper", "from b import helper  # it")
        talk.step(text="ok")
        assert "a.py: text outside definitions changed" in talk.note()

    def test_calls_that_moved_though_the_agent_moved_them(self, talk: Talk) -> None:
        talk.read("a.py", 4, 5)
        talk.note()
        talk.edit("b.py", "def helper", "def other")
        assert "a.py: load (4-5) calls helper no more" in talk.note()

    def test_a_call_that_reaches_another_function(self, talk: Talk) -> None:
        talk.put("x.py", "def helper():\n    return 3\n")
        talk.read("a.py", 4, 5)
        talk.note()
        talk.edit("a.py", "from b import", "from x import")
        assert "load (4-5) calls helper now" in talk.note()

    def test_a_constant_that_is_read(self, talk: Talk) -> None:
        talk.read("b.py", 4, 5)
        talk.note()
        talk.edit("b.py", "LIMIT = 1", "LIMIT = 2")
        assert "b.py: helper (4-5) reads LIMIT, which changed" in talk.note()

    def test_a_search_whose_line_is_another(self, talk: Talk) -> None:
        talk.step(Search("def"), text="a.py:8:def save():")
        talk.change("a.py", "def save():", "def save(it):")
        talk.step(text="ok")
        assert "a.py: save (8-9) changed" in talk.note()

    def test_what_was_false_when_it_came_is_told_by_its_file(self, talk: Talk) -> None:
        slot = talk.read("a.py")
        record = talk.session.held[slot]
        talk.session.forget()
        talk.session.hold(record, outdated=True)
        talk.step(text="ok")
        assert talk.note().split("\n")[1:] == ["a.py: changed]"]
        talk.step(text="ok")
        assert talk.note() == ""

    def test_unless_the_file_was_shown_later(self, talk: Talk) -> None:
        slot = talk.read("a.py")
        record = talk.session.held[slot]
        talk.session.forget()
        talk.session.hold(record, outdated=True)
        talk.read("a.py")
        assert talk.note() == ""


class TestCallers:
    def test_who_calls_what_was_written_and_is_not_shown(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.note()
        talk.edit("a.py", "return 1", "return 2")
        assert talk.note().split("\n") == [
            "[statetape: not shown above, but calling what changed:",
            "c.py: main (4-6)]",
        ]

    def test_each_once(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        assert "main" in talk.note()
        talk.edit("a.py", "return 2", "return 3")
        assert talk.note() == ""

    def test_again_once_the_client_dropped_what_told_it(self, talk: Talk) -> None:
        talk.read("a.py")
        slot = talk.edit("a.py", "return 1", "return 2")
        assert "main" in talk.note()
        talk.session.forget([slot])
        talk.edit("a.py", "return 2", "return 3")
        assert "main" in talk.note()

    def test_not_who_is_shown(self, talk: Talk) -> None:
        talk.read("c.py", 4, 5)
        talk.edit("a.py", "return 1", "return 2")
        assert talk.note() == ""

    def test_not_who_was_written_too(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.note()
        talk.change("c.py", "    save()\n", "    save()\n    save()\n")
        talk.edit("a.py", "return 1", "return 2")
        assert "main" not in talk.note()

    def test_files_that_nobody_looked_into_are_not_read_for_it(self, talk: Talk) -> None:
        talk.put("far.py", "from a import save\n\n\ndef far():\n    save()\n")
        far = Talk()
        far.read("a.py")
        before = far.space.graph.files_extracted
        far.edit("a.py", "return 1", "return 2")
        far.note()
        assert far.space.graph.files_extracted == before + 1

    def test_where_many_say_the_name_nothing_is_asked(self, talk: Talk) -> None:
        many = "from a import save\n\n\n" + "".join(
            f"def user_{n}():\n    save()\n\n\n" for n in range(30)
        )
        talk.put("many.py", many)
        talk.space.facts("many.py")
        talk.read("a.py")
        talk.note()
        resolved = talk.space.graph.symbols_resolved
        talk.edit("a.py", "return 1", "return 2")
        assert talk.note() == ""
        assert talk.space.graph.symbols_resolved - resolved < 5

    def test_a_guess_is_no_caller(self, talk: Talk) -> None:
        talk.put("d.py", "class D:\n    def run(self):\n        return 1\n")
        talk.put("e.py", "def go(it):\n    return it.run()\n")
        talk.space.facts("e.py")
        talk.read("d.py")
        talk.note()
        talk.edit("d.py", "return 1", "return 2")
        assert talk.note() == ""


class TestWhatIsKnown:
    def test_the_agents_own_edit(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.edit("a.py", "return helper()", "return helper() + 1")
        note = talk.note()
        assert "a.py" not in note

    def test_a_function_that_the_agent_itself_removed(self, talk: Talk) -> None:
        talk.read("b.py")
        talk.edit("b.py", "\n\ndef helper():\n    return LIMIT\n", "")
        assert "b.py" not in talk.note()

    def test_a_file_that_the_agent_itself_removed(self, talk: Talk) -> None:
        talk.read("c.py")
        talk.put("c.py", None)
        talk.step(Edit("c.py", absent=True), text="ok")
        assert talk.note() == ""

    def test_several_edits_seen_as_one_write(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.put("a.py", A.replace("return 1", "return 2").replace("load", "get"))
        talk.step(Edit("a.py", old="return 1", new="return 2"), text="ok")
        talk.step(Edit("a.py", old="load", new="get"), text="ok")
        assert "a.py" not in talk.note()

    def test_not_what_a_formatter_did_beside_it(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.put("a.py", A.replace("return 1", "return 2").replace("return helper()", "helper()"))
        talk.step(Edit("a.py", old="return 1", new="return 2"), text="ok")
        assert "load (4-5) changed" in talk.note()

    def test_not_what_another_hand_did_before_it(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return helper()", "return helper() + 1")
        talk.edit("a.py", "return 1", "return 2")
        note = talk.note()
        assert "load (4-5) changed" in note
        assert "save" not in note

    def test_what_was_read_again_since(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.read("a.py", 8, 9)
        assert "a.py" not in talk.note()

    def test_not_if_other_lines_were_read(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.read("a.py", 1, 5)
        assert "save (8-9) changed" in talk.note()

    def test_not_if_it_was_read_before_the_write(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.read("a.py", 8, 9)
        talk.change("a.py", "return 1", "return 2")
        talk.step(text="ok")
        assert "save (8-9) changed" in talk.note()

    def test_lines_that_went_are_known_where_the_seam_is_shown(self, talk: Talk) -> None:
        talk.put("three.py", "def f():\n    x = 1\n    y = 2\n    return 3\n")
        talk.read("three.py")
        talk.note()
        talk.change("three.py", "    y = 2\n", "")
        talk.read("three.py", 3, 3)
        assert "f (1-3) changed" in talk.note()
        talk.change("three.py", "    x = 1\n", "")
        talk.read("three.py", 1, 2)
        assert talk.note() == ""

    def test_a_write_undone(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.put("a.py", A)
        talk.step(text="ok")
        assert "a.py" not in talk.note()

    def test_what_was_maintained_in_this_request(self, talk: Talk) -> None:
        slot = talk.read("a.py", 8, 9)
        talk.change("a.py", "return 1", "return 2")
        talk.step(text="ok")
        talk.session.request(only([slot]))
        change = talk.session.note(talk.take(), 120)
        assert change is not None
        assert "save" not in change.text

    def test_results_of_commands_are_nobodys_news(self, talk: Talk) -> None:
        talk.step(Run("pytest", "test"), text="1 passed")
        talk.put("notes.txt", "x")
        talk.step(text="ok")
        assert talk.note() == ""


class TestOnce:
    def test_a_write_is_told_once(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.step(text="ok")
        assert "save" in talk.note()
        for _ in range(3):
            talk.step(text="ok")
            assert talk.note() == ""

    def test_the_next_write_is_another(self, talk: Talk) -> None:
        talk.read("a.py")
        for old in (1, 2):
            talk.change("a.py", f"return {old}", f"return {old + 1}")
            talk.step(text="ok")
            assert "save (8-9) changed" in talk.note()

    def test_it_waits_for_a_result(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.note()
        talk.change("a.py", "return 1", "return 2")
        assert talk.note() == ""
        talk.step(text="ok")
        assert "save" in talk.note()

    def test_it_goes_behind_no_text_that_is_changed_already(self, talk: Talk) -> None:
        one = talk.read("a.py", 8, 9)
        other = talk.read("a.py")
        talk.take()
        talk.change("a.py", "return 1", "return 2")
        talk.session.request(only([one]))
        assert talk.session.note([one], 120) is None
        assert talk.session.note([Slot("never", "result")], 120) is None
        note = talk.session.note([other, one], 120)
        assert note is not None
        assert note.slot == other

    def test_it_stays_when_its_slot_is_refreshed_or_dropped(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        slot = talk.read("b.py")
        note = talk.note()
        assert note
        talk.change("b.py", "return LIMIT", "return 1 + LIMIT")
        talk.session.request()
        assert talk.text(slot).endswith(f"return 1 + LIMIT\n{note}\n{current()}")
        talk.put("b.py", None)
        talk.session.request()
        assert "dropped" in talk.text(slot)
        assert talk.text(slot).endswith(f"\n{note}")

    def test_what_stands_before_it_is_still_judged(self, talk: Talk) -> None:
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        slot = talk.read("b.py")
        assert talk.note()
        assert isinstance(talk.session.held[slot].referent, Symbols)
        talk.change("b.py", "return LIMIT", "return 1 + LIMIT")
        talk.session.catch_up()
        assert slot in talk.session.nominations

    def test_it_comes_back_with_the_history(self, talk: Talk) -> None:
        talk.read("a.py")
        slot = talk.edit("a.py", "return 1", "return 2")
        assert "main" in talk.note()
        record, change = talk.session.held[slot], talk.session.ledger[slot]
        other = Talk()
        other.read("a.py")
        original = Record(slot, 2, "edit", "ok", Untracked(), 0, 1)
        other.session.resume(change, original)
        assert other.text(slot) == record.text
        assert other.session.held[slot].tokens == record.tokens
        other.edit("a.py", "return 1", "return 2")
        assert other.note() == ""


class TestBudget:
    @pytest.mark.parametrize("budget", [0, 20, 40, 60, 120])
    def test_what_has_no_room_is_counted_and_told_no_more(self, budget: int) -> None:
        talk = Talk()
        talk.read("long.py")
        talk.put("long.py", (talk.space.text("long.py") or "").replace("return", "return 1 +"))
        talk.step(text="ok")
        note = talk.note(budget)
        assert tokens("\n" + note) <= budget or not note
        assert bool(note) is (budget >= 40)
        if note:
            said = note.count(" changed")
            assert note.endswith(f"\nand {40 - said} more]")
        talk.step(text="ok")
        assert talk.note(120) == ""

    def test_names_of_any_length_are_cut(self, talk: Talk) -> None:
        name = "x" * 5_000
        talk.put("h.py", f"def {name}():\n    return 1\n")
        talk.read("h.py")
        talk.note()
        talk.change("h.py", "return 1", "return 2")
        talk.step(text="ok")
        assert f"h.py: {'x' * 59}… (1-2) changed" in talk.note()


def test_a_note_is_found_in_a_text_and_taken_out(talk: Talk) -> None:
    talk.read("a.py")
    slot = talk.edit("a.py", "return 1", "return 2")
    talk.change("a.py", "return helper()", "return 0")
    talk.step(text="done")
    note = talk.note()
    assert noted(f"done\n{note}") == note
    assert noted(f"done\n{note}\n{current()}") == note
    assert without_note(f"done\n{note}\n{current()}") == f"done\n{current()}"
    assert without_note("done") == bare("done") == "done"
    assert bare(f"done\n{note}\n{current()}") == bare(f"done\n{note}") == "done"
    assert noted(note) == ""
    assert names(note, "a.py", "load")
    assert names(note, "c.py", "main")
    assert not names(note, "a.py", "lo")
    assert not names(note, "b.py", "load")
    assert talk.text(slot) == "ok"


@given(
    st.lists(st.tuples(st.text(max_size=200), st.text(min_size=1, max_size=200)), max_size=5),
    st.lists(st.tuples(st.text(max_size=200), st.text(min_size=1, max_size=200)), max_size=5),
)
def test_no_name_breaks_out_of_its_row(
    changed: list[tuple[str, str]], callers: list[tuple[str, str]]
) -> None:
    rows = [(path, said(name, None, "changed")) for path, name in changed]
    text = note(rows, [(path, said(name, None, "")) for path, name in callers], 0)
    paths = len({path for path, _ in changed}) + len({path for path, _ in callers})
    assert text.count("\n") <= paths + 1
    assert len(text) <= 200 + 200 * (len(changed) + len(callers))
    assert noted(f"ok\n{text}").startswith("[statetape: ")
