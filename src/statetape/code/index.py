"""Which files there are, by folder; and which of them can mention a name."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from statetape.code.facts import Facts
from statetape.types import Files


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

    def __iter__(self) -> Iterator[str]:
        """Every path, in no order."""
        for folder in self._folders.values():
            yield from folder


def folder_of(path: str) -> str:
    """The folder a file is in ("" is the root)."""
    return path.rpartition("/")[0]


def mentioning(
    name: str, paths: Collection[str], facts: Callable[[str], Facts | None], files: Files
) -> list[str]:
    """The files, sorted, that mention a name or what other files call it.

    Everything where the name needs no mention to be called (`__init__`, `constructor`). Reads
    all facts once, and the text of the files with the name to find its other names.
    """
    if name.startswith("__") or name == "constructor":
        return sorted(paths)
    names = [name]
    found: set[str] = set()
    for known in names:
        renamed = _renaming(known)
        for path in paths:
            stated = facts(path)
            if stated is None or known not in stated.used:
                continue
            found.add(path)
            text = (files.read(path) or b"").decode(errors="replace")
            other = {group for match in renamed.finditer(text) for group in match.groups() if group}
            names += sorted(other.difference(names))
    return sorted(found)


def _renaming(name: str) -> re.Pattern[str]:
    """`n as x`, `x = m.n`, `{ n: x }`, and classes that inherit `n`."""
    n = re.escape(name)
    return re.compile(
        rf"\b{n}\s+as\s+(\w+)|(\w+)\s*(?::[^=\n]*)?=\s*[\w.]*\b{n}\b(?!\s*\()|\b{n}\s*:\s*(\w+)"
        rf"|\bclass\s+(\w+)[^\n:{{]*\b{n}\b"
    )
