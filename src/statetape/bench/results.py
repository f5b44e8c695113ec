"""What was run, in `results.sqlite` of a benchmark's folder: one row for each cell."""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from statetape.bench.decisions import Asker
from statetape.bench.scored import Cell
from statetape.errors import BadInput
from statetape.store.state import StateFile

NAME = "results.sqlite"

_MIGRATIONS = (
    """
    CREATE TABLE cells (
      session TEXT NOT NULL,
      policy TEXT NOT NULL,
      mode TEXT NOT NULL,
      labels TEXT NOT NULL,
      code TEXT NOT NULL,
      cell BLOB NOT NULL,
      PRIMARY KEY (policy, mode, session)
    ) WITHOUT ROWID
    """,
    # Else the cells of one session are looked for among all, with their contents.
    "CREATE INDEX cells_of_session ON cells (session, labels, code)",
)


class Results(StateFile):
    """The cells of one benchmark: session by policy and mode, each the newest that was run.

    A cell stands for the digests of its labels and of the code that decided.
    """

    faults = (sqlite3.Error, zlib.error, msgspec.DecodeError)

    def __init__(self, folder: Path) -> None:
        """Raises StoreError as `StateFile` does; a folder that is no benchmark is left alone."""
        if not (folder / "manifest.json").is_file():
            raise BadInput(f"{folder}: no benchmark; `statetape bench build` makes one")
        super().__init__(folder / NAME, _MIGRATIONS)

    def missing(
        self, session: str, askers: Iterable[Asker], labels: str, code: str
    ) -> tuple[Asker, ...]:
        """Those cells of a session that were not run on these labels with this code."""
        with self._used() as connection:
            rows = connection.execute(
                "SELECT policy, mode FROM cells WHERE session = ? AND labels = ? AND code = ?",
                (session, labels, code),
            ).fetchall()
        known = {Asker(*row) for row in rows}
        return tuple(asker for asker in askers if asker not in known)

    def put(self, session: str, cells: Mapping[Asker, Cell], labels: str, code: str) -> None:
        """Cells of a session, all together or none."""
        rows = [(session, *asker, labels, code, _packed(cell)) for asker, cell in cells.items()]
        with self._changed() as connection:
            connection.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?)", rows)

    def askers(self) -> list[Asker]:
        """All that was run for any session, sorted."""
        with self._used() as connection:
            rows = connection.execute("SELECT DISTINCT policy, mode FROM cells").fetchall()
        return sorted(Asker(*row) for row in rows)

    def cells(self, asker: Asker, labels: Mapping[str, str]) -> Iterator[tuple[str, str, Cell]]:
        """One column, of those sessions with these labels, sorted: session, code, cell.

        StoreError where a cell is not one that we wrote.
        """
        with self._used() as connection:
            rows = connection.execute(
                "SELECT session, labels, code, cell FROM cells WHERE policy = ? AND mode = ? "
                "ORDER BY session",
                asker,
            )
            for session, of_labels, code, cell in rows:
                if labels.get(session) == of_labels:
                    yield session, code, _unpacked(cell)


def _packed(cell: Cell) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(cell))


def _unpacked(data: bytes) -> Cell:
    return msgspec.msgpack.decode(zlib.decompress(data), type=Cell)
