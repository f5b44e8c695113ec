"""The rows of a benchmark's tables: what each policy comes to over all sessions."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from statetape.bench.bootstrap import Interval, draws, intervals
from statetape.bench.decisions import SCRIPTED, Asker, Mode
from statetape.bench.reference import ORACLE, REFERENCES
from statetape.bench.score import Score, total
from statetape.bench.scored import EDITS, Cell, is_usual

FIGURES: Mapping[str, Callable[[Score], float | None]] = {
    "ce": lambda score: score.ce,
    "lift": lambda score: score.lift,
    "cleared": lambda score: score.cleared_share,
    "lost": lambda score: score.lost_share,
    "re": lambda score: score.re,
    "found": lambda score: score.found_share,
    "added_per_decision": lambda score: score.added_per_point,
}
"""What a row has an interval of. Shares are 0 to 1; `added_per_decision` is in tokens."""


class Side(Struct, frozen=True):
    """The held side over some records; shares 0 to 1.

    `net` is `cleared` without what stands in the context again. `precision` is the unneeded share
    of the removed tokens, at `1 - lost` of the needed ones retained; `f1` is of that and
    `cleared`. None: nothing was removed, or nothing lost.
    """

    ce: float | None
    lift: float | None
    cleared: float
    lost: float
    net: float
    precision: float | None
    f1: float | None


class Edits(Struct, frozen=True):
    """The points before edits of one range."""

    edits: str
    points: int
    ce: float | None
    lift: float | None
    cleared: float
    lost: float
    re: float | None
    found: float
    added_per_decision: float


class Row(Struct, frozen=True):
    """One policy in one mode. Of all held records, `of_results` of the results of tools alone.

    `scripted`: a script stood for the model that it asks. `reference`: no policy. `added` counts
    fresh texts in full; without what they repeat it is `new_per_decision`, and RE `re_new`.
    `abstained` is the share of points at which no text of a file came in. Of rolling sessions,
    shares of tokens: `sent` of what the unmodified agent sent, `regretted` of the removed lines;
    else None.
    """

    policy: str
    mode: Mode
    scripted: bool
    reference: bool
    points: int
    ce: float | None
    lift: float | None
    cleared: float
    lost: float
    re: float | None
    found: float
    added_per_decision: float
    new_per_decision: float
    re_new: float | None
    abstained: float
    of_results: Side
    of_all: Side
    ci: dict[str, Interval | None]
    by_edits: tuple[Edits, ...]
    sent: float | None = None
    regretted: float | None = None


class Sums(Struct, frozen=True):
    """One cell's points before bursts, added up: in all, of results, and by range of edits."""

    of_all: Score
    of_results: Score
    by_edits: dict[str, Score]
    repeated: int
    sent: int
    sent_control: int
    removed: int
    regretted: int


def sums(cell: Cell) -> Sums:
    """A cell's sums."""
    points = [point for point in cell.points if is_usual(point)]
    by_edits: defaultdict[str, Score] = defaultdict(Score)
    for point in points:
        by_edits[point.bucket] += point.of_all
    return Sums(
        total(point.of_all for point in points),
        total(point.of_results for point in points),
        dict(by_edits),
        sum(point.repeated for point in points),
        cell.sent,
        cell.sent_control,
        cell.removed,
        cell.regretted,
    )


def row(asker: Asker, cells: Sequence[Sums], drawn: Sequence[Sequence[int]]) -> Row:
    """The row of one column of cells, one for each session; `drawn` as `bootstrap.draws`."""
    score = total(cell.of_all for cell in cells)
    sent, control = (
        sum(values) for values in zip(*((c.sent, c.sent_control) for c in cells), strict=True)
    )
    removed = sum(cell.removed for cell in cells)
    new = replace(score, added=score.added - sum(cell.repeated for cell in cells))
    regretted = sum(cell.regretted for cell in cells)
    return Row(
        policy=asker.policy,
        mode=asker.mode,
        scripted=asker.policy in SCRIPTED,
        reference=is_reference(asker.policy),
        points=score.points,
        **{name: figure(score) for name, figure in FIGURES.items()},  # type: ignore[arg-type]
        new_per_decision=new.added_per_point,
        re_new=new.re,
        abstained=score.abstained / score.points if score.points else 0.0,
        of_results=_side(total(cell.of_results for cell in cells)),
        of_all=_side(score),
        ci=intervals([cell.of_all for cell in cells], FIGURES, drawn),
        by_edits=tuple(_edits(name, cells) for _, _, name in EDITS),
        sent=sent / control if control else None,
        regretted=regretted / removed if removed else None,
    )


def rows(columns: Iterable[tuple[Asker, Sequence[Sums]]]) -> list[Row]:
    """The rows of columns over the same sessions: policies first, then the reference points."""
    made = []
    drawn: list[Sequence[int]] = []
    for asker, cells in columns:
        drawn = drawn or draws(len(cells))
        made.append(row(asker, cells, drawn))
    return sorted(made, key=_place)


def is_reference(policy: str) -> bool:
    """Whether it is none of the policies that a session can be run under."""
    return policy in REFERENCES or policy == ORACLE


def _place(found: Row) -> tuple[bool, int, str, str]:
    names = [*REFERENCES, ORACLE]
    at = names.index(found.policy) if found.reference else 0
    return found.reference, at, found.policy, found.mode


def _side(score: Score) -> Side:
    gone = score.cleared + score.lost
    precision = score.cleared / gone if gone else None
    recall = score.cleared_share
    f1 = 2 * precision * recall / (precision + recall) if precision else None
    return Side(score.ce, score.lift, recall, score.lost_share, score.net_share, precision, f1)


def _edits(name: str, cells: Sequence[Sums]) -> Edits:
    score = total(cell.by_edits.get(name, Score()) for cell in cells)
    return Edits(
        name,
        score.points,
        **{key: figure(score) for key, figure in FIGURES.items()},  # type: ignore[arg-type]
    )
