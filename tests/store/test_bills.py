"""Bills outlive the process; they hold figures, and no text of a conversation."""

import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest

from statetape.economics.bill import Entry
from statetape.store.bills import MIGRATIONS, Bills, bills_beside
from statetape.store.state import StoreError, opened
from statetape.types import Usage

USAGE = Usage(input=1, cache_read=2, cache_write_5m=3, cache_write_1h=4, output=5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return bills_beside(tmp_path / "state" / "changes.sqlite")


def entry(conversation: str = "c", number: int = 1, at: float = 0.0, **fields: object) -> Entry:
    known = {"conversation": conversation, "number": number, "at": at or time.time()}
    return Entry(**{"model": "m", **known, **fields})  # type: ignore[arg-type]


FULL = entry(
    at=1.5, paid=USAGE, unmodified=Usage(), planned=Usage(output=9), sent=10, removed=4, added=3,
    rewritten=2, latency=0.25, changes={"refresh": 2, "drop": 1}, harm=7, nothing="because",
)  # fmt: skip


def test_a_bill_is_found_again_as_it_was_put(path: Path) -> None:
    store = Bills(path)
    store.put(FULL)
    store.put(entry("other", at=2.0))
    store.close()
    again = Bills(path)
    assert again.of("c") == (FULL,)
    assert again.of() == (FULL, entry("other", at=2.0))
    assert again.of("nobody") == ()


def test_requests_come_by_number_and_all_of_them_by_time(path: Path) -> None:
    store = Bills(path)
    for number, at in ((2, 20.0), (1, 10.0), (3, 30.0)):
        store.put(entry("a", number, at))
    store.put(entry("b", 1, 15.0))
    assert [each.number for each in store.of("a")] == [1, 2, 3]
    assert [each.at for each in store.of()] == [10.0, 15.0, 20.0, 30.0]
    assert (store.last("a"), store.last("b"), store.last("c")) == (3, 1, 0)


def test_a_request_is_put_again_once_it_is_paid(path: Path) -> None:
    store = Bills(path)
    store.put(entry(at=1.0))
    store.put(entry(at=1.0, paid=USAGE))
    assert store.of("c") == (entry(at=1.0, paid=USAGE),)


def test_conversations_come_the_latest_first_with_their_sums(path: Path) -> None:
    store = Bills(path)
    assert store.conversations() == ()
    store.put(entry("a", 1, 10.0, sent=1, removed=2, added=3))
    store.put(entry("a", 2, 30.0, sent=10, removed=20, added=30))
    store.put(entry("b", 1, 40.0))
    latest, first = store.conversations()
    assert (latest.conversation, latest.requests) == ("b", 1)
    assert (first.conversation, first.requests, first.first, first.last) == ("a", 2, 10.0, 30.0)
    assert (first.sent, first.removed, first.added) == (11, 22, 33)


def test_old_and_too_many_bills_are_forgotten(path: Path) -> None:
    store, now = Bills(path), time.time()
    for number in range(1, 6):
        store.put(entry("a", number, now - 1_000 * number))
    store.prune()
    assert len(store.of()) == 5
    store.prune(age=3_500)
    assert [each.number for each in store.of("a")] == [1, 2, 3]
    store.prune(most=2)
    assert [each.number for each in store.of("a")] == [1, 2]
    store.prune(most=2)
    assert len(store.of()) == 2


def test_processes_and_threads_see_each_other(path: Path) -> None:
    one, other = Bills(path), Bills(path)

    def write(store: Bills, name: str) -> None:
        for number in range(1, 51):
            store.put(entry(name, number))

    threads = [
        threading.Thread(target=write, args=(store, name))
        for store, name in ((one, "a"), (one, "b"), (other, "c"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [kept.requests for kept in other.conversations()] == [50, 50, 50]


def test_what_no_database_can_hold_is_a_store_error(path: Path) -> None:
    store = Bills(path)
    for wrong in (entry(number=1 << 70), entry(at=float("nan")), entry(sent=1 << 64)):
        with pytest.raises(StoreError, match=r"bills\.sqlite: "):
            store.put(wrong)
    assert store.of() == ()


def test_names_may_be_any_text(path: Path) -> None:
    store = Bills(path)
    store.put(entry("\ud800", model="\udfff", nothing="\x00'\"", changes={"\ud800": 1}))
    (found,) = store.of("\ud800")
    assert (found.conversation, found.model, found.nothing) == ("?", "?", "\x00'\"")
    assert found.changes == {"?": 1}


def test_what_somebody_else_wrote_into_it_is_a_store_error(path: Path) -> None:
    store = Bills(path)
    store.put(FULL)
    store._connection.execute("UPDATE bills SET paid = 'no usage'")
    with pytest.raises(StoreError, match=r"bills\.sqlite: "):
        store.of()


def test_only_its_user_may_read_it(path: Path) -> None:
    Bills(path).put(entry())
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_locked_or_foreign_file_is_refused(path: Path) -> None:
    store = Bills(path)
    store._connection.execute("PRAGMA busy_timeout = 1")
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match=r"bills\.sqlite: database is locked"):
        store.put(entry())
    blocker.execute("ROLLBACK")
    blocker.close()
    store.put(entry())
    store.close()
    opened(path, (*MIGRATIONS, "CREATE TABLE later (x)")).close()
    with pytest.raises(StoreError, match="later statetape"):
        Bills(path)
