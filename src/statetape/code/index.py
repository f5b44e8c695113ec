"""Which files there are, by folder; and which of them mention a name."""

from array import array
from collections.abc import Collection, Iterable, Iterator
from zlib import crc32


class FolderIndex:
    """The files of a repository by folder, kept current by `note`."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._folders: dict[str, set[str]] = {}
        for path in paths:
            self.note(path, present=True)

    def note(self, path: str, *, present: bool) -> None:
        """A file is there, or is there no longer."""
        folder = self._folders.setdefault(folder_of(path), set())
        if present:
            folder.add(path)
        else:
            folder.discard(path)

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""
        return tuple(sorted(self._folders.get(path, ())))

    def __contains__(self, path: str) -> bool:
        """Whether there is such a file."""
        return path in self._folders.get(folder_of(path), ())

    def __iter__(self) -> Iterator[str]:
        """Every path, in no order."""
        for folder in self._folders.values():
            yield from folder


class WordIndex:
    """The files that mention a word, kept current by `note`. Some 12 bytes a word of a file.

    It has the words as numbers. Two words may have the same: then it says a file too many.
    """

    def __init__(self, files: Iterable[tuple[str, Collection[int]]]) -> None:
        self._files: dict[int, list[str]] = {}
        self._noted: dict[str, Collection[int]] = {}
        for path, numbers in files:
            for number in numbers:
                self._files.setdefault(number, []).append(path)

    def note(self, path: str, numbers: Collection[int]) -> None:
        """From now on `path` mentions the words with these numbers."""
        self._noted[path] = frozenset(numbers)

    def files(self, word: str) -> list[str]:
        """The files that mention a word, in no order. Costs a look at each noted file, too."""
        number = crc32(word.encode(errors="replace"))
        found = [path for path in self._files.get(number, ()) if path not in self._noted]
        return found + [path for path, numbers in self._noted.items() if number in numbers]


def numbered(words: Iterable[str]) -> Collection[int]:
    """The numbers of words (32 bits each), each once, ascending."""
    return array("I", sorted({crc32(word.encode(errors="replace")) for word in words}))


def folder_of(path: str) -> str:
    """The folder a file is in ("" is the root)."""
    return path.rpartition("/")[0]
