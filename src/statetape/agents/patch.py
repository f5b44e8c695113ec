"""Patches: the V4A form of `apply_patch`, and plain replacements of text.

In an `Edit`, the hunks of a patch are pairs (old lines, new lines), each line with its newline. A
hunk with equal sides is context only: it is looked for and left alone, and the next hunk is
looked for below it (so is an `@@` line). Old lines without a final newline stand at the end of
the file (`*** End of File`).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from statetape.types import Edit

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_HEADERS = (_ADD, _DELETE, _UPDATE)
_MOVE, _EOF = "*** Move to: ", "*** End of File"

Hunks = tuple[tuple[str, str], ...]


def edits(text: str) -> tuple[Edit, ...]:
    """What an `apply_patch` text does to files, in its order, with the paths as given.

    As lenient as Codex: the patch may stand in a heredoc or between other lines, without its
    first or last line, with spaces around the markers. Empty for a text that is no patch.
    """
    found: list[Edit] = []
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    for start, stop in pairwise([*_starts(lines), len(lines)]):
        kind, path = _header(lines[start])
        body = list(_body(lines[start + 1 : stop]))
        if kind == _ADD:
            added = [line[1:] for line in body if line.startswith("+")]
            found.append(Edit(path, content="".join(line + "\n" for line in added)))
        elif kind == _DELETE:
            found.append(Edit(path, absent=True))
        else:
            moved = next((line.strip()[len(_MOVE) :] for line in body[:1] if _moves(line)), None)
            hunks = _hunks(body[1:] if moved is not None else body)
            found.append(Edit(path, moved_to=moved, patch=hunks))
    return tuple(found)


def _starts(lines: Sequence[str]) -> list[int]:
    """Where sections start. Only the first may be indented: in a section that is a context line."""
    starts: list[int] = []
    for at, line in enumerate(lines):
        marker = line if starts else line.lstrip()
        if marker.startswith(_HEADERS):
            starts.append(at)
    return starts


def _header(line: str) -> tuple[str, str]:
    line = line.strip()
    kind = next(kind for kind in _HEADERS if line.startswith(kind.rstrip()))
    return kind, line[len(kind) :].strip()


def _body(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.strip() in (_BEGIN, _END):
            return
        yield line


def _moves(line: str) -> bool:
    return line.strip().startswith(_MOVE)


def _hunks(body: Sequence[str]) -> Hunks:
    hunks: list[tuple[str, str]] = []
    old: list[str] = []
    new: list[str] = []

    def close(end: str = "\n") -> None:
        if old or new:
            hunks.append((_joined(old, end), _joined(new, "\n")))
        old.clear()
        new.clear()

    while body and not body[-1]:  # the line end before the closing marker
        body = body[:-1]
    for line in body:
        if line.rstrip() == "@@" or line.startswith("@@ "):
            close()
            if context := line[3:]:
                hunks.append((context + "\n", context + "\n"))
        elif line.strip() == _EOF:
            close(end="")
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        else:
            kept = line.removeprefix(" ")
            old.append(kept)
            new.append(kept)
    close()
    return tuple(hunks)


def _joined(lines: Sequence[str], end: str) -> str:
    return "\n".join(lines) + end if lines else ""


def patched(text: str, hunks: Hunks) -> str | None:
    """The text with V4A hunks applied as Codex applies them, None where they do not apply.

    Each hunk is looked for below the one before: exactly, then without trailing spaces, then
    without outer spaces, then with typographic punctuation made plain. A hunk of only new lines
    goes to the end. The result ends with a newline. O(lines of the text) for each hunk.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        del lines[-1]
    looks = _Looks(lines)
    replacements: list[tuple[int, int, list[str]]] = []
    at = 0
    for old_text, new_text in hunks:
        old, new = _split(old_text), _split(new_text)
        if not old:
            replacements.append((len(lines), 0, new))
            continue
        at_end = not old_text.endswith("\n")
        found = looks.found(old, at, at_end=at_end)
        if found is None and len(old) > 1 and old[-1] == "":
            old = old[:-1]
            new = new[:-1] if new and new[-1] == "" else new
            found = looks.found(old, at, at_end=at_end)
        if found is None:
            return None
        at = found + len(old)
        if old_text != new_text:
            replacements.append((found, len(old), new))
    for start, length, new in sorted(replacements, key=lambda one: one[0], reverse=True):
        lines[start : start + length] = new
    return "".join(line + "\n" for line in lines)


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


_PLAIN = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
)
_LOOKS: tuple[Callable[[str], str], ...] = (
    str,
    str.rstrip,
    str.strip,
    lambda line: line.strip().translate(_PLAIN),
)


class _Looks:
    """The lines of a file, as each degree of leniency sees them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._seen: dict[int, list[str]] = {}

    def found(self, old: Sequence[str], start: int, *, at_end: bool) -> int | None:
        last = len(self._lines) - len(old)
        if at_end:
            start = last
        if last < 0 or start < 0:
            return None
        for degree, look in enumerate(_LOOKS):
            if degree not in self._seen:
                self._seen[degree] = [look(line) for line in self._lines]
            index = _index(self._seen[degree], [look(line) for line in old], start)
            if index is not None:
                return index
        return None


def _index(lines: Sequence[str], old: list[str], start: int) -> int | None:
    last = len(lines) - len(old)
    while start <= last:
        try:
            start = lines.index(old[0], start, last + 1)
        except ValueError:
            return None
        if lines[start : start + len(old)] == old:
            return start
        start += 1
    return None


def replaced(text: str, old: str, new: str, *, every: bool = False) -> str | None:
    """The text with one occurrence of `old` (or `every` one) replaced, as an Edit tool does it.

    An empty `old` makes the new text of an empty file. None where `old` is not in the text, and,
    without `every`, where it is not there exactly once.
    """
    if not old:
        return None if text else new
    count = text.count(old)
    if count == 0 or (count > 1 and not every):
        return None
    return text.replace(old, new)
