"""What a step's texts claim of the repository: the referents of its records."""

import re
from collections.abc import Iterable, Sequence

from statetape.agents.inputs import refused
from statetape.agents.numbered import Numbered, Row, numbered, stub
from statetape.agents.paths import relative
from statetape.code.languages import facts as facts_of
from statetape.context.matching import hits, shown
from statetape.context.repository import Repository
from statetape.regions import blocks
from statetape.text import lines_of, text_of
from statetape.types import (
    Edit,
    Lines,
    Query,
    Read,
    Referent,
    RepositoryState,
    Run,
    Search,
    Shown,
    Step,
    SymbolId,
    Symbols,
    Tick,
    Untracked,
    View,
)

# Runs whose output is a claim on the repository as it is; events and words are not.
_CLAIMING = frozenset({"test", "build", "query", "unknown"})
# What a shell or a command says of its failure beside what it shows.
_MESSAGE = re.compile(r"Exit code \d+|[\w./-]+: .*: [A-Z][^:]*")
# Up to this share of a read's rows may be no line of the file (a separator, an exit code).
_STRAY = 0.1


def of_input(edits: Sequence[Edit], repository: Repository) -> Referent:
    """What the agent's own edit text is about: the lines that it put into the file."""
    parts = [part for edit in edits for part in _new_lines(edit, repository)]
    return Symbols(marks_of(parts, repository), tuple(parts)) if parts else Untracked()


def of_result(step: Step, repository: Repository, root: str, batch: Tick) -> tuple[Referent, Tick]:
    """What a result is about, and the tick at which it was true.

    A result that holds the output of a claiming run is of the repository's state, whatever else
    it shows; one that lists matches is of a query, and of the lines that it shows beside them; one
    that shows lines is of their symbols. A command that fails has run, and may have shown some of
    what it was asked for (`cat here missing`), or that there is nothing to find.
    """
    result = step.result
    now = repository.now
    if result is None or stub(result.text) or refused(result):
        return Untracked(), now
    if any(isinstance(action, Run) and action.kind in _CLAIMING for action in step.actions):
        return RepositoryState(repository.state, _tested(step)), now
    found = told(result.text, failed=result.failed, of=_read_alone(step))
    rows, failed = found.rows, result.failed or bool(found.code)
    ticks = (now, batch) if batch < now else (now,)
    if any(isinstance(action, Search) for action in step.actions):
        return _of_query(step, result.text, rows, repository, root, ticks)
    reads = [action for action in step.actions if isinstance(action, Read)]
    if not reads:
        rows = tuple(row for row in rows if row.number is not None)
        reads = [Read(a.path) for a in step.actions if isinstance(a, Edit) and not a.absent]
        if not rows:
            return Untracked(), now
    return _of_reads(reads, rows, repository, ticks, failed=failed)


def _tested(step: Step) -> tuple[str, ...]:
    """The tests that a step runs, if it does nothing else that tells of the repository."""
    runs = [action for action in step.actions if isinstance(action, Run)]
    claims = [run for run in runs if run.kind in _CLAIMING]
    if len(runs) < len(step.actions) or not all(run.tests for run in claims):
        return ()
    return tuple(dict.fromkeys(path for run in claims for path in run.tests))


def _read_alone(step: Step) -> tuple[str, ...]:
    """The files that a step reads, if it does nothing else."""
    reads = tuple(action.path for action in step.actions if isinstance(action, Read))
    return reads if len(reads) == len(step.actions) else ()


def told(text: str, *, failed: bool = False, of: Sequence[str] = ()) -> Numbered:
    """The rows of a result; of a command that failed, without what it says of its failure.

    `of` as for `numbered`.
    """
    found = numbered(text, of)
    if not (failed or found.code):
        return found
    return found._replace(rows=tuple(r for r in found.rows if not _MESSAGE.fullmatch(r.line)))


def _of_query(
    step: Step,
    text: str,
    rows: Sequence[Row],
    repository: Repository,
    root: str,
    ticks: Sequence[Tick],
) -> tuple[Query, Tick]:
    """The hits, and the lines that the same step reads.

    Those are looked for by their text alone: numbers of hits and numbers of lines look alike.
    """
    searches = tuple(action for action in step.actions if isinstance(action, Search))
    reads = [action for action in step.actions if isinstance(action, Read)]
    plain = [Row(at, None, "", line) for at, line in enumerate(text.split("\n"), 1)]

    def at_tick(tick: Tick) -> tuple[list[Shown], list[Shown]]:
        lines = _lines(reads, plain, repository, tick)
        taken = [part.rows for part in lines]
        rest = [row for row in rows if not any(x <= row.row <= y for x, y in taken)]
        return lines, _hits(step, searches, rest, repository, root, tick)

    found = {tick: at_tick(tick) for tick in ticks}
    tick = max(ticks, key=lambda tick: sum(map(_rows_of, found[tick])))
    lines, hits_found = found[tick]
    missing = [read for read in reads if read.path not in {part.path for part in lines}]
    views = {
        **marks_of(hits_found, repository, tick),
        **views_of([*lines, *_files(missing, repository, tick)], repository, tick),
    }
    return Query(searches, views, (*lines, *hits_found), whole=not missing), tick


def _of_reads(
    reads: Sequence[Read],
    rows: Sequence[Row],
    repository: Repository,
    ticks: Sequence[Tick],
    *,
    failed: bool,
) -> tuple[Referent, Tick]:
    """The lines at the tick that they fit best; beside them the whole files, where there is more.

    A read that failed and shows no line has shown nothing.
    A text from before a parallel edit fits the present too, but for the lines of the edit.
    """
    found = {tick: _lines(reads, rows, repository, tick) for tick in ticks}
    tick = max(ticks, key=lambda tick: _rows_of(found[tick]))
    parts = found[tick]
    if failed and not parts:
        return Untracked(), tick
    whole = bool(parts) and _whole(parts, rows)
    covered = parts if whole else [*parts, *_files(reads, repository, tick)]
    views = views_of(covered, repository, tick)
    return (Symbols(views, tuple(parts), whole) if views else Untracked()), tick


def _rows_of(parts: Sequence[Shown]) -> int:
    return sum(part.rows.last - part.rows.first + 1 for part in parts)


def _files(reads: Sequence[Read], repository: Repository, tick: Tick) -> list[Shown]:
    texts = {read.path: repository.text_at(read.path, tick) for read in reads}
    return [
        Shown(path, Lines(1, len(lines_of(text))), Lines(0, 0), text)
        for path, text in texts.items()
        if text is not None
    ]


def _lines(
    reads: Sequence[Read], rows: Sequence[Row], repository: Repository, tick: Tick
) -> list[Shown]:
    parts: list[Shown] = []
    at = 0
    for read in reads:
        text = repository.text_at(read.path, tick)
        if text is None:
            continue
        rest = [row for row in rows if row.row > at]
        found = shown(read.path, text, rest, read.first)
        parts += found
        at = max((part.rows.last for part in found), default=at)
    return parts


def _whole(parts: Sequence[Shown], rows: Sequence[Row]) -> bool:
    speaking = [row for row in rows if row.line.strip()]
    stray = sum(not any(p.rows.first <= row.row <= p.rows.last for p in parts) for row in speaking)
    return stray <= _STRAY * len(speaking)


def _hits(
    step: Step,
    searches: Sequence[Search],
    rows: Sequence[Row],
    repository: Repository,
    root: str,
    tick: Tick,
) -> list[Shown]:
    of_path: dict[str, list[Row]] = {}
    named = {path for search in searches for path in search.paths}
    lone = named.pop() if len(named) == 1 else None
    for row in rows:
        path = lone if row.path is None else relative(row.path, root, step.cwd)
        if path is not None:
            of_path.setdefault(path, []).append(row)
    return [
        part
        for path, own in of_path.items()
        if (text := repository.text_at(path, tick)) is not None
        for part in hits(path, text, own)
    ]


def _new_lines(edit: Edit, repository: Repository) -> Iterable[Shown]:
    path = edit.moved_to or edit.path
    text = repository.text(path)
    if text is None or edit.absent:
        return
    pairs = ((edit.old, edit.new), (None, edit.content), *edit.patch)
    for old, given in pairs:
        new = (given or "").replace("\r\n", "\n")
        put = _put(path, text, old, new, repository) if new.strip() else None
        if put is not None:
            lines = lines_of(text)[put.first - 1 : put.last]
            yield Shown(path, put, Lines(0, 0), "\n".join(lines))


def _put(path: str, text: str, old: str | None, new: str, repository: Repository) -> Lines | None:
    """Where an edit put a text. Of several copies it is the one in the place of `old`.

    Where others of the same write have moved that, it is one that the write has changed.
    """
    places = list(_copies(text, new))
    if len(places) < 2 or not (writes := repository.writes_of(path, 0)):
        return places[0] if places else None
    before = text_of(writes[-1].before) or ""
    at = before.find(old.replace("\r\n", "\n")) if old else -1
    if at >= 0 and text.startswith(new, at):
        first = text.count("\n", 0, at) + 1
        return Lines(first, first + new.rstrip("\n").count("\n"))
    changed = blocks(writes[-1])
    for reach in (0, 1):  # what a removal leaves stands beside it
        for place in places:
            start, end = place.first - 1 - reach, place.last + reach
            if any(block.new_start < end and block.new_end > start for block in changed):
                return place
    return places[0]


def _copies(text: str, new: str) -> Iterable[Lines]:
    """The lines over which each copy of a text stands, its last newlines left out."""
    size = new.rstrip("\n").count("\n")
    line, before, at = 1, 0, text.find(new)
    while at >= 0:
        line += text.count("\n", before, at)
        yield Lines(line, line + size)
        before, at = at, text.find(new, at + len(new))


def views_of(
    parts: Sequence[Shown], repository: Repository, tick: Tick | None = None
) -> dict[SymbolId, View]:
    """The local views of all symbols that these lines cover, now or as at a tick.

    Edges are those of now in both cases: within one batch nobody asked for them before.
    """
    views = {}
    for symbol, mark in marks_of(parts, repository, tick).items():
        view = repository.view(symbol)
        views[symbol] = View(mark.digest, frozenset() if view is None else view.edges)
    return views


def marks_of(
    parts: Sequence[Shown], repository: Repository, tick: Tick | None = None
) -> dict[SymbolId, View]:
    """The symbols that these lines cover, by their own text alone."""
    marks: dict[SymbolId, View] = {}
    for path in dict.fromkeys(part.path for part in parts):
        now = repository.facts(path)
        old = repository.text_at(path, tick) if tick is not None and tick < repository.now else None
        facts = now if old is None else facts_of(path, old.encode("utf-8", "surrogateescape"))
        if facts is None:
            continue
        digests = {definition.name: definition.digest for definition in facts.definitions}
        for part in parts:
            if part.path == path:
                for name in facts.symbols_at(part.lines.first, part.lines.last):
                    marks[SymbolId(path, name)] = View(digests[name], None)
    return marks
