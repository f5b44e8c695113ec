from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.files import Memory
from statetape.replay.history import History, history
from statetape.replay.recording import (
    Event,
    Evidence,
    Happened,
    Hunk,
    Noticed,
    Part,
    Patched,
    Recording,
    Replaced,
    Whole,
)
from statetape.types import Edit, Result, Slot

A = "a.py"


def event(*evidence: Evidence, failed: bool = False) -> Happened:
    return Happened(Result(Slot("x", "result"), "", failed), evidence)


def recording(*events: Event) -> Recording:
    return Recording("r", "claude-code", "f", "/r", (), (), events)


def before(text: str | None) -> Whole:
    return Whole(A, text, "before")


def patched(first: int, old: list[str], new: list[str]) -> Patched:
    return Patched(A, (Hunk(first, tuple(old), tuple(new)),))


def hands(found: History) -> list[tuple[int, str]]:
    return [(index, each.hand) for index, writes in found.writes.items() for each in writes]


def afters(found: History) -> list[bytes | None]:
    return [each.write.after for writes in found.writes.values() for each in writes]


def only(found: Iterable[bytes | None]) -> bytes | None:
    (one,) = found
    return one


def test_a_read_after_an_edit_shows_what_the_file_was_before() -> None:
    found = history(
        recording(
            event(patched(3, ["c"], ["C", "CC"])), event(Part(A, 1, ("a", "b", "C", "CC", "d"), 5))
        )
    )
    assert found.files.read(A) == b"a\nb\nc\nd\n"
    assert hands(found) == [(0, "agent")]
    assert only(afters(found)) == b"a\nb\nC\nCC\nd\n"
    assert list(found.files.paths()) == [A]


def test_lines_never_shown_are_empty() -> None:
    found = history(recording(event(Part(A, 3, ("c",))), event(Part(A, 5, ("e",)))))
    assert found.files.read(A) == b"\n\nc\n\ne\n"


def test_states_that_are_equal_share_their_bytes() -> None:
    found = history(
        recording(event(before("a\n"), patched(1, ["a"], ["b"])), event(patched(1, ["b"], ["c"])))
    )
    first, second = (found.writes[index][0].write for index in (0, 1))
    assert first.after is second.before


def test_a_patch_that_changes_nothing_is_no_write() -> None:
    assert not hands(history(recording(event(before("a\n"), patched(1, ["a"], ["a"])))))


def test_a_file_is_made_and_removed() -> None:
    made = event(before(None), Whole(A, "a\n", "after"))
    gone = event(before("a\n"), Whole(A, None, "after"))
    found = history(recording(made, gone))
    assert found.files.read(A) is None
    assert afters(found) == [b"a\n", None]
    assert hands(found) == [(0, "agent"), (1, "agent")]


def test_a_file_that_is_absent_afterwards_was_removed() -> None:
    found = history(recording(event(before("a\n")), event(Whole(A, None, "after"))))
    assert hands(found) == [(1, "agent")]


def test_a_move_is_two_writes() -> None:
    move = Patched(A, (Hunk(1, ("a",), ("b",)),), moved_to="b.py")
    found = history(recording(event(before("a\n")), event(move)))
    assert [each.write.path for each in found.writes[1]] == [A, "b.py"]
    assert afters(found) == [None, b"b\n"]
    assert found.files.read("b.py") is None


def test_a_failed_result_changes_nothing_but_shows() -> None:
    found = history(recording(event(before("a\n"), patched(1, ["a"], ["b"]), failed=True)))
    assert not hands(found)
    assert found.files.read(A) == b"a\n"


def test_what_no_edit_explains_is_another_hands_write_as_late_as_possible() -> None:
    found = history(
        recording(event(before("a\nb\n")), event(), event(Part(A, 2, ("B",))), event(before("")))
    )
    assert hands(found) == [(2, "external"), (3, "external")]
    assert afters(found) == [b"a\nB\n", b""]
    assert found.writes[2][0].why == "line 2: 'B' is shown, 'b' was tracked"


def test_line_ends_marks_and_the_last_newline_are_no_contradiction() -> None:
    found = history(
        recording(*(event(before(text)) for text in ("a\nb\n", "\ufeffa\r\nb\r\n", "a\nb")))
    )
    assert not hands(found)
    assert found.files.read(A) == b"a\nb\n"


def test_a_foreign_whole_text_may_end_otherwise() -> None:
    found = history(recording(event(before("a")), event(before("b\n"))))
    assert afters(found) == [b"b\n"]


def test_an_edit_of_lines_that_another_hand_changed() -> None:
    found = history(recording(event(before("a\nb\n")), event(patched(2, ["B"], ["c"]))))
    assert hands(found) == [(1, "external"), (1, "agent")]
    assert afters(found) == [b"a\nB\n", b"a\nc\n"]


def test_hunks_whose_lines_stand_lower_show_that_lines_came_in_above() -> None:
    found = history(recording(event(before("a\nb\n")), event(patched(3, ["b"], ["c"]))))
    assert hands(found) == [(1, "external"), (1, "agent")]
    assert afters(found) == [b"a\n\nb\n", b"a\n\nc\n"]


def test_hunks_with_wrong_numbers_beside_the_whole_text_are_put_where_they_fit() -> None:
    found = history(recording(event(before("a\nx\nb\n"), patched(2, ["b"], ["c"]))))
    assert hands(found) == [(0, "agent")]
    assert afters(found) == [b"a\nx\nc\n"]


def test_the_whole_text_after_an_edit_wins() -> None:
    change = event(before("a\n"), patched(1, ["a"], ["b"]), Whole(A, "c\n", "after"))
    found = history(recording(change))
    assert hands(found) == [(0, "agent"), (0, "external")]
    assert found.writes[0][1].why.startswith("beside the edit: ")
    assert afters(found)[-1] == b"c\n"


def test_a_lone_whole_text_is_what_a_read_shows_on_whichever_side() -> None:
    found = history(recording(event(before("a\n")), event(Whole(A, "b\n", "after"))))
    assert hands(found) == [(1, "external")]


def test_an_edit_that_does_not_apply_is_a_problem() -> None:
    nowhere = Replaced("new.py", "x", "y")
    twice = Replaced(A, "a", "b")
    found = history(recording(event(before("a\na\n"), twice), event(nowhere)))
    assert not hands(found)
    assert found.problems == (
        "event 0: edit of a.py does not apply: 'a' is not (once) in the known lines",
        "event 1: edit of new.py does not apply: 'x' is not (once) in the known lines",
    )


def test_a_patch_of_a_file_that_is_gone_is_a_foreign_return_of_it() -> None:
    found = history(recording(event(before(None)), event(patched(1, ["a"], ["b"]))))
    assert hands(found) == [(1, "external"), (1, "agent")]


def test_a_replacement_of_nothing_makes_a_file() -> None:
    found = history(recording(event(Replaced(A, "", "a\n"))))
    assert found.files.read(A) is None
    assert afters(found) == [b"a\n"]


def test_what_the_client_noticed_is_another_hands_write() -> None:
    found = history(recording(event(before("a\nb\n")), Noticed((Part(A, 1, ("a", "c")),))))
    assert hands(found) == [(1, "external")]
    assert found.writes[1][0].why.startswith("the client noticed: line 2")


def shell(*edits: Edit | None) -> History:
    """A file shown whole, a command at event 1, the same lines changed at event 3."""
    events = [event(before("a\nb\n")), event(), event(), event(Part(A, 2, ("B",)))]
    return history(recording(*events), shell_writes={1: edits})


@pytest.mark.parametrize("edit", [None, Edit(A)])
def test_a_command_that_may_have_written_the_file_did_it(edit: Edit | None) -> None:
    found = shell(Edit("other.py"), edit)
    assert hands(found) == [(1, "shell")]
    assert found.writes[1][0].why.startswith("seen later: ")


def test_a_command_that_writes_other_files_did_not() -> None:
    assert hands(shell(Edit("other.py"))) == [(3, "external")]


def test_a_command_before_the_lines_were_seen_did_not() -> None:
    events = [event(before("a\nb\n")), event(), event(Part(A, 2, ("b",))), event(before("a\nB\n"))]
    assert hands(history(recording(*events), shell_writes={1: (None,)})) == [(3, "external")]
    events[2] = event(Part(A, 1, ("a",)))
    assert hands(history(recording(*events), shell_writes={1: (None,)})) == [(1, "shell")]


def test_lines_seen_before_an_edit_moved_them_do_not_stand_for_others() -> None:
    events = [
        event(before("a\nb\n")),
        event(),
        event(Part(A, 2, ("b",))),
        event(patched(0, [], ["top"])),
        event(Part(A, 2, ("A",))),
    ]
    found = history(recording(*events), shell_writes={1: (None,)})
    assert hands(found) == [(3, "agent"), (4, "shell")]


def test_a_command_before_a_later_edit_did_it_but_is_placed_late() -> None:
    events = [
        event(before("a\nb\n")),
        event(),
        event(patched(1, ["a"], ["A"])),
        event(before("A\n")),
    ]
    found = history(recording(*events), shell_writes={1: (None,)})
    assert hands(found) == [(2, "agent"), (3, "shell")]


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit(A, content="c\n"), b"c\n"),
        (Edit(A, content="c\n", append=True), b"a\nb\nc\n"),
        (Edit(A, absent=True), None),
        (Edit(A, old="b\n", new="B\n"), b"a\nB\n"),
        (Edit(A, patch=(("a\n", "A\n"), ("b\n", "B\n"))), b"A\nB\n"),
    ],
)
def test_a_command_that_says_what_it_writes_is_followed(edit: Edit, after: bytes | None) -> None:
    found = history(recording(event(before("a\nb\n")), event()), shell_writes={1: (edit,)})
    assert hands(found) == [(1, "agent")]
    assert afters(found) == [after]


def test_a_command_moves_or_removes_all_files_of_a_folder() -> None:
    base = Memory({"pkg/a.py": b"a\n", "pkg/sub/b.py": b"b\n", "pkgs.py": b"c\n"})
    moved = (Edit("pkg", moved_to="lib"), Edit("lib/sub", absent=True))
    found = history(recording(event()), base, {0: moved})
    written = {each.write.path: each.write.after for each in found.writes[0]}
    assert written == {
        "pkg/a.py": None,
        "pkg/sub/b.py": None,
        "lib/a.py": b"a\n",
        "lib/sub/b.py": None,
    }


@pytest.mark.parametrize(
    ("pattern", "gone"),
    [
        ("gen/*.py", ["gen/a.py", "gen/b.py"]),
        ("gen/[ab].py", ["gen/a.py", "gen/b.py"]),
        ("g*", ["gen/a.py", "gen/b.py", "gen/c.txt", "gen/sub/d.py"]),
        ("*.py", ["e.py"]),
        ("none*", []),
    ],
)
def test_a_command_removes_the_files_that_its_glob_names(pattern: str, gone: list[str]) -> None:
    paths = ["gen/a.py", "gen/b.py", "gen/c.txt", "gen/sub/d.py", "e.py", ".hidden.py"]
    removal = {len(paths): (Edit(pattern, absent=True),)}
    base = Memory(dict.fromkeys(paths, b"x\n"))
    shown = [event(Whole(path, "x\n", "before")) for path in paths]
    for files in (None, base):
        found = history(recording(*shown, event()), files, removal)
        written = [each for writes in found.writes.values() for each in writes]
        assert sorted(each.write.path for each in written) == gone
        assert all(each.write.after is None for each in written)


def test_a_file_may_be_called_like_a_glob() -> None:
    logged = recording(event(Whole("[id].ts", "x\n", "before")), event())
    removal = {1: (Edit("[id].ts", absent=True),)}
    base = Memory({"[id].ts": b"x\n", "i.ts": b"y\n"})
    for found in (
        history(logged, None, removal),
        history(recording(event()), base, {0: removal[1]}),
    ):
        (writes,) = found.writes.values()
        assert [each.write.path for each in writes] == ["[id].ts"]


def test_a_command_whose_replacement_is_not_there_may_have_written_the_file() -> None:
    assert hands(shell(Edit(A, old="nowhere", new=""))) == [(1, "shell")]


def test_a_file_that_differs_from_the_base_was_written_before_it_is_shown() -> None:
    base = Memory({A: b"a\n"})
    found = history(
        recording(event(), event(before("b\n")), event(Whole("n.py", "n\n", "before"))), base
    )
    assert hands(found) == [(1, "external"), (2, "external")]
    assert all(found.writes[at][0].why.startswith("differs from the base commit") for at in (1, 2))
    assert found.files.read(A) == b"a\n"
    assert found.files.read("n.py") is None
    later = history(recording(event(before("b\n")), event(before("c\n"))), base)
    assert later.writes[1][0].why == "line 1: 'c' is shown, 'b' was tracked"


def test_an_edit_on_a_base_leaves_all_other_bytes() -> None:
    base = Memory({A: b"\xef\xbb\xbfone\r\n\xff\r\nthree", "other": b""})
    found = history(recording(event(patched(1, ["one", "\ufffd"], ["1", "\ufffd"]))), base)
    assert hands(found) == [(0, "agent")]
    assert afters(found) == [b"\xef\xbb\xbf1\r\n\xff\r\nthree"]
    assert sorted(found.files.paths()) == [A, "other"]


def test_mixed_line_ends_stay_as_they_are() -> None:
    base = Memory({A: b"one\r\ntwo\nthree\r\n"})
    found = history(
        recording(event(patched(1, ["one", "two", "three"], ["one", "2", "three"]))), base
    )
    assert afters(found) == [b"one\r\n2\nthree\r\n"]


def test_a_file_outside_the_repository_is_not_looked_for_in_the_base() -> None:
    found = history(recording(event(Part("/etc/hosts", 1, ("x",)))), Memory())
    assert not hands(found)
    assert found.files.read("/etc/hosts") == b"x\n"


def test_a_patch_of_new_lines_only_makes_an_absent_file() -> None:
    found = history(recording(event(before(None)), event(patched(0, [], ["a"]))))
    assert hands(found) == [(1, "agent")]
    assert afters(found) == [b"a\n"]


def test_a_file_that_is_renamed_was_there() -> None:
    found = history(recording(event(Patched("new.py", (), moved_to=A))), Memory())
    assert hands(found) == [(0, "external"), (0, "agent"), (0, "agent")]


texts = st.text(alphabet="ab\n\r\0\ufeff\ufffd\ud800", max_size=8)
rows = st.lists(texts, max_size=4).map(tuple)
numbers = st.integers(-3, 9)
paths = st.sampled_from(["", "a", "a/b", "/a", "../a"])
hunks = st.lists(st.builds(Hunk, numbers, rows, rows), max_size=3).map(tuple)
evidences = st.one_of(
    st.builds(Whole, paths, st.none() | texts, st.sampled_from(["before", "after"])),
    st.builds(Part, paths, numbers, rows, st.none() | numbers),
    st.builds(Patched, paths, hunks, st.none() | paths),
    st.builds(Replaced, paths, texts, texts, st.booleans()),
)
commands = st.none() | st.builds(
    Edit,
    paths,
    old=st.none() | texts,
    new=st.none() | texts,
    every=st.booleans(),
    content=st.none() | texts,
    append=st.booleans(),
    absent=st.booleans(),
    moved_to=st.none() | paths,
    patch=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
)


@given(
    st.lists(st.lists(evidences, max_size=3), max_size=6),
    st.none() | st.dictionaries(paths, st.binary(max_size=8)),
    st.dictionaries(st.integers(0, 6), st.lists(commands, max_size=2).map(tuple)),
)
def test_no_evidence_at_all_breaks_it(
    events: list[list[Evidence]],
    base: dict[str, bytes] | None,
    commands: dict[int, tuple[Edit | None, ...]],
) -> None:
    logged = recording(*(event(*evidence) for evidence in events))
    found = history(logged, None if base is None else Memory(base), commands)
    held = {path: found.files.read(path) for path in found.files.paths()}
    for writes in found.writes.values():
        for each in writes:
            assert held.get(each.write.path) == each.write.before
            assert each.write.before != each.write.after
            held[each.write.path] = each.write.after


@pytest.mark.parametrize("number", [10**6, 2**63 - 1, 10**30])
@pytest.mark.parametrize(
    "evidence",
    [
        lambda number: Part(A, number, ("a",)),
        lambda number: Part(A, 1, ("a",), number),
        lambda number: patched(number, ["a"], ["b"]),
        lambda number: patched(number, [], ["b"]),
    ],
)
def test_absurd_line_numbers_are_a_problem_and_no_evidence(
    number: int, evidence: Callable[[int], Evidence]
) -> None:
    found = history(recording(event(Part(A, 1, ("x",), 1)), event(evidence(number))))
    assert found.files.read(A) == b"x\n"
    assert not found.writes
    assert [A in problem and "line numbers" in problem for problem in found.problems] == [True]


def test_line_numbers_that_are_high_in_sum_are_a_problem() -> None:
    shown = [event(Part(f"{number}.py", 150_001, ("a",))) for number in range(8)]
    assert len(history(recording(*shown)).problems) == 2
