"""A resolver's window on the repository that remembers what was looked at."""

from collections import defaultdict
from collections.abc import Callable

from statetape.code.facts import Facts


class RecordingLookup:
    """A `Lookup` that records its calls: `files` and `folders` are what the answer depends on.

    Of each file, the names that were looked at, None for all of them; none at all where only its
    existence mattered.
    """

    def __init__(
        self, facts: Callable[[str], Facts | None], folder: Callable[[str], tuple[str, ...]]
    ) -> None:
        self._facts = facts
        self._folder = folder
        self.files: defaultdict[str, set[str | None]] = defaultdict(set)
        self.folders: set[str] = set()

    def facts(self, path: str, name: str | None = None) -> Facts | None:
        """The facts of a file to see one name in (None: all of them), None where there is none."""
        self.files[path].add(name)
        return self._facts(path)

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        self.files[path].update()
        return self._facts(path) is not None

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""
        self.folders.add(path)
        return self._folder(path)

    def saw(self, path: str, names: set[str]) -> bool:
        """Whether one of these names in a file was looked at."""
        looked = self.files.get(path, ())
        return bool(names) and (None in looked or not names.isdisjoint(looked))
