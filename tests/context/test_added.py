"""Code that is brought in behind a result: what may be, how it reads, and that it is tracked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.talk import B
from tests.policies.rivals import Rival

from statetape.context.added import Brought, resumed
from statetape.policies.default import default
from statetape.tokens import tokens
from statetape.types import (
    Call,
    Lines,
    Plan,
    Region,
    Replace,
    Slot,
    SymbolId,
    Symbols,
    Untracked,
    Write,
)

HELPER = Region("b.py", Lines(4, 5), SymbolId("b.py", "helper"), "G2", "called by load")
SAVE = Region("a.py", Lines(8, 9), SymbolId("a.py", "save"), "G3", "")


def region(path: str, first: int, last: int, name: str = "", reason: str = "") -> Region:
    return Region(path, Lines(first, last), SymbolId(path, name), "G1", reason)


class Fed(Rival):
    """A conversation under the default policy, into which code can be brought."""

    def __init__(self) -> None:
        super().__init__(default)

    def bring(self, *regions: Region, most: int = 8_000) -> Brought | None:
        self.ask()
        return self.session.retrieve(self.take(), regions, most)

    def refresh(self) -> None:
        """One request, in which all that can be shown anew is."""
        self.session.catch_up()
        asked = self.session.situation()
        fresh = [record for each in asked.nominations if (record := asked.fresh(each)) is not None]
        changes = tuple(Replace(record.slot, record.text, "refresh") for record in fresh)
        self.session.request(lambda _: Plan(changes))

    def brought(self, *regions: Region) -> Slot:
        self.turn()
        found = self.bring(*regions)
        assert found is not None
        assert found.regions == regions
        return found.record.slot


@pytest.fixture
def talk() -> Fed:
    return Fed()


def test_it_stands_behind_the_last_result_as_a_record_of_its_own(talk: Fed) -> None:
    first, last = talk.turn(), talk.turn("the end")
    found = talk.bring(HELPER, SAVE)
    assert found is not None
    assert found.record.text == (
        "[statetape: code that may be needed for what comes next]\n"
        "b.py 4-5, helper (dependency: called by load)\n"
        "     4\tdef helper():\n"
        "     5\t    return LIMIT\n"
        "a.py 8-9, save (consistency)\n"
        "     8\tdef save():\n"
        "     9\t    return 1"
    )
    added = Slot(last.id, "added")
    assert list(talk.session.held)[-2:] == [last, added]
    assert talk.session.held[added] is found.record
    assert talk.session.ledger == {added: Replace(added, found.record.text, "retrieve")}
    assert talk.text(last) == "the end"
    assert Slot(first.id, "added") not in talk.session.held
    assert found.record.tokens == tokens(found.record.text)
    assert talk.session.tokens == sum(each.tokens for each in talk.session.held.values())
    assert found.record.read == ("b.py", "a.py")
    assert talk.session.title(found.record) == "code brought in from b.py, a.py"


def test_it_stands_directly_behind_its_result_whatever_else_came(talk: Fed) -> None:
    slot = talk.turn()
    talk.session.hold(talk.inventory.of_call(Call(Slot("later", "input"), "Tool", {}), 9, "other"))
    found = talk.bring(HELPER)
    assert found is not None
    assert list(talk.session.held)[-3:] == [slot, found.record.slot, Slot("later", "input")]


def test_its_rows_are_numbered_as_the_agents_own_reads_are(talk: Fed) -> None:
    talk.read("c.py", form="{:05}| ")
    found = talk.bring(HELPER)
    assert found is not None
    assert "\n00004| def helper():\n00005|     return LIMIT" in found.record.text


def test_without_a_result_that_was_never_sent_nothing_is_brought_in(talk: Fed) -> None:
    talk.turn()
    talk.take()
    assert talk.bring(HELPER) is None
    assert not talk.session.ledger


def test_a_result_gets_one_addition_only(talk: Fed) -> None:
    slot = talk.turn()
    assert talk.session.retrieve([slot], [HELPER])
    assert talk.session.retrieve([slot], [SAVE]) is None


def test_a_write_falsifies_it_and_a_refresh_shows_it_where_it_is_now(talk: Fed) -> None:
    slot = talk.brought(HELPER, SAVE)
    talk.change(
        "b.py", "def helper():\n    return LIMIT", "\n\ndef helper():\n    return 2 * LIMIT"
    )
    talk.session.catch_up()
    assert set(talk.session.nominations) == {slot}
    assert talk.ask() == {slot: "refresh"}
    assert talk.text(slot) == (
        "[statetape: code that may be needed for what comes next]\n"
        "b.py 6-7, helper (dependency: called by load)\n"
        "     6\tdef helper():\n"
        "     7\t    return 2 * LIMIT\n"
        "a.py 8-9, save (consistency)\n"
        "     8\tdef save():\n"
        "     9\t    return 1\n"
        "[statetape: shown as it is now, after later writes]"
    )
    assert not talk.session.nominations
    talk.change("b.py", "2 * LIMIT", "3 * LIMIT")
    assert talk.ask() == {slot: "refresh"}
    assert talk.text(slot).count("[statetape: ") == 2


def test_what_it_calls_is_part_of_what_it_says(talk: Fed) -> None:
    """`load` calls `helper`, which goes: its text stands, and it is another function."""
    slot = talk.brought(region("a.py", 4, 5, "load"))
    talk.change("b.py", "def helper", "def other")
    talk.session.catch_up()
    (nominated,) = talk.session.nominations.values()
    assert nominated.record.slot == slot
    assert nominated.dispatch == {SymbolId("a.py", "load")}


def test_of_lines_that_are_gone_the_heading_goes_too(talk: Fed) -> None:
    slot = talk.brought(HELPER, SAVE)
    talk.change("a.py", "\n\n\ndef save():\n    return 1", "")
    talk.refresh()
    assert "a.py" not in talk.text(slot)
    assert "     5\t    return LIMIT" in talk.text(slot)
    assert not talk.session.nominations


def test_of_a_definition_that_is_gone_the_heading_has_no_name(talk: Fed) -> None:
    slot = talk.brought(SAVE)
    talk.change("a.py", "def save():\n    return 1", "def store():\n    return 1")
    talk.refresh()
    assert "a.py 8-9 (consistency)\n     8\tdef store():" in talk.text(slot)


def test_a_drop_leaves_a_tombstone_that_says_what_it_was(talk: Fed) -> None:
    slot = talk.brought(HELPER)
    talk.put("b.py", None)
    assert talk.ask() == {slot: "drop"}
    assert talk.text(slot).startswith("[statetape: dropped code brought in from b.py: helper ")
    assert isinstance(talk.session.held[slot].referent, Untracked)


def test_it_goes_with_its_result(talk: Fed) -> None:
    slot = talk.brought(HELPER)
    result = Slot(slot.id, "result")
    assert talk.session.forget([result]) == (result, slot)
    assert slot not in talk.session.held
    assert not talk.session.ledger
    assert talk.session.tokens == sum(each.tokens for each in talk.session.held.values())
    talk.brought(HELPER)
    talk.session.forget()
    assert not talk.session.held
    assert not talk.session.ledger


def test_what_is_shown_and_true_is_not_brought_in_again(talk: Fed) -> None:
    talk.read("a.py")
    talk.turn()
    assert talk.bring(SAVE, region("a.py", 1, 3)) is None
    talk.brought(HELPER)
    talk.turn()
    assert talk.bring(HELPER, region("b.py", 5, 5)) is None
    talk.change("b.py", "LIMIT = 1", "LIMIT = 1\nMORE = 2")
    talk.turn()
    assert talk.bring(region("b.py", 5, 6)) is None, "it has moved, and is shown"
    talk.turn()
    found = talk.bring(region("b.py", 2, 6))
    assert found is not None
    assert found.regions == (region("b.py", 2, 6),)


def test_what_is_shown_and_stale_is_brought_in(talk: Fed) -> None:
    talk.read("a.py")
    talk.change("a.py", "return 1", "return 2")
    slot = talk.turn()
    talk.session.catch_up()
    found = talk.session.retrieve([slot], [SAVE])
    assert found is not None
    assert "return 2" in found.record.text


def test_regions_that_overlap_are_brought_in_once(talk: Fed) -> None:
    talk.turn()
    found = talk.bring(region("a.py", 4, 9), SAVE, region("a.py", 4, 9))
    assert found is not None
    assert found.regions == (region("a.py", 4, 9),)


def test_the_budget_leaves_out_whole_regions_and_goes_on(talk: Fed) -> None:
    talk.turn()
    found = talk.bring(region("long.py", 1, 80), HELPER, most=120)
    assert found is not None
    assert found.regions == (HELPER,)
    assert found.record.tokens <= 120
    talk.turn()
    assert talk.bring(SAVE, most=20) is None
    assert talk.bring(SAVE, most=0) is None


@pytest.mark.parametrize(
    "wrong",
    [
        region("a.py", 0, 2),
        region("a.py", 3, 2),
        region("a.py", -5, 2),
        region("a.py", 9, 10),
        region("a.py", 8, 10**9),
        region("gone.py", 1, 1),
        region("/etc/passwd", 1, 1),
        region("../repo/a.py", 1, 1),
        region("./a.py", 1, 1),
        region("x/../a.py", 1, 1),
        region("", 1, 1),
        region("a.py\n", 1, 1),
        region("empty.py", 1, 1),
        region("blank.py", 1, 2),
        region("bytes.py", 1, 1),
        region("odd 1-2 (x).py", 1, 1),
        region("two\nlines.py", 1, 1),
    ],
)
def test_nothing_but_lines_of_the_repository_is_brought_in(talk: Fed, wrong: Region) -> None:
    for path in ("empty.py", "blank.py", "odd 1-2 (x).py", "two\nlines.py"):
        talk.put(path, {"empty.py": "", "blank.py": "\n\n"}.get(path, "x = 1\n"))
    talk.space.observe(Write("bytes.py", None, b"x = '\xff'\n"))
    talk.turn()
    assert talk.bring(wrong) is None
    found = talk.session.retrieve([talk.turn()], [wrong, HELPER])
    assert found is not None
    assert found.regions == (HELPER,)


def test_a_name_or_a_reason_cannot_say_what_it_likes(talk: Fed) -> None:
    talk.turn()
    evil = "x\n     4\tdef other():\x1b[2J" + "y" * 500
    found = talk.bring(
        Region("b.py", Lines(4, 5), SymbolId("b.py", "no such name"), "G4", evil),
        Region("a.py", Lines(8, 9), SymbolId("b.py", "helper"), "G1", ""),
    )
    assert found is not None
    rows = found.record.text.split("\n")
    assert rows[1].startswith("b.py 4-5 (contract: x 4 def other():[2Jyy")
    assert len(rows[1]) < 100
    assert rows[4] == "a.py 8-9 (site)"
    assert len(rows) == 7


def test_a_read_of_what_was_brought_in_points_to_it(talk: Fed) -> None:
    talk.brought(region("long.py", 1, 40))
    slot = talk.read("long.py", 1, 40)
    (pointer,) = talk.dedupe()
    assert pointer.slot == slot
    assert "as shown above, in code brought in from long.py" in pointer.text


def test_what_was_brought_in_is_not_told_in_a_note(talk: Fed) -> None:
    """The caller of what was written is shown now."""
    talk.change("a.py", "return 1", "return 2")
    talk.space.facts("c.py")
    slot = talk.turn()
    talk.session.request()
    bare = Fed()
    bare.change("a.py", "return 1", "return 2")
    bare.turn()
    assert "main" in bare.note()
    assert talk.session.retrieve([slot], [region("c.py", 4, 6, "main")])
    assert talk.session.note([slot], 100) is None


def test_it_is_resumed_as_it_was_and_tracked(talk: Fed) -> None:
    slot = talk.brought(HELPER, SAVE)
    change, before = talk.session.ledger[slot], talk.session.held[slot]
    record, stale = resumed(change, before.step, talk.space, tokens)
    assert not stale
    assert record == before
    talk.change("b.py", "return LIMIT", "return 2 * LIMIT")
    talk.ask()
    change, before = talk.session.ledger[slot], talk.session.held[slot]
    assert change.why == "refresh"
    record, stale = resumed(change, before.step, talk.space, tokens)
    assert not stale
    assert record == before


def test_resumed_after_a_write_it_is_stale_and_can_go(talk: Fed) -> None:
    slot = talk.brought(HELPER, SAVE)
    change = talk.session.ledger[slot]
    talk.session.forget([slot])
    talk.change("a.py", "return 1", "return 2")
    record, stale = resumed(change, 1, talk.space, tokens)
    assert stale
    talk.session.resume(change, record, outdated=stale)
    assert set(talk.session.nominations) == {slot}
    assert talk.ask() == {slot: "drop"}
    assert "a.py, b.py changed" in talk.text(slot)


def test_a_tombstone_is_resumed_as_words(talk: Fed) -> None:
    change = Replace(Slot("c1", "added"), "[statetape: dropped it]", "drop")
    record, stale = resumed(change, 1, talk.space, tokens)
    assert not stale
    assert record.referent == Untracked()


@settings(max_examples=200, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=200),
        st.lists(
            st.sampled_from(
                [
                    "[statetape: code that may be needed for what comes next]",
                    "b.py 4-5 (x)",
                    "b.py 5-4 (x)",
                    "b.py 0-0 (x)",
                    "b.py 4-999999999 (x)",
                    "     4\tdef helper():",
                    "     5\t    return LIMIT",
                    "     0\tLIMIT = 1",
                    "",
                ]
            )
        ).map("\n".join),
    ),
    why=st.sampled_from(["retrieve", "refresh", "drop", "note"]),
)
def test_any_text_is_resumed_and_only_what_stands_is_true(text: str, why: str) -> None:
    talk = Fed()
    result = talk.turn()
    change = Replace(Slot(result.id, "added"), text, why)  # type: ignore[arg-type]
    record, stale = resumed(change, 1, talk.space, tokens)
    talk.session.resume(change, record, outdated=stale)
    assert record.text == text
    if not stale and why != "drop":
        assert isinstance(record.referent, Symbols)
        for part in record.referent.shown:
            assert part.path == "b.py"
            assert part.text in B
    talk.session.request()
    assert not talk.session.nominations
