"""The oracle: it finds what a sabotaged tape misses, and what it names for nothing."""

from collections.abc import Iterable

import pytest

from statetape.files import Memory
from statetape.replay.check import Oracle, standing
from statetape.types import (
    Action,
    Nomination,
    Read,
    Record,
    Result,
    Run,
    Slot,
    Step,
    SymbolId,
    Untracked,
)

TEXT = "one = 1\ntwo = 2\nthree = 3\n"
SLOT = Slot("c", "result")


def read(text: str, *actions: Action, name: str = "c", failed: bool = False) -> Step:
    return Step(
        1, "read", actions or (Read("a.py"),), None, Result(Slot(name, "result"), text, failed)
    )


def named(*slots: Slot, dispatch: Iterable[SymbolId] = ()) -> dict[Slot, Nomination]:
    return {
        slot: Nomination(
            Record(slot, 1, "read", "", Untracked(), 0, 0),
            frozenset(),
            frozenset(dispatch),
            1,
            "refresh",
        )
        for slot in slots
    }


@pytest.fixture
def files() -> Memory:
    return Memory({"a.py": TEXT.encode(), "b.py": b"x = 1\n"})


@pytest.fixture
def oracle(files: Memory) -> Oracle:
    return Oracle(files)


def counts(oracle: Oracle) -> tuple[int, int, int, int]:
    found = oracle.verdict()
    return found.writes, found.held_reads, found.misses, found.over_nominations


NUMBERED = "     1→one = 1\n     2→two = 2\n     3→three = 3"
FORMS = [
    TEXT,
    "1\tone = 1\n2\ttwo = 2\n3\tthree = 3",
    NUMBERED,
    NUMBERED + "\n     4→",
    f"{NUMBERED}\n\n<system-reminder>\nCareful.\n</system-reminder>\n",
    f"Chunk ID: 1\nWall time: 0 seconds\nOutput:\n{TEXT}",
    "<file>\n00001| one = 1\n00002| two = 2\n00003| three = 3\n</file>",
    "2\ttwo = 2",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_fallen_read_that_is_not_nominated_is_a_miss(
    files: Memory, oracle: Oracle, text: str
) -> None:
    oracle.hold(read(text))
    files.write("a.py", TEXT.replace("two = 2", "two = 3").encode())
    oracle.write("a.py", {})
    assert counts(oracle) == (1, 1, 1, 0)
    oracle.write("a.py", named(SLOT))
    assert counts(oracle) == (2, 2, 1, 0)


@pytest.mark.parametrize("text", FORMS)
def test_a_nominated_read_that_still_stands_is_one_too_many(
    files: Memory, oracle: Oracle, text: str
) -> None:
    oracle.hold(read(text))
    files.write("a.py", f"zero = 0\n{TEXT}four = 4\n".encode())
    oracle.write("a.py", named(SLOT))
    assert counts(oracle) == (1, 1, 0, 1)
    oracle.write("a.py", {})
    assert counts(oracle) == (2, 2, 0, 1)


TWICE = "class A:\n    run = 1\n\nclass B:\n    run = 1\n"


@pytest.mark.parametrize(
    ("step", "after", "expected"),
    [
        (read("2\t    run = 1"), TWICE.replace("1", "2", 1), (1, 0)),
        (read("5\t    run = 1"), TWICE.replace("1", "2", 1), (0, 1)),
        (read("    run = 1", Read("a.py", 2, 2)), TWICE.replace("1", "2", 1), (1, 0)),
        (read("    run = 1", Read("a.py", 5, 5)), TWICE.replace("1", "2", 1), (0, 1)),
        # Nobody can tell which copy is shown, or which one fell: neither answer is wrong.
        (read("    run = 1"), TWICE.replace("1", "2", 1), (0, 0)),
        (read("2\t    run = 1"), "class A:\n    run = 1\n", (0, 0)),
        (read("5\t    run = 1"), "class A:\n    run = 1\n", (0, 0)),
        (read("2\t    run = 1"), TWICE.replace("1", "2"), (1, 0)),
        (
            read("2\t    run = 1"),
            "class A:\n    run = 2\n    run = 1\nclass B:\n    run = 1",
            (0, 0),
        ),
        (read("1\tclass A:\n2\t    run = 1"), "class B:\n    run = 1\n\n" + TWICE[:20], (0, 1)),
    ],
)
def test_a_read_stands_by_its_own_copy(
    files: Memory, oracle: Oracle, step: Step, after: str, expected: tuple[int, int]
) -> None:
    files.write("a.py", TWICE.encode())
    oracle.hold(step)
    files.write("a.py", after.encode())
    oracle.write("a.py", {})
    assert oracle.verdict().misses == expected[0]
    oracle.write("a.py", named(SLOT))
    assert oracle.verdict().over_nominations == expected[1]


def test_a_copy_that_fell_comes_back_with_its_lines_only() -> None:
    edited = TWICE.replace("1", "2", 1)
    fallen = standing("    run = 1", TWICE, 2).after(TWICE, edited)
    assert not fallen.places
    assert not fallen.after(edited, f"x\n{edited}").places
    assert fallen.after(edited, TWICE).places == {1}


def test_of_equal_neighbours_any_may_be_the_one_that_went() -> None:
    two, one = "x\nx\n", "x\n"
    for first in (1, 2):
        found = standing("x", two, first).after(two, one)
        assert (found.places, found.certain) == (frozenset({0}), False)


def test_a_read_may_be_nominated_for_its_calls(files: Memory, oracle: Oracle) -> None:
    oracle.hold(read(TEXT))
    files.write("b.py", b"")
    oracle.write("b.py", named(SLOT, dispatch=[SymbolId("a.py", "f")]))
    assert counts(oracle) == (1, 1, 0, 0)


def test_a_write_elsewhere_names_a_standing_read_for_nothing(files: Memory, oracle: Oracle) -> None:
    oracle.hold(read(TEXT))
    files.write("b.py", b"")
    oracle.write("b.py", named(SLOT))
    assert counts(oracle) == (1, 1, 0, 1)


def test_a_deleted_file_falsifies_its_reads(files: Memory, oracle: Oracle) -> None:
    oracle.hold(read(TEXT))
    files.write("a.py", None)
    oracle.write("a.py", {})
    assert counts(oracle) == (1, 1, 1, 0)


def test_line_ends_and_marks_make_no_difference(files: Memory, oracle: Oracle) -> None:
    oracle.hold(read(TEXT))
    files.write("a.py", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    oracle.write("a.py", {})
    assert counts(oracle) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    "step",
    [
        read(TEXT, failed=True),
        read("other text"),
        read(TEXT, Read("none.py")),
        read(TEXT, Read("a.py"), Read("b.py")),
        read(TEXT, Run("pytest", "test")),
        read(TEXT, Read("a.py"), Run("pytest", "test")),
        read(""),
        Step(1, "read", (Read("a.py"),)),
        Step(1, "read", (), None, Result(SLOT, TEXT)),
    ],
)
def test_only_the_text_of_one_file_is_watched(files: Memory, oracle: Oracle, step: Step) -> None:
    oracle.hold(step)
    files.write("a.py", None)
    oracle.write("a.py", {})
    assert counts(oracle) == (1, 0, 0, 0)


def test_what_is_forgotten_is_watched_no_more(files: Memory, oracle: Oracle) -> None:
    for name in ("c", "d", "e"):
        oracle.hold(read(TEXT, name=name))
    oracle.forget(frozenset({SLOT, Slot("never", "result")}))
    files.write("a.py", None)
    oracle.write("a.py", {})
    assert counts(oracle) == (1, 2, 2, 0)
    oracle.forget(None)
    oracle.write("a.py", {})
    assert counts(oracle) == (2, 2, 2, 0)
