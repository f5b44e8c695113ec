"""One repository whose writes change: it owns the files as they are now, the graph, the tape."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from statetape.agents.paths import is_outside
from statetape.code.facts import Facts, Index
from statetape.code.graph import Graph
from statetape.code.moves import Moved, moves
from statetape.code.nearby import callers_nearby
from statetape.regions import Copy, followed
from statetape.tape import Entry, Tape
from statetape.text import framed, text_of
from statetape.types import Drift, Files, Shown, SymbolId, Tick, View, Write

# What a file that nobody has read is taken for once it is gone: another state than before.
_GONE = b"\0"


class _Fate(NamedTuple):
    """What became of a copy of some lines: where it was at a tick, and if it stood when `asked`."""

    seen: Tick
    copy: Copy
    asked: Tick
    stands: bool


class Workspace:
    """The repository that one or more conversations work on.

    It starts as `files` has it and changes by `observe` alone; `files` itself may move on (a
    folder on disk does) without any harm to what was read before.
    """

    def __init__(self, files: Files, index: Index | None = None) -> None:
        """`index`: what is known of the content of files from before."""
        self._doubted: set[str] = set()
        self._texts: dict[str, str | None] = {}
        self._fates: dict[tuple[str, str, int, Tick], _Fate] = {}
        self._state = 0
        self.graph = Graph(files, index, lasting=True)
        self.tape = Tape()

    @property
    def state(self) -> int:
        """A digest of what the writes have made of the repository: 0 is as it started.

        A sum over files, so that a write costs the hashing of its two sides, whatever the size of
        the repository, and a reverted write restores the digest.
        """
        return self._state

    @property
    def now(self) -> Tick:
        """How many writes were seen."""
        return self.tape.now

    def observe(self, write: Write) -> Entry:
        """The tape's entry for a write that has just happened."""
        self._state ^= _digest(write.path, write.before) ^ _digest(write.path, write.after)
        self._doubted.discard(write.path)
        self._texts.pop(write.path, None)
        return self.tape.append(write, self.graph.apply(write))

    def expect(self, path: str, data: bytes) -> None:
        """A file will perhaps have these bytes soon: what can be done for that is done now."""
        self.graph.expect(path, data)

    def pass_over(self, written: Mapping[str, bytes | None]) -> None:
        """Writes to files that nobody has read here: what they were before is unknown.

        Any number of them costs a hash each, and what the index does not know of them.
        """
        drift = Drift()
        unseen = {p: data for p, data in written.items() if not self.graph.has_looked_into(p)}
        if unseen:
            drift = self.graph.pass_over(unseen)
        for path, data in written.items():
            write = Write(path, None, data)
            if path in unseen:
                self._state ^= _digest(path, data)
                self._texts.pop(path, None)
                self.tape.append(write, drift)
            else:
                self.observe(write)
            if data is None:
                self._state ^= _digest(path, _GONE)

    def doubt(self, path: str) -> Entry:
        """The tape's entry for a write of a file whose outcome nobody can see.

        Until the next write that is seen, nothing that is held of the file stands.
        """
        facts = self.facts(path)
        data = self.read(path)
        self._state ^= _digest(path, b"?" + self.now.to_bytes(8, "big"))
        self._doubted.add(path)
        self._texts[path] = None
        symbols = (SymbolId(path, d.name) for d in facts.definitions) if facts else ()
        return self.tape.append(Write(path, data, data), Drift(body=frozenset(symbols)))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file as it is now; None where there is none."""
        return self.graph.read(path)

    def paths(self) -> Iterable[str]:
        """The path of every file there is now."""
        return self.graph.paths()

    def facts(self, path: str) -> Facts | None:
        """What the file says now; None where there is none."""
        return self.graph.facts(path)

    def digest(self, symbol: SymbolId) -> bytes | None:
        """The digest of a symbol's own text now; None where there is no such symbol."""
        definition = None if symbol.path in self._doubted else self.graph.definition(symbol)
        return None if definition is None else definition.digest

    def view(self, symbol: SymbolId) -> View | None:
        """The local view of a symbol now; None where there is no such symbol."""
        return self.graph.view(symbol)

    def text(self, path: str) -> str | None:
        """The file's text, newlines normalised; None where there is no file."""
        if path not in self._texts:
            self._texts[path] = text_of(self.read(path))
        return self._texts[path]

    def text_at(self, path: str, tick: Tick) -> str | None:
        """The file's text as it was at a tick."""
        later = self.tape.first_write_after(path, tick)
        return self.text(path) if later is None else text_of(self.tape.write_at(later).before)

    def writes_of(self, path: str, since: Tick) -> Sequence[Write]:
        """The writes of one file after a tick, oldest first."""
        return self.tape.writes_of(path, since)

    def written_since(self, tick: Tick) -> Iterable[str]:
        """The paths written after a tick, each once."""
        return self.tape.written_since(tick)

    def callers_nearby(self, symbol: SymbolId, most: int) -> Iterable[SymbolId]:
        """Who calls a symbol for certain, among files that were looked into, sorted; at a low cost.

        Nothing where more than `most` symbols would have to be resolved for it.
        """
        marks = callers_nearby(symbol, self.graph, most)
        return sorted(caller for caller, mark in marks.items() if mark in {"exact", "virtual"})

    def moved(self, gone: Mapping[SymbolId, bytes], since: Tick) -> dict[SymbolId, Moved]:
        """Where those of these symbols are now that are gone, by what the writes after a tick made.

        `gone` are the digests they had. Costs a look at the drift of each of these writes.
        """
        removed = {s: digest for s, digest in gone.items() if self.digest(s) is None}
        entries = self.tape.since(since) if removed else ()
        made = (symbol for entry in entries for symbol in entry.drift.created)
        now = {symbol: self.digest(symbol) for symbol in made if symbol not in removed}
        found = moves(removed, {symbol: d for symbol, d in now.items() if d is not None})
        return {
            old: Moved(new, definition.lines[0])
            for old, new in found.items()
            if (definition := self.graph.definition(new)) is not None
        }

    def stands(self, shown: Shown, born: Tick) -> bool:
        """Whether these lines, true at tick `born`, still stand in their file.

        It is their own copy that counts, wherever it has moved: another one that says the same
        is none of theirs. Costs a search of the file, and follows each write once.
        """
        key = shown.path, shown.text, shown.lines.first, born
        fate = self._fates.get(key)
        if fate is None:
            fate = _Fate(born, Copy(shown.lines.first, stands=True), -1, stands=True)
        elif not self.tape.first_write_after(shown.path, fate.asked):
            return fate.stands
        text = self.text(shown.path)
        seen, copy, stands = fate.seen, fate.copy, False
        if text is not None and f"\n{shown.text}\n" in framed(text):
            for write in self.writes_of(shown.path, seen):
                copy = followed(copy, shown.text, write)
            seen, stands = self.now, copy.stands
        self._fates[key] = _Fate(seen, copy, self.now, stands=stands)
        return stands


def _digest(path: str, data: bytes | None) -> int:
    if data is None or is_outside(path):
        return 0
    name = path.encode("utf-8", "surrogateescape")
    hashed = blake2b(len(name).to_bytes(4, "big") + name, digest_size=16)
    hashed.update(data)
    return int.from_bytes(hashed.digest(), "big")
