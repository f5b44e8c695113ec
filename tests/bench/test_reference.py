"""Reference points on a context by hand."""

from collections.abc import Iterable, Sequence

from statetape.bench.reference import (
    Moment,
    evict_all,
    keep_all,
    overlapped,
    recent,
    whole_files,
    young,
)
from statetape.context.situation import Situation
from statetape.types import Lines, Record, Shown, Slot, Symbols, Untracked


def record(name: str, step: int, *lines: Lines, path: str = "a.py") -> Record:
    parts = tuple(Shown(path, run, run, "") for run in lines)
    referent = Symbols({}, parts) if parts else Untracked()
    return Record(Slot(name, "result"), step, "read", "text", referent, 0, 5)


def said(name: str, step: int) -> Record:
    return Record(Slot(name, "say"), step, "say", "text", Untracked(), 0, 5)


def moment(records: Iterable[Record], step: int = 9, written: Sequence[str] = ()) -> Moment:
    held = {each.slot: each for each in records}
    return Moment(Situation(0, held, (), lambda _: "", lambda _: None), step, written)


def names(gone: Iterable[Slot]) -> list[str]:
    return sorted(slot.id for slot in gone)


TURNS = [said("a", 1), record("b", 2), said("c", 3), record("d", 4), said("e", 5), record("f", 6)]


def test_all_and_nothing() -> None:
    assert names(evict_all(moment(TURNS)).gone) == list("abcdef")
    assert names(keep_all(moment(TURNS)).gone) == []


def test_the_last_turns_stay() -> None:
    assert names(recent(moment(TURNS), 1).gone) == list("abcd")
    assert names(recent(moment(TURNS), 2).gone) == list("ab")
    assert names(recent(moment(TURNS), 3).gone) == []


def test_records_of_the_last_steps_stay() -> None:
    assert names(young(moment(TURNS, step=9), 5).gone) == list("abcd")
    assert names(young(moment(TURNS, step=9), 9).gone) == []


def test_a_record_goes_that_has_a_line_in_common_with_a_later_one() -> None:
    records = [
        record("early", 1, Lines(1, 10)),
        record("apart", 2, Lines(30, 40)),
        record("elsewhere", 3, Lines(1, 99), path="b.py"),
        record("late", 4, Lines(10, 29)),
    ]
    assert names(overlapped(moment(records)).gone) == ["early"]


def test_the_files_written_last_come_whole() -> None:
    found = whole_files(moment([], written=("c.py", "b.py", "a.py")), 2)
    assert [path for path, _ in found.lines] == ["c.py", "b.py"]
