import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.context.wording import current, more_matches, spent_input, stub, tombstone
from statetape.types import Nomination, Record, Slot, SymbolId, Untracked

RECORD = Record(Slot("r", "result"), 1, "read", "", Untracked(), 0, 0)


def gone(body: list[str], dispatch: list[str] | None = None, path: str = "a.py") -> str:
    return tombstone(
        Nomination(
            RECORD,
            frozenset(SymbolId(path, name) for name in body),
            frozenset(SymbolId(path, name) for name in dispatch or ()),
            1,
            "drop",
        ),
        "read a.py",
    )


def test_a_tombstone_names_the_record_and_what_changed() -> None:
    text = gone(["Loader.load"])
    assert "read a.py" in text
    assert "Loader.load" in text
    assert "changed" in text


def test_a_tombstone_of_moved_edges_says_whose_they_are() -> None:
    text = gone([], ["run"])
    assert "what run calls or reads has changed" in text


def test_a_changed_body_speaks_louder_than_moved_calls() -> None:
    assert "run" not in gone(["load"], ["run"])


def test_the_text_outside_definitions_is_named_by_its_path() -> None:
    assert "config.toml changed" in gone([""], path="config.toml")


def test_of_many_symbols_four_are_named_and_the_rest_counted() -> None:
    text = gone(["f", "e", "d", "c", "b", "a"])
    assert "a, b, c, d and 2 more" in text
    assert "a, b, c, d changed" in gone(["d", "c", "b", "a"])


def test_symbols_of_one_name_are_named_once() -> None:
    symbols = frozenset({SymbolId("a.py", "f"), SymbolId("b.py", "f")})
    assert ": f changed" in tombstone(Nomination(RECORD, symbols, frozenset(), 1, "drop"), "it")


def test_a_stub_names_what_to_run_again() -> None:
    assert "pytest -q" in stub("pytest -q")
    assert "Run it again" in stub("pytest -q")


def test_what_stands_for_an_input_names_its_step() -> None:
    assert "edit a.py" in spent_input("edit a.py")


@pytest.mark.parametrize(
    "text",
    [gone(["f"]), gone([], ["f"]), stub("it"), spent_input("it"), current(), more_matches()],
)
def test_every_text_of_ours_is_one_line_that_says_whose_it_is(text: str) -> None:
    assert text.startswith("[statetape: ")
    assert text.endswith("]")
    assert "\n" not in text


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(st.lists(NAMES, min_size=1, max_size=30), st.booleans())
def test_no_text_of_ours_is_long_or_has_a_second_line(names: list[str], dispatch: bool) -> None:  # noqa: FBT001
    text = gone([], names) if dispatch else gone(names)
    assert len(text) <= 400
    assert "\n" not in text
