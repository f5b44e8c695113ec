"""The sticky changes of all conversations, persisted before a request that carries them leaves.

A change belongs to a text in a message with all that precedes it, which the digest of the chain
up to that message names. So a resumed or forked conversation, which sends the same history again,
finds its changes without knowing whose it was, and a provider's prompt cache stays whole.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from statetape.store.state import StateFile, some
from statetape.types import Replace, Slot

MIGRATIONS = (
    """
    CREATE TABLE changes (
        chain BLOB NOT NULL,
        id TEXT NOT NULL,
        side TEXT NOT NULL,
        text TEXT NOT NULL,
        why TEXT NOT NULL,
        used INTEGER NOT NULL,
        PRIMARY KEY (chain, id, side)
    ) WITHOUT ROWID;
    CREATE INDEX changes_by_use ON changes (used)
    """,
    """
    CREATE TABLE standing (chain BLOB PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID
    """,
)
_DAY = 86_400
_KEPT = 60 * _DAY
_MOST = 200_000_000  # bytes of text


class Changes(StateFile):
    """The changes in one database file."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError where the database cannot be opened or is not one of ours."""
        super().__init__(path, MIGRATIONS)

    def of(self, chain: Sequence[bytes]) -> Mapping[Slot, Replace]:
        """The changes in the messages whose digests these are; later digests win.

        Marks them as used. StoreError where the database fails.
        """
        found: dict[bytes, list[Replace]] = {}
        now = int(time.time())
        with self._used() as connection:
            for marks, part in some(chain):
                rows = connection.execute(
                    f"SELECT chain, id, side, text, why FROM changes WHERE chain IN ({marks})",  # noqa: S608 -- question marks
                    part,
                ).fetchall()
                for digest, name, side, text, why in rows:
                    change = Replace(Slot(_text(name), side), _text(text), why)
                    found.setdefault(digest, []).append(change)
            for digest in found:
                connection.execute(
                    "UPDATE changes SET used = ? WHERE chain = ? AND used < ?",
                    (now, digest, now - _DAY),
                )
        return {each.slot: each for digest in chain for each in found.get(digest, ())}

    def put(self, changes: Iterable[tuple[bytes, Replace]]) -> None:
        """Keep changes, each with the digest of the chain up to the message of its slot.

        All of them or, with a StoreError, none.
        """
        now = int(time.time())
        rows = [
            (chain, _kept(each.slot.id), each.slot.side, _kept(each.text), each.why, now)
            for chain, each in changes
        ]
        with self._changed() as connection:
            connection.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?)", rows)

    def withdraw(self, changes: Iterable[tuple[bytes, Replace]]) -> None:
        """Forget changes that no request has carried, if they are kept as they are here."""
        rows = [
            (chain, _kept(each.slot.id), each.slot.side, _kept(each.text))
            for chain, each in changes
        ]
        with self._used() as connection:
            connection.executemany(
                "DELETE FROM changes WHERE chain = ? AND id = ? AND side = ? AND text = ?", rows
            )

    def prune(self, *, age: int = _KEPT, size: int = _MOST) -> None:
        """Forget what was not used for `age` seconds, then the oldest above `size` bytes."""
        with self._used() as connection:
            execute = connection.execute
            execute("DELETE FROM changes WHERE used < ?", (int(time.time()) - age,))
            rows = execute(
                "SELECT used, sum(length(text)) FROM changes GROUP BY used ORDER BY used DESC"
            )
            total = 0
            for used, length in rows.fetchall():
                total += length
                if total > size:
                    execute("DELETE FROM changes WHERE used <= ?", (used,))
                    break
            execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _kept(text: str) -> str | bytes:
    """A text as SQLite takes it: one with a lone surrogate is no UTF-8, and is kept as bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _text(kept: str | bytes) -> str:
    return kept if isinstance(kept, str) else kept.decode("utf-8", "surrogatepass")
