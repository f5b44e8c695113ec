"""The tables of a report: the paper's Tables 2, 3 and 5 for the sessions at hand, and its own."""

from collections.abc import Iterable, Sequence

from statetape.bench.tabled import Row
from statetape.bench.volumes import Volumes
from statetape.cli.bench import paper
from statetape.cli.bench.document import Table, between, count, ratio, share

THEIRS = "the paper's own: other sessions, other labels"
_PARTS = {
    "StateTape": ("heuristic", "default"),
    "without the graph": ("without-graph",),
    "without the tape": ("without-tape",),
    "without the manager": ("without-manager",),
}


def named(row: Row) -> str:
    """What tables call a row."""
    return f"{row.policy} (scripted)" if row.scripted else row.policy


def policies(rows: Iterable[Row], mode: str) -> Table:
    """Table 2 over all held records."""
    heads = (
        "policy", "CE", "lift", "cleared", "net", "lost", "found", "RE", "added", "RE, new",
        "added, new", "no code",
    )  # fmt: skip
    found = [
        (
            named(row),
            ratio(row.ce),
            ratio(row.lift),
            share(row.cleared),
            share(row.of_all.net),
            share(row.lost),
            share(row.found),
            ratio(row.re),
            count(row.added_per_decision),
            ratio(row.re_new),
            count(row.new_per_decision),
            share(row.abstained),
        )
        for row in rows
        if row.mode == mode
    ]
    return Table(f"Table 2: all held records, {_MODES[mode]}.", heads, found)


def intervals(rows: Iterable[Row], mode: str) -> Table:
    """How far the figures of Table 2 can be relied on."""
    heads = ("policy", "CE", "lift", "cleared", "lost", "RE", "found")
    found = [
        (
            named(row),
            between(row.ci["ce"]),
            between(row.ci["lift"]),
            between(row.ci["cleared"], of_shares=True),
            between(row.ci["lost"], of_shares=True),
            between(row.ci["re"]),
            between(row.ci["found"], of_shares=True),
        )
        for row in rows
        if row.mode == mode
    ]
    return Table(f"The same, 95 % intervals, {_MODES[mode]}.", heads, found)


def results(rows: Iterable[Row], mode: str) -> Table:
    """The held side over the results of tools alone, and what whole sessions came to."""
    heads = (
        "policy", "CE", "lift", "cleared", "net", "lost", "precision", "F1", "sent", "regretted",
    )  # fmt: skip
    found = [
        (
            named(row),
            ratio(row.of_results.ce),
            ratio(row.of_results.lift),
            share(row.of_results.cleared),
            share(row.of_results.net),
            share(row.of_results.lost),
            share(row.of_results.precision),
            ratio(row.of_results.f1),
            share(row.sent),
            share(row.regretted),
        )
        for row in rows
        if row.mode == mode
    ]
    return Table(f"Results of tools alone, {_MODES[mode]}.", heads, found)


def of_paper() -> Table:
    """What the paper's text says of its Table 2."""
    rows = [
        (m.name, ratio(m.ce), share(m.cleared), ratio(m.re), share(m.found), count(m.added))
        for m in paper.METHODS
    ]
    heads = ("policy", "CE", "cleared", "RE", "found", "added")
    return Table(f"Table 2, {THEIRS}.", heads, _known(rows))


def ablations(rows: Sequence[Row], mode: str) -> Table:
    """Table 3: what is left without a part; what the paper found stands in columns of its own."""
    heads = (
        "what", "policy", "CE", "lift", "cleared", "lost", "RE", "found",
        "paper: CE", "paper: found", "paper: resolved",
    )  # fmt: skip
    by_name = {row.policy: row for row in rows if row.mode == mode}
    found = []
    for theirs in paper.ABLATIONS:
        row = next((by_name[name] for name in _PARTS[theirs.name] if name in by_name), None)
        if row is None:
            continue
        resolved = "-" if theirs.resolved is None else f"{theirs.resolved:+.1f} points"
        found.append(
            (
                theirs.name,
                named(row),
                ratio(row.ce),
                ratio(row.lift),
                share(row.cleared),
                share(row.lost),
                ratio(row.re),
                share(row.found),
                ratio(theirs.ce),
                share(theirs.found),
                resolved,
            )
        )
    return Table(f"Table 3, {_MODES[mode]}; the last columns are {THEIRS}.", heads, found)


def glance(found: Volumes) -> Table:
    """Table 5: the two regions."""
    held, results_, wanted = found.of_all, found.of_results, found.wanted
    points = found.decision_points
    off_site = sum(wanted.regions.values()) - wanted.regions["G1"]
    rows = [
        ("sessions", count(found.sessions), "", count(paper.RUNS)),
        ("decision points before edits (P)", count(points), "", count(paper.POINTS)),
        ("bursts left out, of the shell alone", count(found.skipped), "", count(paper.SKIPPED)),
        ("under the strict reading of a burst", count(found.strict), "", "-"),
        ("after test runs (T), at the end (F)",
         f"{found.points['T']:,} and {found.points['F']:,}", "", "-"),
        ("held records", count(held.records), count(results_.records), "-"),
        ("held tokens", count(held.tokens), count(results_.tokens), "-"),
        ("held tokens at one point", count(held.tokens / max(1, points)),
         count(results_.tokens / max(1, points)), "-"),
        ("needed of those, tokens", count(held.needed), count(results_.needed),
         count(paper.NEEDED_HELD)),
        ("unneeded", share(held.unneeded_share), share(results_.unneeded_share),
         share(paper.UNNEEDED)),
        ("stale, of the unneeded", share(held.stale_share), share(results_.stale_share),
         share(paper.STALE)),
        ("superseded, of the unneeded", share(_of(held.superseded, held.unneeded)),
         share(_of(results_.superseded, results_.unneeded)), "-"),
        ("finished, of the unneeded", share(_of(held.finished, held.unneeded)),
         share(_of(results_.finished, results_.unneeded)), "-"),
        ("needed regions (gold)", count(sum(wanted.regions.values())), "", count(paper.REGIONS)),
        ("by rule G1, G2, G3, G4", " / ".join(count(n) for n in wanted.regions.values()), "", "-"),
        ("regions off the site of the edit", count(off_site), "", count(paper.OFF_SITE)),
        ("gold tokens", count(wanted.tokens), "", "-"),
        ("gold tokens that are held as they are", count(wanted.held), "",
         f"about {paper.GOLD_HELD:,}"),
        ("gold tokens that are missing", share(wanted.missing_share), "", share(paper.MISSING)),
        ("points that miss nothing", share(_of(wanted.empty, points)), "", "-"),
    ]  # fmt: skip
    heads = ("", "all records", "results of tools", "paper")
    return Table(f"Table 5; the last column is {THEIRS}.", heads, rows)


_MODES = {
    "recorded": "each decision on the recorded context",
    "rolling": "the policy has maintained the context from the start",
}


def _of(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _known(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [tuple(each if each != "-" else "not in its text" for each in row) for row in rows]
