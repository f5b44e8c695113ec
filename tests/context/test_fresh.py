"""What refresh puts in place of a record: its own form, with the text as it is now."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.context.fresh import refreshed
from statetape.context.inventory import Inventory
from statetape.context.wording import current, more_matches, stub
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.types import (
    Action,
    Call,
    Edit,
    Query,
    Read,
    Record,
    Result,
    Search,
    Slot,
    Step,
    Symbols,
    Write,
)
from statetape.workspace import Workspace

A = "import os\n\n\ndef load(path):\n    return os.stat(path)\n\n\ndef save():\n    return 1\n"
NINE = "".join(f"value_{n} = {n}\n" for n in range(1, 10))


@pytest.fixture
def space() -> Workspace:
    files = {"a.py": A, "nine.py": NINE, "b.py": "x = 1\ny = 2\nz = 3\n"}
    return Workspace(Memory({path: text.encode() for path, text in files.items()}))


def put(space: Workspace, path: str, after: str | None) -> None:
    space.observe(Write(path, space.read(path), None if after is None else after.encode()))


def edit(space: Workspace, path: str, old: str, new: str) -> None:
    text = space.text(path)
    assert text is not None
    assert old in text
    put(space, path, text.replace(old, new))


def numbered(text: str, first: int = 1, form: str = "{}\t") -> str:
    return "\n".join(form.format(n) + line for n, line in enumerate(text.splitlines(), first))


def held(space: Workspace, *actions: Action, text: str) -> Record:
    call = Call(Slot("c", "input"), "Tool", {})
    step = Step(1, "read", actions, call, Result(Slot("c", "result"), text))
    return Inventory(space, "/r", len).of_step(step, space.now)[-1]


def fresh(space: Workspace, record: Record) -> str:
    """The refreshed text without its closing line."""
    found = refreshed(record, space, len)
    assert found is not None
    text, mark, end = found.text.rpartition("\n")
    assert (mark, end) == ("\n", current())
    assert current() not in text
    assert found.tokens == len(found.text)
    assert found.born == space.now
    return text


class TestReads:
    def test_a_changed_line_is_shown_as_it_is_now(self, space: Workspace) -> None:
        record = held(space, Read("a.py", 8, 9), text=numbered("def save():\n    return 1", 8))
        edit(space, "a.py", "return 1", "return 2")
        assert fresh(space, record) == "8\tdef save():\n9\t    return 2"

    def test_a_whole_file_that_grew_is_shown_whole(self, space: Workspace) -> None:
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3"))
        put(space, "b.py", "w = 0\nx = 1\ny = 2\nz = 3\nlast = 4\n")
        assert fresh(space, record) == numbered("w = 0\nx = 1\ny = 2\nz = 3\nlast = 4")

    def test_a_whole_file_that_shrank_is_shown_whole(self, space: Workspace) -> None:
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3"))
        put(space, "b.py", "y = 7")
        assert fresh(space, record) == "1\ty = 7"

    def test_a_whole_file_shown_with_its_last_empty_row_is_whole_too(
        self, space: Workspace
    ) -> None:
        record = held(space, Read("b.py"), text="1\tx = 1\n2\ty = 2\n3\tz = 3\n4\t")
        put(space, "b.py", "x = 1\ny = 2\nz = 3\nlast = 4\n")
        assert fresh(space, record) == numbered("x = 1\ny = 2\nz = 3\nlast = 4")

    def test_a_part_does_not_grow_with_the_file(self, space: Workspace) -> None:
        record = held(space, Read("b.py", 1, 2), text=numbered("x = 1\ny = 2"))
        put(space, "b.py", "x = 1\ny = 3\nz = 3\nlast = 4\n")
        assert fresh(space, record) == "1\tx = 1\n2\ty = 3"

    def test_a_range_that_moved_has_its_new_numbers(self, space: Workspace) -> None:
        record = held(space, Read("a.py", 8, 9), text=numbered("def save():\n    return 1", 8))
        edit(space, "a.py", "import os\n", "import os\nimport re\nimport sys\n")
        edit(space, "a.py", "return 1", "return 2")
        assert fresh(space, record) == "10\tdef save():\n11\t    return 2"

    def test_numbers_stay_aligned(self, space: Workspace) -> None:
        text = numbered(NINE, form="{:>6}→")
        record = held(space, Read("nine.py"), text=text)
        put(space, "nine.py", NINE + "value_10 = 10\n")
        assert fresh(space, record) == numbered(NINE + "value_10 = 10\n", form="{:>6}→")

    def test_inserted_lines_within_a_range_are_shown(self, space: Workspace) -> None:
        record = held(space, Read("a.py", 8, 9), text=numbered("def save():\n    return 1", 8))
        edit(space, "a.py", "    return 1", "    # why\n    return 1")
        assert fresh(space, record) == "8\tdef save():\n9\t    # why\n10\t    return 1"

    def test_deleted_lines_within_a_range_are_not(self, space: Workspace) -> None:
        text = numbered("def load(path):\n    return os.stat(path)\n\n\ndef save():", 4)
        record = held(space, Read("a.py", 4, 8), text=text)
        edit(space, "a.py", "    return os.stat(path)\n\n\n", "")
        assert fresh(space, record) == "4\tdef load(path):\n5\tdef save():"

    def test_there_is_nothing_to_show_where_all_lines_are_gone(self, space: Workspace) -> None:
        record = held(space, Read("a.py", 8, 9), text=numbered("def save():\n    return 1", 8))
        edit(space, "a.py", "def save():\n    return 1\n", "")
        assert refreshed(record, space, len) is None

    def test_there_is_nothing_to_show_of_a_file_that_is_gone_or_empty(
        self, space: Workspace
    ) -> None:
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3"))
        put(space, "b.py", "")
        assert refreshed(record, space, len) is None
        put(space, "b.py", None)
        assert refreshed(record, space, len) is None

    def test_text_without_numbers_stays_without(self, space: Workspace) -> None:
        record = held(space, Read("a.py"), text=A)
        edit(space, "a.py", "return 1", "return 2")
        assert fresh(space, record) == A.replace("return 1", "return 2")

    def test_every_run_of_several_files_is_shown_anew_and_words_between_stay(
        self, space: Workspace
    ) -> None:
        text = f"{NINE}== b.py\nx = 1\ny = 2\nz = 3"
        record = held(space, Read("nine.py"), Read("b.py"), text=text)
        edit(space, "nine.py", "value_1 = 1\n", "value_0 = 0\nvalue_1 = 1\n")
        edit(space, "b.py", "y = 2\n", "")
        assert fresh(space, record) == f"value_0 = 0\n{NINE}== b.py\nx = 1\nz = 3"

    def test_one_of_several_files_may_be_gone(self, space: Workspace) -> None:
        record = held(space, Read("nine.py"), Read("b.py"), text=f"{NINE}x = 1\ny = 2\nz = 3")
        put(space, "nine.py", None)
        assert fresh(space, record) == "x = 1\ny = 2\nz = 3"

    def test_words_around_the_lines_stay(self, space: Workspace) -> None:
        foot = "\n\n<system-reminder>\nBe careful.\n</system-reminder>"
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3") + foot)
        edit(space, "b.py", "y = 2", "y = 3")
        assert fresh(space, record) == numbered("x = 1\ny = 3\nz = 3") + foot

    def test_a_cut_line_is_shown_whole_once_it_is_refreshed(self, space: Workspace) -> None:
        long = "x" * 3_000
        put(space, "long.py", f"a = 1\n{long}\n")
        record = held(space, Read("long.py"), text=f"1\ta = 1\n2\t{long[:2_000]}")
        edit(space, "long.py", "a = 1", "a = 2")
        assert fresh(space, record) == f"1\ta = 2\n2\t{long}"

    def test_what_shows_more_than_lines_cannot_be_shown_anew(self, space: Workspace) -> None:
        record = held(space, Read("a.py"), text="2 functions")
        edit(space, "a.py", "return 1", "return 2")
        assert refreshed(record, space, len) is None

    def test_the_agents_own_input_is_not_shown_anew(self, space: Workspace) -> None:
        edits = (Edit("a.py", old="    return 0", new="    return 1"),)
        step = Step(1, "edit", edits, Call(Slot("c", "input"), "Edit", {}))
        (record,) = Inventory(space, "/r", len).of_step(step, 0)
        assert isinstance(record.referent, Symbols)
        assert refreshed(record, space, len) is None


class TestAgain:
    def test_a_text_refreshed_twice_has_one_closing_line(self, space: Workspace) -> None:
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3"))
        edit(space, "b.py", "y = 2", "y = 3")
        once = refreshed(record, space, len)
        assert once is not None
        edit(space, "b.py", "y = 3\n", "y = 4\nyy = 5\n")
        assert fresh(space, once) == numbered("x = 1\ny = 4\nyy = 5\nz = 3")

    def test_a_refreshed_record_is_true_until_the_next_write(self, space: Workspace) -> None:
        record = held(space, Read("b.py"), text=numbered("x = 1\ny = 2\nz = 3"))
        session = Session(space, POLICIES["default"], len, title=lambda _: "it")
        session.hold(record)
        for value in range(10, 14):
            put(space, "b.py", f"x = 1\ny = {value}\nz = 3\n")
            session.catch_up()
            assert record.slot in session.nominations
            session.request()
            assert record.slot not in session.nominations
            assert f"2\ty = {value}" in session.held[record.slot].text

    def test_the_runs_of_a_refreshed_record_are_where_it_says(self, space: Workspace) -> None:
        text = f"{NINE}== b.py\nx = 1\ny = 2\nz = 3"
        record = held(space, Read("nine.py"), Read("b.py"), text=text)
        edit(space, "nine.py", "value_1 = 1\n", "")
        once = refreshed(record, space, len)
        assert once is not None
        assert isinstance(once.referent, Symbols)
        rows = once.text.split("\n")
        for part in once.referent.shown:
            assert "\n".join(rows[part.rows.first - 1 : part.rows.last]) == part.text
            lines = (space.text(part.path) or "").split("\n")
            assert "\n".join(lines[part.lines.first - 1 : part.lines.last]) == part.text


class TestSearches:
    @pytest.fixture
    def found(self, space: Workspace) -> Record:
        return held(space, Search("def"), text="a.py:4:def load(path):\na.py:8:def save():")

    def after(self, space: Workspace, record: Record) -> Record:
        session = Session(space, POLICIES["default"], len, title=lambda _: "the search")
        session.hold(record)
        session.request()
        return session.held[record.slot]

    def test_a_hit_that_moved_has_its_new_number(self, space: Workspace, found: Record) -> None:
        edit(space, "a.py", "import os\n", "import os\nimport re\n")
        edit(space, "a.py", "def load(path)", "def load(path, mode)")
        now = self.after(space, found)
        assert "a.py:9:def save():" in now.text.split("\n")

    def test_a_hit_that_is_gone_is_left_out(self, space: Workspace, found: Record) -> None:
        edit(space, "a.py", "def load(path):\n    return os.stat(path)\n\n\n", "")
        assert self.after(space, found).text == f"a.py:4:def save():\n{current()}"

    def test_new_matches_are_listed_behind_the_old_ones(
        self, space: Workspace, found: Record
    ) -> None:
        put(space, "b.py", "x = 1\ndef more(): ...\n")
        assert self.after(space, found).text == (
            f"{found.text}\n{more_matches()}\nb.py:2:def more(): ...\n{current()}"
        )

    def test_a_hit_that_matches_no_more_is_left_out(self, space: Workspace, found: Record) -> None:
        edit(space, "a.py", "def save():", "save = 1")
        assert self.after(space, found).text == f"a.py:4:def load(path):\n{current()}"

    def test_a_hit_that_changed_and_still_matches_is_listed_once(
        self, space: Workspace, found: Record
    ) -> None:
        edit(space, "a.py", "def save():", "def save(path):")
        assert self.after(space, found).text == (
            f"a.py:4:def load(path):\na.py:8:def save(path):\n{current()}"
        )

    def test_lines_read_beside_a_search_stay_whether_they_match_or_not(
        self, space: Workspace
    ) -> None:
        text = "a.py:4:def load(path):\nx = 1\ny = 2\nz = 3"
        record = held(space, Search("def|y = 2"), Read("b.py"), text=text)
        edit(space, "b.py", "y = 2", "y = 3")
        rows = self.after(space, record).text.split("\n")
        assert rows[:4] == ["a.py:4:def load(path):", "x = 1", "y = 3", "z = 3"]

    def test_lines_around_a_hit_are_shown_as_they_are_now(self, space: Workspace) -> None:
        text = "a.py-7-\na.py:8:def save():\na.py-9-    return 1"
        record = held(space, Search("def save"), text=text)
        edit(space, "a.py", "return 1", "return 2")
        rows = self.after(space, record).text.split("\n")
        assert rows[1:3] == ["a.py:8:def save():", "a.py-9-    return 2"]

    def test_new_matches_have_one_heading_however_often_they_come(
        self, space: Workspace, found: Record
    ) -> None:
        session = Session(space, POLICIES["default"], len, title=lambda _: "the search")
        session.hold(found)
        for name in ("b", "c"):
            put(space, f"{name}.py", f"def {name}(): ...\n")
            session.request()
        assert session.held[found.slot].text == (
            f"{found.text}\n{more_matches()}\nb.py:1:def b(): ...\nc.py:1:def c(): ...\n{current()}"
        )

    def test_new_matches_are_claims_from_then_on(self, space: Workspace, found: Record) -> None:
        put(space, "b.py", "x = 1\ndef more(): ...\n")
        session = Session(space, POLICIES["default"], len, title=lambda _: "the search")
        session.hold(found)
        session.request()
        edit(space, "b.py", "x = 1\n", "x = 1\nw = 0\n")
        session.catch_up()
        assert not session.nominations
        edit(space, "b.py", "def more(): ...", "more = 1")
        session.catch_up()
        assert found.slot in session.nominations
        session.request()
        assert session.held[found.slot].text == (f"{found.text}\n{more_matches()}\n{current()}")

    def test_a_form_without_file_names_gets_them_for_new_matches(self, space: Workspace) -> None:
        record = held(space, Search("def", ("a.py",)), text="4:def load(path):\n8:def save():")
        put(space, "a.py", A + "\n\ndef more(): ...\n")
        rows = self.after(space, record).text.split("\n")
        assert rows[:2] == ["4:def load(path):", "8:def save():"]
        assert "a.py:12:def more(): ..." in rows

    def test_more_new_matches_than_fit_ask_to_search_again(
        self, space: Workspace, found: Record
    ) -> None:
        put(space, "b.py", "".join(f"def f{n}(): ...\n" for n in range(20)))
        assert "b.py:20:def f19(): ..." in self.after(space, found).text
        put(space, "b.py", "".join(f"def f{n}(): ...\n" for n in range(21)))
        now = self.after(space, found)
        assert now.text == stub("the search")

    def test_a_search_none_of_whose_hits_is_left_asks_to_search_again(
        self, space: Workspace, found: Record
    ) -> None:
        put(space, "a.py", None)
        now = self.after(space, found)
        assert not isinstance(now.referent, Query)
        assert now.text == stub("the search")


LINE = st.sampled_from(["a = 1", "b = 2", "", "    pass", "def f():", "x" * 50])
TEXT = st.lists(LINE, min_size=1, max_size=12).filter(lambda lines: any(map(str.strip, lines)))
FORMS: list[Callable[[list[str], int], str]] = [
    lambda lines, first: "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first)),
    lambda lines, first: "\n".join(f"{n:>6}→{line}" for n, line in enumerate(lines, first)),
]


@given(TEXT, st.lists(TEXT, min_size=1, max_size=4), st.sampled_from(FORMS), st.data())
def test_every_row_of_a_refreshed_read_says_what_its_line_says(
    before: list[str],
    later: list[list[str]],
    form: Callable[[list[str], int], str],
    data: st.DataObject,
) -> None:
    space = Workspace(Memory({"a.py": "\n".join(before).encode()}))
    first = data.draw(st.integers(1, len(before)))
    last = data.draw(st.integers(first, len(before)))
    record: Record | None = held(
        space, Read("a.py", first, last), text=form(before[first - 1 : last], first)
    )
    for lines in later:
        put(space, "a.py", "\n".join(lines))
        record = None if record is None else refreshed(record, space, len)
        if record is not None:
            rows = record.text.split("\n")
            assert rows[-1] == current()
            for row in rows[:-1]:
                number, _, text = row.replace("→", "\t").partition("\t")
                assert lines[int(number) - 1] == text
