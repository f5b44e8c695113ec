"""What the labels of a benchmark come to, before anybody has decided anything (paper's Table 5)."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct

from statetape.bench.labels import Held, Labelled, Verdict
from statetape.bench.scored import EDITS, bucket, is_usual


class Step(Struct, frozen=True):
    """The points before edits of one range (`EDITS`): tokens over all of them."""

    edits: str
    points: int
    held: int
    unneeded: int
    gold: int
    missing: int


class Block(Struct, frozen=True):
    """The held side, in tokens of whole records over all points."""

    records: int
    tokens: int
    needed: int
    unneeded: int
    stale: int
    superseded: int
    finished: int

    @property
    def unneeded_share(self) -> float:
        """Unneeded ÷ held, 0 to 1."""
        return self.unneeded / self.tokens if self.tokens else 0.0

    @property
    def stale_share(self) -> float:
        """Stale ÷ unneeded, 0 to 1."""
        return self.stale / self.unneeded if self.unneeded else 0.0


class Wanted(Struct, frozen=True):
    """The needed side, in tokens of lines over all points: `held` is held as it is.

    `regions` by rule; `empty` are the points that miss nothing.
    """

    regions: dict[str, int]
    tokens: int
    held: int
    missing: int
    empty: int

    @property
    def missing_share(self) -> float:
        """Missing ÷ needed, 0 to 1."""
        return self.missing / self.tokens if self.tokens else 0.0


class Volumes(Struct, frozen=True):
    """All points before a burst of edits; `points` counts those of the other families too.

    `strict` are the points before a burst under the strict reading, `skipped` the bursts without
    a point.
    """

    sessions: int
    points: dict[str, int]
    strict: int
    skipped: int
    of_all: Block
    of_results: Block
    wanted: Wanted
    steps: tuple[Step, ...]

    @property
    def decision_points(self) -> int:
        """Those that all figures are of."""
        return self.points["P"]


def volumes(sessions: Iterable[Labelled]) -> Volumes:
    """The sums over sessions, each looked at once."""
    count = skipped = strict = empty = 0
    families: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    sides = {"all": Counter[str](), "results": Counter[str]()}
    by_edits: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for session in sessions:
        count += 1
        skipped += session.skipped_bursts
        for point in session.points:
            families[point.family] += point.family != "P" or is_usual(point)
            strict += point.family == "P" and point.reading != "usual"
            if not is_usual(point):
                continue
            rules.update(gold.rule for gold in point.needed)
            empty += not point.missing
            row = by_edits[bucket(point.edits)]
            row["points"] += 1
            row["gold"] += sum(gold.tokens for gold in point.needed)
            row["missing"] += point.missing
            for held in point.held:
                row["held"] += held.n
                row["unneeded"] += held.n if held.verdict != "needed" else 0
                _count(sides["all"], held)
                if held.side == "result":
                    _count(sides["results"], held)
    gold = sum(row["gold"] for row in by_edits.values())
    missing = sum(row["missing"] for row in by_edits.values())
    return Volumes(
        sessions=count,
        points={family: families[family] for family in "PTF"},
        strict=strict,
        skipped=skipped,
        of_all=_block(sides["all"]),
        of_results=_block(sides["results"]),
        wanted=Wanted(
            {rule: rules[rule] for rule in ("G1", "G2", "G3", "G4")},
            gold,
            gold - missing,
            missing,
            empty,
        ),
        steps=tuple(_step(name, by_edits[name]) for _, _, name in EDITS),
    )


def _count(side: Counter[str], held: Held) -> None:
    side["records"] += 1
    side[held.verdict] += held.n


def _block(side: Counter[str]) -> Block:
    verdicts: tuple[Verdict, ...] = ("stale", "superseded", "finished")
    unneeded = sum(side[verdict] for verdict in verdicts)
    needed = side["needed"]
    stale, superseded, finished = (side[verdict] for verdict in verdicts)
    return Block(side["records"], needed + unneeded, needed, unneeded, stale, superseded, finished)


def _step(name: str, row: Counter[str]) -> Step:
    return Step(name, row["points"], row["held"], row["unneeded"], row["gold"], row["missing"])
