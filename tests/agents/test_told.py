"""What a client tells of files in its own words, whatever the words are."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.numbered import numbered
from statetape.agents.told import file_noted, input_told, is_result_told, told

RESULT = "Result of calling the Read tool:\n"
NOTE = "Note: /r/a b.py {} Here are the relevant changes (shown with line numbers):\n"
DISK = NOTE.format("changed on disk since you last read it. Take it as it is.")
LINTER = NOTE.format("was modified, either by the user or by a linter. Take it as it is.")
WORDS = st.sampled_from(
    [
        RESULT,
        DISK,
        LINTER,
        "1\tx\n",
        "2\ty",
        "  3→z\n",
        "...\n",
        "\n",
        "<system-reminder>\n",
        "said",
    ]
)


@pytest.mark.parametrize("head", [RESULT, DISK, LINTER])
def test_lines_go_with_the_one_above_them(head: str) -> None:
    lines = "1\tx\n2\t\n...\n7\ty"
    text = f"before\n{head}{lines}\nafter\n8\tno more"
    assert [text[start:end] for start, end in told(text)] == [head + lines]
    rows = numbered(head + lines).rows
    assert [(row.row, row.number, row.line) for row in rows] == [
        (2, 1, "x"),
        (3, 2, ""),
        (5, 7, "y"),
    ]


def test_several_stand_in_one_text() -> None:
    text = f"{DISK}1\tx\n\n{RESULT}3\ty\n{DISK}no lines"
    assert [text[start:end] for start, end in told(text)] == [f"{DISK}1\tx", f"{RESULT}3\ty"]


def test_a_text_says_of_which_file_it_is() -> None:
    assert file_noted(DISK + "1\tx") == "/r/a b.py"
    assert file_noted(LINTER + "1\tx") == "/r/a b.py"
    assert file_noted("said\n" + DISK) is None
    assert is_result_told(RESULT + "1\tx")
    assert not is_result_told("said\n" + RESULT)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"file_path":"/r/a.py","limit":2}', {"file_path": "/r/a.py", "limit": 2}),
        ('{"file_path":"/r/{a}.py"}', {"file_path": "/r/{a}.py"}),
        ('{"file_path":', None),
        ("[1]", None),
        ('{"a":"\ud800"}', None),
    ],
)
def test_the_input_is_told_before_the_result(said: str, expected: object) -> None:
    line = f"Called the Read tool with the following input: {said}"
    assert input_told(line) == expected
    assert input_told(f"<system-reminder>\n{line}\n</system-reminder>\n") == expected
    assert input_told("said: " + line) is None


@given(st.lists(WORDS, max_size=12).map("".join) | st.text())
def test_whatever_is_said_runs_are_apart_and_in_order(text: str) -> None:
    spans = told(text)
    assert sorted(spans) == spans
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    for start, end in spans:
        piece = text[start:end]
        assert told(piece) == [(0, len(piece))]
        assert is_result_told(piece) or file_noted(piece) is not None
    input_told(text)
