import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.files import Memory
from statetape.types import Lines, Shown, SymbolId, Write
from statetape.workspace import Workspace

PATHS = ("a.py", "b.py", "docs/c.md")
TEXTS = st.one_of(st.none(), st.sampled_from([b"", b"x = 1\n", b"def f():\n    pass\n", b"\xff"]))


def workspace(**files: str) -> Workspace:
    return Workspace(Memory({f"{name}.py": text.encode() for name, text in files.items()}))


def put(space: Workspace, path: str, after: bytes | None) -> Write:
    write = Write(path, space.read(path), after)
    space.observe(write)
    return write


def shown(text: str, path: str = "a.py", first: int = 1) -> Shown:
    return Shown(path, Lines(first, first + text.count("\n")), Lines(1, 1), text)


def test_a_write_replaces_what_is_read_and_the_files_it_started_from_stay() -> None:
    files = Memory({"a.py": b"x = 1\n"})
    space = Workspace(files)
    put(space, "a.py", b"x = 2\n")
    assert space.read("a.py") == b"x = 2\n"
    assert files == {"a.py": b"x = 1\n"}


def test_created_files_are_listed_and_deleted_ones_are_not() -> None:
    space = workspace(a="", b="")
    put(space, "c.py", b"")
    put(space, "a.py", None)
    assert sorted(space.paths()) == ["b.py", "c.py"]
    assert space.read("a.py") is None
    assert space.text("a.py") is None
    assert space.facts("a.py") is None
    assert space.view(SymbolId("a.py", "")) is None


def test_the_text_has_plain_newlines_and_no_mark() -> None:
    space = Workspace(Memory({"a.py": b"\xef\xbb\xbfa\r\nb\r"}))
    assert space.text("a.py") == "a\nb\n"


def test_the_text_at_a_tick_is_that_before_all_later_writes() -> None:
    space = workspace(a="0", b="b")
    for text in (b"1", b"2", b"3"):
        put(space, "a.py", text)
        put(space, "b.py", text)
    assert [space.text_at("a.py", tick) for tick in range(7)] == ["0", "1", "1", "2", "2", "3", "3"]


def test_a_file_had_no_text_before_it_was_created() -> None:
    space = workspace()
    put(space, "a.py", b"x")
    assert space.text_at("a.py", 0) is None
    assert space.text_at("a.py", 1) == "x"


def test_writes_of_a_file_are_those_after_the_tick_oldest_first() -> None:
    space = workspace(a="")
    first = put(space, "a.py", b"1")
    put(space, "b.py", b"1")
    third = put(space, "a.py", b"2")
    assert list(space.writes_of("a.py", 0)) == [first, third]
    assert list(space.writes_of("a.py", 1)) == [third]
    assert list(space.writes_of("a.py", 3)) == []


def test_paths_written_since_a_tick_come_once_in_order() -> None:
    space = workspace()
    for path in ("b.py", "a.py", "b.py", "c.py"):
        put(space, path, path.encode())
    assert list(space.written_since(0)) == ["b.py", "a.py", "c.py"]
    assert list(space.written_since(2)) == ["b.py", "c.py"]


def test_the_entry_of_a_write_says_its_tick_and_what_drifted() -> None:
    space = workspace(a="def f():\n    return 1\n")
    put(space, "b.py", b"")
    entry = space.observe(Write("a.py", space.read("a.py"), b"def f():\n    return 2\n"))
    assert entry.tick == space.now == 2
    assert entry.drift.body == {SymbolId("a.py", "f")}


def test_lines_stand_as_whole_lines_only() -> None:
    space = workspace(a="a = 10\nb = 2\nc = 3")
    assert space.stands(shown("a = 10"), 0)
    assert space.stands(shown("c = 3", first=3), 0)
    assert space.stands(shown("b = 2\nc = 3", first=2), 0)
    assert not space.stands(shown("a = 1"), 0)
    assert not space.stands(shown("= 10"), 0)
    assert not space.stands(shown("a = 10\nc = 3"), 0)
    assert not space.stands(shown("a = 10", path="b.py"), 0)


def test_lines_stand_by_their_own_copy_from_their_own_tick_on() -> None:
    space = workspace(a="x = 1\nx = 1\n")
    put(space, "a.py", b"x = 2\nx = 1\n")
    assert not space.stands(shown("x = 1"), 0)
    assert space.stands(shown("x = 1", first=2), 0)
    assert space.stands(shown("x = 2"), 1)
    put(space, "a.py", b"x = 1\nx = 1\nx = 2\n")
    assert space.stands(shown("x = 1"), 0)
    assert space.stands(shown("x = 1", first=2), 1)
    assert space.stands(shown("x = 2"), 1)
    put(space, "a.py", b"y\nx = 1\nx = 1\nx = 2\n")
    put(space, "a.py", b"y\nx = 3\nx = 1\nx = 2\n")
    assert not space.stands(shown("x = 1", first=2), 3)
    assert space.stands(shown("x = 1", first=3), 3)


@given(st.lists(st.tuples(st.sampled_from(PATHS), TEXTS), max_size=12))
def test_the_state_is_a_function_of_what_the_files_hold(
    writes: list[tuple[str, bytes | None]],
) -> None:
    start = {"a.py": b"x = 1\n"}
    space = Workspace(Memory(start))
    states = {space.state: dict(start)}
    held = dict(start)
    for path, after in writes:
        put(space, path, after)
        held.pop(path, None)
        if after is not None:
            held[path] = after
        assert states.setdefault(space.state, dict(held)) == held
    for path in PATHS:
        put(space, path, start.get(path))
    assert space.state == 0


def test_an_empty_file_is_another_state_than_none() -> None:
    space = workspace()
    put(space, "a.py", b"")
    assert space.state != 0


def test_the_same_bytes_under_another_path_are_another_state() -> None:
    one, other = workspace(), workspace()
    put(one, "a.py", b"x")
    put(other, "b.py", b"x")
    assert one.state != other.state


def test_a_doubted_file_holds_nothing_until_it_is_written_again() -> None:
    space = workspace(m="a = 1\n")
    entry = space.doubt("m.py")
    assert entry.drift.body == {SymbolId("m.py", ""), SymbolId("m.py", "a")}
    assert space.text("m.py") is None
    assert space.digest(SymbolId("m.py", "")) is None
    assert not space.stands(shown("a = 1", "m.py"), 0)
    assert space.state != 0
    put(space, "m.py", b"a = 1\nb = 2\n")
    assert space.stands(shown("a = 1", "m.py"), 0)


@pytest.mark.parametrize("path", ["/elsewhere/x.py", "~/notes.md", "../other/x.py", "D:/x.py"])
def test_a_write_outside_the_repository_leaves_its_state(path: str) -> None:
    space = Workspace(Memory({}))
    space.observe(Write(path, None, b"x"))
    assert space.state == 0
