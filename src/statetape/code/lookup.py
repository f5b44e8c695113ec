"""A resolver's window on the repository that remembers what was looked at."""

from collections.abc import Callable

from statetape.code.facts import Facts


class RecordingLookup:
    """A `Lookup` that records its calls: `files` and `folders` are what the answer depends on.

    A file or folder that was asked for and is not there is a dependency too.
    """

    def __init__(
        self, facts: Callable[[str], Facts | None], folder: Callable[[str], tuple[str, ...]]
    ) -> None:
        self._facts = facts
        self._folder = folder
        self.files: set[str] = set()
        self.folders: set[str] = set()

    def facts(self, path: str) -> Facts | None:
        """The facts of a file, None where there is none."""
        self.files.add(path)
        return self._facts(path)

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted."""
        self.folders.add(path)
        return self._folder(path)
