"""Which writes the agent knows: what its edits say, and what it was shown since."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.context.talk import Talk

from statetape.context.known import seen, shown_since, stated
from statetape.types import Edit, Lines, Write


def write(before: str | None, after: str | None) -> Write:
    sides = (None if text is None else text.encode() for text in (before, after))
    return Write("f", *sides)


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        ("a b c", "a x c", Edit("f", old="b", new="x")),
        ("a b b", "a x x", Edit("f", old="b", new="x", every=True)),
        ("a", "new", Edit("f", content="new\n")),
        (None, "new\n", Edit("f", content="new")),
        (None, "new", Edit("f", old="", new="new")),
        ("a\n", "a\nb\n", Edit("f", content="b\n", append=True)),
        ("a\n", "a\r\nb\n", Edit("f", content="a\r\nb\n")),
        ("a", None, Edit("f", absent=True)),
        ("a", None, Edit("f", moved_to="g")),
        ("a\nb\n", "a\nc\n", Edit("f", patch=(("a\nb\n", "a\nc\n"),))),
    ],
)
def test_a_write_is_what_an_edit_says(before: str, after: str, edit: Edit) -> None:
    assert stated([write(before, after)], [edit]) == {0}
    assert stated([write(before, "and more")], [edit]) == frozenset()
    assert stated([write(before, after)], []) == frozenset()


def test_several_edits_may_be_one_write_and_other_hands_stand_between() -> None:
    edits = [Edit("f", old=old, new=new) for old, new in (("a", "b"), ("x", "y"), ("m", "n"))]
    writes = [write("a x m", "b y m"), write("b y m", "b y m!"), write("b y m!", "b y n!")]
    assert stated(writes, edits) == {0, 2}


def test_an_edit_that_does_not_fit_is_passed_over() -> None:
    edits = [Edit("f", old="never", new="b"), Edit("f"), Edit("f", old="x", new="y")]
    assert stated([write("a x", "a y")], edits) == {0}


@given(st.lists(st.tuples(st.text("ab\n", max_size=4), st.text("ab\n", max_size=4))), st.text("ab"))
def test_what_edits_make_of_a_text_they_state(pairs: list[tuple[str, str]], text: str) -> None:
    after, edits = text, []
    for old, new in pairs:
        if old and old in after:
            after = after.replace(old, new)
            edits.append(Edit("f", old=old, new=new, every=True))
    if after.rstrip("\n") != text.rstrip("\n"):
        assert stated([write(text, after)], edits) == {0}
        assert stated([write(text, after + "\nc")], edits) == frozenset()


def test_lines_are_shown_where_they_stand_now_and_only_since_the_write() -> None:
    talk = Talk()
    talk.read("a.py", 8, 9)
    talk.change("a.py", "return 1", "return 2")
    assert shown_since("a.py", 1, talk.session.held.values(), talk.space) == []
    talk.read("a.py", 8, 9)
    assert shown_since("a.py", 1, talk.session.held.values(), talk.space) == [Lines(8, 9)]
    talk.put("a.py", "# above\n" + (talk.space.text("a.py") or ""))
    assert shown_since("a.py", 1, talk.session.held.values(), talk.space) == [Lines(9, 10)]
    assert shown_since("a.py", 2, talk.session.held.values(), talk.space) == []
    first = talk.space.tape.since(0)[0].write
    assert seen(first, 1, [Lines(9, 10)], talk.space)
    assert not seen(first, 1, [Lines(1, 9)], talk.space)


def test_a_file_that_came_or_went_is_not_seen_by_its_lines() -> None:
    talk = Talk()
    talk.put("new.py", "x = 1\n")
    talk.put("new.py", None)
    for entry in talk.space.tape.since(0):
        assert not seen(entry.write, entry.tick, [Lines(1, 100)], talk.space)
