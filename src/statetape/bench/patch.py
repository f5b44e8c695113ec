"""The hunks of a reference patch (a unified diff of the repository as it was at the start)."""

import re
from collections.abc import Iterator

from statetape.bench.bounds import is_source
from statetape.bench.chronicle import Chronicle
from statetape.bench.hunks import Hunk
from statetape.errors import BadInput
from statetape.text import speakable

_FILE = re.compile(r"--- (?:a/)?([^\t\n]+)")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def patch_hunks(text: str, chronicle: Chronicle) -> tuple[Hunk, ...]:
    """The source hunks of a patch, as lines of the files at the start; those of tests are dropped.

    Each run of changed lines is a hunk of its own, without the context around it. Files that the
    patch makes have nothing to be stood in. BadInput for what is no unified diff, or does not
    fit the files.
    """
    found = tuple(_hunks(text.splitlines(), chronicle))
    if "@@ -" not in text:
        raise BadInput("the patch has no hunks: not a unified diff")
    return found


def _hunks(rows: list[str], chronicle: Chronicle) -> Iterator[Hunk]:
    path = ""
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        if (file := _FILE.match(row)) and at < len(rows) and rows[at].startswith("+++ "):
            path = file[1].strip()
        elif head := _HUNK.match(row):
            old, new = int(head[2] or 1), int(head[3] or 1)
            body, at = _body(rows, at, old, new)
            if path != "/dev/null" and is_source(path) and chronicle.exists(path, 0):
                yield from _changes(path, int(head[1]), body, chronicle)


def _body(rows: list[str], at: int, old: int, new: int) -> tuple[list[str], int]:
    """The rows of a hunk with so many lines on either side, and the row after them."""
    body = []
    while (old > 0 or new > 0) and at < len(rows):
        row = rows[at] or " "
        if row[0] not in " +-\\":
            raise BadInput(f"the patch is broken at line {at + 1}: {speakable(row)[:40]!r}")
        old -= row[0] in " -"
        new -= row[0] in " +"
        body.append(row)
        at += 1
    return body, at


def _changes(path: str, first: int, body: list[str], chronicle: Chronicle) -> Iterator[Hunk]:
    state = chronicle.at(path, 0)
    line = first if any(row[0] in " -" for row in body) else first + 1
    start: int | None = None
    for row in [*body, " "]:
        if row[0] in "+-":
            start = line if start is None else start
            if row[0] == "-":
                if not 1 <= line <= len(state.lines) or state.lines[line - 1] != row[1:]:
                    raise BadInput(f"the patch does not fit {path} at line {line}")
                line += 1
        elif row[0] == " ":
            if start is not None:
                numbers = state.numbers
                above = numbers[start - 2] if start > 1 else None
                below = numbers[line - 1] if line <= len(numbers) else None
                yield Hunk(path, 0, 0, tuple(numbers[start - 1 : line - 1]), (), above, below)
                start = None
            line += 1
