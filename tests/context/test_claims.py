"""What a step's texts are about, and when they were true."""

from collections.abc import Iterable

import pytest

from statetape.context.inventory import Inventory
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.tape import nomination
from statetape.types import (
    Action,
    Call,
    Edit,
    Lines,
    Query,
    Read,
    Record,
    RepositoryState,
    Result,
    Run,
    Search,
    Slot,
    Step,
    Symbols,
    Untracked,
    Write,
)
from statetape.workspace import Workspace

A = "import os\n\n\ndef load(path):\n    return os.stat(path)\n\n\ndef save():\n    return 1\n"
B = "def helper():\n    return 1\n\n\ndef unused():\n    return 2\n"
LONG = "".join(f"VALUE_{n} = {n}\n" for n in range(1, 101))


@pytest.fixture
def space() -> Workspace:
    return Workspace(
        Memory({"a.py": A.encode(), "b.py": B.encode(), "long.py": LONG.encode(), "empty.py": b""})
    )


def put(space: Workspace, path: str, after: str | None) -> None:
    space.observe(Write(path, space.read(path), None if after is None else after.encode()))


def edit(space: Workspace, path: str, old: str, new: str) -> None:
    text = space.text(path)
    assert text is not None
    assert old in text
    put(space, path, text.replace(old, new))


def records(
    space: Workspace,
    actions: Iterable[Action],
    text: str,
    *,
    batch: int | None = None,
    failed: bool = False,
) -> tuple[Record, ...]:
    result = Result(Slot("c", "result"), text, failed)
    step = Step(1, "other", tuple(actions), Call(Slot("c", "input"), "Tool", {"x": 1}), result)
    return Inventory(space, "/r", len).of_step(step, space.now if batch is None else batch)


def result(
    space: Workspace, *actions: Action, text: str, batch: int | None = None, failed: bool = False
) -> Record:
    return records(space, actions, text, batch=batch, failed=failed)[-1]


def symbols(held: Record) -> set[str]:
    assert isinstance(held.referent, Symbols | Query)
    return {str(symbol) for symbol in held.referent.views}


def lines(held: Record) -> list[tuple[str, Lines]]:
    assert isinstance(held.referent, Symbols | Query)
    return [(part.path, part.lines) for part in held.referent.shown]


def numbered(text: str, first: int = 1) -> str:
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(text.splitlines(), first))


def stale(space: Workspace, held: Record) -> bool:
    session = Session(space, POLICIES["control"], len, title=lambda _: "it")
    session.hold(held)
    session.catch_up()
    return held.slot in session.nominations


class TestReads:
    def test_a_read_is_about_the_symbols_on_its_lines_only(self, space: Workspace) -> None:
        held = result(space, Read("a.py", 8, 9), text=numbered("def save():\n    return 1", 8))
        assert symbols(held) == {"a.py::save"}
        assert lines(held) == [("a.py", Lines(8, 9))]
        assert isinstance(held.referent, Symbols)
        assert held.referent.whole

    def test_the_lines_are_those_that_the_text_shows_and_not_those_asked_for(
        self, space: Workspace
    ) -> None:
        held = result(space, Read("a.py", 1, 5), text=numbered("def save():\n    return 1", 8))
        assert symbols(held) == {"a.py::save"}

    def test_a_whole_file_is_about_all_its_symbols(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), text=numbered(A))
        assert symbols(held) == {"a.py::", "a.py::load", "a.py::save"}

    def test_several_files_in_one_result_are_each_found(self, space: Workspace) -> None:
        held = result(space, Read("b.py"), Read("a.py"), text=B + A)
        assert lines(held) == [("b.py", Lines(1, 6)), ("a.py", Lines(1, 9))]
        assert isinstance(held.referent, Symbols)
        assert held.referent.whole

    def test_several_ranges_of_one_file_are_each_found(self, space: Workspace) -> None:
        text = "import os\n\n\ndef load(path):\ndef save():\n    return 1\n"
        held = result(space, Read("a.py", 1, 4), Read("a.py", 8, 9), text=text)
        assert lines(held) == [("a.py", Lines(1, 4)), ("a.py", Lines(8, 9))]

    def test_a_read_stays_a_read_with_a_few_rows_of_other_text(self, space: Workspace) -> None:
        held = result(space, Read("long.py"), text=f"{LONG}\nexit 0")
        assert isinstance(held.referent, Symbols)
        assert held.referent.whole

    def test_rows_that_are_no_lines_make_it_more_than_its_lines(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), text=f"{A}one\ntwo\nthree\nfour\n")
        assert isinstance(held.referent, Symbols)
        assert not held.referent.whole

    def test_a_form_that_nobody_can_match_is_about_the_whole_file(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), text="2 functions, 9 lines")
        assert symbols(held) == {"a.py::", "a.py::load", "a.py::save"}
        assert isinstance(held.referent, Symbols)
        assert not held.referent.whole
        edit(space, "a.py", "return 1", "return 2")
        assert stale(space, held)

    def test_a_read_of_no_file_is_about_nothing(self, space: Workspace) -> None:
        held = result(space, Read("none.py"), text="no such file")
        assert held.referent == Untracked()

    def test_a_test_run_that_failed_is_of_the_repository_state(self, space: Workspace) -> None:
        run = Run("pytest", "test")
        failed = result(space, run, text="Exit code 1\n2 failed", failed=True)
        assert failed.referent == RepositoryState(space.state)
        refused = result(space, run, text="<tool_use_error>no</tool_use_error>", failed=True)
        assert refused.referent == Untracked()

    @pytest.mark.parametrize(
        ("text", "first"),
        [
            (f"Exit code 1\n{A}cat: none.py: No such file or directory", 1),
            ("Exit code 2\ndef save():\n    return 1\nsed: can't read x.py: No such file", 8),
        ],
    )
    def test_a_failed_command_is_about_the_lines_that_it_shows(
        self, space: Workspace, text: str, first: int
    ) -> None:
        held = result(space, Read("a.py", first), Read("none.py"), text=text, failed=True)
        assert lines(held) == [("a.py", Lines(first, 9))]
        assert isinstance(held.referent, Symbols)
        assert held.referent.whole
        edit(space, "a.py", "return 1", "return 2")
        assert stale(space, held)

    def test_a_failed_search_is_about_its_hits_or_that_there_are_none(
        self, space: Workspace
    ) -> None:
        text = "Exit code 2\na.py:4:def load(path):\ngrep: none: No such file or directory"
        found = result(space, Search("def load"), text=text, failed=True)
        assert lines(found) == [("a.py", Lines(4, 4))]
        nothing = result(space, Search("def store"), text="Exit code 1", failed=True)
        edit(space, "a.py", "save", "store")
        assert not stale(space, found)
        assert stale(space, nothing)

    def test_a_failed_read_that_shows_no_line_is_about_nothing(self, space: Workspace) -> None:
        text = "Exit code 1\ncat: a.py: Permission denied"
        assert result(space, Read("a.py"), text=text, failed=True).referent == Untracked()

    def test_a_repeated_read_is_about_nothing(self, space: Workspace) -> None:
        unchanged = "File unchanged since last read. Refer to the earlier result."
        assert result(space, Read("a.py"), text=unchanged).referent == Untracked()

    def test_a_symlink_is_read_as_its_target_text_or_as_nothing_wrong(
        self, space: Workspace
    ) -> None:
        put(space, "link.py", "a.py")
        held = result(space, Read("link.py"), text=numbered(A))
        assert symbols(held) == {"link.py::"}
        put(space, "link.py", "b.py")
        assert stale(space, held)

    def test_text_with_other_newlines_and_a_mark_is_matched(self, space: Workspace) -> None:
        space.observe(Write("dos.py", None, b"\xef\xbb\xbf" + B.replace("\n", "\r\n").encode()))
        held = result(space, Read("dos.py"), text=numbered(B))
        assert lines(held) == [("dos.py", Lines(1, 6))]

    def test_a_part_of_which_nothing_is_found_counts_too(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), Read("b.py"), text=A + "helper unused")
        edit(space, "b.py", "return 2", "return 3")
        assert stale(space, held)


class TestBirth:
    """A read and an edit in one parallel batch: `batch` is the tick before both."""

    def test_read_before_the_edit_was_seen_is_born_before_it(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), text=numbered(A), batch=0)
        edit(space, "a.py", "return 1", "return 2")
        assert held.born == 0
        assert stale(space, held)

    def test_the_old_text_after_the_edit_was_seen_was_true_before_it(
        self, space: Workspace
    ) -> None:
        edit(space, "a.py", A, "def other():\n    return 0\n")
        held = result(space, Read("a.py"), text=numbered(A), batch=0)
        assert held.born == 0
        assert symbols(held) == {"a.py::", "a.py::load", "a.py::save"}
        assert stale(space, held)

    def test_the_new_text_after_the_edit_was_seen_is_true_now(self, space: Workspace) -> None:
        edit(space, "a.py", "return 1", "return 2")
        held = result(space, Read("a.py"), text=numbered(space.text("a.py") or ""), batch=0)
        assert held.born == 1
        assert not stale(space, held)

    def test_the_old_text_is_old_though_nearly_all_of_it_still_stands(
        self, space: Workspace
    ) -> None:
        edit(space, "long.py", "VALUE_50 = 50\n", "VALUE_50 = 'fifty'\n")
        held = result(space, Read("long.py"), text=numbered(LONG), batch=0)
        assert held.born == 0
        assert stale(space, held)

    def test_the_old_text_is_old_though_some_lines_happen_to_stand_at_their_number(
        self, space: Workspace
    ) -> None:
        edit(space, "a.py", "import os\n", "import os\nimport re\nimport sys\n")
        edit(space, "a.py", "return 1", "return 2")
        held = result(space, Read("a.py"), text=numbered(A), batch=0)
        assert held.born == 0
        assert stale(space, held)

    def test_a_file_created_in_the_batch_is_read_as_it_is(self, space: Workspace) -> None:
        put(space, "new.py", B)
        held = result(space, Read("new.py"), text=numbered(B), batch=0)
        assert held.born == 1
        assert symbols(held) == {"new.py::", "new.py::helper", "new.py::unused"}
        assert not stale(space, held)

    def test_a_file_deleted_in_the_batch_was_read_before(self, space: Workspace) -> None:
        put(space, "b.py", None)
        held = result(space, Read("b.py"), text=numbered(B), batch=0)
        assert held.born == 0
        assert stale(space, held)

    def test_hits_from_before_the_edit_were_true_before_it(self, space: Workspace) -> None:
        edit(space, "a.py", "def save():", "def store():")
        text = "a.py:4:def load(path):\na.py:8:def save():"
        held = result(space, Search("def", ("a.py",)), text=text, batch=0)
        assert held.born == 0
        assert stale(space, held)

    def test_hits_from_behind_the_edit_are_true_now(self, space: Workspace) -> None:
        edit(space, "a.py", "def save():", "def store():")
        text = "a.py:4:def load(path):\na.py:8:def store():"
        held = result(space, Search("def", ("a.py",)), text=text, batch=0)
        assert held.born == 1
        assert not stale(space, held)


class TestRuns:
    @pytest.mark.parametrize("kind", ["test", "build", "query", "unknown"])
    def test_output_of_a_command_is_about_the_repository(self, space: Workspace, kind: str) -> None:
        held = result(space, Run("x", kind), text="ok")  # type: ignore[arg-type]
        assert held.referent == RepositoryState(space.state)

    def test_an_event_is_about_nothing(self, space: Workspace) -> None:
        assert result(space, Run("git push", "event"), text="ok").referent == Untracked()

    def test_a_read_beside_a_test_run_is_about_the_repository(self, space: Workspace) -> None:
        held = result(space, Read("a.py"), Run("pytest", "test"), text=A + "1 passed")
        assert isinstance(held.referent, RepositoryState)

    def test_a_read_beside_an_event_is_a_read(self, space: Workspace) -> None:
        held = result(space, Run("cd x", "event"), Read("a.py"), text=A)
        assert lines(held) == [("a.py", Lines(1, 9))]


class TestSearches:
    def test_hits_are_claims_on_their_lines(self, space: Workspace) -> None:
        held = result(space, Search("def"), text="a.py:4:def load(path):\nb.py:5:def unused():")
        assert lines(held) == [("a.py", Lines(4, 4)), ("b.py", Lines(5, 5))]
        assert symbols(held) == {"a.py::load", "b.py::unused"}

    def test_paths_may_be_spelled_in_full(self, space: Workspace) -> None:
        held = result(space, Search("def"), text="/r/a.py:4:def load(path):")
        assert lines(held) == [("a.py", Lines(4, 4))]

    def test_hits_without_a_path_are_of_the_one_file_searched(self, space: Workspace) -> None:
        held = result(space, Search("def", ("b.py",)), text="1:def helper():\n5:def unused():")
        assert lines(held) == [("b.py", Lines(1, 1)), ("b.py", Lines(5, 5))]

    def test_hits_in_unknown_files_are_left_out(self, space: Workspace) -> None:
        held = result(space, Search("def"), text="none.py:4:def load(path):")
        assert lines(held) == []

    def test_a_hit_whose_call_moves_is_no_falser(self, space: Workspace) -> None:
        put(space, "c.py", "from b import helper\n\n\ndef run():\n    return helper()\n")
        held = result(space, Search("helper", ("c.py",)), text="5:    return helper()")
        edit(space, "b.py", "def helper", "def renamed")
        assert not stale(space, held)

    def test_a_hit_that_changes_or_goes_is(self, space: Workspace) -> None:
        held = result(space, Search("def load"), text="a.py:4:def load(path):")
        edit(space, "a.py", "def load(path)", "def store(path)")
        assert stale(space, held)

    def test_a_change_beside_a_hit_is_not(self, space: Workspace) -> None:
        held = result(space, Search("def load"), text="a.py:4:def load(path):")
        edit(space, "a.py", "os.stat(path)", "os.lstat(path)")
        assert not stale(space, held)

    def test_a_new_match_makes_the_search_stale(self, space: Workspace) -> None:
        held = result(space, Search("def load"), text="a.py:4:def load(path):")
        edit(space, "b.py", "def unused", "def load_all")
        assert stale(space, held)

    def test_a_read_beside_a_search_is_a_claim_too(self, space: Workspace) -> None:
        text = f"a.py:4:def load(path):\n{B}"
        held = result(space, Search("def load", ("a.py",)), Read("b.py"), text=text)
        assert not stale(space, held)
        edit(space, "b.py", "return 2", "return 3")
        assert stale(space, held)

    def test_a_read_beside_a_search_of_which_nothing_is_found_counts_too(
        self, space: Workspace
    ) -> None:
        text = "a.py:4:def load(path):\nhelper unused"
        held = result(space, Search("def load", ("a.py",)), Read("b.py"), text=text)
        assert not stale(space, held)
        edit(space, "b.py", "return 2", "return 3")
        assert stale(space, held)

    def test_every_search_of_a_step_is_a_claim(self, space: Workspace) -> None:
        held = result(
            space,
            Search("def load", ("a.py",)),
            Search("def helper", ("b.py",)),
            text="a.py:4:def load(path):\nb.py:1:def helper():",
        )
        put(space, "b.py", B + "\n\ndef helper_too(): ...\n")
        assert stale(space, held)


class TestInputs:
    def of(self, space: Workspace, *edits: Edit) -> Record:
        return records(space, edits, "ok")[0]

    def test_the_agents_own_new_text_is_about_the_lines_it_put_in(self, space: Workspace) -> None:
        edit(space, "a.py", "return 1", "return 2")
        held = self.of(space, Edit("a.py", old="    return 1", new="    return 2"))
        assert lines(held) == [("a.py", Lines(9, 9))]
        assert symbols(held) == {"a.py::save"}
        edit(space, "a.py", "return 2", "return 3")
        assert stale(space, held)

    def test_a_whole_new_file_is_about_all_of_it(self, space: Workspace) -> None:
        held = self.of(space, Edit("a.py", content=A))
        assert lines(held) == [("a.py", Lines(1, 9))]

    def test_every_hunk_of_a_patch_counts(self, space: Workspace) -> None:
        patch = (("x", "def load(path):"), ("y", "    return 1"))
        held = self.of(space, Edit("a.py", patch=patch))
        assert lines(held) == [("a.py", Lines(4, 4)), ("a.py", Lines(9, 9))]

    def test_the_text_of_a_moved_file_is_looked_for_where_it_is(self, space: Workspace) -> None:
        held = self.of(space, Edit("old.py", new="    return 1", old="", moved_to="a.py"))
        assert lines(held) == [("a.py", Lines(9, 9))]

    def test_text_that_is_not_in_the_file_is_about_nothing(self, space: Workspace) -> None:
        assert self.of(space, Edit("a.py", new="never written")).referent == Untracked()
        assert self.of(space, Edit("a.py", new="")).referent == Untracked()
        assert self.of(space, Edit("none.py", new="x")).referent == Untracked()
        assert self.of(space, Edit("a.py", absent=True)).referent == Untracked()

    def test_moved_calls_do_not_falsify_what_the_agent_wrote(self, space: Workspace) -> None:
        put(space, "c.py", "from b import helper\n\n\ndef run():\n    return helper()\n")
        held = self.of(space, Edit("c.py", new="    return helper()"))
        edit(space, "b.py", "def helper", "def renamed")
        assert not stale(space, held)


class TestEditResults:
    def test_a_snippet_is_about_the_lines_that_it_shows(self, space: Workspace) -> None:
        edit(space, "a.py", "return 1", "return 2")
        text = (
            "The file /r/a.py has been updated. Here's the result of running `cat -n` on a "
            "snippet of the edited file:\n     8→def save():\n     9→    return 2"
        )
        held = result(space, Edit("a.py", old="return 1", new="return 2"), text=text)
        assert lines(held) == [("a.py", Lines(8, 9))]
        edit(space, "a.py", "return 2", "return 3")
        assert stale(space, held)

    def test_a_plain_word_of_success_is_about_nothing(self, space: Workspace) -> None:
        held = result(space, Edit("a.py", old="x", new="y"), text="The file has been updated.")
        assert held.referent == Untracked()


TWICE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


def put_in(space: Workspace, change: Edit) -> Record:
    call = Call(Slot("c", "input"), "Edit", {})
    step = Step(1, "edit", (change,), call, Result(Slot("c", "result"), "done"))
    return Inventory(space, "/r", len).of_step(step, space.now)[0]


def places(made: Record) -> list[Lines]:
    assert isinstance(made.referent, Symbols)
    return [part.lines for part in made.referent.shown]


def test_what_an_edit_put_in_is_not_another_copy_that_stood_there_before(space: Workspace) -> None:
    put(space, "t.py", TWICE)
    edit(space, "t.py", "return 2", "return 1")
    made = put_in(space, Edit("t.py", old="return 2", new="return 1"))
    assert places(made) == [Lines(6, 6)]
    edit(space, "t.py", "one():\n    return 1", "one():\n    return 3")
    assert nomination(made, space.tape, space) is None
    edit(space, "t.py", "two():\n    return 1", "two():\n    return 3")
    assert nomination(made, space.tape, space) is not None


def test_what_a_removal_leaves_is_not_another_copy_either(space: Workspace) -> None:
    put(space, "t.py", "def one():\n    return 1\n\n\ndef two():\n    x = 1\n    return 1\n")
    edit(space, "t.py", "    x = 1\n    return 1", "    return 1")
    removal = Edit("t.py", old="    x = 1\n    return 1", new="    return 1")
    assert places(put_in(space, removal)) == [Lines(6, 6)]


def test_of_several_edits_of_one_write_each_has_its_own_copy(space: Workspace) -> None:
    before = "a = 1\nb = 2\nsame = 0\nc = 3\nd = 4\n"
    put(space, "t.py", before)
    put(space, "t.py", "a = 1\nnew = 1\nnew = 2\nsame = 0\nc = 3\nsame = 0\n")
    first = Edit("t.py", old="b = 2", new="new = 1\nnew = 2")
    second = Edit("t.py", old="d = 4", new="same = 0")
    assert places(put_in(space, first)) == [Lines(2, 3)]
    assert places(put_in(space, second)) == [Lines(6, 6)]


def test_a_read_of_lines_that_look_like_hits_shows_them_whole(space: Workspace) -> None:
    sums = "".join(f"a.org/x{n} v1.0.0 h1:E5Sc{n}=\n" for n in range(9))
    put(space, "go.sum", sums)
    read = Step(
        1,
        "read",
        (Read("go.sum", 3, 5),),
        None,
        Result(Slot("c", "result"), "\n".join(sums.split("\n")[2:5])),
    )
    (made,) = Inventory(space, "/r", len).of_step(read, space.now)
    assert isinstance(made.referent, Symbols)
    assert made.referent.whole
    assert [part.lines for part in made.referent.shown] == [Lines(3, 5)]
