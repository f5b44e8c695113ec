"""The code graph of one repository, which writes change: Φ(t) = (V, E, b).

Files are read when someone asks; edges are resolved when someone looks at a symbol, and from
then on kept current: each remembers which names in which files its resolution looked at.
"""

from collections import defaultdict
from collections.abc import Iterator

from statetape.code import languages
from statetape.code.facts import Facts
from statetape.code.index import FolderIndex, folder_of, mentioning
from statetape.code.lookup import RecordingLookup
from statetape.types import Definition, Drift, Files, SymbolId, View, Write

_Edges = frozenset[SymbolId]


class Graph:
    """The graph of `files`, as its writes leave it; `files` may or may not move along with them.

    `files_extracted` and `symbols_resolved` count the work done so far.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._facts: dict[str, Facts | None] = {}
        self._definitions: dict[str, dict[str, Definition]] = {}
        self._written: dict[str, bytes | None] = {}
        self._index: FolderIndex | None = None
        self._edges: dict[SymbolId, _Edges] = {}
        self._depends: dict[SymbolId, RecordingLookup] = {}
        self._of_file: defaultdict[str, set[SymbolId]] = defaultdict(set)
        self._of_folder: defaultdict[str, set[SymbolId]] = defaultdict(set)
        self.files_extracted = 0
        self.symbols_resolved = 0

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now, None where there is none."""
        return self._written[path] if path in self._written else self._files.read(path)

    def paths(self) -> Iterator[str]:
        """The path of every file now, in no order."""
        return iter(self._folders())

    def facts(self, path: str) -> Facts | None:
        """What a file says now, None where there is none. Extracted at the first call."""
        if path not in self._facts:
            self._keep(path, self._extracted(path, self.read(path)))
        return self._facts[path]

    def symbols(self, path: str | None = None) -> Iterator[SymbolId]:
        """The symbols of one file (residue first), or of all files: then every file is read."""
        for each in sorted(self.paths()) if path is None else (path,):
            if self.facts(each) is not None:
                yield from (SymbolId(each, name) for name in self._definitions[each])

    def definition(self, symbol: SymbolId) -> Definition | None:
        """Where and how a symbol is defined now, None where it is not."""
        return self._definitions[symbol.path].get(symbol.name) if self.facts(symbol.path) else None

    def source(self, symbol: SymbolId) -> str | None:
        """The text of a symbol, nested definitions included (all places, one after another)."""
        definition = self.definition(symbol)
        data = self.read(symbol.path)
        if definition is None or data is None:
            return None
        places = (data[start:end].decode(errors="replace") for start, end in definition.spans)
        return "\n".join(places).replace("\r\n", "\n")

    def view(self, symbol: SymbolId) -> View | None:
        """The local view of a symbol, None where there is no such symbol.

        Its edges are kept current by every later `apply`.
        """
        definition = self.definition(symbol)
        return View(definition.digest, self._kept_edges(symbol)) if definition else None

    def callees(self, symbol: SymbolId) -> frozenset[SymbolId]:
        """What a symbol calls; nothing where there is no such symbol."""
        return self._kept_edges(symbol) if self.definition(symbol) else frozenset()

    def callers(self, symbol: SymbolId) -> frozenset[SymbolId]:
        """Who calls a symbol. Reads the facts of all files, resolves those that mention it."""
        simple = symbol.name.rpartition(".")[2]
        candidates = mentioning(simple, list(self.paths()), self.facts, self)
        owners = (owner for path in candidates for owner in self.symbols(path))
        return frozenset(owner for owner in owners if symbol in self._kept_edges(owner))

    def within(self, symbol: SymbolId, hops: int) -> frozenset[SymbolId]:
        """The symbols at most `hops` calls away, in either direction, itself excluded."""
        found = {symbol}
        border = {symbol}
        for _ in range(hops):
            border = {n for s in border for n in self.callees(s) | self.callers(s)} - found
            found |= border
        return frozenset(found - {symbol})

    def depends_on(self, symbol: SymbolId) -> tuple[frozenset[str], frozenset[str]]:
        """The files and the folders that the edges of a symbol were resolved from."""
        self._kept_edges(symbol)
        looked = self._depends[symbol]
        return frozenset(looked.files), frozenset(looked.folders)

    def apply(self, write: Write) -> Drift:
        """The drift of one write (Eq. 6), dispatch among the symbols that were looked at.

        Extracts the written file alone, and resolves again those that depend on a name in it that
        changed. Costs a comparison for each symbol whose resolution has looked at the file.
        """
        path = write.path
        known = path in self._facts
        before = self._facts[path] if known else self._extracted(path, write.before)
        old = {definition.name: definition.digest for definition in _stated(before)}
        self._written[path] = write.after
        after = self._extracted(path, write.after)
        self._keep(path, after)
        new = {name: d.digest for name, d in self._definitions[path].items()}
        if self._index is not None:
            self._index.note(path, present=after is not None)
        body = {name for name, digest in old.items() if new.get(name) != digest}
        affected = self._affected(path, before, after)
        for name in body:
            self._forget(SymbolId(path, name))
        return Drift(
            body=frozenset(SymbolId(path, name) for name in body),
            dispatch=frozenset(owner for owner in affected if self._moved(owner)),
            created=frozenset(SymbolId(path, name) for name in new.keys() - old.keys()),
        )

    def _affected(self, path: str, before: Facts | None, after: Facts | None) -> list[SymbolId]:
        """The symbols looked at so far whose edges a write of `path` could have moved.

        The resolution of each has looked at the file, and at a name in it that changed.
        """
        if before is None and after is None:
            return []
        owners = self._of_file[path]
        if before is None or after is None:
            return list(owners | self._of_folder[folder_of(path)])
        changed = languages.changed(before, after)
        return [owner for owner in owners if self._depends[owner].saw(path, changed)]

    def _moved(self, owner: SymbolId) -> bool:
        edges = self._edges.get(owner)
        if edges is None:
            return False
        self._forget(owner)
        return self._kept_edges(owner) != edges

    def _kept_edges(self, symbol: SymbolId) -> _Edges:
        if symbol not in self._edges:
            looked = RecordingLookup(self.facts, lambda folder: self._folders().folder(folder))
            self._edges[symbol] = languages.edges(symbol, looked)
            self.symbols_resolved += 1
            self._depends[symbol] = looked
            for path in looked.files:
                self._of_file[path].add(symbol)
            for folder in looked.folders:
                self._of_folder[folder].add(symbol)
        return self._edges[symbol]

    def _forget(self, symbol: SymbolId) -> None:
        self._edges.pop(symbol, None)
        looked = self._depends.pop(symbol, None)
        if looked is not None:
            for path in looked.files:
                self._of_file[path].discard(symbol)
            for folder in looked.folders:
                self._of_folder[folder].discard(symbol)

    def _keep(self, path: str, facts: Facts | None) -> None:
        self._facts[path] = facts
        self._definitions[path] = {definition.name: definition for definition in _stated(facts)}

    def _extracted(self, path: str, data: bytes | None) -> Facts | None:
        if data is None:
            return None
        self.files_extracted += 1
        return languages.facts(path, data)

    def _folders(self) -> FolderIndex:
        if self._index is None:
            self._index = FolderIndex(self._files.paths())
            for path, data in self._written.items():
                self._index.note(path, present=data is not None)
        return self._index


def _stated(facts: Facts | None) -> tuple[Definition, ...]:
    return facts.definitions if facts is not None else ()
