import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from statetape.agents.numbered import Row, numbered, renumbered, stub


def _told(text: str) -> list[tuple[int | None, str, str | None]]:
    return [(row.number, row.line, row.path) for row in numbered(text).rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\ta\n2\t\n3\tb\n4\t", [(1, "a"), (2, ""), (3, "b"), (4, "")]),
        ("     9→a\n    10→\tb", [(9, "a"), (10, "\tb")]),
        ("     1\tx\n     2\ty\n", [(1, "x"), (2, "y")]),
        ("    10\tx\n    11\ty\n   200\tz\n", [(10, "x"), (11, "y"), (200, "z")]),
        ("00009| a\n00010| b\n", [(9, "a"), (10, "b")]),
        ("1: a\n2: \n3:   b", [(1, "a"), (2, ""), (3, "  b")]),
        ("12:a\n13-b: c\n--\n20:  d", [(12, "a"), (13, "b: c"), (20, "  d")]),
        ("5:    a\n9:    b\n", [(5, "    a"), (9, "    b")]),
        ("5:    a", [(5, "    a")]),
        ("plain\ntext\n", [(None, "plain"), (None, "text")]),
        ("2031-01-02 a\n2031-01-03 b\n", [(None, "2031-01-02 a"), (None, "2031-01-03 b")]),
        ("1:30:01 up\n1:30:02 down\n", [(None, "1:30:01 up"), (None, "1:30:02 down")]),
        ("", []),
    ],
)
def test_forms_that_name_no_file(text: str, expected: list[tuple[int | None, str]]) -> None:
    assert _told(text) == [(number, line, None) for number, line in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/a.py:12:x: y\nsrc/a.py-13-z\n", [(12, "x: y", "src/a.py"), (13, "z", "src/a.py")]),
        ("v-2-x.py-3-q\nv-2-x.py:4:r", [(3, "q", "v-2-x.py"), (4, "r", "v-2-x.py")]),
        ("p/a.py:2:x\n/r/p/a.py-3-y: z", [(2, "x", "p/a.py"), (3, "y: z", "/r/p/a.py")]),
        ("My Docs/a.md:1:x", [(1, "x", "My Docs/a.md")]),
        ("D:\\p\\a.go:3:x\nD:\\p\\a.go-4-y", [(3, "x", "D:\\p\\a.go"), (4, "y", "D:\\p\\a.go")]),
        ("a.py:import x\nb.py:import y", [(None, "import x", "a.py"), (None, "import y", "b.py")]),
        (
            "src/a.py\n3:x\n4-y\n\nsrc/b.py\n1:z",
            [(3, "x", "src/a.py"), (4, "y", "src/a.py"), (1, "z", "src/b.py")],
        ),
        (
            "Found 3\n/p/a.ts:\n  Line 12: \tx\n\n  Line 40: y\n\n\n/p/b.ts:\n  Line 1: z\n",
            [(12, "\tx", "/p/a.ts"), (40, "y", "/p/a.ts"), (1, "z", "/p/b.ts")],
        ),
    ],
)
def test_forms_of_searches(text: str, expected: list[tuple[int | None, str, str]]) -> None:
    assert _told(text) == expected


@pytest.mark.parametrize(
    ("text", "lines", "cut", "code"),
    [
        ("1\ta\n\n<system-reminder>\nbe kind\n</system-reminder>\n", ["a"], False, None),
        ("<system-reminder>old</system-reminder>\n\n1\ta", ["a"], False, None),
        ("<system-reminder>[Truncated: PARTIAL view]</system-reminder>\n1\ta", ["a"], True, None),
        (
            (
                "<path>/p/a</path>\n<type>file</type>\n<content>\n1: a\n2: b\n\n"
                "(End of file - total 2 lines)\n</content>"
            ),
            ["a", "b"],
            False,
            None,
        ),
        (
            (
                "<path>/p/a</path>\n<type>file</type>\n<content>1: a\n2: b\n\n"
                "(File has more lines. Use 'offset' to read beyond line 2)\n</content>"
            ),
            ["a", "b"],
            True,
            None,
        ),
        (
            (
                "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\n"
                "Original token count: 3\nOutput:\na\nb\n"
            ),
            ["a", "b"],
            False,
            2,
        ),
        ("Script completed\nWall time 0.1 seconds\nOutput:\na\n", ["a"], False, None),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\na\n", ["a"], False, 0),
        ("Exit code 7\na", ["a"], False, 7),
        ("a\nb…120 tokens truncated…c\nd", ["a", "d"], True, None),
        ("a\n... [15 lines truncated] ...\nd", ["a", "d"], True, None),
        (
            "<persisted-output>\nOutput too large\n\nPreview (first 2KB):\na\n...\n",
            ["a"],
            True,
            None,
        ),
        (
            (
                "The file /p/a has been updated. Here's the result of running `cat -n` on a "
                "snippet of the edited file:\n     4→a\n     5→b"
            ),
            ["a", "b"],
            False,
            None,
        ),
        ("Output:\na", ["Output:", "a"], False, None),
    ],
)
def test_what_a_tool_says_around_a_text_is_left_out(
    text: str, lines: list[str], *, cut: bool, code: int | None
) -> None:
    told = numbered(text)
    assert [row.line for row in told.rows] == lines
    assert (told.cut, told.code) == (cut, code)


def test_a_wrapper_on_the_row_of_a_line_is_part_of_its_prefix() -> None:
    assert numbered("<path>a</path>\n<content>1: x\n2: y").rows == (
        Row(2, 1, "<content>1: ", "x"),
        Row(3, 2, "2: ", "y"),
    )


_CODE = st.text("ab(){}:=-→\t .,/'\"#", max_size=20)
_STYLES = st.sampled_from(["{n}\t", "{n:6d}\t", "{n:6d}→", "{n}: ", "{n:05d}| "])


@given(st.lists(_CODE, min_size=1, max_size=20), st.integers(1, 2_000), _STYLES)
def test_a_file_printed_with_numbers_reads_back(lines: list[str], first: int, style: str) -> None:
    assume(len(lines) > 1 or style != "{n}: ")
    prefixes = [style.format(n=number) for number in range(first, first + len(lines))]
    text = "\n".join(prefix + line for prefix, line in zip(prefixes, lines, strict=True))
    rows = numbered(text).rows
    assert [row.line for row in rows] == lines
    assert [row.number for row in rows] == list(range(first, first + len(lines)))
    assert [renumbered(row.prefix, row.number or 0) for row in rows] == prefixes


@given(st.lists(_CODE, min_size=1, max_size=20), st.integers(1, 2_000))
def test_search_hits_read_back(lines: list[str], first: int) -> None:
    text = "\n".join(f"src/x-1-y.py:{first + at}:{line}" for at, line in enumerate(lines))
    rows = numbered(text).rows
    assert [row.line for row in rows] == lines
    assert {row.path for row in rows} == {"src/x-1-y.py"}
    assert "\n".join(row.prefix + row.line for row in rows) == text


@given(st.text("1290ab:-\t→|\n <>/.,(){}LineFOutpusy", max_size=400))
def test_each_row_is_its_prefix_and_its_line(text: str) -> None:
    own = text.split("\n")
    for row in numbered(text).rows:
        assert row.prefix + row.line == own[row.row - 1]
        assert renumbered(row.prefix, 7) == row.prefix or row.number is not None


@pytest.mark.parametrize(
    ("prefix", "number", "expected"),
    [
        ("12\t", 7, "7\t"),
        ("    12→", 1_000, "  1000→"),
        ("     9\t", 1_000_000, "1000000\t"),
        ("00012| ", 5, "00005| "),
        ("src/a-1-b.py-12-", 5, "src/a-1-b.py-5-"),
        ("src/a.py:12:", 130, "src/a.py:130:"),
        ("  Line 3: ", 12, "  Line 12: "),
        ("<content>1: ", 3, "<content>3: "),
        ("src/v2:", 9, "src/v2:"),
        ("", 3, ""),
    ],
)
def test_a_prefix_keeps_its_form(prefix: str, number: int, expected: str) -> None:
    assert renumbered(prefix, number) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wasted call — file unchanged since your last Read. Refer to that.", True),
        ("File unchanged since last read. The content from the earlier", True),
        ("<system-reminder>File unchanged since last read</system-reminder>", True),
        ("file_unchanged", True),
        ("1\tFile unchanged since last read", False),
        ("", False),
    ],
)
def test_a_stub_shows_nothing(text: str, *, expected: bool) -> None:
    assert stub(text) is expected


@pytest.mark.parametrize(
    "row", ["", "\n", "a", "1:", "a.py:1:x", "-1-", "<system-reminder>", "a:b"]
)
def test_long_texts_take_linear_time(row: str) -> None:
    numbered("\n".join([row] * 10_000))
    numbered(row * 10_000)


SUMS = "a.org/x v1.0.0 h1:E5Sc=\na.org/x v1.0.0/go.mod h1:Jdep=\n"


def test_of_a_read_no_row_begins_with_the_path_of_another_file() -> None:
    assert [row.path for row in numbered(SUMS).rows] != [None, None]
    assert [(row.line, row.path) for row in numbered(SUMS, ("go.sum",)).rows] == [
        ("a.org/x v1.0.0 h1:E5Sc=", None),
        ("a.org/x v1.0.0/go.mod h1:Jdep=", None),
    ]


@pytest.mark.parametrize("of", [("src/a.py",), ("src/a.py", "b.py"), ("*.py",), ()])
def test_a_row_may_begin_with_the_path_of_a_file_that_is_read(of: tuple[str, ...]) -> None:
    assert [row.path for row in numbered("/r/src/a.py:3:x", of).rows] == ["/r/src/a.py"]
