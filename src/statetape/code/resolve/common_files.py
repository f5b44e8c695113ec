"""The files that a file includes, sources or requires, directly or not."""

from statetape.code.paths import normal
from statetape.code.resolve.common_names import Names

_MOST = 500
"""How many files are followed from one."""
_FOLDERS = ("", "include/", "src/", "lib/")


class Included:
    """Answers for the resolution of one symbol, each remembered."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._reached: dict[str, tuple[str, ...]] = {}
        self._meanings: dict[tuple[str, str], str | None] = {}

    def files(self, path: str) -> tuple[str, ...]:
        """A file and those it includes, nearest first."""
        if path not in self._reached:
            found = {path: None}
            queue = [path]
            for each in queue:
                for _, written in self._names.imports(each, ""):
                    included = self.meant(each, written)
                    if included is not None and included not in found and len(found) < _MOST:
                        found[included] = None
                        queue.append(included)
            self._reached[path] = tuple(found)
        return self._reached[path]

    def meant(self, path: str, written: str) -> str | None:
        """The file that one means by what it includes; None outside of the repository."""
        key = path.rpartition("/")[0], written
        if key not in self._meanings:
            self._meanings[key] = self._meant(*key)
        return self._meanings[key]

    def _meant(self, folder: str, written: str) -> str | None:
        """The file that is meant: beside the one that says it, or under a folder around that."""
        if "." not in written.rpartition("/")[2]:
            written += self._names.dialect.suffixes[0]
        beside = normal(f"{folder}/{written}")
        if beside is not None and self._names.lookup.exists(beside):
            return beside
        while True:
            for under in _FOLDERS:
                candidate = normal(f"{folder}/{under}{written}")
                if candidate is not None and self._names.lookup.exists(candidate):
                    return candidate
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
