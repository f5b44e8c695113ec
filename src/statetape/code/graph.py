"""The code graph of one repository, which writes change: Φ(t) = (V, E, b).

Files are read when someone asks; edges are resolved when someone looks at a symbol, and from
then on kept current: each remembers which names in which files its resolution looked at.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from statetape.code import languages
from statetape.code.facts import Facts, Index, Interface
from statetape.code.findings import FOLDER, KEY, Findings
from statetape.code.index import folder_of
from statetape.code.lookup import RecordingLookup
from statetape.code.mentions import mentioning
from statetape.code.names import defining, inheriting
from statetape.code.reaches import Kept, Reaches, Unresolved
from statetape.code.shelf import Change, Shelf
from statetape.types import Definition, Drift, Files, Mark, SymbolId, View, Write

# In the names of a file that a resolution looked at: behind it, one whose own text was taken.
_USED = "\0"


class Edges(NamedTuple):
    """The outgoing edges of a symbol, as marked and as its view holds them, and their grounds."""

    marks: Mapping[SymbolId, Mark]
    held: frozenset[tuple[SymbolId, bytes]]
    looked: RecordingLookup


class Graph:
    """The graph of `files`, as its writes leave it; `files` may or may not move along with them.

    An `index` knows the facts of files that were seen before, and `kept` the edges of symbols.
    `lasting`: in a file that a write breaks, and whose language cannot mend that, a symbol that
    the write does not touch is what it was; the graph is then that of the files alone once they
    are whole. `files_extracted` and `symbols_resolved` count the work done so far.
    """

    def __init__(
        self,
        files: Files,
        index: Index | None = None,
        *,
        kept: Kept | None = None,
        lasting: bool = False,
    ) -> None:
        self._shelf = Shelf(files, index, lasting=lasting)
        self._reaches = Reaches(kept, self._shelf) if kept is not None else None
        self._findings = Findings()
        self._edges: dict[SymbolId, Edges] = {}
        self._of_file: defaultdict[str, set[SymbolId]] = defaultdict(set)
        self._of_folder: defaultdict[str, set[SymbolId]] = defaultdict(set)
        self._of_name: defaultdict[str, set[SymbolId]] = defaultdict(set)
        self.symbols_resolved = 0

    @property
    def files_extracted(self) -> int:
        """How many texts of files were extracted so far."""
        return self._shelf.files_extracted

    def tells_callers(self) -> bool:
        """Whether who reaches a symbol is a look-up, or at most a search of 300 files."""
        return self._reaches is not None or sum(1 for _ in islice(self.paths(), 301)) <= 300

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now, None where there is none."""
        return self._shelf.read(path)

    def paths(self) -> Iterator[str]:
        """The path of every file now, in no order."""
        return iter(self._shelf.folders())

    def facts(self, path: str, name: str | None = None) -> Facts | None:  # noqa: ARG002
        """What a file says now, None where there is none. Extracted at the first call.

        `name` matters to a `Lookup` that records alone.
        """
        return self._shelf.facts(path)

    def interfaces(self) -> Mapping[str, Interface]:
        """What there is in each file that is not vendored. The first question reads all files."""
        return self._shelf.interfaces()

    def symbols(self, path: str | None = None) -> Iterator[SymbolId]:
        """The symbols of one file, residue first, or of all that are not vendored or generated.

        The first question for all reads every file.
        """
        if path is not None:
            yield from (SymbolId(path, name) for name in self._shelf.definitions(path) or ())
            return
        for each, interface in sorted(self._shelf.interfaces().items()):
            if not interface.generated:
                yield from (SymbolId(each, name) for name in interface.names)

    def definition(self, symbol: SymbolId) -> Definition | None:
        """Where and how a symbol is defined now, None where it is not."""
        return (self._shelf.definitions(symbol.path) or {}).get(symbol.name)

    def source(self, symbol: SymbolId) -> str | None:
        """The text of a symbol, nested definitions included (all places, one after another)."""
        definition = self.definition(symbol)
        data = self.read(symbol.path)
        if definition is None or data is None:
            return None
        places = (data[start:end].decode(errors="replace") for start, end in definition.spans)
        return "\n".join(places).replace("\r\n", "\n")

    def view(self, symbol: SymbolId) -> View | None:
        """The local view of a symbol, None where there is none; every `apply` keeps it current."""
        definition = self.definition(symbol)
        return View(definition.digest, self._kept_edges(symbol).held) if definition else None

    def edges(self, symbol: SymbolId) -> Mapping[SymbolId, Mark]:
        """What a symbol calls and uses, and how; nothing where there is no such symbol."""
        return self._kept_edges(symbol).marks if self.definition(symbol) else {}

    def callees(self, symbol: SymbolId) -> frozenset[SymbolId]:
        """What a symbol calls; nothing where there is no such symbol."""
        return frozenset(to for to, mark in self.edges(symbol).items() if mark != "uses")

    def callers(self, symbol: SymbolId) -> frozenset[SymbolId]:
        """Who calls or uses a symbol; the cost is that of `reaching`."""
        return frozenset(self.reaching(symbol))

    def reaching(self, symbol: SymbolId) -> Mapping[SymbolId, Mark]:
        """Who calls or uses a symbol, and how. The first question reads every file.

        Where the edges of all symbols are kept, that is a look-up. Otherwise it reads the files
        that mention the symbol, and resolves who does.
        """
        if self._reaches is not None:
            return self._reaches.callers(symbol, self.edges)
        marks = ((owner, self.edges(owner)) for owner in mentioning(symbol, self._shelf))
        return {owner: each[symbol] for owner, each in marks if symbol in each}

    def resolved(self, path: str) -> Mapping[str, Mapping[SymbolId, Mark]]:
        """The edges of those symbols of a file of which they are kept, by name."""
        return self._reaches.edges(path) if self._reaches is not None else {}

    def unresolved(self) -> Unresolved:
        """The symbols of which no edges are kept; where none are kept at all, none of all."""
        return self._reaches.unresolved() if self._reaches is not None else Unresolved()

    def unload(self) -> None:
        """Let go of what can be read again. Nothing may have been written."""
        self._shelf.unload()

    def exists(self, path: str) -> bool:
        """Whether there is such a file now."""
        return self._shelf.exists(path)

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder now, sorted ("" is the root)."""
        return self._shelf.folders().folder(path)

    def named(self, name: str) -> tuple[SymbolId, ...]:
        """Every definition whose last name is this, sorted. The first question reads all files."""
        return self._shelf.names().under(defining(name))

    def heirs(self, name: str) -> tuple[SymbolId, ...]:
        """Every class that states a base of this last name, sorted; the cost is that of `named`."""
        return self._shelf.names().under(inheriting(name))

    def mentioning(self, word: str) -> tuple[str, ...]:
        """The files that mention a word, and perhaps a few others, sorted. As costly as `named`."""
        return tuple(sorted(self._shelf.words().files(word)))

    def looked_at(self, symbol: SymbolId) -> RecordingLookup:
        """What the edges of a symbol were resolved from."""
        return self._kept_edges(symbol).looked.entire()

    def apply(self, write: Write) -> Drift:
        """The drift of one write (Eq. 6), dispatch among the symbols that were looked at.

        Extracts the written file alone, and resolves again those that depend on a name in it that
        changed. Costs a comparison for each symbol whose resolution has looked at the file.
        """
        path = write.path
        change = self._shelf.write(write)
        old, new = change.old or {}, change.new or {}
        body = {
            name for name, was in old.items() if name not in new or new[name].digest != was.digest
        }
        affected = self._affected(path, change, body)
        for name in body:
            self._forget(SymbolId(path, name))
        return Drift(
            body=frozenset(SymbolId(path, name) for name in body),
            dispatch=frozenset(owner for owner in affected if self._moved(owner)),
            created=frozenset(SymbolId(path, name) for name in new.keys() - old.keys()),
        )

    def expect(self, path: str, data: bytes) -> None:
        """A file that was looked into will perhaps have these bytes: they are extracted now."""
        self._shelf.expect(path, data)

    def pass_over(self, written: Mapping[str, bytes | None]) -> Drift:
        """The drift of writes to files that nobody has looked into: dispatch alone.

        Of any number of files, one that is new to its folder or to a name may move edges.
        """
        names = self._shelf.renew(written)
        owners = {owner for name in names for owner in self._of_name.get(name, ())}
        for path in written:
            owners |= self._forget_findings(path, None, names)
        for folder in {folder_of(path) for path in written}:
            owners |= self._of_folder.get(folder, set())
        return Drift(dispatch=frozenset(owner for owner in owners if self._moved(owner)))

    def extracted(self) -> Iterator[Facts]:
        """The facts of every file that was extracted so far, as it is now."""
        return self._shelf.extracted()

    def has_looked_into(self, path: str) -> bool:
        """Whether anybody has asked for what stands in this file."""
        return self._shelf.has_looked_into(path)

    def _affected(self, path: str, change: Change, body: set[str]) -> list[SymbolId]:
        """The symbols looked at so far whose edges a write of `path` could have moved.

        The resolution of each has looked at the file and at a name in it that changed, or asked
        the whole repository for a name that now means something else.
        """
        if change.old is None and change.new is None:
            return []
        of_names = {owner for name in change.names for owner in self._of_name.get(name, ())}
        owners = self._of_file[path]
        if change.old is None or change.new is None:
            of_names |= self._forget_findings(path, None, change.names)
            return list(owners | self._of_folder[folder_of(path)] | of_names)
        changed = {_USED + name for name in body}
        if change.before is not None and change.after is not None:
            changed |= languages.changed(change.before, change.after)
        of_names |= self._forget_findings(path, changed, change.names)
        of_names |= {owner for owner in owners if self._edges[owner].looked.saw(path, changed)}
        return list(of_names)

    def _forget_findings(self, path: str, names: set[str] | None, keys: set[str]) -> set[SymbolId]:
        """Forget what rests on names in a file (None: on all of it), or on who has which name.

        Returned are the symbols whose edges came from it.
        """
        owners = self._findings.forget(path, names)
        if names is None:
            owners |= self._findings.forget(folder_of(path), (FOLDER,))
        for key in keys:
            owners |= self._findings.forget(key, (KEY,))
        return owners

    def _moved(self, owner: SymbolId) -> bool:
        edges = self._edges.get(owner)
        if edges is None:
            return False
        self._forget(owner)
        return self._kept_edges(owner).held != edges.held

    def _kept_edges(self, symbol: SymbolId) -> Edges:
        if symbol not in self._edges:
            looked = RecordingLookup(self, self._findings)
            marks = languages.edges(symbol, looked)
            self.symbols_resolved += 1
            held = frozenset(
                (target, self._taken(target, looked) if mark == "uses" else b"")
                for target, mark in marks.items()
                if mark != "guess"
            )
            self._edges[symbol] = Edges(marks, held, looked)
            for key, owners in self._grounds(looked):
                owners[key].add(symbol)
            for finding in looked.found:
                finding.owners.add(symbol)
        return self._edges[symbol]

    def _taken(self, target: SymbolId, looked: RecordingLookup) -> bytes:
        looked.facts(target.path, _USED + target.name)
        definition = self.definition(target)
        return definition.digest if definition is not None else b""

    def _forget(self, symbol: SymbolId) -> None:
        edges = self._edges.pop(symbol, None)
        if edges is not None:
            for key, owners in self._grounds(edges.looked):
                owners[key].discard(symbol)
            for finding in edges.looked.found:
                finding.owners.discard(symbol)

    def _grounds(
        self, looked: RecordingLookup
    ) -> Iterator[tuple[str, defaultdict[str, set[SymbolId]]]]:
        yield from ((path, self._of_file) for path in looked.files)
        yield from ((folder, self._of_folder) for folder in looked.folders)
        yield from ((name, self._of_name) for name in looked.names)
