import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.context.titles import shortened, title
from statetape.types import Action, Call, Edit, Other, Read, Remark, Run, Search, Slot, Step


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (Read("a.py"), "read a.py"),
        (Read("a.py", 3, 9), "read a.py 3-9"),
        (Read("a.py", 3), "read a.py 3-end"),
        (Read("a.py", None, 9), "read a.py 1-9"),
        (Edit("a.py", old="x", new="y"), "edit a.py"),
        (Edit("a.py", content=""), "write a.py"),
        (Edit("a.py", absent=True), "remove a.py"),
        (Edit("a.py", moved_to="b.py"), "move a.py to b.py"),
        (Search("x y"), "search 'x y'"),
        (Search("x", ("src", "tests")), "search 'x' in src tests"),
        (Search(None), "list files"),
        (Search(None, ("src",)), "list src"),
        (Other("TodoWrite"), "TodoWrite"),
        (Remark(), "remark"),
        (Run("pytest -q", "test"), "pytest -q"),
    ],
)
def test_a_step_is_titled_by_what_it_did(done: Action, words: str) -> None:
    assert title(Step(1, "other", (done,))) == words


def test_several_actions_are_listed_once_each() -> None:
    done = (Read("a.py"), Read("b.py"), Read("a.py"))
    assert title(Step(1, "read", done)) == "read a.py, read b.py"


def test_a_command_that_ran_is_its_own_title() -> None:
    done = (Read("a.py"), Run("cat a.py && pytest", "test"))
    assert title(Step(1, "run", done)) == "cat a.py && pytest"


def test_a_step_that_did_nothing_known_is_titled_by_its_tool() -> None:
    assert title(Step(1, "edit_failed", (), Call(Slot("c", "input"), "Edit", {}))) == "Edit"
    assert title(Step(1, "say", ())) == "remark"


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"


@given(st.text().filter(str.strip))
def test_a_title_is_one_line_of_at_most_72_characters(command: str) -> None:
    words = title(Step(1, "run", (Run(command, "unknown"),)))
    assert len(words) <= 72
    assert len(words.splitlines()) <= 1
    assert words == " ".join(command.split()) or (len(words) == 72 and words[-1] == "…")
