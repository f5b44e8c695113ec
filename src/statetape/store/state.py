"""SQLite files of ours: private to the user, shared by processes, migrated by number."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from statetape.errors import StatetapeError

_BUSY = 1_000  # milliseconds that a statement waits for another process
_AT_ONCE = 500  # variables in one statement


class StoreError(StatetapeError):
    """A database cannot be opened, read or written."""


class StateFile:
    """One database file. Safe to use from several threads and processes.

    `faults` are what a statement, or the reading of its rows, may raise: each becomes a StoreError
    that names the file.
    """

    faults: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        """Raises StoreError where the database cannot be opened or is not one of ours."""
        self._path = path
        self._lock = threading.Lock()
        self._connection = opened(path, migrations)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; each statement is committed by itself."""
        with self._lock:
            try:
                yield self._connection
            except self.faults as error:
                raise StoreError(f"{self._path}: {error}") from None

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        """The same, for statements that are carried out all together or not at all."""
        with self._used() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk ends it by itself
                    connection.execute("ROLLBACK")
                raise


def some(digests: Sequence[bytes]) -> Iterator[tuple[str, Sequence[bytes]]]:
    """Digests in parts that fit into one statement, each with its question marks."""
    for start in range(0, len(digests), _AT_ONCE):
        part = digests[start : start + _AT_ONCE]
        yield ",".join("?" * len(part)), part


def opened(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    """A connection to the database at `path` (readable by its user alone), at its newest schema.

    Each migration is a script; `user_version` counts those that were applied, each within one
    transaction. A database of a later version than we know is refused. The connection commits
    each statement, may be used from any thread, one at a time. StoreError where anything fails.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path}: {error}") from None
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection, migrations, path)
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"{path}: {error}") from None
    except StoreError:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection, migrations: Sequence[str], path: Path) -> None:
    version = _version(connection)
    if version > len(migrations):
        raise StoreError(
            f"{path}: written by a later statetape (schema {version}, known is {len(migrations)})"
        )
    if version == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(connection), len(migrations)):
            for statement in migrations[number].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
