from collections.abc import Iterable

import pytest

from statetape.files import Memory
from statetape.tape import Tape, nomination
from statetape.types import (
    Drift,
    Lines,
    Nomination,
    Record,
    Referent,
    RepositoryState,
    Shown,
    Slot,
    SymbolId,
    Symbols,
    Untracked,
    View,
    Write,
)
from statetape.workspace import Workspace

A = """\
from b import helper


def load():
    return helper()


def save():
    return 1
"""
B = "def helper():\n    return 1\n"
LOAD, SAVE, KEEP, REST = (SymbolId("a.py", name) for name in ("load", "save", "keep", ""))
HELPER = SymbolId("b.py", "helper")


@pytest.fixture
def space() -> Workspace:
    return Workspace(Memory({"a.py": A.encode(), "b.py": B.encode()}))


def put(space: Workspace, path: str, after: str | None) -> None:
    space.observe(Write(path, space.read(path), None if after is None else after.encode()))


def edit(space: Workspace, path: str, old: str, new: str) -> None:
    text = space.text(path)
    assert text is not None
    assert old in text
    put(space, path, text.replace(old, new))


def record(space: Workspace, referent: Referent) -> Record:
    return Record(Slot("r", "result"), 1, "read", "", referent, space.now, 0)


def views(space: Workspace, symbols: Iterable[SymbolId]) -> dict[SymbolId, View]:
    found = {symbol: space.view(symbol) for symbol in symbols}
    return {symbol: view for symbol, view in found.items() if view is not None}


def about(space: Workspace, *symbols: SymbolId) -> Record:
    """A record of which it is not known what it shows: any change of a symbol may falsify it."""
    return record(space, Symbols(views(space, symbols), whole=False))


def read(space: Workspace, path: str, first: int, last: int, *symbols: SymbolId) -> Record:
    text = "\n".join((space.text(path) or "").split("\n")[first - 1 : last])
    part = Shown(path, Lines(first, last), Lines(1, last - first + 1), text)
    return record(space, Symbols(views(space, symbols), (part,)))


def judged(space: Workspace, held: Record) -> Nomination | None:
    return nomination(held, space.tape, space)


def named(space: Workspace, held: Record) -> Nomination:
    found = judged(space, held)
    assert found is not None
    assert found.record is held
    return found


class TestTape:
    def test_counts_from_one_and_keeps_what_it_is_given(self) -> None:
        tape = Tape()
        assert tape.now == 0
        write, drift = Write("a.py", None, b""), Drift(created=frozenset({LOAD}))
        entry = tape.append(write, drift)
        assert (entry.tick, entry.write, entry.drift, tape.now) == (1, write, drift, 1)

    def test_the_entries_since_a_tick_are_those_after_it(self) -> None:
        tape = Tape()
        entries = [tape.append(Write(path, None, b""), Drift()) for path in ("a", "b", "c")]
        assert list(tape.since(0)) == entries
        assert list(tape.since(1)) == entries[1:]
        assert list(tape.since(3)) == []

    def test_knows_the_first_drift_of_a_symbol_after_a_tick(self) -> None:
        tape = Tape()
        tape.append(Write("a.py", b"", b"1"), Drift(body=frozenset({LOAD})))
        tape.append(Write("a.py", b"1", b"2"), Drift(dispatch=frozenset({LOAD})))
        tape.append(Write("b.py", b"", b"1"), Drift(body=frozenset({SAVE})))
        tape.append(Write("a.py", b"2", b"3"), Drift(created=frozenset({LOAD})))
        assert [tape.first_after(LOAD, tick) for tick in range(5)] == [1, 2, 4, 4, None]
        assert tape.first_after(HELPER, 0) is None

    def test_has_the_writes_of_each_file_apart(self) -> None:
        tape = Tape()
        writes = [Write("a", None, b"1"), Write("b", None, b"1"), Write("a", b"1", None)]
        for write in writes:
            tape.append(write, Drift())
        assert list(tape.writes_of("a", 0)) == [writes[0], writes[2]]
        assert list(tape.writes_of("a", 1)) == [writes[2]]
        assert list(tape.writes_of("c", 0)) == []
        assert list(tape.written_since(0)) == ["a", "b"]
        assert list(tape.written_since(1)) == ["b", "a"]


class TestViews:
    def test_nothing_is_nominated_before_a_write(self, space: Workspace) -> None:
        assert judged(space, about(space, LOAD, SAVE)) is None

    def test_a_changed_body_is_a_refresh_that_names_the_symbol(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE)
        edit(space, "a.py", "return 1", "return 2")
        found = named(space, held)
        assert (found.body, found.dispatch) == (frozenset({SAVE}), frozenset())
        assert found.default == "refresh"

    def test_a_write_of_other_symbols_nominates_nothing(self, space: Workspace) -> None:
        held = about(space, LOAD)
        edit(space, "a.py", "return 1", "return 2")
        put(space, "c.py", "x = 1\n")
        assert judged(space, held) is None

    def test_a_removed_symbol_is_a_drop(self, space: Workspace) -> None:
        held = about(space, SAVE)
        edit(space, "a.py", "def save():\n    return 1\n", "")
        found = named(space, held)
        assert (found.body, found.default) == (frozenset({SAVE}), "drop")

    def test_one_changed_symbol_beside_a_removed_one_is_a_refresh(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE)
        put(space, "a.py", "def load():\n    return 7\n")
        found = named(space, held)
        assert (found.body, found.default) == (frozenset({LOAD, SAVE}), "refresh")

    def test_a_removed_symbol_beside_an_unchanged_one_is_a_drop(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE)
        edit(space, "a.py", "def save():\n    return 1\n", "")
        found = named(space, held)
        assert (found.body, found.default) == (frozenset({SAVE}), "drop")

    def test_a_deleted_file_takes_all_its_symbols(self, space: Workspace) -> None:
        held = about(space, HELPER)
        put(space, "b.py", None)
        assert named(space, held).default == "drop"

    def test_moved_dispatch_alone_is_a_drop(self, space: Workspace) -> None:
        held = about(space, LOAD)
        put(space, "b.py", "def other():\n    return 1\n")
        found = named(space, held)
        assert (found.body, found.dispatch) == (frozenset(), frozenset({LOAD}))
        assert found.default == "drop"

    def test_the_callee_of_a_moved_call_is_not_nominated(self, space: Workspace) -> None:
        put(space, "c.py", "from b import helper\n\n\ndef run():\n    return 1\n")
        held = about(space, HELPER)
        edit(space, "c.py", "return 1", "return helper()")
        assert judged(space, held) is None

    def test_a_changed_body_with_moved_calls_is_body_only(self, space: Workspace) -> None:
        held = about(space, LOAD)
        edit(space, "a.py", "return helper()", "return save()")
        found = named(space, held)
        assert (found.body, found.dispatch) == (frozenset({LOAD}), frozenset())

    def test_a_reverted_edit_nominates_nothing(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE, REST)
        edit(space, "a.py", "return 1", "return 2")
        assert judged(space, held) is not None
        edit(space, "a.py", "return 2", "return 1")
        assert judged(space, held) is None

    def test_a_file_that_goes_and_comes_back_nominates_nothing(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE, REST)
        put(space, "a.py", None)
        assert judged(space, held) is not None
        put(space, "a.py", A)
        assert judged(space, held) is None

    def test_dispatch_that_moves_back_nominates_nothing(self, space: Workspace) -> None:
        held = about(space, LOAD)
        put(space, "b.py", None)
        assert judged(space, held) is not None
        put(space, "b.py", B)
        assert judged(space, held) is None

    def test_a_definition_that_only_moves_is_not_nominated(self, space: Workspace) -> None:
        held = about(space, SAVE)
        put(space, "a.py", "def save():\n    return 1\n\n\n" + A.partition("def save")[0])
        assert judged(space, held) is None

    def test_writes_before_birth_do_not_count(self, space: Workspace) -> None:
        edit(space, "a.py", "return 1", "return 2")
        assert judged(space, about(space, SAVE)) is None

    def test_since_is_the_first_write_after_birth_that_touched_a_named_symbol(
        self, space: Workspace
    ) -> None:
        edit(space, "a.py", "return 1", "return 2")
        held = about(space, LOAD, SAVE)
        put(space, "c.py", "x = 1\n")
        edit(space, "a.py", "return 2", "return 3")
        edit(space, "a.py", "return 3", "return 4")
        assert named(space, held).since == 3

    def test_since_passes_over_symbols_that_are_as_they_were(self, space: Workspace) -> None:
        held = about(space, LOAD, SAVE)
        edit(space, "a.py", "return helper()", "return 0")
        edit(space, "a.py", "return 1", "return 2")
        edit(space, "a.py", "return 0", "return helper()")
        found = named(space, held)
        assert (found.body, found.since) == (frozenset({SAVE}), 2)


class TestShown:
    def test_text_that_still_stands_is_not_falsified(self, space: Workspace) -> None:
        held = read(space, "a.py", 8, 8, SAVE)
        edit(space, "a.py", "    return 1", "    # why\n    return 1")
        assert judged(space, held) is None

    def test_text_that_is_gone_is(self, space: Workspace) -> None:
        held = read(space, "a.py", 8, 9, SAVE)
        edit(space, "a.py", "    return 1", "    # why\n    return 1")
        found = named(space, held)
        assert (found.body, found.default) == (frozenset({SAVE}), "refresh")

    def test_text_that_moved_within_its_file_still_stands(self, space: Workspace) -> None:
        held = read(space, "a.py", 4, 5, LOAD, REST)
        put(space, "a.py", "import os\n" + A)
        assert judged(space, held) is None

    def test_text_that_stands_in_another_symbol_too_is_falsified_with_its_own(
        self, space: Workspace
    ) -> None:
        put(space, "a.py", A + "\n\ndef keep():\n    return 1\n")
        held, other = read(space, "a.py", 9, 9, SAVE), read(space, "a.py", 13, 13, KEEP)
        edit(space, "a.py", "save():\n    return 1", "save():\n    return 2")
        assert named(space, held).body == {SAVE}
        assert judged(space, other) is None

    def test_the_copy_that_a_variant_is_made_of_is_not_the_variant(self, space: Workspace) -> None:
        held = read(space, "a.py", 9, 9, SAVE)
        put(space, "a.py", A + "\n\ndef keep():\n    return 1\n")
        edit(space, "a.py", "save():\n    return 1", "save():\n    return 2")
        assert named(space, held).body == {SAVE}

    def test_a_copy_in_the_same_symbol_is_another_one(self, space: Workspace) -> None:
        put(space, "a.py", "x = 1\ny = 2\nx = 1\n")
        one, other = read(space, "a.py", 1, 1, REST), read(space, "a.py", 3, 3, REST)
        edit(space, "a.py", "y = 2\nx = 1", "y = 2\nx = 3")
        assert judged(space, one) is None
        assert named(space, other).body == {REST}

    def test_an_equal_symbol_that_takes_the_name_is_another_copy(self, space: Workspace) -> None:
        held = read(space, "a.py", 8, 9, SAVE)
        put(space, "a.py", A + "\n\n" + A[A.index("def save") :])
        edit(space, "a.py", "def save():\n    return 1\n\n", "def store():\n    return 1\n\n")
        found = named(space, held)
        assert found.body == {SAVE}
        assert (found.since, found.default) == (1, "refresh")

    def test_lines_of_two_symbols_that_move_together_still_stand(self, space: Workspace) -> None:
        held = read(space, "a.py", 4, 9, LOAD, SAVE, REST)
        put(space, "a.py", A.replace("\n\n\n", "\n\n\nclass K:\n    x = 1\n\n\n", 1))
        assert judged(space, held) is None

    def test_a_moved_symbol_keeps_its_lines_though_it_grows(self, space: Workspace) -> None:
        held = read(space, "a.py", 8, 9, SAVE)
        put(space, "a.py", "def save():\n    return 1\n    pass\n\n\ndef load():\n    pass\n")
        assert judged(space, held) is None

    def test_only_symbols_of_the_file_whose_text_fell_are_named(self, space: Workspace) -> None:
        parts = (
            Shown("a.py", Lines(8, 9), Lines(1, 2), "def save():\n    return 1"),
            Shown("b.py", Lines(1, 1), Lines(3, 3), "def helper():"),
        )
        held = record(space, Symbols(views(space, (SAVE, HELPER)), parts))
        edit(space, "a.py", "return 1", "return 2")
        edit(space, "b.py", "return 1", "return 2")
        found = named(space, held)
        assert (found.body, found.since) == (frozenset({SAVE}), 1)

    def test_moved_dispatch_counts_though_the_text_stands(self, space: Workspace) -> None:
        held = read(space, "a.py", 4, 5, LOAD)
        put(space, "b.py", "")
        assert named(space, held).dispatch == {LOAD}

    def test_text_under_a_removed_definition_may_stand(self, space: Workspace) -> None:
        held = read(space, "a.py", 9, 9, SAVE)
        edit(space, "a.py", "def save():", "def store():")
        assert judged(space, held) is None


class TestOtherReferents:
    def test_a_result_of_the_repository_is_rerun_after_any_write(self, space: Workspace) -> None:
        held = record(space, RepositoryState(space.state))
        assert judged(space, held) is None
        put(space, "notes.txt", "hello")
        found = named(space, held)
        assert (found.body, found.dispatch) == (frozenset(), frozenset())
        assert (found.since, found.default) == (1, "rerun")

    def test_since_of_a_state_is_the_first_write_after_birth(self, space: Workspace) -> None:
        put(space, "notes.txt", "hello")
        held = record(space, RepositoryState(space.state))
        put(space, "notes.txt", "hello again")
        put(space, "notes.txt", "bye")
        assert named(space, held).since == 2

    def test_a_repository_that_is_as_it_was_nominates_nothing(self, space: Workspace) -> None:
        held = record(space, RepositoryState(space.state))
        edit(space, "a.py", "return 1", "return 2")
        edit(space, "a.py", "return 2", "return 1")
        assert judged(space, held) is None

    def test_words_are_never_nominated(self, space: Workspace) -> None:
        held = record(space, Untracked())
        put(space, "a.py", None)
        assert judged(space, held) is None
