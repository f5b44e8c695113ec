"""Until when the results that are about a whole repository were known to be true.

While no proxy runs, nobody sees what is written; the time tells whether anything was.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from statetape.store.changes import MIGRATIONS
from statetape.store.state import StateFile, some

_DAY = 86_400_000_000_000
_KEPT = 60 * _DAY


class Standing(StateFile):
    """The times, by message, in the database of the changes. Nanoseconds of the clock of files.

    A message is named by the digest of the chain up to it, as for changes.
    """

    def __init__(self, path: Path) -> None:
        """Raises StoreError where the database cannot be opened or is not one of ours."""
        super().__init__(path, MIGRATIONS)

    def of(self, chain: Sequence[bytes]) -> Mapping[bytes, int]:
        """The times of those of these messages that are known. StoreError where that fails."""
        found: dict[bytes, int] = {}
        with self._used() as connection:
            for marks, part in some(chain):
                sql = f"SELECT chain, until FROM standing WHERE chain IN ({marks})"  # noqa: S608
                found.update(connection.execute(sql, part).fetchall())
        return found

    def put(self, messages: Sequence[bytes], until: int) -> None:
        """These messages were true at a time. StoreError where that cannot be kept."""
        with self._changed() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO standing VALUES (?, ?)",
                [(message, until) for message in messages],
            )

    def prune(self, *, age: int = _KEPT) -> None:
        """Forget what was last true so many nanoseconds ago."""
        with self._used() as connection:
            oldest = time.time_ns() - age
            connection.execute("DELETE FROM standing WHERE until < ?", (oldest,))
