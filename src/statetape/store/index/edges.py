"""The resolved edges of one repository, of one state of its files, kept between runs.

Each file has a row of three blobs, and the state says which rows are of it. What was not written
as it is read back is as if it had not been kept; where the state itself is lost, all is.
"""

import os
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from statetape.code.grounds import Prints
from statetape.code.reaches import KeptFile, Marks
from statetape.store.index import blobs
from statetape.store.index.blobs import File, State
from statetape.store.index.database import Database, remove
from statetape.store.index.version import resolvers
from statetape.types import Mark, SymbolId

FORMAT = 1
_TABLES = """
    CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, blob BLOB);
    CREATE TABLE IF NOT EXISTS prints (id INTEGER PRIMARY KEY, blob BLOB);
    CREATE TABLE IF NOT EXISTS grounds (id INTEGER PRIMARY KEY, blob BLOB);
    CREATE TABLE IF NOT EXISTS edges (id INTEGER PRIMARY KEY, blob BLOB);
"""


class Row(NamedTuple):
    """What is to be kept of one file: what it shows, and of some symbols edges and grounds.

    None: the prints, or the symbols, that are kept stay as they are.
    """

    path: str
    digest: bytes
    prints: Prints | None
    edges: Mapping[str, Marks] | None
    grounds: Mapping[str, "array[int] | memoryview"]


class Edges(Database):
    """The edges of the repository in a folder, a `code.reaches.Kept`."""

    def __init__(self, folder: Path | None, root: Path) -> None:
        name = blake2b(os.fsencode(root.absolute()), digest_size=8).hexdigest()
        self._key = blake2b(resolvers(), digest_size=16).digest()
        self._seen: object = None
        self._state = State(b"", {})
        self._files: dict[str, KeptFile] = {}
        self._blobs: dict[str, bytes] = {}
        self._into: dict[int, list[str]] = {}
        super().__init__(folder, f"edges-{FORMAT}-{name}.sqlite", _TABLES, FORMAT)

    def state(self) -> Mapping[str, KeptFile]:
        """Every file there was, and every other one that was looked into; empty: nothing is kept.

        The same object as long as what is kept is the same. Cost where it is not: reads all edges.
        """
        seen = self.tried(_version)
        if seen is None or seen != self._seen:
            self._forget()
            self.tried(self._load)
        return self._files

    def prints(self, path: str) -> Prints | None:
        """What a file has shown; None where that is not known any more."""
        file = self._state.files.get(path)
        if file is None or not file.printed:
            return None
        blob = self.tried(partial(_blob, "prints", path))
        return blobs.prints(blobs.key(self._key, path, file.digest), blob)

    def callers(self, symbol: SymbolId) -> Iterator[tuple[SymbolId, Mark]]:
        """Who had an edge to a symbol."""
        for path in self._into.get(blobs.target(symbol), ()):
            for name, marks in self.edges(path).items():
                mark = marks.get(symbol)
                if mark is not None:
                    yield SymbolId(path, name), mark

    def edges(self, path: str) -> Mapping[str, Marks]:
        """The edges of those symbols of a file that are resolved, by name."""
        blob = self._blobs.get(path)
        return {} if blob is None else blobs.edges(blob)

    def resting(self, numbers: AbstractSet[int]) -> Iterator[SymbolId]:
        """Whose edges rest on one of these numbers. Cost: a look at what all edges rest on."""
        for path, blob in self._blobs.items():
            if numbers.isdisjoint(blobs.bases(blob)):
                continue
            kept = self._grounds(path, self._state.files[path])
            for name in self.edges(path) if kept is None else kept:
                if kept is None or not numbers.isdisjoint(kept[name]):
                    yield SymbolId(path, name)

    def generation(self) -> bytes:
        """What stands for the state of the files that the edges are of."""
        self.state()
        return self._state.generation

    def move(
        self, files: Mapping[str, bytes], rows: Iterable[Row], moved: set[SymbolId], *, anew: bool
    ) -> None:
        """From now on be of another state: these files, without the edges of these symbols.

        `rows` have the prints of files that have changed. `anew`: without all edges. Nothing is
        done where somebody else has changed what is kept since `state` was asked.
        """
        before = self._seen
        changed = {row.path: row for row in rows}
        without: dict[str, set[str]] = {}
        for symbol in moved:
            without.setdefault(symbol.path, set()).add(symbol.name)

        def made(db: sqlite3.Connection) -> None:
            if _version(db) != before:
                return
            old = {} if anew else self._state.files
            new = dict[str, File]()
            for path, digest in files.items():
                file = old.get(path, File(digest))
                if path in changed:
                    file = self._with(db, file, changed[path])
                elif digest:
                    file = file._replace(digest=digest)
                if path in without and file.resolved:
                    file = self._cut(db, path, file, without[path])
                new[path] = file
            for path in self._state.files.keys() - new.keys():
                for table in ("prints", "grounds", "edges"):
                    db.execute(f"DELETE FROM {table} WHERE id = ?", [blobs.row(path)])  # noqa: S608
            _put(db, "state", 0, blobs.of_state(self._key, State(os.urandom(8), new)))

        self.changed(made)

    def trim(self, size: int) -> None:
        """Remove the edges of other repositories, oldest use first, above `size` bytes in all."""
        if self.folder is None or not self.writable:
            return
        files = list[tuple[Path, os.stat_result]]()
        for each in self.folder.glob("edges-*.sqlite"):
            with suppress(OSError):
                files.append((each, each.stat()))
        room = size - sum(stat.st_size for _, stat in files)
        for file, stat in sorted(files, key=lambda each: each[1].st_mtime):
            if room < 0 and file.name != self.name:
                remove(file)
                room += stat.st_size

    def save(self, generation: bytes, rows: Iterable[Row]) -> bool:
        """Keep rows; nothing where the edges are of another state by now, or a row is."""

        def saved(db: sqlite3.Connection) -> bool:
            state = blobs.state(self._key, _blob("state", None, db))
            if state is None or state.generation != generation:
                return False
            for row in rows:
                file = state.files.get(row.path, File(row.digest))
                if file.digest and row.digest and file.digest != row.digest:
                    return False
                state.files[row.path] = self._with(db, file, row)
            _put(db, "state", 0, blobs.of_state(self._key, state))
            return True

        return self.changed(saved) is True

    def kept(self, path: str) -> tuple[Mapping[str, Marks], Mapping[str, memoryview]]:
        """The edges of those symbols of a file that are resolved, and what they rest on."""
        file = self._state.files.get(path, File())
        grounds = self._grounds(path, file) if path in self._blobs else None
        return ({}, {}) if grounds is None else (self.edges(path), grounds)

    def is_printed(self, path: str) -> bool:
        """Whether it is known what a file shows."""
        return self._state.files.get(path, File()).printed

    def _forget(self) -> None:
        if self._files:
            self._state, self._files, self._blobs, self._into = State(b"", {}), {}, {}, {}

    def _load(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN")
        try:
            state = blobs.state(self._key, _blob("state", None, db)) or State(b"", {})
            found = dict(db.execute("SELECT id, blob FROM edges").fetchall())
            self._seen = _version(db)
        finally:
            db.execute("COMMIT")
        self._state = state
        for path, file in state.files.items():
            if file.resolved:
                whole = blobs.whole(
                    blobs.key(self._key, path, file.stamp), found.get(blobs.row(path))
                )
                if whole is not None:
                    self._blobs[path] = whole
                    for target in blobs.targets(whole):
                        self._into.setdefault(target, []).append(path)
        self._files = {
            path: KeptFile(file.digest, file.resolved if path in self._blobs else 0)
            for path, file in state.files.items()
        }

    def _grounds(self, path: str, file: File) -> Mapping[str, memoryview] | None:
        blob = self.tried(partial(_blob, "grounds", path))
        return blobs.grounds(blobs.key(self._key, path, file.stamp), blob)

    def _with(self, db: sqlite3.Connection, file: File, row: Row) -> File:
        """A file with what a row says of it, which is put into the tables."""
        id_, digest = blobs.row(row.path), row.digest or file.digest
        if row.prints is not None:
            key = blobs.key(self._key, row.path, digest)
            _put(db, "prints", id_, blobs.of_prints(key, row.prints))
            file = file._replace(printed=True)
        if row.edges is not None:
            file = self._rewritten(db, row.path, file, row.edges, row.grounds)
        return file._replace(digest=digest)

    def _rewritten(
        self, db: sqlite3.Connection, path: str, file: File,
        edges: Mapping[str, Marks], grounds: Mapping[str, "array[int] | memoryview"],
    ) -> File:  # fmt: skip
        stamp = os.urandom(8)
        key = blobs.key(self._key, path, stamp)
        _put(db, "edges", blobs.row(path), blobs.of_edges(key, edges, grounds))
        _put(db, "grounds", blobs.row(path), blobs.of_grounds(key, grounds))
        return file._replace(stamp=stamp, resolved=len(edges))

    def _cut(self, db: sqlite3.Connection, path: str, file: File, names: set[str]) -> File:
        """A file without the edges of some of its symbols."""
        edges, grounds = self.edges(path), self._grounds(path, file)
        left = edges.keys() - names if grounds is not None else set[str]()
        return self._rewritten(
            db, path, file,
            {name: edges[name] for name in left}, {name: (grounds or {})[name] for name in left},
        )  # fmt: skip


def _version(db: sqlite3.Connection) -> tuple[int, int, int]:
    """What is another whenever the file has been changed: by others, or by this connection."""
    (version,) = db.execute("PRAGMA data_version").fetchone()
    return id(db), int(version), db.total_changes


def _blob(table: str, path: str | None, db: sqlite3.Connection) -> object:
    id_ = 0 if path is None else blobs.row(path)
    found = db.execute(f"SELECT blob FROM {table} WHERE id = ?", [id_]).fetchone()  # noqa: S608
    return found[0] if found else None


def _put(db: sqlite3.Connection, table: str, id_: int, blob: bytes) -> None:
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", [id_, blob])  # noqa: S608
