"""What a step's texts claim of the repository: the referents of its records."""

from collections.abc import Iterable, Sequence

from statetape.agents.numbered import Row, numbered, stub
from statetape.agents.paths import relative
from statetape.code.languages import facts as facts_of
from statetape.context.matching import hits, shown
from statetape.context.repository import Repository
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
# Up to this share of a read's rows may be no line of the file (a separator, an exit code).
_STRAY = 0.1


def of_input(edits: Sequence[Edit], repository: Repository) -> Referent:
    """What the agent's own edit text is about: the lines that it put into the file."""
    parts = [part for edit in edits for part in _new_lines(edit, repository)]
    return Symbols(views_of(parts, repository), tuple(parts)) if parts else Untracked()


def of_result(step: Step, repository: Repository, root: str, batch: Tick) -> tuple[Referent, Tick]:
    """What a result is about, and the tick at which it was true.

    A result that holds the output of a claiming run is of the repository's state, whatever else
    it shows; one that lists matches is of a query; one that shows lines is of their symbols.
    """
    result = step.result
    if result is None or result.failed or stub(result.text):
        return Untracked(), repository.now
    runs = [action for action in step.actions if isinstance(action, Run)]
    if any(run.kind in _CLAIMING for run in runs):
        return RepositoryState(repository.state), repository.now
    rows = numbered(result.text).rows
    search = next((action for action in step.actions if isinstance(action, Search)), None)
    if search is not None:
        parts = _hits(step, search, rows, repository, root)
        return Query(search, views_of(parts, repository), tuple(parts)), repository.now
    reads = [action for action in step.actions if isinstance(action, Read)]
    if not reads:
        rows = tuple(row for row in rows if row.number is not None)
        reads = [Read(a.path) for a in step.actions if isinstance(a, Edit) and not a.absent]
    return _of_reads(reads, rows, repository, batch) if rows else (Untracked(), repository.now)


def _of_reads(
    reads: Sequence[Read], rows: Sequence[Row], repository: Repository, batch: Tick
) -> tuple[Referent, Tick]:
    ticks = (repository.now, batch) if batch < repository.now else (repository.now,)
    for tick in ticks:
        parts = _lines(reads, rows, repository, tick)
        if parts:
            views = views_of(parts, repository, tick)
            return Symbols(views, tuple(parts), whole=_whole(parts, rows)), tick
    coarse = {
        symbol: view
        for path in dict.fromkeys(read.path for read in reads)
        if (facts := repository.facts(path)) is not None
        for definition in facts.definitions
        if (view := repository.view(symbol := SymbolId(path, definition.name))) is not None
    }
    return (Symbols(coarse, whole=False) if coarse else Untracked()), repository.now


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
    step: Step, search: Search, rows: Sequence[Row], repository: Repository, root: str
) -> list[Shown]:
    of_path: dict[str, list[Row]] = {}
    lone = search.paths[0] if len(search.paths) == 1 else None
    for row in rows:
        path = lone if row.path is None else relative(row.path, root, step.cwd)
        if path is not None:
            of_path.setdefault(path, []).append(row)
    return [
        part
        for path, own in of_path.items()
        if (text := repository.text(path)) is not None
        for part in hits(path, text, own)
    ]


def _new_lines(edit: Edit, repository: Repository) -> Iterable[Shown]:
    path = edit.moved_to or edit.path
    text = repository.text(path)
    if text is None or edit.absent:
        return
    for new in (edit.new, edit.content, *(new for _, new in edit.patch)):
        at = text.find(new) if new is not None and new.strip() else -1
        if new is None or at < 0:
            continue
        first = text.count("\n", 0, at) + 1
        last = first + new.rstrip("\n").count("\n")
        lines = text.split("\n")[first - 1 : last]
        yield Shown(path, Lines(first, last), Lines(0, 0), "\n".join(lines))


def views_of(
    parts: Sequence[Shown], repository: Repository, tick: Tick | None = None
) -> dict[SymbolId, View]:
    """The local views of all symbols that these lines cover, now or as at a tick.

    Edges are those of now in both cases: within one batch nobody asked for them before.
    """
    views: dict[SymbolId, View] = {}
    for path in dict.fromkeys(part.path for part in parts):
        now = repository.facts(path)
        old = repository.text_at(path, tick) if tick is not None and tick < repository.now else None
        facts = now if old is None else facts_of(path, old.encode("utf-8", "surrogateescape"))
        if facts is None:
            continue
        names = {
            name
            for part in parts
            if part.path == path
            for name in facts.symbols_at(part.lines.first, part.lines.last)
        }
        digests = {definition.name: definition.digest for definition in facts.definitions}
        for name in names:
            view = repository.view(SymbolId(path, name))
            edges = frozenset[SymbolId]() if view is None else view.edges
            views[SymbolId(path, name)] = View(digests[name], edges)
    return views
