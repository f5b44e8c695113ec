"""One SQLite file that is a cache, and can be deleted at any time.

Nothing here raises for the state of the disk: a file that is damaged is begun anew, one that cannot
be written is only read, one that cannot be read is empty. Several processes may use it at once.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
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
# A message that quotes damaged text is no UTF-8: Python cannot make an error of it.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
_MODES = ("mode=rwc", "mode=ro", "mode=ro&immutable=1")
_PATIENCE = 5.0
_TRIES, _PAUSE = 40, 0.05


class Database:
    """A file in a folder (None: there is none, and nothing is kept) with the tables of a schema.

    A file of another `version` is begun anew. `writable`: it can be changed, as far as is known.
    """

    def __init__(self, folder: Path | None, name: str, tables: str, version: int) -> None:
        self.folder = folder.absolute() if folder is not None else None
        self.writable = False
        self.name = name
        self._tables = tables
        self._version = version
        self._begun_anew = False
        self._connection = self._opened()

    def close(self) -> None:
        """Let go of the file; from then on there is nothing in it."""
        connection, self._connection = self._connection, None
        self.writable = False
        if connection is not None:
            with suppress(*_FAILURES):
                connection.close()

    def changed(self, change: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """What a change returns that is made as a whole; None where it cannot be made."""

        def whole(db: sqlite3.Connection) -> _T:
            db.execute("BEGIN IMMEDIATE")
            try:
                made = change(db)
                db.execute("COMMIT")
            except BaseException:
                with suppress(*_FAILURES):
                    db.execute("ROLLBACK")
                raise
            return made

        return self.tried(whole) if self.writable else None

    def tried(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
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
            connection = self._connected(self.folder / self.name, mode)
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
                self._prepare(connection, create=mode == _MODES[0])
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
                    remove(file)
            else:
                return connection
        return None

    def _prepare(self, connection: sqlite3.Connection, *, create: bool) -> None:
        """Raises sqlite3.Error where the file is not, and cannot be made, one of this version."""
        connection.text_factory = bytes
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found != self._version:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if found or tables or not create:
                raise sqlite3.DatabaseError("another version")
            connection.executescript(_SCHEMA.format(self._tables, self._version))

    def _begin_anew(self) -> None:
        """Once: what is damaged again on the same day has another reason than a lost page."""
        self.close()
        if self.folder is not None and not self._begun_anew:
            self._begun_anew = True
            remove(self.folder / self.name)
            self._connection = self._opened()


_SCHEMA = """
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    {}
    PRAGMA user_version = {};
    COMMIT;
"""


def remove(file: Path) -> None:
    """Remove a database, with the files that SQLite has beside it."""
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            file.with_name(file.name + end).unlink()


def _code(error: Exception) -> int:
    """SQLite's primary result code."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
