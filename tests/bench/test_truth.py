"""What is exactly true of what was shown: from the states of the files, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.bench.truth import Claim, Everything, Ground, Matches, Names, Verdict, Whole
from statetape.types import Lines

TEXT = "one\ntwo\nthree\nfour\n"


def ground(**files: str) -> Ground:
    return Ground({path.replace("_", "."): text for path, text in files.items()}.get)


def shown(first: int, last: int, born: int = 0) -> tuple[Claim, ...]:
    return (Whole("a.py", Lines(first, last), born),)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("one\ntwo\nthree\nfour\n", "fresh"),
        ("zero\none\ntwo\nthree\nfour\n", "fresh"),
        ("one\ntwo\nthree\nfour\nfive\n", "fresh"),
        ("two\nthree\nfour\n", "fresh"),
        ("two\nthree\n", "either"),
        ("one\ntwo\n2.5\nthree\nfour\n", "stale"),
        ("one\ntwo\nTHREE\nfour\n", "stale"),
        ("one\ntwo\nfour\n", "stale"),
        ("", "stale"),
        (None, "stale"),
    ],
)
def test_lines_are_stale_where_they_do_not_stand_one_after_another(
    after: str | None, expected: Verdict
) -> None:
    files = ground(a_py=TEXT)
    files.put("a.py", after)
    assert files.verdict(shown(2, 3)) == expected


def test_what_is_restored_is_fresh_again() -> None:
    files = ground(a_py=TEXT)
    files.put("a.py", "gone\n")
    assert files.verdict(shown(2, 3)) == "stale"
    files.put("a.py", TEXT)
    assert files.verdict(shown(2, 3)) == "fresh"


def test_lines_that_went_and_stand_elsewhere_leave_it_open() -> None:
    files = ground(a_py=TEXT)
    files.put("a.py", "one\nfour\n")
    files.put("a.py", "one\nfour\ntwo\nthree\n")
    assert files.verdict(shown(2, 3)) == "either"


def test_of_two_copies_it_is_their_own_that_counts() -> None:
    files = ground(a_py="x\na\ny\na\nz\n")
    files.put("a.py", "x\nb\ny\na\nz\n")
    assert files.verdict(shown(4, 4)) == "fresh"
    assert files.verdict(shown(2, 2)) == "either"


def test_where_two_cuts_disagree_nothing_is_certain() -> None:
    files = ground(a_py="a\nend\n")
    files.put("a.py", "a\nnew\na\nend\n")
    assert files.verdict(shown(1, 1)) == "fresh"
    assert files.verdict(shown(1, 2)) == "either"


@pytest.mark.parametrize(
    ("path", "after", "listed", "expected"),
    [
        ("d/a.py", "use me\nuse it\n", True, "stale"),
        ("d/a.py", "use me\nuse it\n", False, "fresh"),
        ("d/a.py", "first\nuse me\n", True, "fresh"),
        ("d/a.py", "nothing\n", False, "stale"),
        ("d/new.py", "use me\n", False, "stale"),
        ("d/new.txt", "use me\n", True, "fresh"),
        ("e/new.py", "use me\n", True, "fresh"),
    ],
)
def test_a_search_claims_its_matches(
    path: str,
    after: str,
    listed: bool,  # noqa: FBT001
    expected: Verdict,
) -> None:
    files = Ground({"d/a.py": "use me\n"}.get)
    files.put(path, after)
    assert files.verdict((Matches("use", "d", ".py", listed, 0),)) == expected


def test_a_listing_claims_which_files_there_are() -> None:
    files = Ground({"d/a.py": "x\n"}.get)
    files.put("d/a.py", "y\n")
    assert files.verdict((Names("d", ".py", 0),)) == "fresh"
    files.put("d/b.py", "")
    assert files.verdict((Names("d", ".py", 0),)) == "stale"
    files.put("d/b.py", None)
    assert files.verdict((Names("d", ".py", 0),)) == "fresh"


def test_a_run_claims_the_whole_repository() -> None:
    files = ground(a_py=TEXT)
    files.put("b.py", "new\n")
    assert files.verdict((Everything(0),)) == "stale"
    assert files.verdict((Everything(1),)) == "fresh"
    files.put("b.py", None)
    assert files.verdict((Everything(0),)) == "fresh"


def test_all_claims_have_to_hold() -> None:
    files = ground(a_py=TEXT)
    files.put("a.py", TEXT + "five\n")
    assert files.verdict(()) == "fresh"
    assert files.verdict((*shown(1, 2), Everything(0))) == "stale"


LINES = st.lists(st.sampled_from("abc"), max_size=6)


@given(st.lists(LINES, min_size=1, max_size=5), st.integers(1, 6), st.integers(0, 3))
def test_what_is_called_stale_is_nowhere_in_the_file_and_all_else_is(
    states: list[list[str]], first: int, more: int
) -> None:
    before = states[0]
    last = min(first + more, len(before))
    if last < first:
        return
    files = ground(a_py="\n".join(before))
    for lines in states[1:]:
        files.put("a.py", "\n".join(lines))
    wanted, now = before[first - 1 : last], states[-1]
    stands = any(now[at : at + len(wanted)] == wanted for at in range(len(now)))
    assert (files.verdict(shown(first, last)) == "stale") == (not stands)
