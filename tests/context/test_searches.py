import pytest

from statetape.context.inventory import Inventory
from statetape.context.searches import added, covers, lost, touches
from statetape.files import Memory
from statetape.types import Call, Query, Record, Result, Search, Slot, Step, Write
from statetape.workspace import Workspace

FILE = "import os\n\n\ndef load():\n    pass\n"
LOAD = Search("def load")


def put(space: Workspace, path: str, after: str | None) -> None:
    space.observe(Write(path, space.read(path), None if after is None else after.encode()))


def searched(space: Workspace, search: Search, text: str = "a.py:4:def load():") -> Record:
    call = Call(Slot("s", "input"), "Grep", {})
    step = Step(1, "search", (search,), call, Result(Slot("s", "result"), text))
    return Inventory(space, "/r", len).of_step(step, space.now)[-1]


def new(space: Workspace, held: Record) -> dict[str, list[int]] | None:
    assert isinstance(held.referent, Query)
    return added(held, held.referent, space)


@pytest.fixture
def space() -> Workspace:
    return Workspace(Memory({"a.py": FILE.encode(), "lib/b.py": b"x = 1\n"}))


class TestCovers:
    @pytest.mark.parametrize(
        ("paths", "path", "inside"),
        [
            ((), "a.py", True),
            (("",), "lib/b.py", True),
            ((".",), "lib/b.py", True),
            (("lib",), "lib/b.py", True),
            (("lib/",), "lib/b.py", True),
            (("lib",), "library/b.py", False),
            (("lib",), "lib.py", False),
            (("a.py",), "a.py", True),
            (("a.py",), "lib/a.py", False),
            (("src", "lib"), "lib/b.py", True),
            (("src", "docs"), "lib/b.py", False),
            (("src/*.py",), "lib/b.py", True),
        ],
    )
    def test_files_at_or_below_the_paths(
        self,
        paths: tuple[str, ...],
        path: str,
        inside: bool,  # noqa: FBT001
    ) -> None:
        assert covers(Search("x", paths), path) is inside

    @pytest.mark.parametrize(
        ("glob", "path", "inside"),
        [
            ("*.py", "a.py", True),
            ("*.py", "lib/deep/b.py", True),
            ("*.py", "a.ts", False),
            ("lib/*.py", "lib/b.py", True),
            ("lib/*.py", "src/b.py", False),
            ("test_?.py", "tests/test_a.py", True),
            ("*.{ts,tsx}", "a.py", True),
            ("!*.md", "a.py", True),
        ],
    )
    def test_files_that_the_glob_takes_and_all_where_it_is_not_understood(
        self,
        glob: str,
        path: str,
        inside: bool,  # noqa: FBT001
    ) -> None:
        assert covers(Search("x", (), glob), path) is inside

    def test_a_glob_does_not_reach_beyond_the_paths(self) -> None:
        assert not covers(Search("x", ("src",), "*.py"), "lib/b.py")
        assert not covers(Search("x", ("src",), "*.{py,ts}"), "lib/b.py")


class TestTouches:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("a\nb\n", "a\ndef load\nb\n"),
            ("a\ndef load\nb\n", "a\nb\n"),
            ("def load(x)\n", "def load(y)\n"),
            ("a\n", "a\ndef load"),
        ],
    )
    def test_a_write_of_a_matching_line(self, before: str, after: str) -> None:
        assert touches(LOAD, Write("a.py", before.encode(), after.encode()))

    def test_no_write_of_other_lines(self) -> None:
        write = Write("a.py", b"def load\nb\n", b"def load\nc\n")
        assert not touches(LOAD, write)

    def test_no_write_of_a_file_that_was_not_searched(self) -> None:
        write = Write("a.py", b"", b"def load\n")
        assert not touches(Search("def load", ("lib",)), write)

    def test_a_created_or_deleted_file_with_a_match(self) -> None:
        assert touches(LOAD, Write("a.py", None, b"def load\n"))
        assert touches(LOAD, Write("a.py", b"def load\n", None))
        assert not touches(LOAD, Write("a.py", None, b"def save\n"))

    def test_a_listing_by_created_and_deleted_files_alone(self) -> None:
        listing = Search(None, ("lib",))
        assert touches(listing, Write("lib/c.py", None, b""))
        assert touches(listing, Write("lib/c.py", b"", None))
        assert not touches(listing, Write("lib/c.py", b"", b"x"))
        assert not touches(listing, Write("c.py", None, b""))

    def test_a_fixed_pattern_means_itself(self) -> None:
        dots = Write("a.py", b"", b"axb\n")
        assert touches(Search("a.b"), dots)
        assert not touches(Search("a.b", fixed=True), dots)
        assert touches(Search("a.b(", fixed=True), Write("a.py", b"", b"a.b()\n"))

    def test_case_counts_unless_the_search_ignores_it(self) -> None:
        write = Write("a.py", b"", b"DEF LOAD\n")
        assert not touches(LOAD, write)
        assert touches(Search("def load", ignore_case=True), write)

    def test_line_anchors_are_of_each_line(self) -> None:
        write = Write("a.py", b"", b"one\ndef load\ntwo\n")
        assert touches(Search("^def load$"), write)
        assert not touches(Search("^load"), write)
        assert touches(Search(r"\Adef"), write)

    @pytest.mark.parametrize("pattern", ["(", "a{9999999}", "(?=a)", "\\1", "[", "\ud800"])
    def test_a_pattern_that_nobody_can_try_may_match_anything(self, pattern: str) -> None:
        assert touches(Search(pattern), Write("a.py", b"", b"zzz\n"))

    def test_a_pattern_that_explodes_elsewhere_takes_no_time(self) -> None:
        line = b"a" * 50_000
        assert not touches(Search("(a+)+(a+)+$b"), Write("a.py", b"", line))

    def test_files_that_are_no_text_are_searched_too(self) -> None:
        assert touches(LOAD, Write("a.bin", b"\x00\xff", b"\x00\xff\ndef load\xfe\n"))


class TestAdded:
    def test_nothing_where_nothing_was_written(self, space: Workspace) -> None:
        assert new(space, searched(space, LOAD)) == {}

    def test_new_matches_by_file_and_line(self, space: Workspace) -> None:
        held = searched(space, LOAD)
        put(space, "lib/b.py", "x = 1\ndef load(): ...\ny = 2\ndef load_all(): ...\n")
        put(space, "c.py", "def load(): ...")
        assert new(space, held) == {"lib/b.py": [2, 4], "c.py": [1]}

    def test_lines_that_only_move_are_not_new(self, space: Workspace) -> None:
        held = searched(space, LOAD)
        put(space, "a.py", "# above\n" + FILE)
        assert new(space, held) == {}

    def test_writes_before_the_search_do_not_count(self, space: Workspace) -> None:
        put(space, "c.py", "def load(): ...")
        assert new(space, searched(space, LOAD)) == {}

    def test_matches_that_came_and_went_are_not_new(self, space: Workspace) -> None:
        held = searched(space, LOAD)
        put(space, "c.py", "def load(): ...")
        assert new(space, held) == {"c.py": [1]}
        put(space, "c.py", None)
        assert new(space, held) == {}

    def test_files_outside_the_search_have_none(self, space: Workspace) -> None:
        held = searched(space, Search("def load", ("a.py",)))
        put(space, "c.py", "def load(): ...")
        assert new(space, held) == {}

    def test_a_changed_hit_that_still_matches_is_new(self, space: Workspace) -> None:
        held = searched(space, LOAD)
        put(space, "a.py", FILE.replace("load()", "load(path)"))
        assert new(space, held) == {"a.py": [4]}

    def test_a_listing_whose_files_changed_cannot_be_told(self, space: Workspace) -> None:
        held = searched(space, Search(None), "a.py\nlib/b.py")
        put(space, "a.py", "x = 2\n")
        assert new(space, held) == {}
        put(space, "c.py", "")
        assert new(space, held) is None

    def test_a_listing_of_matching_files_cannot_be_told_once_one_came_or_went(
        self, space: Workspace
    ) -> None:
        held = searched(space, LOAD, "a.py")
        put(space, "lib/b.py", "x = 2\n")
        put(space, "a.py", FILE.replace("import os", "import re"))
        assert new(space, held) == {}
        put(space, "lib/b.py", "def load(): ...")
        assert new(space, held) is None
        put(space, "lib/b.py", "x = 2\n")
        put(space, "a.py", FILE.replace("load", "save"))
        assert new(space, held) is None

    def test_a_pattern_that_nobody_can_try_cannot_be_told_after_a_write(
        self, space: Workspace
    ) -> None:
        held = searched(space, Search("def (?=load)"))
        assert new(space, held) == {}
        put(space, "lib/b.py", "y = 1\n")
        assert new(space, held) is None

    def test_a_search_that_found_nothing_is_one_that_may_find_something(
        self, space: Workspace
    ) -> None:
        held = searched(space, Search("def nothing"), "No matches found")
        put(space, "a.py", FILE + "\ndef nothing(): ...\n")
        assert new(space, held) is None


class TestLost:
    def lost(self, before: str, after: str, *patterns: str) -> bool:
        return lost(Query(tuple(Search(pattern) for pattern in patterns), {}), before, after)

    def test_lines_with_a_match_that_have_none_now(self) -> None:
        assert self.lost("a\ndef load\nb", "a\nb", "def load")
        assert not self.lost("def load", "x = def load", "def load")

    def test_lines_that_never_had_one_lose_none(self) -> None:
        assert not self.lost("beside a hit", "changed", "def load")

    def test_a_match_of_another_search_of_the_step_counts(self) -> None:
        assert not self.lost("def load", "def save", "def load", "def save")
        assert self.lost("def load", "def more", "def load", "def save")

    def test_where_a_pattern_cannot_be_tried_nothing_is_lost(self) -> None:
        assert not self.lost("def load", "more", "def load", "(?=a)")


class TestAListingOfFiles:
    LISTING = "Found 1 file\na.py"

    @pytest.mark.parametrize(
        "after",
        [FILE + "\n\ndef loading():\n    pass\n", FILE.replace("load()", "load_all()")],
    )
    def test_holds_while_its_file_has_a_match(self, space: Workspace, after: str) -> None:
        held = searched(space, LOAD, self.LISTING)
        put(space, "a.py", after)
        assert new(space, held) == {}

    @pytest.mark.parametrize(
        ("path", "after"),
        [("a.py", "import os\n"), ("a.py", None), ("lib/b.py", "def load():\n")],
    )
    def test_holds_no_more_once_a_file_comes_or_goes(
        self, space: Workspace, path: str, after: str | None
    ) -> None:
        held = searched(space, LOAD, self.LISTING)
        put(space, path, after)
        assert new(space, held) is None

    def test_of_another_file_with_the_same_name_says_nothing(self, space: Workspace) -> None:
        put(space, "lib/a.py", FILE)
        put(space, "a.py", "x = 1\n")
        held = searched(space, LOAD, "Found 1 file\nlib/a.py")
        put(space, "a.py", FILE)
        assert new(space, held) is None

    def test_is_not_a_count(self, space: Workspace) -> None:
        held = searched(space, LOAD, "a.py:1")
        put(space, "a.py", FILE + "\n\ndef loading():\n    pass\n")
        assert new(space, held) is None
