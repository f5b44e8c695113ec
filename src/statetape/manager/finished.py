"""Which held results the agent has probably finished with (Requirement 2).

A result is wanted again, if at all, for lines that no later one shows. How likely that is follows
from what is known of its past, by weights that were fitted on recorded sessions (`weights`).
"""

from collections import Counter
from math import log1p

from msgspec import Struct

from statetape.agents.paths import is_outside
from statetape.context.situation import Situation
from statetape.manager.past import Past, symbols
from statetape.types import Record

FEATURES = (
    "age",
    "tokens",
    "shown",
    "written",
    "own",
    "replaced",
    "changed",
    "path_read",
    "path_written",
    "reads",
    "writes",
    "newer",
    "is_search",
    "is_edit",
    "is_run",
    "prose",
    "outside",
    "test",
)
"""The names of the figures in `Result.features`, in order.

Steps since it came, since a symbol of it was shown and was written, and since its files were read
and written; how often those were; its tokens; the share of its symbols that no later result shows,
and whether there is none; the share of them that was written since it came; how many later
results are of its files.
"""

_PROSE = (".md", ".rst", ".txt", ".json", ".yaml", ".yml", ".toml", ".lock", ".log")


class Result(Struct, frozen=True):
    """What is known of one held result; `features` as `FEATURES` names them.

    None for one that shows nothing of files: a command's output, a listing, what a sub-agent said.
    `turns` ago it came; `repeated`: a later one is of the same command.
    """

    record: Record
    turns: int
    repeated: bool
    features: tuple[float, ...] | None


def results(situation: Situation, past: Past) -> list[Result]:
    """All held results of tools that no change has taken away, and what was added, in order."""
    standing = situation.standing().items()
    held = [record for slot, record in standing if slot.side in ("result", "added")]
    turns = situation.turns()
    last = max(turns.values(), default=0)
    later = Counter[str]()
    titles: set[str] = set()
    found = []
    for record in reversed(held):
        paths = {symbol.path for symbol in symbols(record)}
        newer = max((later[path] for path in paths), default=0)
        later.update(paths)
        title = situation.title(record)
        features = _features(record, past, newer) if paths else None
        ago = last - turns[record.slot]
        found.append(Result(record, ago, title in titles, features))
        titles.add(title)
    return found[::-1]


def _features(record: Record, past: Past, newer: int) -> tuple[float, ...]:
    held = symbols(record)
    paths = {symbol.path for symbol in held}
    own = sum(past.newest.get(symbol) == record.slot for symbol in held)
    changed = sum(past.written.get(symbol, 0) > record.step for symbol in held)
    reads = [step for path in paths for step in past.reads.get(path, ())]
    writes = [step for path in paths for step in past.writes.get(path, ())]
    written = max((past.written.get(symbol, -1) for symbol in held), default=-1)
    first = min(paths)
    return (
        log1p(past.since(record.step)),
        log1p(record.tokens),
        log1p(past.since(max(past.shown.get(symbol, 0) for symbol in held))),
        log1p(past.since(written if written >= 0 else None)),
        own / len(held),
        float(own == 0),
        changed / len(held),
        log1p(past.since(max(reads, default=None))),
        log1p(past.since(max(writes, default=None))),
        log1p(len(reads)),
        log1p(len(writes)),
        log1p(newer),
        float(record.kind == "search"),
        float(record.kind == "edit"),
        float(record.kind == "run"),
        float(first.endswith(_PROSE)),
        float(is_outside(first)),
        float("test" in first.lower()),
    )
