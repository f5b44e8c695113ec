import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.replay.cells import Clash, State, Tail, decoded_state, known_state, unknown_state
from statetape.replay.edited import replaced
from statetape.replay.inferred import nearest, rewritten


def seen(first: int, lines: list[str], total: int | None = None) -> State:
    state = unknown_state()
    state.fill(first, lines, total)
    return state


@given(st.binary() | st.text(alphabet="a\r\n\ufeff\x0c\u2028é").map(str.encode))
def test_a_state_keeps_the_bytes_it_was_made_of(data: bytes) -> None:
    assert decoded_state(data).data() == data


def test_half_a_surrogate_pair_can_be_written() -> None:
    assert known_state("\ud83d\n").data() == b"\xed\xa0\xbd\n"


def test_what_is_shown_later_is_filled_in_earlier() -> None:
    before = seen(2, ["c"])
    after = before.spliced(2, 1, ["C", "CC"])
    after.fill(0, ["a", "b"])
    after.fill(4, ["d"], total=5)
    assert after.data() == b"a\nb\nC\nCC\nd\n"
    assert before.data() == b"a\nb\nc\nd\n"


def test_lines_that_an_edit_leaves_equal_keep_their_cells() -> None:
    before = seen(0, ["a", "b", "c", "d"])
    after = before.spliced(0, 4, ["a", "X", "c", "d"])
    old, new = before.lines(), after.lines()
    assert [old[at] is new[at] for at in range(4)] == [True, False, True, True]


def test_an_edit_beyond_the_known_lines_takes_over_the_end_of_the_file() -> None:
    before = seen(0, ["a"])
    after = before.spliced(4, 1, ["E", "F"])
    after.fill(5, ["F", "g"])
    assert before.texts() == ["a", None, None, None, None, "g"]
    assert after.texts() == ["a", None, None, None, "E", "F", "g"]


@pytest.mark.parametrize(
    ("first", "shown", "total", "clash"),
    [
        (0, ["a", "b"], None, None),
        (1, ["b"], 3, None),
        (1, ["x", "c"], None, Clash(1, 2, "b", "x")),
        (2, ["c", "d"], None, Clash(3, 4, None, "d")),
        (0, ["a"], 2, Clash(2, 3, "c", None)),
        (0, ["a"], 4, Clash(3, 4, None, None)),
        (0, ["a\r", "b"], None, None),
    ],
)
def test_where_shown_lines_contradict(
    first: int, shown: list[str], total: int | None, clash: Clash | None
) -> None:
    assert known_state("a\nb\nc\n").clash(first, shown, total) == clash


def test_an_undecodable_byte_is_shown_as_the_replacement_character() -> None:
    state = decoded_state(b"caf\xe9\n")
    assert state.clash(0, ["caf\ufffd"]) is None
    assert state.clash(0, ["cafe"]) is not None


def test_an_empty_last_line_is_one_by_the_newline_that_ends_it() -> None:
    assert known_state("a").spliced(0, 1, ["a", ""]).data() == b"a\n\n"


def test_the_number_of_lines_shows_the_end_of_the_file() -> None:
    assert seen(0, ["a"], total=2).clash(2, ["c"]) == Clash(2, 3, None, "c")


def test_a_replacement_is_found_among_known_lines_only() -> None:
    state = seen(3, ["def f():", "    return 1"])
    after = replaced(state, "():\n    return", "(x):\n    # more\n    return", every=False)
    assert after is not None
    after.fill(0, ["top"])
    assert after.texts() == ["top", None, None, "def f(x):", "    # more", "    return 1"]
    assert state.texts() == ["top", None, None, "def f():", "    return 1"]
    assert replaced(state, "missing", "", every=False) is None


@given(
    st.text(alphabet="ab\n", max_size=30),
    st.text(alphabet="ab\n", min_size=1, max_size=3),
    st.text(alphabet="ab\n", max_size=3),
)
def test_a_replacement_in_a_known_file_is_that_of_the_text(text: str, old: str, new: str) -> None:
    after = replaced(known_state(text), old, new, every=True)
    if old in text:
        assert after is not None
        assert after.data().decode() == text.replace(old, new)
        assert (replaced(known_state(text), old, new, every=False) is None) == (text.count(old) > 1)
    else:
        assert after is None


def test_the_nearest_place_of_lines() -> None:
    state = known_state("a\nb\nx\na\nb\n")
    assert [nearest(state, ["a", "b"], at) for at in (0, 1, 2, 4)] == [0, 0, 3, 3]
    assert nearest(state, ["b", "a"], 0) is None


def test_lines_that_stand_lower_had_lines_put_in_above() -> None:
    state = seen(0, ["a", "b", "c", "d"])
    after = rewritten(state, 3, ["b", "c"], None)
    assert after.texts() == ["a", None, None, "b", "c", "d"]


def test_lines_that_stand_higher_had_lines_taken_out_above() -> None:
    after = rewritten(seen(0, ["a", "b", "c", "d", "e"]), 1, ["d", "e"], None)
    assert after.texts() == ["a", "d", "e"]


def test_a_run_of_common_lines_is_looked_for_near_by() -> None:
    state = known_state("{\n  a\n}\n" * 3)
    after = rewritten(state, 4, ["{", "  a", "}"], None)
    assert after.texts() == ["{", "  a", "}", None, *["{", "  a", "}"] * 2]


def test_of_a_file_that_became_shorter_the_last_lines_stay() -> None:
    after = rewritten(known_state("a\nb\nc\nd\ne\n"), 0, ["X"], total=3)
    assert after.texts() == ["X", "d", "e"]


def test_a_line_that_moved_far_does_not_hide_the_others() -> None:
    after = rewritten(seen(0, ["a", "b", "c", "z"]), 0, ["z", "a", "b", "c"], None)
    assert after.texts() == ["z", "a", "b", "c", "z"]


def test_a_line_put_in_moves_the_lines_below_and_keeps_their_cells() -> None:
    state = seen(0, ["a", "b"])
    state.fill(4, ["e"])
    after = rewritten(state, 0, ["a", "new", "b"], None)
    after.fill(3, ["c"])
    assert after.texts() == ["a", "new", "b", "c", None, "e"]
    assert state.texts() == ["a", "b", "c", None, "e"]


@given(
    st.lists(st.sampled_from("abc") | st.uuids().map(str), max_size=12),
    st.lists(st.sampled_from("abcd"), max_size=6),
    st.integers(0, 14),
    st.integers(0, 4) | st.none(),
)
def test_a_rewritten_state_has_the_shown_lines(
    lines: list[str], shown: list[str], first: int, more: int | None
) -> None:
    total = None if more is None else first + len(shown) + more
    for tail in (Tail(), Tail(closed=True)):
        after = rewritten(State([*lines], tail), first, shown, total)
        assert after.clash(first, shown, total) is None
        after.fill(first, shown, total)
        assert after.texts()[first : first + len(shown)] == shown
        assert total is None or len(after) == total
