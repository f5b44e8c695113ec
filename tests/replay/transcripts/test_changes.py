import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.replay.recording import Hunk
from statetape.replay.transcripts.changes import (
    diff_hunks,
    exact_hunks,
    indented_hunks,
    structured_hunks,
    untabbed,
)

LINES = st.lists(st.sampled_from(["a", "b", "", "\tc", "\t\td", "  e", "@@ -1 +1 @@", "--- x"]))


def applied(lines: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    after, at = [], 0
    for hunk in hunks:
        start = hunk.first - 1 if hunk.old else hunk.first
        assert tuple(lines[start : start + len(hunk.old)]) == hunk.old
        after += [*lines[at:start], *hunk.new]
        at = start + len(hunk.old)
    return after + lines[at:]


def diff(before: list[str], after: list[str], context: int = 3) -> list[str]:
    return list(difflib.unified_diff(before, after, n=context, lineterm=""))


@given(LINES, LINES, st.integers(0, 3))
def test_the_hunks_of_a_diff_make_one_side_of_the_other(
    before: list[str], after: list[str], context: int
) -> None:
    hunks = diff_hunks("\n".join(diff(before, after, context)))
    assert applied(before, hunks or ()) == after


@given(LINES, LINES)
def test_hunks_logged_without_tabs_are_found_again(before: list[str], after: list[str]) -> None:
    logged = diff_hunks("\n".join(diff(list(untabbed(before)), list(untabbed(after)))))
    exact = exact_hunks(logged or (), "\n".join(before), "\n".join(after))
    assert exact is not None
    changed = untabbed(before) != untabbed(after)
    assert applied(before, exact) == (after if changed else before)


@given(LINES, LINES, st.sampled_from(["", "\t", "    "]))
def test_indentation_that_a_diff_lost_is_found_again(
    before: list[str], after: list[str], indent: str
) -> None:
    bare = [
        [line for line in lines if line and not line.startswith(" ")] for lines in (before, after)
    ]
    indented = [[indent + line for line in lines] for lines in bare]
    hunks = diff_hunks("\n".join(diff(bare[0], bare[1])))
    found = indented_hunks(hunks, [*indented[0], *indented[1]]) if hunks else None
    assert found is None or applied(indented[0], found) == indented[1]
    if bare[0] != bare[1] and indent == "":
        assert found is not None


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "no diff at all",
        "@@ -1,2 +1,2 @@\n a\n",
        "@@ -1 +1 @@\nuser@example.com\n-a\n+b\n",
        f"@@ -{'9' * 5000} +1 @@\n-a\n+b\n",
    ],
)
def test_a_damaged_diff_has_no_hunks(damaged: str) -> None:
    assert diff_hunks(damaged) is None


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        [3],
        [{"oldStart": 1, "lines": []}],
        [{"oldStart": 1, "lines": [" a", 3]}],
        [{"oldStart": None, "lines": ["-a"]}],
        [{"oldStart": 1, "lines": ["user@example.com"]}],
    ],
)
def test_a_damaged_patch_has_no_hunks(damaged: object) -> None:
    assert structured_hunks(damaged) is None


def test_a_row_that_says_no_newline_is_no_line() -> None:
    assert diff_hunks("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n") == (
        Hunk(1, ("a",), ("b",)),
    )


def test_hunks_that_lead_elsewhere_are_not_exact() -> None:
    hunks = (Hunk(2, ("x",), ("y",)),)
    assert exact_hunks(hunks, "a\nx", "a\ny") == hunks
    assert exact_hunks(hunks, "x\na", "y\na") is None
    assert exact_hunks(hunks, "a\nx", "a\nz") is None
    assert exact_hunks((Hunk(-1, ("a",), ("a",)),), "a\nx", "a\nx") is None


def test_rows_that_only_change_places_tell_their_indentation() -> None:
    hunks = (Hunk(1, ("a", "b"), ("b", "a")),)
    assert indented_hunks(hunks, ["\ta", "\tb"]) == (Hunk(1, ("\ta", "\tb"), ("\tb", "\ta")),)
