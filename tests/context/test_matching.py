from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.numbered import Row, numbered
from statetape.context.matching import hits, shown
from statetape.types import Lines, Shown

FILE = "import os\n\n\ndef load(path):\n    return os.stat(path)\n\n\ndef save():\n    pass\n"


def found(text: str, result: str, first: int | None = None) -> list[tuple[int, ...]]:
    """Each run as (first line, last line, first row, last row)."""
    parts = shown("a.py", text, numbered(result).rows, first)
    return [(*part.lines, *part.rows) for part in parts]


def rows_of(*lines: str, start: int = 1) -> list[Row]:
    return [Row(row, None, "", line) for row, line in enumerate(lines, start)]


class TestNumbered:
    def test_rows_are_taken_at_the_number_they_state(self) -> None:
        result = "4\tdef load(path):\n5\t    return os.stat(path)"
        (part,) = shown("a.py", FILE, numbered(result).rows)
        assert part == Shown(
            "a.py",
            Lines(4, 5),
            Lines(1, 2),
            "def load(path):\n    return os.stat(path)",
            ("4\t", "5\t"),
        )

    def test_padded_numbers_are_numbers(self) -> None:
        result = "     4→def load(path):\n     5→    return os.stat(path)"
        (part,) = shown("a.py", FILE, numbered(result).rows)
        assert (part.lines, part.prefixes) == (Lines(4, 5), ("     4→", "     5→"))

    def test_a_row_that_says_something_else_is_no_line_of_the_file(self) -> None:
        result = "3\t\n4\tdef load(other):\n5\t    return os.stat(path)"
        assert found(FILE, result) == [(3, 3, 1, 1), (5, 5, 3, 3)]

    def test_rows_at_the_wrong_number_are_not_looked_for_elsewhere(self) -> None:
        assert found(FILE, "1\tdef load(path):\n2\t    return os.stat(path)") == []

    def test_numbers_outside_the_file_are_no_lines(self) -> None:
        assert found("a = 1\nb = 2", "1\ta = 1\n2\tb = 2\n3\tc = 3\n4\td = 4") == [(1, 2, 1, 2)]
        assert shown("a.py", "a", [Row(1, 0, "0\t", "a")]) == ()

    def test_a_gap_in_the_numbers_starts_a_new_run(self) -> None:
        result = "1\timport os\n4\tdef load(path):\n5\t    return os.stat(path)"
        assert found(FILE, result) == [(1, 1, 1, 1), (4, 5, 2, 3)]

    def test_a_gap_in_the_rows_starts_a_new_run(self) -> None:
        rows = [Row(1, 4, "4\t", "def load(path):"), Row(3, 5, "5\t", "    return os.stat(path)")]
        assert [part.lines for part in shown("a.py", FILE, rows)] == [Lines(4, 4), Lines(5, 5)]

    def test_the_empty_row_behind_the_last_newline_has_no_text(self) -> None:
        (part,) = shown("a.py", "a = 1\nb = 2\n", numbered("1\ta = 1\n2\tb = 2\n3\t").rows)
        assert (part.lines, part.rows, part.text) == (Lines(1, 2), Lines(1, 3), "a = 1\nb = 2")

    def test_a_last_line_without_newline_is_a_line(self) -> None:
        (part,) = shown("a.py", "a = 1\nb = 2", numbered("1\ta = 1\n2\tb = 2").rows)
        assert (part.lines, part.text) == (Lines(1, 2), "a = 1\nb = 2")

    def test_an_empty_line_within_the_file_is_a_line(self) -> None:
        (part,) = shown("a.py", FILE, numbered("1\timport os\n2\t").rows)
        assert (part.lines, part.text) == (Lines(1, 2), "import os\n")


class TestLines:
    def test_trailing_blanks_may_be_cut(self) -> None:
        text = "a = 1   \nb = 2\t\n"
        (part,) = shown("a.py", text, numbered("1\ta = 1\n2\tb = 2").rows)
        assert part.text == "a = 1   \nb = 2\t"

    def test_leading_blanks_may_not(self) -> None:
        assert found("    a = 1\n", "1\ta = 1") == []

    def test_an_empty_row_is_no_line_of_blanks(self) -> None:
        assert found("a = 1\n    \nb = 2\n", "1\ta = 1\n2\t\n3\tb = 2") == [
            (1, 1, 1, 1),
            (3, 3, 3, 3),
        ]

    def test_the_head_of_a_very_long_line_is_its_line_and_the_text_is_the_whole(self) -> None:
        long = "x" * 5_000
        (part,) = shown("a.py", f"a\n{long}\n", numbered(f"1\ta\n2\t{long[:2_000]}").rows)
        assert part.text == f"a\n{long}"

    def test_a_cut_line_may_end_in_a_mark(self) -> None:
        long = "x" * 5_000
        rows = numbered(f"1\ta\n2\t{long[:2_000]}... (line truncated)").rows
        (part,) = shown("a.py", f"a\n{long}\n", rows)
        assert part.lines == Lines(1, 2)

    def test_the_head_of_a_shorter_line_is_not(self) -> None:
        assert found(f"{'x' * 900}{'y' * 900}\n", f"1\t{'x' * 900}") == []

    def test_another_very_long_line_is_not(self) -> None:
        assert found("y" * 5_000, f"1\t{'x' * 2_000}") == []


class TestPlain:
    def test_a_whole_file_is_found_at_its_first_line(self) -> None:
        assert found(FILE, FILE) == [(1, 9, 1, 9)]

    def test_a_text_without_numbers_has_no_prefixes(self) -> None:
        (part,) = shown("a.py", FILE, numbered(FILE).rows)
        assert part.prefixes == ()

    def test_a_range_is_found_at_the_line_that_the_command_named(self) -> None:
        text = "a\nb\na\nb\n"
        assert found(text, "a\nb", first=3) == [(3, 4, 1, 2)]
        assert found(text, "a\nb") == [(1, 2, 1, 2)]

    def test_a_range_elsewhere_than_named_is_found_where_it_stands(self) -> None:
        text = "def load(path):\n    return os.stat(path)\n\n\ndef save():"
        assert found(FILE, text, first=2) == [(4, 8, 1, 5)]

    def test_lines_in_the_middle_of_other_output_are_found(self) -> None:
        shown_lines = "def load(path):\n    return os.stat(path)\n"
        result = f"== a.py ==\n{shown_lines}\n== done =="
        assert found(FILE, result) == [(4, 6, 2, 4)]

    def test_short_runs_of_common_lines_are_left_out(self) -> None:
        assert found("if x:\n    pass\n}\n", "hello\n    pass\nworld") == []
        assert found("a\nb\nc\n", "hello\na\nb\nworld") == []

    def test_three_lines_or_one_long_one_are_enough(self) -> None:
        assert found("a\nb\nc\n", "hello\na\nb\nc\nworld") == [(1, 3, 2, 4)]
        long = "the_only_line_of_its_kind_in_all_world=1"
        assert len(long) == 40
        assert found(f"a\n{long}\n", f"hello\n{long}\nworld") == [(2, 2, 2, 2)]

    def test_of_several_places_the_longest_run_is_taken(self) -> None:
        text = "x\na\nb\n\nx\na\nb\nc\nd\n"
        assert found(text, "said\nx\na\nb\nc\nd") == [(5, 9, 2, 6)]

    def test_two_runs_with_words_between_are_two(self) -> None:
        result = "a\nb\nc\n-----\ne\nf\ng"
        assert found("a\nb\nc\nd\ne\nf\ng\n", result) == [(1, 3, 1, 3), (5, 7, 5, 7)]

    def test_rows_below_the_first_keep_their_place_in_the_text(self) -> None:
        (part,) = shown("a.py", "a\nb\nc\n", rows_of("a", "b", "c", start=7))
        assert part.rows == Lines(7, 9)


class TestHits:
    def of(self, text: str, result: str) -> list[tuple[int, int, str]]:
        parts = hits("a.py", text, numbered(result).rows)
        return [(part.lines.first, part.rows.first, part.text) for part in parts]

    def test_are_checked_at_their_number(self) -> None:
        assert self.of(FILE, "4:def load(path):\n8:def save():") == [
            (4, 1, "def load(path):"),
            (8, 2, "def save():"),
        ]

    def test_that_say_something_else_are_none(self) -> None:
        assert self.of(FILE, "4:def load(path):\n8:def store():") == [(4, 1, "def load(path):")]

    def test_without_numbers_are_the_first_line_that_says_the_same(self) -> None:
        text = "a = 1\nb = 2\nb = 2\n"
        parts = hits("a.py", text, rows_of("b = 2", "c = 3"))
        assert [part.lines for part in parts] == [Lines(2, 2)]

    def test_empty_rows_are_no_hits(self) -> None:
        assert hits("a.py", FILE, [Row(1, 2, "2:", ""), Row(2, None, "", "  ")]) == ()

    def test_of_neighbouring_lines_are_one_run(self) -> None:
        rows = numbered("4:def load(path):\n5:    return os.stat(path)").rows
        (part,) = hits("a.py", FILE, rows)
        assert (part.lines, part.prefixes) == (Lines(4, 5), ("4:", "5:"))


LINE = st.sampled_from(["", "a", "b", "    return 1", "x" * 45, "}", "  ", "é\udcff"])
TEXT = st.lists(LINE, max_size=15).map("\n".join)
ROW = st.builds(
    Row,
    st.just(0),
    st.one_of(st.none(), st.integers(0, 20)),
    st.sampled_from(["", "1\t"]),
    LINE,
)


@given(TEXT, st.lists(ROW, max_size=15), st.one_of(st.none(), st.integers(0, 20)))
def test_whatever_the_rows_each_run_says_what_the_file_says(
    text: str, rows: list[Row], first: int | None
) -> None:
    placed = [row._replace(row=at) for at, row in enumerate(rows, 1)]
    lines = text.split("\n")
    for parts in (shown("a.py", text, placed, first), hits("a.py", text, placed)):
        taken = [row for part in parts for row in range(part.rows.first, part.rows.last + 1)]
        assert len(taken) == len(set(taken))
        assert taken == sorted(taken)
        for part in parts:
            assert 1 <= part.lines.first <= part.lines.last <= len(lines)
            assert part.text == "\n".join(lines[part.lines.first - 1 : part.lines.last])


@given(TEXT.filter(lambda text: text.strip()))
def test_a_file_shown_with_numbers_is_shown_whole(text: str) -> None:
    lines = text.split("\n")
    rows = [Row(n, n, f"{n}\t", line) for n, line in enumerate(lines, 1)]
    parts = shown("a.py", text, rows)
    assert [row for part in parts for row in range(part.rows.first, part.rows.last + 1)] == list(
        range(1, len(lines) + 1)
    )
