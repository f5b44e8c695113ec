"""What is brought in behind a result: whole current lines of files, in a form that we can read.

A policy may ask for anything. What enters the context is read from the repository here, and is
tracked from then on as a read of the agent's own is.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from statetape.agents.numbered import renumbered
from statetape.code.index import folder_of
from statetape.context.claims import views_of
from statetape.context.known import shown_since
from statetape.context.repository import Code, Repository
from statetape.context.situation import SHOWING
from statetape.context.wording import Heading, bringing, current, headed, heading, why
from statetape.text import lines_of, speakable
from statetape.types import (
    Lines,
    Record,
    Region,
    Replace,
    Shown,
    Slot,
    SymbolId,
    Symbols,
    Untracked,
    View,
)

_FORM = "     1\t"
_NUMBERED = re.compile(r"( *(\d{1,9})(?:\t|→|\| |: ))(.*)", re.DOTALL)


class Brought(NamedTuple):
    """Code that was brought in, as a record of its own, and the regions that it is of."""

    record: Record
    regions: tuple[Region, ...]

    @property
    def change(self) -> Replace:
        """What every later request has in its slot."""
        return Replace(self.record.slot, self.record.text, "retrieve")


def brought(
    result: Record,
    regions: Iterable[Region],
    shown: Mapping[Slot, Record],
    repository: Code,
    tokens: Callable[[str], int],
    most: int,
) -> Brought | None:
    """The record of regions to stand behind a result, the first ones first; None: there is none.

    `shown` are the records that are true, in order: what they show is not brought in again. Nor
    is what is no whole lines of a file that the repository lists, or cannot be said as it is. In
    at most about `most` tokens; a region that has no room is left out as a whole.
    """
    rows = [bringing()]
    size = tokens(rows[0])
    parts: list[Shown] = []
    views: dict[SymbolId, View] = {}
    taken: list[Region] = []
    known: dict[str, list[Lines]] = {}
    form = _form(shown.values())
    for region in regions:
        path, lines = region.path, region.lines
        if not _is_current(region, repository) or lines.last - lines.first >= most:
            continue
        if path not in known:
            known[path] = shown_since(path, 0, shown.values(), repository)
        made = None if _is_covered(lines, known[path]) else _made(region, repository, form)
        if made is None:
            continue
        added = tokens("\n".join(made.rows)) + 1
        if size + added > most:
            continue
        size += added
        known[path].append(lines)
        taken.append(region)
        views |= made.views
        at = len(rows) + 2
        place = Lines(at, at + lines.last - lines.first)
        parts.append(Shown(path, lines, place, made.text, made.prefixes))
        rows += made.rows
    if not parts:
        return None
    text = "\n".join(rows)
    record = Record(
        slot=Slot(result.slot.id, "added"),
        step=result.step,
        kind="read",
        text=text,
        referent=Symbols(views, tuple(parts)),
        born=repository.now,
        tokens=tokens(text),
        read=tuple(dict.fromkeys(part.path for part in parts)),
    )
    return Brought(record, tuple(taken))


def resumed(
    change: Replace, step: int, repository: Repository, tokens: Callable[[str], int]
) -> tuple[Record, bool]:
    """The record that a change of before has left behind a result, and whether it is stale.

    Its lines are true if they still stand at their numbers: nobody knows of writes between. What
    took the lines away has left words. Never fails, whatever the text is.
    """
    record = Record(
        change.slot, step, "read", change.text, Untracked(), repository.now, tokens(change.text)
    )
    if change.why not in SHOWING:
        return record, False
    parts = _parts(change.text)
    paths = tuple(dict.fromkeys(part.path for part in parts))
    if parts and all(_stands(part, repository) for part in parts):
        referent = Symbols(views_of(parts, repository), parts)
        return replace(record, referent=referent, read=paths), False
    views = {SymbolId(path, ""): View(b"", None) for path in paths or ("what was brought in",)}
    return replace(record, referent=Symbols(views, whole=False), read=paths), True


def heading_now(row: str, lines: Lines, repository: Repository) -> str:
    """The heading of lines that stand elsewhere now; of a definition that is there no more, none.

    A row that is no heading stays as it is.
    """
    above = headed(row)
    if above is None:
        return row
    name = above.name if _is_of(above.path, above.name, lines, repository) else ""
    return heading(above._replace(lines=lines, name=name))


class _Made(NamedTuple):
    """One region: its heading and its numbered lines, and what these are of."""

    rows: list[str]
    text: str
    prefixes: tuple[str, ...]
    views: Mapping[SymbolId, View]


def _made(region: Region, repository: Code, form: str) -> _Made | None:
    """None where the text cannot be sent as it is, or nothing would tell of its changes."""
    path, (first, last) = region.path, region.lines
    lines = lines_of(repository.text(path) or "")[first - 1 : last]
    text = "\n".join(lines)
    above = _heading(region, repository)
    views = views_of([Shown(path, region.lines, Lines(0, 0), text)], repository)
    if above is None or not views or not text.strip() or speakable(text) != text:
        return None
    prefixes = tuple(renumbered(form, number) for number in range(first, last + 1))
    rows = [above, *(prefix + line for prefix, line in zip(prefixes, lines, strict=True))]
    return _Made(rows, text, prefixes, views)


def _heading(region: Region, repository: Code) -> str | None:
    """The row above the lines of a region; None where it could be taken for another one."""
    path, lines, symbol = region.path, region.lines, region.symbol
    own = symbol.path == path and _is_of(path, symbol.name, lines, repository)
    for name in (symbol.name if own else "", ""):
        above = Heading(path, lines, name, why(region.rule, region.reason))
        if headed(row := heading(above)) == above and row.isprintable():
            return row
    return None


def _is_of(path: str, name: str, lines: Lines, repository: Repository) -> bool:
    """Whether some of these lines are of the definition of that name."""
    facts = repository.facts(path) if name else None
    return facts is not None and name in facts.symbols_at(lines.first, lines.last)


def _is_current(region: Region, repository: Code) -> bool:
    """Whether there are these lines in a file that the repository lists."""
    path, (first, last) = region.path, region.lines
    if path not in repository.graph.folder(folder_of(path)):
        return False
    text = repository.text(path)
    return bool(text) and 1 <= first <= last <= _length(text or "")


def _length(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _is_covered(lines: Lines, runs: Iterable[Lines]) -> bool:
    """Whether some runs have all of these lines between them."""
    missing = lines.first
    for run in sorted(runs):
        if run.first > missing:
            break
        missing = max(missing, run.last + 1)
    return missing > lines.last


def _form(records: Iterable[Record]) -> str:
    """How the agent's own latest numbered read numbers a row; else as `cat -n` does."""
    for record in reversed(list(records)):
        if record.kind == "read" and isinstance(record.referent, Symbols):
            for part in record.referent.shown:
                if part.prefixes and _NUMBERED.fullmatch(part.prefixes[-1]):
                    return part.prefixes[-1]
    return _FORM


def _parts(text: str) -> tuple[Shown, ...]:
    """The runs of lines of a text of ours; empty where it is another one, or was cut."""
    rows = text.split("\n")
    if rows[-1] == current():
        del rows[-1]
    parts: list[Shown] = []
    at = 1  # rows that are done
    while at < len(rows):
        above = headed(rows[at])
        first, last = (1, 0) if above is None else above.lines
        if above is None or last < first or at + 1 + last - first >= len(rows):
            return ()
        found = [_NUMBERED.fullmatch(row) for row in rows[at + 1 : at + 2 + last - first]]
        numbered = [each for each in found if each is not None]
        if [int(each[2]) for each in numbered] != list(range(first, last + 1)):
            return ()
        place = Lines(at + 2, at + 2 + last - first)
        body = "\n".join(each[3] for each in numbered)
        prefixes = tuple(each[1] for each in numbered)
        parts.append(Shown(above.path, above.lines, place, body, prefixes))
        at = place.last
    return tuple(parts)


def _stands(part: Shown, repository: Repository) -> bool:
    lines = lines_of(repository.text(part.path) or "")
    return "\n".join(lines[part.lines.first - 1 : part.lines.last]) == part.text
