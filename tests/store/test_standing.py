"""Until when results were true; and what no store may get wrong, a disk that is full."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statetape.store.changes import Changes
from statetape.store.standing import Standing
from statetape.store.state import StateFile, StoreError
from statetape.types import Replace, Slot

MESSAGES = [b"%032d" % n for n in range(2_000)]
CHANGES = [(message, Replace(Slot("t", "result"), "x", "drop")) for message in MESSAGES]
STORES: list[tuple[Callable[[Path], Any], Callable[[Any], None]]] = [
    (Standing, lambda store: store.put(MESSAGES, 7)),
    (Changes, lambda store: store.put(CHANGES)),
]


class Full:
    """A connection on a full disk, which SQLite answers by ending the transaction by itself."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def executemany(self, *_: object) -> None:
        self.connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")


@pytest.mark.parametrize(("of", "put"), STORES, ids=["standing", "changes"])
def test_a_full_disk_that_ended_the_transaction_is_told_as_that(
    tmp_path: Path, of: Callable[[Path], StateFile], put: Callable[[Any], None]
) -> None:
    store: Any = of(tmp_path / "changes.sqlite")
    connection = store._connection
    store._connection = Full(connection)
    with pytest.raises(StoreError, match="disk is full"):
        put(store)
    store._connection = connection
    assert not store.of(MESSAGES)
    put(store)
    assert len(store.of(MESSAGES)) in (1, len(MESSAGES))  # changes are of one slot
    store.close()


def test_times_are_kept_by_message(tmp_path: Path) -> None:
    standing = Standing(tmp_path / "changes.sqlite")
    standing.put(MESSAGES[:3], 7)
    standing.put(MESSAGES[2:4], 9)
    assert standing.of(MESSAGES[1:]) == {MESSAGES[1]: 7, MESSAGES[2]: 9, MESSAGES[3]: 9}
    standing.close()
