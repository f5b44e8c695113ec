"""The files of one repository as its writes leave them, and their facts as deep as was asked."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from statetape.code import languages, treesitter
from statetape.code.chosen import vendored
from statetape.code.facts import Facts, Index, Interface
from statetape.code.index import FolderIndex, WordIndex, numbered
from statetape.code.names import NameIndex
from statetape.code.uncollected import uncollected
from statetape.code.verbatim import standing
from statetape.types import Definition, Files, Write

# Files of which it is known what they may soon be, at most.
_EXPECTED = 8


class Change(NamedTuple):
    """What a write did to a file: its definitions on both sides, None where it is not there.

    `before` are its old facts if anybody has looked at them. `names` are the keys of `code.names`
    under which the repository now has something else.
    """

    old: Mapping[str, Definition] | None
    new: Mapping[str, Definition] | None
    before: Facts | None
    after: Facts | None
    names: set[str]


class Shelf:
    """What is known of each file: one extraction, when somebody looks into it.

    What is asked of the whole repository reads every file once, or asks the `index` for what it
    knows of their content. With `lasting`, symbols outlast a write that breaks their file
    (`code.verbatim`). `files_extracted` counts the work done so far, `writes` the changes.
    """

    def __init__(self, files: Files, index: Index | None = None, *, lasting: bool = False) -> None:
        self._files = files
        # Files that are only looked through need not stay in memory, where `files` can tell.
        self._skim: Callable[[str], bytes | None] = getattr(files, "skim", files.read)
        self._index = index
        self._lasting = lasting
        self._written: dict[str, bytes | None] = {}
        self._facts: dict[str, Facts | None] = {}
        self._expected: dict[str, tuple[bytes, Facts]] = {}
        self._definitions: dict[str, Mapping[str, Definition] | None] = {}
        self._folders: FolderIndex | None = None
        self._interfaces: dict[str, Interface] | None = None
        self._names: NameIndex | None = None
        self._words: WordIndex | None = None
        self.files_extracted = 0
        self.writes = 0

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now, None where there is none."""
        return self._written[path] if path in self._written else self._files.read(path)

    def exists(self, path: str) -> bool:
        """Whether there is such a file now. What is not listed may be there all the same."""
        if path in self._facts:
            return self._facts[path] is not None
        return path in self.folders() or self.facts(path) is not None

    def facts(self, path: str) -> Facts | None:
        """What a file says now, None where there is none. Extracted at the first call."""
        if path not in self._facts:
            self._keep(path, self._extracted(path, self.read(path)))
        return self._facts[path]

    def definitions(self, path: str) -> Mapping[str, Definition] | None:
        """The definitions of a file by name, residue first; None where there is no such file."""
        if path not in self._definitions:
            known = self._known(path, self.read(path))
            if known is None:
                self.facts(path)
            else:
                self._definitions[path] = known
        return self._definitions[path]

    def folders(self) -> FolderIndex:
        """Every file, by folder."""
        if self._folders is None:
            with uncollected():
                self._folders = FolderIndex(self._files.paths())
            for path, data in self._written.items():
                self._folders.note(path, present=data is not None)
        return self._folders

    def interfaces(self) -> Mapping[str, Interface]:
        """Of every file that is not vendored. The first question reads them all."""
        if self._interfaces is None:
            paths = [path for path in self.folders() if not vendored(path)]
            unknown = [path for path in paths if path not in self._facts]
            found = dict(self._index.interfaces(unknown, self._skimmed) if self._index else ())
            for path in paths:
                facts = None if path in found else self.facts(path)
                if facts is not None:
                    found[path] = facts.interface()
            self._interfaces = found
        return self._interfaces

    def _skimmed(self, path: str) -> bytes | None:
        return self._written[path] if path in self._written else self._skim(path)

    def names(self) -> NameIndex:
        """Every definition by its last name. The first question reads all files."""
        if self._names is None:
            interfaces = self.interfaces()
            with uncollected():
                self._names = NameIndex(interfaces.items())
        return self._names

    def words(self) -> WordIndex:
        """The files that mention a word. The first question reads all files."""
        if self._words is None:
            with uncollected():
                self._words = WordIndex(self._used())
        return self._words

    def has_looked_into(self, path: str) -> bool:
        """Whether anybody has asked for what stands in this file."""
        return path in self._facts or path in self._definitions

    def extracted(self) -> Iterator[Facts]:
        """The facts of every file that was extracted so far, as it is now."""
        return (facts for facts in [*self._facts.values()] if facts is not None)

    def expect(self, path: str, data: bytes) -> None:
        """Extract what a file that was looked into may soon say."""
        facts = self._extracted(path, data) if self.has_looked_into(path) else None
        if facts is not None:
            self._expected[path] = data, facts
            while len(self._expected) > _EXPECTED:
                del self._expected[next(iter(self._expected))]

    def unload(self) -> None:
        """Let go of what was extracted and can be again: nothing may have been written."""
        self._facts.clear()
        self._definitions.clear()

    def renew(self, written: Mapping[str, bytes | None]) -> set[str]:
        """The keys of `code.names` that other texts of files change which nobody looked into.

        Asks the index for all of them at once; nothing is extracted that nobody needs.
        """
        self.writes += 1
        self._written |= written
        if self._folders is not None:
            for path, data in written.items():
                self._folders.note(path, present=data is not None)
        if self._interfaces is None:
            return set()
        self._words = None
        there = [path for path, data in written.items() if data is not None and not vendored(path)]
        found = dict(self._index.interfaces(there, self.read) if self._index else ())
        for path in there:
            facts = None if path in found else self.facts(path)
            if facts is not None:
                found[path] = facts.interface()
        for path in written:
            self._interfaces.pop(path, None)
        self._interfaces.update(found)
        names = self._names
        return (
            set()
            if names is None
            else {key for path in written for key in names.note(path, found.get(path))}
        )

    def write(self, write: Write) -> Change:
        """What a write does to its file. Extracts the new text; the old one if nobody knows it."""
        path = write.path
        self.writes += 1
        before = self._facts.get(path)
        old = self._definitions[path] if path in self._definitions else self._before(write)
        self._written[path] = write.after
        after = self._outlasting(write, before, self._extracted(path, write.after))
        self._keep(path, after)
        if self._folders is not None:
            self._folders.note(path, present=after is not None)
        return Change(old, self._definitions[path], before, after, self._noted(path, after))

    def _outlasting(self, write: Write, before: Facts | None, after: Facts | None) -> Facts | None:
        """The facts after a write, with what still stands of those before it in broken text."""
        path, old, new = write.path, write.before, write.after
        broken = after is not None and after.broken and not languages.mends(path)
        if not self._lasting or not broken or after is None or old is None or new is None:
            return after
        if before is None or before.digest != treesitter.digest(old):
            before = self._extracted(path, old)
        return standing(before, old, after, new) if before is not None else after

    def _noted(self, path: str, after: Facts | None) -> set[str]:
        """The keys under which the index of names has changed; nothing is asked of it yet: none."""
        if self._interfaces is None or vendored(path):
            return set()
        self._interfaces.pop(path, None)
        if after is not None:
            self._interfaces[path] = after.interface()
        if self._words is not None:
            self._words.note(path, numbered(after.used if after and not after.generated else ()))
        return self._names.note(path, self._interfaces.get(path)) if self._names else set()

    def _used(self) -> Iterator[tuple[str, Collection[int]]]:
        own = {path: each for path, each in self.interfaces().items() if not each.generated}
        unknown = {path: own[path].digest for path in own if path not in self._facts}
        if self._index is not None:
            for path, words in self._index.used(unknown):
                del own[path]
                yield path, words
        for path in own:
            facts = self.facts(path)
            if facts is not None:
                yield path, numbered(facts.used)

    def _before(self, write: Write) -> Mapping[str, Definition] | None:
        known = self._known(write.path, write.before)
        facts = self._extracted(write.path, write.before) if known is None else None
        return _by_name(facts.definitions) if facts else known

    def _known(self, path: str, data: bytes | None) -> Mapping[str, Definition] | None:
        """What the index knows of a text."""
        if self._index is None or data is None:
            return None
        known = self._index.definitions(path, data)
        return None if known is None else _by_name(known)

    def _keep(self, path: str, facts: Facts | None) -> None:
        self._facts[path] = facts
        self._definitions[path] = _by_name(facts.definitions) if facts else None

    def _extracted(self, path: str, data: bytes | None) -> Facts | None:
        if data is None:
            return None
        expected = self._expected.get(path)
        if expected is not None and expected[0] == data:
            return self._expected.pop(path)[1]
        self.files_extracted += 1
        return languages.facts(path, data)


def _by_name(definitions: Iterable[Definition]) -> Mapping[str, Definition]:
    return {definition.name: definition for definition in definitions}
