"""The figures of a report: the paper's Figures 2, 3 and 5 for the sessions at hand."""

from collections.abc import Sequence

from statetape.bench.scored import EDITS
from statetape.bench.tabled import Edits, Row
from statetape.bench.volumes import Volumes
from statetape.cli.bench import paper
from statetape.cli.bench.document import Figure, Table, count, ratio, share
from statetape.cli.bench.drawn import Bar, Curve, Part, curves, legend, lying, stacked
from statetape.cli.bench.tables import THEIRS, named

_PLACES = [name for _, _, name in EDITS]
_COLOURS = 12
_BESIDE = ("evict-all",)
"""The reference points that stand among the curves of policies."""


def growth(found: Volumes) -> Figure:
    """Figure 2: what is held at one point, and how much of it is unneeded."""
    ours = []
    rows = []
    for step in found.steps:
        points = max(1, step.points)
        held, unneeded = step.held / points, step.unneeded / points
        ours.append(_held(step.edits, held, unneeded))
        rows.append((step.edits, count(step.points), count(held), count(unneeded),
                     share(unneeded / held if held else None)))  # fmt: skip
    theirs = [_held(name, held, unneeded) for name, held, unneeded in paper.GROWTH]
    rows += [
        (f"paper: {name}", "-", count(held), count(unneeded), share(unneeded / held))
        for name, held, unneeded in paper.GROWTH
    ]
    heads = ("the edit that comes next", "points", "held", "unneeded", "share")
    return Figure(
        "Figure 2. Tokens held at one decision point before the edit of that number, and those of"
        f" them that the edit does not need. On the right its two ends in {THEIRS}.",
        stacked([("these sessions", ours), ("the paper", theirs)], "tokens",
                "Tokens held at a decision point, by the number of edits"),
        legend([("unneeded", "held, unneeded"), ("both", "held and needed")]),
        Table("Tokens at one decision point.", heads, rows),
    )  # fmt: skip


def regions(found: Volumes) -> Figure:
    """Figure 3: held and not needed, both, needed and not held."""
    points = max(1, found.decision_points)
    held, wanted = found.of_all, found.wanted
    left = [
        ("held", "stale", "unneeded: stale", held.stale),
        ("held", "superseded", "unneeded: superseded", held.superseded),
        ("held", "finished", "unneeded: finished", held.finished),
        ("held", "both", "needed, whole records", held.needed),
    ]
    right = [
        ("needed", "both", "held as it is", wanted.held),
        ("needed", "missing", "missing", wanted.missing),
    ]
    bars = [
        Bar(name, tuple(Part(colour, size / points, words) for _, colour, words, size in parts))
        for name, parts in (("held", left), ("needed", right))
    ]
    rows = [(side, words, count(size), count(size / points))
            for side, _, words, size in (*left, *right)]  # fmt: skip
    return Figure(
        "Figure 3. The three regions, in tokens at one decision point; each bar is as long as all"
        " of its side. What is held counts by whole records, what is needed by lines, so the two"
        " middles differ in size. The paper"
        f" ({THEIRS}): {share(paper.UNNEEDED)} of the held tokens are unneeded,"
        f" {share(paper.MISSING)} of the needed ones missing.",
        lying(bars, "tokens at one decision point", "Held and needed tokens"),
        legend([("stale", "stale"), ("superseded", "superseded"), ("finished", "finished"),
                ("both", "held and needed"), ("missing", "needed, not held")]),
        Table("The three regions.", ("side", "region", "tokens", "at one point"), rows),
    )  # fmt: skip


def by_edits(rows: Sequence[Row], mode: str) -> list[Figure]:
    """Figure 5: CE, lift and RE by the number of edits."""
    shown = [
        row for row in rows if row.policy in _BESIDE or (row.mode == mode and not row.reference)
    ]
    colours = {
        id(row): "plain" if row.reference else f"l{number % _COLOURS}"
        for number, row in enumerate(shown)
    }
    made = []
    for name, letter, unit, words in (
        ("ce", "a", "CE", "unneeded tokens cleared for each needed token lost"),
        ("lift", "b", "lift", "cleared share ÷ lost share; 1: cannot tell"),
        ("re", "c", "RE", "points of what is missing found for each thousand tokens added"),
    ):
        lines = [
            Curve(named(row), colours[id(row)], tuple(_value(each, name) for each in row.by_edits))
            for row in shown
        ]
        drawn = [line for line in lines if any(value is not None for value in line.values)]
        data = [(line.name, *(ratio(value) for value in line.values)) for line in lines]
        made.append(
            Figure(
                f"Figure 5{letter}. {unit} by the number of the edit that comes next: {words}."
                " A gap: nothing was lost, or nothing added; where the axis counts in powers of"
                " ten, a 0 stands at its foot. The paper's text has no figures of its own"
                " Figure 5.",
                curves(_PLACES, drawn, unit, f"{unit} by the number of edits"),
                legend([(line.colour, line.name) for line in drawn]),
                Table(f"{unit} by the number of the edit.", ("policy", *_PLACES), data),
            )
        )
    return made


def _value(edits: Edits, name: str) -> float | None:
    value: float | None = getattr(edits, name)
    return value if edits.points else None


def _held(name: str, held: float, unneeded: float) -> Bar:
    parts = (Part("unneeded", unneeded, "unneeded"), Part("both", held - unneeded, "needed"))
    return Bar(name, parts)
