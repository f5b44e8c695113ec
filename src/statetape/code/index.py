"""Which files there are, by folder; and which of them mention a name."""

from collections.abc import Collection, Iterable, Iterator


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
    """The files that mention a word, kept current by `note`. Some 12 bytes a word of a file."""

    def __init__(self, files: Iterable[tuple[str, Collection[str]]]) -> None:
        self._files: dict[str, list[str]] = {}
        self._noted: dict[str, Collection[str]] = {}
        for path, words in files:
            for word in words:
                self._files.setdefault(word, []).append(path)

    def note(self, path: str, words: Collection[str]) -> None:
        """From now on `path` mentions these words."""
        self._noted[path] = words

    def files(self, word: str) -> list[str]:
        """The files that mention a word, in no order. Costs a look at each noted file, too."""
        found = [path for path in self._files.get(word, ()) if path not in self._noted]
        return found + [path for path, words in self._noted.items() if word in words]


def folder_of(path: str) -> str:
    """The folder a file is in ("" is the root)."""
    return path.rpartition("/")[0]
