"""The current text of what a record shows, in its own form: what refresh puts in place."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from statetape.agents.numbered import renumbered
from statetape.context.added import heading_now
from statetape.context.claims import marks_of, views_of
from statetape.context.repository import Repository
from statetape.context.searches import lost
from statetape.context.wording import current, more_matches
from statetape.regions import moved
from statetape.text import lines_of
from statetape.types import Lines, Query, Record, Shown, SymbolId, Symbols, View

_MOST_ADDED = 20


def refreshed(
    record: Record,
    repository: Repository,
    tokens: Callable[[str], int],
    added: Mapping[str, Sequence[int]] | None = None,
) -> Record | None:
    """The record with every run of lines as the file has it now, born now.

    What stands between the runs stays as it is, but for the headings of what was brought in. Hits
    that match no more are left out. `added` are matches new to a search, path to line numbers;
    they are listed at the end. None where nothing of what was shown is left, where the record
    shows more than its lines account for, or where there are too many new matches.
    """
    referent = record.referent
    if not isinstance(referent, Symbols | Query) or record.slot.side == "input":
        return None
    if not referent.whole:
        return None
    rows = record.text.split("\n")
    if rows[-1] == current():
        del rows[-1]
    out: list[str] = []
    parts: list[Shown] = []
    done = 0
    headed = record.slot.side == "added"
    for part in sorted(referent.shown, key=lambda part: part.rows):
        out += rows[done : part.rows.first - 1 - headed]
        done = part.rows.last
        lines = _lines_now(part, record, repository)
        if lines is not None and not _lost(part, lines, referent, repository):
            if headed:
                out.append(heading_now(rows[part.rows.first - 2], lines, repository))
            out += _printed(part, lines, repository, len(out), parts)
    out += rows[done:]
    new = _unshown(added, parts) if added else []
    if len(new) > _MOST_ADDED:
        return None
    if new and more_matches() not in out:
        out.append(more_matches())
    for path, number in new:
        hit = Shown(path, Lines(number, number), Lines(0, 0), "", (f"{path}:{number}:",))
        out += _printed(hit, hit.lines, repository, len(out), parts)
    if not parts:
        return None
    text = "\n".join([*out, current()])
    return replace(
        record,
        text=text,
        referent=replace(referent, views=_views(referent, parts, repository), shown=tuple(parts)),
        born=repository.now,
        tokens=tokens(text),
    )


def _unshown(added: Mapping[str, Sequence[int]], parts: list[Shown]) -> list[tuple[str, int]]:
    shown = {(part.path, n) for part in parts for n in range(part.lines.first, part.lines.last + 1)}
    return [(path, n) for path, ns in added.items() for n in ns if (path, n) not in shown]


def _lost(part: Shown, lines: Lines, referent: Symbols | Query, repository: Repository) -> bool:
    """Whether hits are none any more. Lines that are read beside a search are no hits."""
    if isinstance(referent, Symbols) or part.path in _read_paths(referent):
        return False
    now = lines_of(repository.text(part.path) or "")[lines.first - 1 : lines.last]
    return lost(referent, part.text, "\n".join(now))


def _read_paths(referent: Symbols | Query) -> set[str]:
    return {symbol.path for symbol, view in referent.views.items() if view.edges is not None}


def _views(
    referent: Symbols | Query, parts: list[Shown], repository: Repository
) -> dict[SymbolId, View]:
    """The views of the new lines; of a file whose symbols were marks, marks again."""
    read = _read_paths(referent)
    hits = [part for part in parts if part.path not in read]
    reads = [part for part in parts if part.path in read]
    return {**marks_of(hits, repository), **views_of(reads, repository)}


def _lines_now(part: Shown, record: Record, repository: Repository) -> Lines | None:
    text = repository.text(part.path)
    if text is None:
        return None
    if part.lines.first == 1:
        born = repository.text_at(part.path, record.born) or ""
        if part.lines.last == _length(born):
            return Lines(1, _length(text)) if text else None
    return moved(part.lines, repository.writes_of(part.path, record.born))


def _length(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _printed(
    part: Shown, lines: Lines, repository: Repository, above: int, parts: list[Shown]
) -> list[str]:
    text = lines_of(repository.text(part.path) or "")[lines.first - 1 : lines.last]
    prefixes: tuple[str, ...] = ()
    if part.prefixes:
        same = len(part.prefixes) == len(text)
        forms = part.prefixes if same else part.prefixes[:1] * len(text)
        prefixes = tuple(renumbered(form, n) for n, form in enumerate(forms, lines.first))
    rows = Lines(above + 1, above + len(text))
    parts.append(Shown(part.path, lines, rows, "\n".join(text), prefixes))
    if not prefixes:
        return [*text]
    return [prefix + line for prefix, line in zip(prefixes, text, strict=True)]
