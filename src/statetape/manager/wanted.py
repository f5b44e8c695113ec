"""What to bring in (Requirement 3): the candidates that the agent will probably go for next.

How likely that is follows from the way that leads to a candidate and from what the agent did
before, by weights that were fitted on recorded sessions (`weights`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import log1p

from msgspec import Struct

from statetape.code.chosen import is_test
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.context.task import task
from statetape.manager.candidates import Candidate, candidates
from statetape.manager.past import Past
from statetape.regions import remaining
from statetape.types import Lines, Query, SymbolId, Symbols

FEATURES = (
    "callee",
    "caller",
    "base",
    "override",
    "beside",
    "named",
    "onward",
    "far",
    "used_only",
    "ways",
    "lines",
    "known_file",
    "written_file",
    "path_read",
    "path_written",
    "said",
    "file_said",
    "in_task",
    "same_file",
    "same_folder",
    "prose",
    "test",
)
"""The names of the figures in `Wanted.features`, in order.

The ways that lead to it, one figure each; whether it is two hops away, and whether all edges only
name it; how many ways there are; how many lines it has; whether its file was read, and written;
how many steps ago; whether the last words name it, or its file, or the task does; and whether it
is near what was written last.
"""

_WORD = re.compile(r"\w{3,}")
_PROSE = (".md", ".rst", ".txt", ".json", ".yaml", ".yml", ".toml", ".lock")
_SAID = 12  # records of words that count as the last ones
_MOST = 6000  # characters of each


class Wanted(Struct, frozen=True):
    """A run of lines that is not held, by all ways that lead to it; `features` as `FEATURES`."""

    candidate: Candidate
    lines: Lines
    features: tuple[float, ...]


def wanted(situation: Situation, past: Past, code: Code) -> Iterator[Wanted]:
    """The candidates without what is held already, each run of lines once, and what is known.

    Never of a test, unless the last words name its file.
    """
    ways: defaultdict[tuple[str, Lines], list[Candidate]] = defaultdict(list)
    for candidate in candidates(situation, past, code):
        ways[candidate.path, candidate.lines].append(candidate)
    held: dict[str, set[int]] = {}
    words = _Words(situation)
    for (path, lines), found in ways.items():
        if is_test(path) and _stem(path) not in words.last:
            continue
        if path not in held:
            held[path] = shown(path, situation, code)
        for run in _missing(lines, held[path]):
            yield Wanted(found[0], run, _features(found, run, past, words))
            held[path].update(range(run.first, run.last + 1))


def shown(path: str, situation: Situation, code: Code) -> set[int]:
    """The lines of a file, as numbered now, that held records show and no write has touched."""
    found: set[int] = set()
    for record in situation.standing().values():
        if not isinstance(record.referent, Symbols | Query):
            continue
        for part in record.referent.shown:
            if part.path == path:
                for run in remaining(part.lines, code.writes_of(path, record.born)):
                    found.update(range(run.first, run.last + 1))
    return found


def _missing(lines: Lines, held: set[int]) -> Iterator[Lines]:
    """The runs of two lines and more that are not held; a gap of two held lines joins them."""
    gone = [line for line in range(lines.first, lines.last + 1) if line not in held]
    run: list[int] = []
    for line in gone:
        if run and line - run[-1] > 3:
            if len(run) > 1:
                yield Lines(run[0], run[-1])
            run = []
        run.append(line)
    if len(run) > 1:
        yield Lines(run[0], run[-1])


class _Words:
    """The words said last, those of the task, and where the last writes were."""

    def __init__(self, situation: Situation) -> None:
        said = [r for r in situation.held.values() if r.slot.side in ("say", "input")]
        self.last = self._words(record.text[:_MOST] for record in said[-_SAID:])
        self.task = self._words((task(situation.held.values())[:_MOST],))

    @staticmethod
    def _words(texts: Iterable[str]) -> frozenset[str]:
        return frozenset(word for text in texts for word in _WORD.findall(text))


def _features(found: list[Candidate], run: Lines, past: Past, words: _Words) -> tuple[float, ...]:
    one = found[0]
    path = one.path
    ways = {each.way for each in found}
    near = [each.near for each in found if each.near is not None]
    name = one.symbol.name.rpartition(".")[2]
    stem = _stem(path)
    reads, writes = past.reads.get(path, ()), past.writes.get(path, ())
    return (
        float("callee" in ways),
        float("caller" in ways),
        float("base" in ways),
        float("override" in ways),
        float("beside" in ways),
        float("named" in ways),
        float("onward" in ways),
        float(min(each.hops for each in found) > 1),
        float(all(each.mark == "uses" for each in found)),
        log1p(len(found)),
        log1p(run.last - run.first + 1),
        float(bool(reads)),
        float(bool(writes)),
        log1p(past.since(max(reads, default=None))),
        log1p(past.since(max(writes, default=None))),
        float(name in words.last),
        float(stem in words.last),
        float(stem in words.task or name in words.task),
        float(_beside(near, path, folder=False)),
        float(_beside(near, path, folder=True)),
        float(path.endswith(_PROSE)),
        float("test" in path.lower()),
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path


def _beside(near: list[SymbolId], path: str, *, folder: bool) -> bool:
    if folder:
        return any(each.path.rpartition("/")[0] == path.rpartition("/")[0] for each in near)
    return any(each.path == path for each in near)
