"""Decision points labelled by what the agent itself went for next: no resolver, patch or judge.

A point is a request that follows a write. Gold for retrieval are the lines, with 3 around them,
that the agent reads or quotes in the next 10 steps and does not hold; gold for eviction are the
records with a later use, which counts for the newest record that shows the lines used.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from statetape.agents.paths import is_outside
from statetape.bench.effects import line_tokens
from statetape.bench.lineage import Lineage
from statetape.bench.uses import REACH, Uses
from statetape.code.uncollected import uncollected
from statetape.context.situation import Situation
from statetape.files import GitCommit
from statetape.manager.finished import Result, results
from statetape.manager.past import past
from statetape.manager.wanted import Wanted, wanted
from statetape.policies import POLICIES
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Walk, Wrote, follow
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Nomination, Slot, Tick


class HeldRow(Struct, frozen=True):
    """One held result at a point; `needed`: it has a later use.

    `fresh` are the tokens that a refresh would leave, `kept` those of them that the text has
    already (both 0: it is true, or would be dropped); `stale`: the tape nominates it.
    """

    result: Result
    tokens: int
    needed: bool
    stale: bool
    fresh: int = 0
    kept: int = 0


class OfferRow(Struct, frozen=True):
    """Lines that could be brought in at a point, with their tokens, and those that are gold."""

    wanted: Wanted
    tokens: int
    gold: int


class FileRow(Struct, frozen=True):
    """What is not held of a file that was written last: tokens, and those that are gold."""

    tokens: int
    gold: int


class PointRow(Struct, frozen=True):
    """One decision point, after step `step`; `missing` are the tokens of gold lines not held."""

    step: int
    missing: int
    held: tuple[HeldRow, ...]
    offers: tuple[OfferRow, ...]
    files: tuple[FileRow, ...]


class _Point(Struct, frozen=True):
    step: int
    tick: Tick
    held: tuple[HeldRow, ...]
    newest: Mapping[int, Slot]
    offers: tuple[tuple[Wanted, tuple[int, ...]], ...]
    files: tuple[tuple[int, ...], ...]


def points(file: Path, *, repo: Path | None = None, base: str | None = None) -> list[PointRow]:
    """The points of a session file, in order.

    `repo` and `base` (a revision, default HEAD) give the files at the start; without them there
    are only those that the session shows, so that hardly anything else could be brought in.
    BadInput as `replayed`.
    """
    start = None if repo is None else GitCommit(repo, base or "HEAD")
    try:
        with uncollected():
            return _Collected(file, start).rows()
    finally:
        if start is not None:
            start.close()


class _Collected:
    """One walk with all that is asked at its points; what is gold is known at its end."""

    def __init__(self, file: Path, start: GitCommit | None) -> None:
        ready = prepared(recording(file))
        self._walk = Walk(ready, history(ready.recording, start, ready.shell_writes))
        self._lineage = Lineage(self._walk.workspace)
        self._uses = Uses(self._lineage)
        self._session = Session(
            self._walk.workspace, POLICIES["control"], tokens, title=self._walk.title
        )

    def rows(self) -> list[PointRow]:
        """The labelled points."""
        found = list(self._points())
        return [self._row(point) for point in found]

    def _points(self) -> Iterator[_Point]:
        written = False
        for happening in self._walk:
            self._uses.follow(happening)
            follow(self._session, happening)
            match happening:
                case Wrote():
                    written = True
                case Asked():
                    if written:
                        yield self._point(self._session.situation())
                    written = False

    def _point(self, situation: Situation) -> _Point:
        code = self._walk.workspace
        now = situation.now
        before = past(situation, code)
        newest = {
            line: slot
            for slot in situation.held
            for line in self._lineage.stand(self._uses.shown.get(slot, ()), now)
        }
        nominated = {each.record.slot: each for each in situation.nominations}
        held = tuple(
            HeldRow(
                result,
                result.record.tokens,
                needed=False,  # not known before the end
                stale=result.record.slot in nominated,
                fresh=fresh,
                kept=kept,
            )
            for result in results(situation, before)
            for fresh, kept in [_refreshed(nominated.get(result.record.slot), situation)]
        )
        offers = tuple(
            (each, tuple(self._lineage.within(each.candidate.path, each.lines)))
            for each in wanted(situation, before, code)
        )
        last = {symbol.path for symbol in before.focus(5)}
        files = tuple(
            tuple(line for line in self._lineage.lines(path) if line not in newest)
            for path in sorted(last)
        )
        return _Point(before.now, now, held, newest, offers, files)

    def _row(self, point: _Point) -> PointRow:
        needed = {
            point.newest[line]
            for use in self._uses.all
            if use.step > point.step
            for line in use.lines
            if line in point.newest
        }
        gold: set[int] = set()
        for use in self._uses.all:
            if point.step < use.step <= point.step + REACH:
                gold.update(self._lineage.stand(use.around, point.tick))
        gold.difference_update(point.newest)
        gold = {line for line in gold if not is_outside(self._lineage.paths[line])}
        return PointRow(
            point.step,
            self._size(gold),
            tuple(replace(row, needed=row.result.record.slot in needed) for row in point.held),
            tuple(
                OfferRow(each, self._size(lines), self._size(gold.intersection(lines)))
                for each, lines in point.offers
            ),
            tuple(
                FileRow(self._size(lines), self._size(gold.intersection(lines)))
                for lines in point.files
            ),
        )

    def _size(self, lines: Iterable[int]) -> int:
        return sum(line_tokens(self._lineage.texts[line]) for line in lines)


def _refreshed(nominated: Nomination | None, situation: Situation) -> tuple[int, int]:
    """The tokens that a refresh would leave, and those of them that the text has already."""
    if nominated is None or nominated.default != "refresh":
        return 0, 0
    fresh = situation.fresh(nominated)
    if fresh is None:
        return 0, 0
    return fresh.tokens, _kept(nominated.record.text, fresh.text, fresh.tokens)


def _kept(old: str, new: str, size: int) -> int:
    """The tokens of a new text that are of lines which the old one has too, about."""
    had = Counter(old.split("\n"))
    lines = new.split("\n")
    same = 0
    for line in lines:
        if had[line]:
            had[line] -= 1
            same += len(line) + 1
    return round(size * same / (len(new) + 1))
