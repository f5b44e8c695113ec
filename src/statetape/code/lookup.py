"""A resolver's window on the repository that remembers what was looked at."""

from collections import defaultdict
from collections.abc import Iterable

from statetape.code.facts import Facts, Repository
from statetape.code.findings import FOLDER, KEY, THERE, Finding, Findings, Ground, grounds, split
from statetape.code.names import defining, inheriting
from statetape.types import SymbolId


class RecordingLookup:
    """A `Lookup` that records its calls: `files`, `folders`, `names` are what the answer rests on.

    Of each file, the names that were looked at, None for all of them; none at all where only its
    existence mattered. `names` are keys of `code.names`. What it found out is kept in `found`, and
    what that rests on is there.
    """

    def __init__(self, source: Repository, findings: Findings) -> None:
        self._source = source
        self.findings = findings
        self.files: defaultdict[str, set[str | None]] = defaultdict(set)
        self.folders: set[str] = set()
        self.names: set[str] = set()
        self.found: set[Finding] = set()

    def facts(self, path: str, name: str | None = None) -> Facts | None:
        """The facts of a file to see one name in (None: all of them), None where there is none."""
        self.files[path].add(name)
        return self._source.facts(path)

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        self.files[path].update()
        return self._source.exists(path)

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""
        self.folders.add(path)
        return self._source.folder(path)

    def named(self, name: str) -> tuple[SymbolId, ...]:
        """Every definition whose last name is this, sorted."""
        self.names.add(defining(name))
        return self._source.named(name)

    def heirs(self, name: str) -> tuple[SymbolId, ...]:
        """Every class that states a base of this last name, sorted."""
        self.names.add(inheriting(name))
        return self._source.heirs(name)

    def rest_on(self, grounds: Iterable[Ground], findings: Iterable[Finding] = ()) -> None:
        """Depend on what was looked at for an answer, and on findings that were used for it."""
        found, loose = split(findings)
        self.found |= found
        self._note(grounds)
        self._note(loose)

    def entire(self) -> "RecordingLookup":
        """The same with all that its findings rest on. Costs a walk over these."""
        whole = RecordingLookup(self._source, self.findings)
        whole.files.update({path: set(names) for path, names in self.files.items()})
        whole.folders |= self.folders
        whole.names |= self.names
        for each in grounds(self.found):
            whole._note(each)
        return whole

    def _note(self, grounds: Iterable[Ground]) -> None:
        for path, name in grounds:
            if name == FOLDER:
                self.folders.add(path)
            elif name == KEY:
                self.names.add(path)
            elif name == THERE:
                self.files[path].update()
            else:
                self.files[path].add(name)

    def saw(self, path: str, names: set[str]) -> bool:
        """Whether one of these names in a file was looked at."""
        looked = self.files.get(path, ())
        return bool(names) and (None in looked or not names.isdisjoint(looked))
