"""What is regretted of a maintained session, on a session by hand."""

from typing import Any, ClassVar, cast

from msgspec.structs import replace

from statetape.bench.effects import Change
from statetape.bench.maintained import Maintained
from statetape.types import Plan, Record, Replace, Slot, Untracked

FIRST, AGAIN = Slot("1", "result"), Slot("2", "result")


def record(slot: Slot) -> Record:
    return Record(slot, 1, "read", "text", Untracked(), 0, 50)


class Session:
    """Removes the first record at every request, once."""

    def __init__(self) -> None:
        self.held: dict[Slot, Record] = {}
        self.ledger: dict[Slot, Replace] = {}
        self.tokens = 7

    def hold(self, record: Record) -> None:
        self.held[record.slot] = record

    def request(self) -> Plan:
        if FIRST in self.ledger:
            return Plan()
        self.ledger[FIRST] = Replace(FIRST, "gone", "evict")
        self.held[FIRST] = record(FIRST)
        return Plan((self.ledger[FIRST],))

    def retrieve(self, *_: object) -> None:
        return None


class Sight:
    """Lines by slot; a line weighs its number."""

    shown: ClassVar = {FIRST: (1, 2, 3), AGAIN: (3, 4)}

    def came(self, slot: Slot) -> tuple[int, ...]:
        return self.shown[slot]

    def weight(self, lines: Any) -> int:
        return sum(lines)

    def placed(self, lines: Any) -> object:
        return lines


def maintained(*slots: Slot) -> Maintained:
    found = Maintained(cast("Any", Session()), cast("Any", Sight()))
    for slot in slots:
        found.hold(record(slot))
    return found


def test_a_removed_line_that_is_used_is_regretted_once() -> None:
    session = maintained(FIRST)
    session.send(())
    assert (session.removed, session.regretted) == (6, 0)
    session.use(frozenset({2, 9}))
    session.use(frozenset({2}))
    assert session.regretted == 2


def test_a_line_that_another_record_shows_is_not_regretted() -> None:
    session = maintained(FIRST, AGAIN)
    session.send(())
    session.use(frozenset({2, 3}))
    assert session.regretted == 2


def test_a_line_that_was_read_again_is_there() -> None:
    session = maintained(FIRST)
    session.send(())
    session.hold(record(AGAIN))
    session.use(frozenset({3}))
    assert session.regretted == 0


def test_a_request_that_nobody_sends_does_not_count() -> None:
    session = maintained(FIRST)
    session.send(())
    session.send((), counts=False)
    assert session.sent == 7


def test_what_is_kept_as_true_again_is_no_change() -> None:
    session = maintained(FIRST, AGAIN)
    control = {slot: record(slot) for slot in (FIRST, AGAIN)}
    session.send(())
    session.hold(replace(record(AGAIN), born=3))
    assert session.effect(control).changed == {FIRST: Change("removed", 50)}
