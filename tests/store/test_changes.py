"""Sticky changes outlive the process, and belong to a history, not to a name."""

import sqlite3
import stat
from pathlib import Path

import pytest

from statetape.store.changes import MIGRATIONS, Changes
from statetape.store.state import StoreError, opened
from statetape.types import Replace, Slot

ONE = Replace(Slot("call_1", "result"), "one \ufffd", "refresh")
TWO = Replace(Slot("call_2", "input"), "two", "drop")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "changes.sqlite"


def test_changes_are_found_again_by_the_history_they_were_made_in(path: Path) -> None:
    store = Changes(path)
    store.put([(b"m1", ONE), (b"m2", TWO)])
    store.close()
    again = Changes(path)
    assert again.of([b"m0", b"m1", b"m2"]) == {ONE.slot: ONE, TWO.slot: TWO}
    assert again.of([b"m1"]) == {ONE.slot: ONE}
    assert again.of([b"other"]) == {}
    assert again.of([]) == {}


def test_the_last_change_of_a_slot_stays(path: Path) -> None:
    store = Changes(path)
    later = Replace(ONE.slot, "later", "rerun")
    store.put([(b"m1", ONE)])
    store.put([(b"m1", later)])
    assert store.of([b"m1"]) == {ONE.slot: later}


def test_long_histories_are_asked_for_in_parts(path: Path) -> None:
    store = Changes(path)
    chain = [str(number).encode() for number in range(1_201)]
    store.put([(chain[-1], ONE), (chain[0], TWO)])
    assert set(store.of(chain)) == {ONE.slot, TWO.slot}


def test_several_connections_see_each_other(path: Path) -> None:
    one, other = Changes(path), Changes(path)
    one.put([(b"m", ONE)])
    assert other.of([b"m"]) == {ONE.slot: ONE}


def test_old_and_too_many_changes_are_forgotten(path: Path) -> None:
    store = Changes(path)
    store.put([(b"m1", ONE), (b"m2", TWO)])
    store.prune()
    assert len(store.of([b"m1", b"m2"])) == 2
    store.prune(age=-10)
    assert store.of([b"m1", b"m2"]) == {}
    store.put([(b"m1", ONE), (b"m2", TWO)])
    store.prune(size=1)
    assert store.of([b"m1", b"m2"]) == {}


def test_a_failed_put_keeps_nothing_and_says_where(path: Path) -> None:
    store = Changes(path)
    store.put([(b"m0", TWO)])
    blocker = sqlite3.connect(path, isolation_level=None)
    store._connection.execute("PRAGMA busy_timeout = 1")
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match=r"changes\.sqlite: database is locked"):
        store.put([(b"m1", ONE)])
    blocker.execute("ROLLBACK")
    blocker.close()
    assert store.of([b"m0", b"m1"]) == {TWO.slot: TWO}
    store.put([(b"m1", ONE)])
    assert len(store.of([b"m0", b"m1"])) == 2


def test_only_its_user_may_read_it(path: Path) -> None:
    store = Changes(path)
    store.put([(b"m", ONE)])
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_is_no_database_of_ours_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Changes(path)
    path.write_bytes(b"")
    opened(path, (*MIGRATIONS, "CREATE TABLE later (x)")).close()
    with pytest.raises(StoreError, match="later statetape"):
        Changes(path)
    with pytest.raises(StoreError, match=r"directory|Is a directory|unable"):
        Changes(path.parent)


def test_a_migration_that_fails_leaves_the_version_before(path: Path) -> None:
    opened(path, MIGRATIONS).close()
    with pytest.raises(StoreError, match="syntax"):
        opened(path, (*MIGRATIONS, "CREATE TABLE fine (x); NO SUCH THING"))
    connection = opened(path, MIGRATIONS)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert "changes" in names
    assert "fine" not in names
    connection.close()


def test_a_full_disk_is_told_as_that(tmp_path: Path) -> None:
    changes = Changes(tmp_path / "changes.sqlite")
    changes._connection.execute("PRAGMA max_page_count = 1")
    rows = [(bytes([n]), Replace(Slot("t", "result"), "x" * 5_000, "drop")) for n in range(100)]
    with pytest.raises(StoreError, match="full"):
        changes.put(rows)
    changes._connection.execute("PRAGMA max_page_count = 100000")
    changes.put(rows)
    changes.withdraw(rows[1:])
    assert not changes.of([chain for chain, _ in rows[1:]])
    assert changes.of([rows[0][0]])
    changes.close()
