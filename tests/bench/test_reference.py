"""Reference points on a context by hand."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from msgspec.structs import replace

from statetape.bench.reference import (
    Moment,
    begun,
    evict_all,
    keep_all,
    overlapped,
    recent,
    whole_files,
    young,
)
from statetape.context.situation import Situation
from statetape.types import Lines, Record, Shown, Slot, Symbols, Untracked, Write


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


TEXT = """class Cart:
    rate = 2

    def add(self, price):
        if price:
            self.total = price
        return price

    def empty(self):
        self.total = 0
"""


class Files:
    """One file that is as it was read."""

    def text(self, path: str) -> str | None:
        return TEXT if path == "cart.py" else None

    def writes_of(self, *_: object) -> Sequence[Write]:
        return ()


def rest(*records: Record, steps: int = 2) -> list[tuple[str, Lines]]:
    of = moment(records)
    situation = replace(of.situation, code=cast("Any", Files()))
    return list(begun(of._replace(situation=situation), steps).lines)


def test_of_what_is_begun_the_innermost_definition_comes() -> None:
    assert rest(record("a", 9, Lines(5, 5), path="cart.py")) == [("cart.py", Lines(4, 7))]
    assert rest(record("a", 9, Lines(7, 9), path="cart.py")) == [
        ("cart.py", Lines(4, 7)),
        ("cart.py", Lines(9, 10)),
    ]


def test_of_a_class_that_is_begun_its_head_comes() -> None:
    assert rest(record("a", 9, Lines(1, 1), path="cart.py")) == [("cart.py", Lines(1, 3))]
    assert rest(record("a", 9, Lines(8, 8), path="cart.py")) == []


def test_what_was_begun_earlier_is_left() -> None:
    records = [record("a", step, Lines(5, 5), path="cart.py") for step in (7, 8)]
    assert rest(records[0]) == []
    assert rest(records[1]) == rest(records[0], steps=3) == [("cart.py", Lines(4, 7))]
