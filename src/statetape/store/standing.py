"""Until when the results that are about a whole repository were known to be true.

While no proxy runs, nobody sees what is written; the time tells whether anything was.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from statetape.store.changes import MIGRATIONS
from statetape.store.state import StoreError, opened

_AT_ONCE = 500  # variables in one statement
_DAY = 86_400_000_000_000
_KEPT = 60 * _DAY


class Standing:
    """The times, by message, in the database of the changes. Nanoseconds of the clock of files.

    A message is named by the digest of the chain up to it, as for changes. Safe to use from
    several threads and processes.
    """

    def __init__(self, path: Path) -> None:
        """Raises StoreError where the database cannot be opened or is not one of ours."""
        self._path = path
        self._lock = threading.Lock()
        self._connection = opened(path, MIGRATIONS)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def of(self, chain: Sequence[bytes]) -> Mapping[bytes, int]:
        """The times of those of these messages that are known. StoreError where that fails."""
        found: dict[bytes, int] = {}
        with self._failing():
            for start in range(0, len(chain), _AT_ONCE):
                some = chain[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                sql = f"SELECT chain, until FROM standing WHERE chain IN ({marks})"  # noqa: S608
                found.update(self._connection.execute(sql, some).fetchall())
        return found

    def put(self, messages: Sequence[bytes], until: int) -> None:
        """These messages were true at a time. StoreError where that cannot be kept."""
        with self._failing():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO standing VALUES (?, ?)",
                    [(message, until) for message in messages],
                )
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def prune(self, *, age: int = _KEPT) -> None:
        """Forget what was last true so many nanoseconds ago."""
        with self._failing():
            oldest = time.time_ns() - age
            self._connection.execute("DELETE FROM standing WHERE until < ?", (oldest,))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """What SQLite raises becomes a StoreError that names the file."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise StoreError(f"{self._path}: {error}") from None
