"""What was extracted from files: rows by key, for every session and repository of a user."""

import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from statetape.store.index.database import Database
from statetape.store.index.limits import cache_size
from statetape.store.index.rows import Row

FORMAT = 2
SIZE = 512_000_000
"""Bytes that the file may have, if nobody states others (`limits`).

The rows that were not used for longest go first.
"""

Table = Literal["interfaces", "definitions", "words"]
_TABLES = """
    CREATE TABLE IF NOT EXISTS interfaces (id INTEGER PRIMARY KEY, blob BLOB, used INTEGER);
    CREATE INDEX IF NOT EXISTS oldest ON interfaces (used);
    CREATE TABLE IF NOT EXISTS definitions (id INTEGER PRIMARY KEY, blob BLOB);
    CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, blob BLOB);
"""
_FILE = f"facts-{FORMAT}.sqlite"
_AT_ONCE = 500
_DAY = 86_400


class Cache(Database):
    """The rows in a folder (None: there are none, and none are kept)."""

    def __init__(self, folder: Path | None, size: int | None = None) -> None:
        self._size = cache_size(SIZE) if size is None else size
        super().__init__(folder, _FILE, _TABLES, FORMAT)

    def blobs(self, table: Table, keys: Collection[bytes]) -> Iterator[tuple[bytes, object]]:
        """The blobs of a table under these keys, in no order, those that are there."""
        by_id = {_id(key): key for key in keys}
        wanted = sorted(by_id)
        for at in range(0, len(wanted), _AT_ONCE):
            some = wanted[at : at + _AT_ONCE]
            sql = f"SELECT id, blob FROM {table} WHERE id IN ({_marks(some)})"  # noqa: S608
            found = self.tried(partial(_rows, sql, some))
            yield from ((by_id[id_], blob) for id_, blob in found or () if id_ in by_id)

    def save(self, rows: Sequence[Row]) -> None:
        """Keep rows: all of them, or none where that is not possible."""
        now = int(time.time())

        def saved(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO interfaces VALUES (?, ?, ?)",
                [(_id(row.key), row.interface, now) for row in rows],
            )
            for table, place in (("definitions", 2), ("words", 3)):
                db.executemany(
                    f"INSERT OR REPLACE INTO {table} VALUES (?, ?)",  # noqa: S608
                    [(_id(row.key), row[place]) for row in rows],
                )

        self.changed(saved)

    def touch(self, keys: Collection[bytes]) -> None:
        """Note that these rows are in use. Once a day is enough."""
        now = int(time.time())
        ids = sorted(map(_id, keys))

        def touched(db: sqlite3.Connection) -> None:
            for at in range(0, len(ids), _AT_ONCE):
                some = ids[at : at + _AT_ONCE]
                sql = f"UPDATE interfaces SET used = ? WHERE used < ? AND id IN ({_marks(some)})"  # noqa: S608
                db.execute(sql, [now, now - _DAY, *some])

        self.changed(touched)

    def trim(self) -> None:
        """Give rows away, oldest use first, until the file has the size it may have."""

        def trimmed(db: sqlite3.Connection) -> None:
            while _bytes_used(db) > self._size:
                (rows,) = db.execute("SELECT count(*) FROM interfaces").fetchone()
                oldest = "(SELECT id FROM interfaces ORDER BY used LIMIT ?)"
                if not rows:
                    return
                for table in ("definitions", "words", "interfaces"):
                    db.execute(
                        f"DELETE FROM {table} WHERE id IN {oldest}",  # noqa: S608
                        [rows // 4 + 1],
                    )

        if (self.tried(_bytes_used) or 0) > self._size:
            self.changed(trimmed)
            # A script: `execute` would stop after the first page.
            self.tried(lambda db: db.executescript("PRAGMA incremental_vacuum"))


def _id(key: bytes) -> int:
    """The row of a key. Two keys in one row take turns: the checksum knows whose blob it is."""
    return int.from_bytes(key[:8], signed=True)


def _rows(sql: str, values: Sequence[int], db: sqlite3.Connection) -> list[tuple[int, object]]:
    return db.execute(sql, values).fetchall()


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))


def _bytes_used(db: sqlite3.Connection) -> int:
    pages, unused, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - unused) * size)
