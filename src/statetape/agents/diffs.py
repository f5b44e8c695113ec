"""Unified diffs, read."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from statetape.types import Edit


class DiffHunk(NamedTuple):
    """Lines replaced, context included; `first` is 1-based in the state before the whole patch.

    An insertion into nothing has `first` = the line it follows (0 at the top).
    """

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


class DiffedFile(NamedTuple):
    """One file of a unified diff; a path is None where the file is absent on that side."""

    before: str | None
    after: str | None
    hunks: tuple[DiffHunk, ...]


_RANGE = re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def unified(diff: str) -> tuple[DiffedFile, ...]:
    """The files of a unified diff (`diff -u`, `git diff`, bare hunks), in order.

    Prefixes `a/` and `b/` are taken off where both sides have them, `/dev/null` is None, renames
    are understood. Bare hunks make one file with empty paths. Lines that no diff has are skipped.
    """
    reading = _Unified()
    for line in diff.split("\n"):
        reading.take(line)
    return reading.files()


def edits(diff: str) -> tuple[Edit, ...]:
    """What applying a unified diff does to files, in its order, with the paths as given."""
    found: list[Edit] = []
    renames = "\nrename from " in f"\n{diff}"
    for before, after, hunks in unified(diff):
        if after is None and before:
            found.append(Edit(before, absent=True))
        elif before is None and after:
            found.append(Edit(after, content=_joined(line for hunk in hunks for line in hunk.new)))
        elif before and after:
            patch = tuple((_joined(hunk.old), _joined(hunk.new)) for hunk in hunks)
            if renames and before != after:
                found.append(Edit(before, moved_to=after, patch=patch))
            else:
                found.append(Edit(after, patch=patch))
    return tuple(found)


def _joined(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)


class _Unified:
    """A diff read so far: the files done, and the one at hand."""

    def __init__(self) -> None:
        self._done: list[DiffedFile] = []
        self._paths: list[str | None] = ["", ""]
        self._named = False
        self._hunks: list[DiffHunk] = []
        self._old: list[str] = []
        self._new: list[str] = []
        self._left = (0, 0)
        self._first = 0

    def take(self, line: str) -> None:
        if self._left != (0, 0) and self._took(line):
            return
        self._close_hunk()
        if (found := _RANGE.match(line)) is not None:
            self._first = int(found[1])
            self._left = int(found[2] or 1), int(found[4] or 1)
        elif line.startswith("diff --git "):
            self._close_file()
            self._paths, self._named = list(_git_paths(line)), True
        elif line.startswith("--- "):
            if self._hunks:
                self._close_file()
            self._paths[0], self._named = _side(line[4:]), True
        elif line.startswith("+++ "):
            self._paths[1] = _side(line[4:])
        elif line.startswith("rename from "):
            self._paths[0] = "a/" + line[12:]
        elif line.startswith("rename to "):
            self._paths[1] = "b/" + line[10:]
        elif line.startswith("new file mode"):
            self._paths[0] = None
        elif line.startswith("deleted file mode"):
            self._paths[1] = None

    def _took(self, line: str) -> bool:
        """Whether the line belongs to the open hunk."""
        old, new = self._left
        sign, rest = line[:1], line[1:]
        if sign == "\\":
            return True
        if sign == "-" and old:
            self._old.append(rest)
            self._left = old - 1, new
        elif sign == "+" and new:
            self._new.append(rest)
            self._left = old, new - 1
        elif sign in (" ", "") and old and new:
            self._old.append(rest)
            self._new.append(rest)
            self._left = old - 1, new - 1
        else:
            return False
        return True

    def _close_hunk(self) -> None:
        if self._old or self._new:
            self._hunks.append(DiffHunk(self._first, tuple(self._old), tuple(self._new)))
        self._old, self._new, self._left = [], [], (0, 0)

    def _close_file(self) -> None:
        self._close_hunk()
        if self._hunks or self._named:
            self._done.append(DiffedFile(*_unprefixed(*self._paths), tuple(self._hunks)))
        self._paths, self._named, self._hunks = ["", ""], False, []

    def files(self) -> tuple[DiffedFile, ...]:
        self._close_file()
        return tuple(self._done)


def _git_paths(line: str) -> tuple[str | None, str | None]:
    before, between, after = line.removeprefix("diff --git ").partition(" b/")
    return (before, "b/" + after) if between else ("", "")


def _side(text: str) -> str | None:
    path = text.partition("\t")[0].rstrip()
    return None if path == "/dev/null" else path


def _unprefixed(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    if (before is None or before.startswith("a/")) and (after is None or after.startswith("b/")):
        return before and before[2:], after and after[2:]
    return before, after
