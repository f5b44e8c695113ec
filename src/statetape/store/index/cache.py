"""One SQLite file of rows by key, for every session and repository of a user.

It is a cache, and can be deleted at any time. Nothing here raises for the state of the disk: a
file that is damaged is begun anew, one that cannot be written is only read, one that cannot be
read is empty. Several processes may use it at once.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from statetape.store.index.rows import Row

FORMAT = 1
SIZE = 512_000_000
"""Bytes that the file may have; the rows that were not used for longest go first."""

Table = Literal["interfaces", "definitions", "words"]
_T = TypeVar("_T")
_SCHEMA = f"""
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS interfaces (id INTEGER PRIMARY KEY, blob BLOB, used INTEGER);
    CREATE INDEX IF NOT EXISTS oldest ON interfaces (used);
    CREATE TABLE IF NOT EXISTS definitions (id INTEGER PRIMARY KEY, blob BLOB);
    CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, blob BLOB);
    PRAGMA user_version = {FORMAT};
    COMMIT;
"""
# Errors that the surroundings of the file are to blame for, and not its content.
_SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
_FILE = f"facts-{FORMAT}.sqlite"
# A message that quotes damaged text is no UTF-8: Python cannot make an error of it.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
_MODES = ("mode=rwc", "mode=ro", "mode=ro&immutable=1")
_PATIENCE = 5.0
_TRIES, _PAUSE = 40, 0.05
_AT_ONCE = 500
_DAY = 86_400


class Cache:
    """The rows in a folder (None: there are none, and none are kept).

    `writable`: rows can be saved, as far as is known.
    """

    def __init__(self, folder: Path | None, size: int = SIZE) -> None:
        self.folder = folder.absolute() if folder is not None else None
        self.writable = False
        self._size = size
        self._begun_anew = False
        self._connection = self._opened()

    def blobs(self, table: Table, keys: Collection[bytes]) -> Iterator[tuple[bytes, object]]:
        """The blobs of a table under these keys, in no order, those that are there."""
        by_id = {_id(key): key for key in keys}
        wanted = sorted(by_id)
        for at in range(0, len(wanted), _AT_ONCE):
            some = wanted[at : at + _AT_ONCE]
            sql = f"SELECT id, blob FROM {table} WHERE id IN ({_marks(some)})"  # noqa: S608
            found = self._tried(partial(_rows, sql, some))
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

        self._changed(saved)

    def touch(self, keys: Collection[bytes]) -> None:
        """Note that these rows are in use. Once a day is enough."""
        now = int(time.time())
        ids = sorted(map(_id, keys))

        def touched(db: sqlite3.Connection) -> None:
            for at in range(0, len(ids), _AT_ONCE):
                some = ids[at : at + _AT_ONCE]
                sql = f"UPDATE interfaces SET used = ? WHERE used < ? AND id IN ({_marks(some)})"  # noqa: S608
                db.execute(sql, [now, now - _DAY, *some])

        self._changed(touched)

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

        if (self._tried(_bytes_used) or 0) > self._size:
            self._changed(trimmed)
            # A script: `execute` would stop after the first page.
            self._tried(lambda db: db.executescript("PRAGMA incremental_vacuum"))

    def close(self) -> None:
        """Let go of the file; from then on there are no rows."""
        connection, self._connection = self._connection, None
        self.writable = False
        if connection is not None:
            with suppress(*_FAILURES):
                connection.close()

    def _changed(self, change: Callable[[sqlite3.Connection], None]) -> None:
        def whole(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                change(db)
                db.execute("COMMIT")
            except BaseException:
                with suppress(*_FAILURES):
                    db.execute("ROLLBACK")
                raise

        if self.writable:
            self._tried(whole)

    def _tried(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """What the work returns; None where the file cannot be used, or not now."""
        if self._connection is None:
            return None
        try:
            return work(self._connection)
        except _FAILURES as error:
            code = _code(error)
            if code not in _SURROUNDINGS:
                self._begin_anew()
            elif code == sqlite3.SQLITE_READONLY:
                self.writable = False
            return None

    def _opened(self) -> sqlite3.Connection | None:
        if self.folder is None:
            return None
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for mode in _MODES:
            connection = self._connected(self.folder / _FILE, mode)
            if connection is not None:
                self.writable = mode == _MODES[0]
                return connection
        return None

    def _connected(self, file: Path, mode: str) -> sqlite3.Connection | None:
        for _ in range(_TRIES):
            connection: sqlite3.Connection | None = None
            try:
                connection = sqlite3.connect(
                    f"{file.as_uri()}?{mode}", uri=True, timeout=_PATIENCE, isolation_level=None
                )
                _prepare(connection, create=mode == _MODES[0])
            except _FAILURES as error:
                if connection is not None:
                    connection.close()
                code = _code(error)
                if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                    time.sleep(_PAUSE)
                elif code in _SURROUNDINGS or mode != _MODES[0] or self._begun_anew:
                    return None
                else:
                    self._begun_anew = True
                    _remove(file)
            else:
                return connection
        return None

    def _begin_anew(self) -> None:
        """Once: what is damaged again on the same day has another reason than a lost page."""
        self.close()
        if self.folder is not None and not self._begun_anew:
            self._begun_anew = True
            _remove(self.folder / _FILE)
            self._connection = self._opened()


def _prepare(connection: sqlite3.Connection, *, create: bool) -> None:
    """Raises sqlite3.Error where the file is not, and cannot be made, one of this format."""
    connection.text_factory = bytes
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found != FORMAT:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if found or tables or not create:
            raise sqlite3.DatabaseError("another format")
        connection.executescript(_SCHEMA)


def _remove(file: Path) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            file.with_name(file.name + end).unlink()


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


def _code(error: Exception) -> int:
    """SQLite's primary result code."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
