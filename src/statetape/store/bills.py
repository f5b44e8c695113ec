"""What each request cost, kept in SQLite: figures and reasons, no text of any conversation."""

import sqlite3
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from statetape.economics.bill import Entry
from statetape.store.state import StateFile
from statetape.types import Usage

MIGRATIONS = (
    """
    CREATE TABLE bills (
        conversation TEXT NOT NULL,
        number INTEGER NOT NULL,
        at REAL NOT NULL,
        model TEXT NOT NULL,
        paid BLOB,
        unmodified BLOB,
        planned BLOB,
        sent INTEGER NOT NULL,
        removed INTEGER NOT NULL,
        added INTEGER NOT NULL,
        rewritten INTEGER NOT NULL,
        latency REAL NOT NULL,
        changes BLOB NOT NULL,
        harm INTEGER NOT NULL,
        "nothing" TEXT NOT NULL,
        PRIMARY KEY (conversation, number)
    ) WITHOUT ROWID;
    CREATE INDEX bills_by_time ON bills (at)
    """,
    "ALTER TABLE bills ADD COLUMN observed INTEGER NOT NULL DEFAULT 0",
    """
    ALTER TABLE bills ADD COLUMN regions INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bills ADD COLUMN brought INTEGER NOT NULL DEFAULT 0
    """,
    """
    ALTER TABLE bills ADD COLUMN manager TEXT NOT NULL DEFAULT '';
    ALTER TABLE bills ADD COLUMN asks INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bills ADD COLUMN asked BLOB
    """,
)
_FIELDS = Entry.__struct_fields__
# Quoted, since one of them is a word of SQL; in the order of the table.
_COLUMNS = ",".join(f'"{field}"' for field in _FIELDS)
_PUT = f"INSERT OR REPLACE INTO bills ({_COLUMNS}) VALUES ({','.join('?' * len(_FIELDS))})"  # noqa: S608
_SIDES = ("paid", "unmodified", "planned", "asked")
_KEPT = 365 * 86_400  # seconds
_MOST = 200_000  # requests; some 80 MB

_usage = msgspec.json.Decoder(Usage)
_changes = msgspec.json.Decoder(dict[str, int])


class Kept(Struct, frozen=True):
    """What is kept of one conversation: its requests' number, times (Unix seconds) and tokens."""

    conversation: str
    requests: int
    first: float
    last: float
    sent: int
    removed: int
    added: int


def bills_beside(changes: Path) -> Path:
    """The file of bills that goes with a file of changes: in the same folder."""
    return changes.with_name("bills.sqlite")


class Bills(StateFile):
    """The bills in one database file."""

    # A number may be too large, and what was kept no usage.
    faults = (sqlite3.Error, OverflowError, msgspec.MsgspecError)

    def __init__(self, path: Path) -> None:
        """Raises StoreError where the database cannot be opened or is not one of ours."""
        super().__init__(path, MIGRATIONS)

    def put(self, entry: Entry) -> None:
        """Keep one request; it replaces the one of the same number in its conversation."""
        with self._used() as connection:
            connection.execute(_PUT, _row(entry))

    def of(self, conversation: str | None = None) -> tuple[Entry, ...]:
        """The requests of one conversation by number, or of all, the earliest first."""
        where = "ORDER BY at" if conversation is None else "WHERE conversation = ? ORDER BY number"
        known = () if conversation is None else (_clean(conversation),)
        with self._used() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM bills {where}",  # noqa: S608 -- names of ours
                known,
            ).fetchall()
            return tuple(map(_entry, rows))

    def last(self, conversation: str) -> int:
        """The highest number that is kept of a conversation; 0 where there is none."""
        with self._used() as connection:
            row = connection.execute(
                "SELECT max(number) FROM bills WHERE conversation = ?", (_clean(conversation),)
            ).fetchone()
        return row[0] or 0

    def latest(self, conversation: str) -> float | None:
        """When the last request that is kept of a conversation started; None: there is none."""
        with self._used() as connection:
            row = connection.execute(
                "SELECT max(at) FROM bills WHERE conversation = ?", (_clean(conversation),)
            ).fetchone()
        found: float | None = row[0]
        return found

    def models(self, conversation: str) -> tuple[str, ...]:
        """The models of the requests that are kept of a conversation."""
        with self._used() as connection:
            rows = connection.execute(
                "SELECT DISTINCT model FROM bills WHERE conversation = ?", (_clean(conversation),)
            ).fetchall()
        return tuple(row[0] for row in rows)

    def conversations(self) -> tuple[Kept, ...]:
        """All conversations of which something is kept, the latest first."""
        with self._used() as connection:
            rows = connection.execute(
                "SELECT conversation, count(*), min(at), max(at), sum(sent), sum(removed),"
                " sum(added) FROM bills GROUP BY conversation ORDER BY max(at) DESC, conversation"
            ).fetchall()
        return tuple(Kept(*row) for row in rows)

    def prune(self, *, age: float = _KEPT, most: int = _MOST) -> None:
        """Forget requests from more than `age` seconds ago, then the oldest beyond `most`."""
        with self._used() as connection:
            execute = connection.execute
            execute("DELETE FROM bills WHERE at < ?", (time.time() - age,))
            row = execute("SELECT at FROM bills ORDER BY at DESC LIMIT 1 OFFSET ?", (most,))
            if (oldest := row.fetchone()) is not None:
                execute("DELETE FROM bills WHERE at <= ?", oldest)
            execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _row(entry: Entry) -> list[object]:
    values = msgspec.structs.asdict(entry)
    for side in _SIDES:
        if values[side] is not None:
            values[side] = msgspec.json.encode(values[side])
    values["changes"] = msgspec.json.encode(
        {_clean(why): number for why, number in entry.changes.items()}
    )
    return [_clean(value) if isinstance(value, str) else value for value in values.values()]


def _entry(row: tuple[object, ...]) -> Entry:
    values = dict(zip(_FIELDS, row, strict=True))
    for side in _SIDES:
        if values[side] is not None:
            values[side] = _usage.decode(values[side])  # type: ignore[arg-type]
    values["changes"] = _changes.decode(values["changes"])  # type: ignore[arg-type]
    values["observed"] = bool(values["observed"])
    return Entry(**values)  # type: ignore[arg-type]


def _clean(text: str) -> str:
    """A text as SQLite takes it: without lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")
