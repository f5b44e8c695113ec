"""Evidence of changes from what clients log: whole texts, and hunks with their exact lines.

A string that had to be repaired (`torn`) is not what the file held, and is no evidence.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from statetape.replay.recording import Hunk, Whole
from statetape.replay.transcripts.shape import items, mapping, number

PathOf = Callable[[str], str]
"""The repository path of a path as the log spells it."""

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
# The signs of a row that stand for a line of the old and of the new side. An empty row is an
# empty line on both sides, its blank lost on the way; a backslash says "no newline at end".
_OLD, _NEW, _SIGNS = (" ", "-", ""), (" ", "+", ""), (" ", "+", "-", "\\", "")
_LEADING_TABS = re.compile("^\t+")


def stated_whole(
    path: str, text: object, when: Literal["before", "after"], torn: frozenset[str]
) -> tuple[Whole, ...]:
    """The whole text of a file as the log states it: one, or none where it does not."""
    return (Whole(path, text, when),) if isinstance(text, str) and text not in torn else ()


def structured_hunks(patch: object) -> tuple[Hunk, ...] | None:
    """The hunks of a `structuredPatch`; None if it is empty or damaged."""
    hunks = []
    for raw in items(patch):
        rows = items(mapping(raw).get("lines"))
        first = number(mapping(raw).get("oldStart"))
        if first is None or not rows or not all(isinstance(row, str) for row in rows):
            return None
        hunk = _hunk(first, rows)
        if hunk is None:
            return None
        # Unlike the text of a diff, the object counts from the line after an empty old side.
        hunks.append(hunk if hunk.old else Hunk(first - 1, hunk.old, hunk.new))
    return tuple(hunks) or None


def diff_hunks(diff: str) -> tuple[Hunk, ...] | None:
    """The hunks of the unified diff of one file; None if it has none or is damaged."""
    hunks = []
    rows = iter(diff.removesuffix("\n").split("\n"))
    for row in rows:
        header = _HEADER.match(row)
        if header is None:
            continue
        first, old_left, new_left = (int(count or 1) for count in header.groups())
        body: list[str] = []
        while old_left > 0 or new_left > 0:
            body.append(next(rows, "?"))
            sign = body[-1][:1]
            old_left -= sign in _OLD
            new_left -= sign in _NEW
            if sign not in _SIGNS:
                return None
        hunk = _hunk(first, body)
        hunks.extend([hunk] if hunk else [])
    return tuple(hunks) or None


def _hunk(first: int, rows: Iterable[str]) -> Hunk | None:
    old: list[str] = []
    new: list[str] = []
    for row in rows:
        sign, line = row[:1], row[1:]
        if sign not in _SIGNS:
            return None
        if sign in _OLD:
            old.append(line)
        if sign in _NEW:
            new.append(line)
    return Hunk(first, tuple(old), tuple(new))


def exact_hunks(hunks: Sequence[Hunk], before: str, after: str) -> tuple[Hunk, ...] | None:
    """`hunks` with their lines as the files have them; None if they lead elsewhere.

    Claude Code logs each leading tab of a line as two spaces, so its own lines do not apply.
    """
    old_lines, new_lines = before.split("\n"), after.split("\n")
    exact = []
    shift = 0
    for hunk in hunks:
        at = hunk.first - 1 if hunk.old else hunk.first
        old = tuple(old_lines[at : at + len(hunk.old)])
        new = tuple(new_lines[at + shift : at + shift + len(hunk.new)])
        if at < 0 or untabbed(old) != hunk.old or untabbed(new) != hunk.new:
            return None
        exact.append(Hunk(hunk.first, old, new))
        shift += len(new) - len(old)
    return tuple(exact)


def untabbed(rows: Iterable[str]) -> tuple[str, ...]:
    """`rows` as Claude Code logs them: two spaces for each leading tab."""
    return tuple(
        _LEADING_TABS.sub(lambda match: "  " * len(match[0]), row) if row[:1] == "\t" else row
        for row in rows
    )


def may_hide_tabs(hunks: Iterable[Hunk]) -> bool:
    """Whether a line of Claude Code's `hunks` may have begun with a tab in the file."""
    return any(row.startswith("  ") for hunk in hunks for row in (*hunk.old, *hunk.new))


def indented_hunks(hunks: Sequence[Hunk], known: Iterable[str]) -> tuple[Hunk, ...] | None:
    """`hunks` with the indentation back that opencode cuts from all rows of a diff alike.

    `known` are whole lines as the file has them (of the edit's own input): the changed rows must
    be among them with one and the same indentation in front, else None.
    """
    lines = set(known)
    changed = [row for hunk in hunks for row in _changed(hunk) if row.strip()]
    if not changed:
        return None
    for indent in sorted({line[: -len(changed[0])] for line in lines if line.endswith(changed[0])}):
        if not indent.strip() and all(indent + row in lines for row in changed):
            return tuple(
                Hunk(hunk.first, _indented(hunk.old, indent), _indented(hunk.new, indent))
                for hunk in hunks
            )
    return None


def _changed(hunk: Hunk) -> Iterator[str]:
    """The rows on one side of the hunk only; all of them if it just reorders its rows."""
    old, new = Counter(hunk.old), Counter(hunk.new)
    return ((old - new) + (new - old) or old).elements()


def _indented(rows: Iterable[str], indent: str) -> tuple[str, ...]:
    return tuple(indent + row if row.strip() else row for row in rows)
