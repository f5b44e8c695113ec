"""Numbered text and plain text: what stands before a file's own text on each row.

Tools print files with line numbers in many forms. A *row* is one line of the text; rows that are
a tool's own words (`wrappers`) are left out, and so are the rows that only separate others.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from statetape.agents.wrappers import Line, spoken, stub

__all__ = ["Numbered", "Row", "numbered", "renumbered", "stub"]


class Row(NamedTuple):
    """One row: its 1-based place in the text, the line number it states, its prefix and its line.

    The text of the row is `prefix + line`. `path` is the file that the row names, in its prefix or
    in a heading above, as the tool spells it; None where it names none.
    """

    row: int
    number: int | None
    prefix: str
    line: str
    path: str | None = None


class Numbered(NamedTuple):
    """A text, row by row. `cut`: lines were left out; `code`: the exit code that it states."""

    rows: tuple[Row, ...]
    cut: bool = False
    code: int | None = None


# `12<tab>`, `    12→`, `00012| `: files as they are read. `12: `, `12:`, `12-`: also searches.
_READ = re.compile(r"( *(\d{1,9})(?:\t|→|\| ))(.*)", re.DOTALL)
_OPENCODE = re.compile(r"((\d{1,9}):(?: |$))(.*)", re.DOTALL)
_FOUND = re.compile(r"((\d{1,9})[:-])(.*)", re.DOTALL)
_IN_LINE = re.compile(r"(  Line (\d{1,9}): )(.*)", re.DOTALL)
_HIT = re.compile(r"(((?:[A-Za-z]:[\\/])?[^\s:][^:\t]*):(\d{1,9}):)(.*)", re.DOTALL)
_BARE = re.compile(r"(((?:[A-Za-z]:[\\/])?[^\s:][^:\t]*):)(.*)", re.DOTALL)
_NUMBER_IN_CONTEXT = re.compile(r"-(\d{1,9})-")
_FILE = re.compile(r"(?:[A-Za-z]:)?[^\s:*?\"'<>|(){},;=][^:*?\"'<>|(){},;=\t]*")
_NAMED = re.compile(r"[/\\]|\.[A-Za-z]\w{0,11}$|^[A-Z]\w*file$")
_SEPARATOR = "--"


def numbered(text: str, of: Sequence[str] = ()) -> Numbered:
    """The rows of a text, in order, without what a tool says around them. Linear in the text.

    Read forms: `cat -n`, `nl`, the Read and read tools. Search forms: `path:12:line` with
    `path-12-line` around it, `12:line`, `path:line`, and paths as headings. A row that is not of
    the form that most are has no number, no prefix and no path; where there is no such form, all
    rows are like that. The empty row that some tools number after a final newline is kept.
    `of`: files that the text shows lines of, and no others': a row that seems to begin with another
    path is such a line.
    """
    lines, cut, code = spoken(text)
    said = sum(1 for line in lines if line.text and line.text != _SEPARATOR)
    for form in (_read, _headed, _hits, _found):
        rows = form(lines, said) if said else None
        if rows is not None and not _of_others(rows, of):
            return Numbered(tuple(rows), cut, code)
    return Numbered(tuple(_plain(line) for line in lines), cut, code)


def _of_others(rows: Sequence[Row], of: Sequence[str]) -> bool:
    names = set(map(_last_name, of))
    if not names or any("*" in name for name in names):
        return False
    return any(row.path and _last_name(row.path) not in names for row in rows)


def _plain(line: Line) -> Row:
    return Row(line.row, None, line.lead, line.text)


def _read(lines: Sequence[Line], said: int) -> list[Row] | None:
    return _counted(_READ, lines, 0.5 * said) or _counted_with_space(lines)


def _counted_with_space(lines: Sequence[Line]) -> list[Row] | None:
    """Rows `12: line`, as opencode reads: unlike hits of a search, without a gap."""
    rows = _counted(_OPENCODE, lines, len(lines))
    if rows is None or (len(rows) == 1 and lines[0].row == 1):
        return None
    numbers = [row.number or 0 for row in rows]
    return rows if numbers == list(range(numbers[0], numbers[0] + len(rows))) else None


def _found(lines: Sequence[Line], said: int) -> list[Row] | None:
    return _counted(_FOUND, lines, 0.6 * said)


def _counted(form: re.Pattern[str], lines: Sequence[Line], least: float) -> list[Row] | None:
    """Rows that start with a line number, at least so many, and nearly all of them rising."""
    found = [form.match(line.text) for line in lines]
    numbers = [int(match[2]) for match in found if match is not None]
    rising = sum(1 for one, other in pairwise(numbers) if other > one)
    if not numbers or len(numbers) < least or rising < 0.9 * (len(numbers) - 1):
        return None
    return [
        _plain(line)
        if match is None
        else Row(line.row, int(match[2]), line.lead + match[1], match[3])
        for line, match in zip(lines, found, strict=True)
        if match is not None or line.text != _SEPARATOR
    ]


def _headed(lines: Sequence[Line], said: int) -> list[Row] | None:
    """Rows under a path: opencode's grep (`path:`, then `  Line 12: `) and ripgrep's headings."""
    if not any(_IN_LINE.match(line.text) or _FOUND.match(line.text) for line in lines):
        return None
    rows: list[Row] = []
    path: str | None = None
    for at, line in enumerate(lines):
        form = _IN_LINE.match(line.text) or _FOUND.match(line.text)
        if form is not None and path is not None:
            rows.append(Row(line.row, int(form[2]), line.lead + form[1], form[3], path))
        elif not line.text:
            path = None if _opens(lines, at + 1) else path
        elif line.text != _SEPARATOR and (heading := _heading(lines, at)) is not None:
            path = heading
        elif rows and form is None and line.text != _SEPARATOR:
            rows.append(_plain(line))
    hits = sum(1 for row in rows if row.number is not None)
    return rows if hits and 2 * hits >= said - hits else None


def _opens(lines: Sequence[Line], at: int) -> bool:
    return at >= len(lines) or not lines[at].text or _heading(lines, at) is not None


def _heading(lines: Sequence[Line], at: int) -> str | None:
    """The path that a line states as a heading: rows of the form follow it."""
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    line = lines[at].text
    if line.endswith(":") and _IN_LINE.match(following):
        return line[:-1]
    if _FOUND.match(following) and not _FOUND.match(line) and _names_a_file(line):
        return line
    return None


def _names_a_file(text: str) -> bool:
    return len(text) < 500 and bool(_FILE.fullmatch(text)) and bool(_NAMED.search(text))


def _hits(lines: Sequence[Line], said: int) -> list[Row] | None:
    """Rows that start with a path: with a line number after it, or without."""
    hits = {line.row: found for line in lines if (found := _hit(_HIT, line.text))}
    names = {_last_name(found[2]) for found in hits.values()}
    around = {
        line.row: context
        for line in lines
        if hits and line.row not in hits and (context := _context(line, names)) is not None
    }
    bare = {
        line.row: found
        for line in lines
        if line.row not in hits and line.row not in around and (found := _hit(_BARE, line.text))
    }
    spoken_for = len(hits) + len(around)
    if not hits or spoken_for < 0.3 * said or len(bare) > 2 * spoken_for:
        return _bare(lines, {**hits, **bare}) if len(hits) + len(bare) >= 0.6 * said else None
    lead = {line.row: line.lead for line in lines}
    rows = {
        row: Row(row, int(found[3]), lead[row] + found[1], found[4], found[2])
        for row, found in hits.items()
    }
    return [
        rows.get(line.row) or around.get(line.row) or _plain(line)
        for line in lines
        if line.text != _SEPARATOR
    ]


def _bare(lines: Sequence[Line], hits: dict[int, re.Match[str]]) -> list[Row]:
    starts = {line.row: _BARE.match(line.text) for line in lines if line.row in hits}
    return [
        _plain(line)
        if (match := starts.get(line.row)) is None
        else Row(line.row, None, line.lead + match[1], match[3], match[2])
        for line in lines
        if line.text != _SEPARATOR
    ]


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _hit(form: re.Pattern[str], line: str) -> re.Match[str] | None:
    found = form.match(line)
    return found if found is not None and _names_a_file(found[2]) else None


def _context(line: Line, names: set[str]) -> Row | None:
    """A row `path-12-line`: a path with the name of one of a hit, else what precedes a number."""
    if "-" not in line.text:
        return None
    candidates = list(_NUMBER_IN_CONTEXT.finditer(line.text, 0, 1_000))
    known = (one for one in candidates if _last_name(line.text[: one.start()]) in names)
    found = next(known, None) or next(iter(candidates), None)
    if found is None or not _names_a_file(path := line.text[: found.start()]):
        return None
    prefix, rest = line.text[: found.end()], line.text[found.end() :]
    return Row(line.row, int(found[1]), line.lead + prefix, rest, path)


_PREFIX = re.compile(
    r"(?P<head>(?:.*>)?)(?P<width> *\d+)(?P<tail>\t|→|\| |: ?|-)"
    r"|(?P<path>.*(?P<mark>:)|.*(?P<dash>-)|  Line )(?P<number>\d+)"
    r"(?P<end>(?(mark):|(?(dash)-|: )))",
    re.DOTALL,
)


@lru_cache(maxsize=4096)
def renumbered(prefix: str, number: int) -> str:
    """The prefix of a row with another line number, aligned as it was.

    A prefix that states no number (of a search without line numbers, or none) stays as it is.
    """
    found = _PREFIX.fullmatch(prefix)
    if found is None:
        return prefix
    if found["width"] is None:
        return f"{found['path']}{number}{found['end']}"
    old, new = found["width"], str(number)
    if old[0] in " 0":
        new = new.rjust(len(old), old[0])
    return f"{found['head']}{new}{found['tail']}"
