"""The lines of a file that a text shows, found by matching the text and not by trusting a command.

A *row* is one line of the record's text, its prefix (line number, path) split off.
"""

from collections import defaultdict
from collections.abc import Sequence

from statetape.agents.numbered import Row
from statetape.text import lines_of, speakable
from statetape.types import Lines, Shown

# A client cuts very long lines; a row at least this long may be the head of its line.
_CUT = 1_000
# Without line numbers, a run is taken for the file's only when it is as long as this.
_LEAST_ROWS = 3
_LEAST_CHARACTERS = 40
# How many places of one line are tried as the start of a run.
_CANDIDATES = 32


def shown(path: str, text: str, rows: Sequence[Row], first: int | None = None) -> tuple[Shown, ...]:
    """The runs of rows that are lines of the file `text`, in order of the rows.

    Numbered rows are checked at their number. Others are tried as one run at line `first` (1: a
    whole file), then as one run wherever that stands, then in runs; short runs of common lines
    are left out. Linear in the
    rows, with one index of the file's lines where numbers do not help.
    """
    lines = lines_of(text)
    numbered = [row for row in rows if row.number is not None]
    if numbered:
        return tuple(_runs(path, lines, [(row, row.number) for row in numbered if row.number]))
    return tuple(_runs(path, lines, _placed(lines, rows, first or 1)))


def hits(path: str, text: str, rows: Sequence[Row]) -> tuple[Shown, ...]:
    """The rows of a search result that are lines of the file `text`.

    Rows without a line number are taken for the first line that says the same.
    """
    lines = lines_of(text)
    first: dict[str, int] = {}
    if any(row.number is None for row in rows):
        for number, line in enumerate(lines, 1):
            first.setdefault(line, number)
    placed = [
        (row, number)
        for row in rows
        if row.line.strip() and (number := row.number or first.get(row.line, 0))
    ]
    return tuple(_runs(path, lines, placed))


def _runs(path: str, lines: Sequence[str], placed: Sequence[tuple[Row, int]]) -> list[Shown]:
    runs: list[list[tuple[Row, int]]] = []
    for row, number in placed:
        if not 1 <= number <= len(lines) or not _same(row.line, lines[number - 1]):
            continue
        last = runs[-1][-1] if runs else None
        if last and last[1] == number - 1 and last[0].row == row.row - 1:
            runs[-1].append((row, number))
        else:
            runs.append([(row, number)])
    parts = [_shown(path, lines, run) for run in runs]
    # Blank lines alone stand in nearly any file: they show nothing of this one.
    return parts if any(part.text.strip() for part in parts) else []


def _shown(path: str, lines: Sequence[str], run: Sequence[tuple[Row, int]]) -> Shown:
    first, last = run[0][1], run[-1][1]
    # The empty "line" after a final newline has a row of its own in some forms, but no text.
    ends = last > first and last == len(lines) and not lines[-1]
    prefixes = tuple(row.prefix for row, _ in run)
    return Shown(
        path,
        Lines(first, last - ends),
        Lines(run[0][0].row, run[-1][0].row),
        "\n".join(lines[first - 1 : last - ends]),
        prefixes if any(prefixes) else (),
    )


def _same(row: str, line: str) -> bool:
    if row == line:
        return True
    if "\ufffd" in row:
        line = speakable(line)
    if len(line) > len(row) >= _CUT:
        return line.startswith(row[:_CUT])
    return row.rstrip() == line.rstrip() and row.strip() != ""


def _placed(lines: Sequence[str], rows: Sequence[Row], first: int) -> list[tuple[Row, int]]:
    whole = [(row, first + index) for index, row in enumerate(rows)]
    fits = whole and whole[-1][1] <= len(lines)
    if fits and all(_same(row.line, lines[number - 1]) for row, number in whole):
        return whole
    where: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        where[line].append(number)
    spoken = len(rows) - (bool(rows) and not rows[-1].line)
    for number in where.get(rows[0].line, ())[:_CANDIDATES] if spoken else ():
        if _length(lines, rows, 0, number) >= spoken:
            return [(row, number + index) for index, row in enumerate(rows[:spoken])]
    placed: list[tuple[Row, int]] = []
    at = 0
    while at < len(rows):
        candidates = where.get(rows[at].line, ())[:_CANDIDATES]
        length, number = max(
            ((_length(lines, rows, at, number), number) for number in candidates), default=(0, 0)
        )
        run = rows[at : at + length]
        if length >= _LEAST_ROWS or sum(len(row.line.strip()) for row in run) >= _LEAST_CHARACTERS:
            placed += [(row, number + index) for index, row in enumerate(run)]
            at += length
        else:
            at += 1
    return placed


def _length(lines: Sequence[str], rows: Sequence[Row], at: int, number: int) -> int:
    length = 0
    while (
        at + length < len(rows)
        and number + length <= len(lines)
        and _same(rows[at + length].line, lines[number + length - 1])
    ):
        length += 1
    return length
