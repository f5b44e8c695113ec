"""`statetape bench synth`: a repository's commits as sessions of a scripted agent."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import structs

from statetape.bench.synth import written
from statetape.bench.synth_checked import Agreement, Tally, compared
from statetape.bench.synth_truth import Truth
from statetape.cli.columns import labelled
from statetape.cli.names import PathName, stated
from statetape.cli.progress import progress
from statetape.code.uncollected import uncollected
from statetape.files import GitCommit

_COLUMNS = "{:<14} {:>9} {:>9} {:>7} {:>6} {:>9} {:>7}"


@click.command()
@click.option("--repo", metavar="PATH", type=PathName(), required=True, help="The repository.")
@click.option(
    "--range", "span", metavar="A..B", required=True, callback=stated, help="Its commits."
)
@click.option("--out", metavar="DIR", type=PathName(), required=True, help="Where sessions go.")
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="What is chosen.")
@click.option(
    "--most", metavar="N", type=click.IntRange(1), help="Only the last N commits.  [default: all]"
)
@click.option(
    "--each",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Commits in a row that make one session.",
)
@click.option("--check", is_flag=True, help="Compare the tape with the truth.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(
    context: click.Context,
    *,
    repo: Path,
    span: str,
    out: Path,
    seed: int,
    most: int | None,
    each: int,
    check: bool,
    as_json: bool,
) -> None:
    """Write a repository's commits as sessions of a scripted agent.

    The agent looks at what a commit changes and around it, runs tests, and makes the commit's
    changes one by one, in an order and with tools that the seed chooses. DIR gets the sessions as
    Claude Code logs them, and beside each what is exactly true of all that it showed: NAME.jsonl
    and NAME.truth.json, NAME being the last commit. With --check, exit code 1 if the tape misses
    what is stale or names what is not.
    """
    truths: list[Truth] = []
    agreements: list[Agreement] = []
    with progress("writing", None) as advance:
        for truth in written(repo, span, out, seed=seed, most=most, each=each):
            truths.append(truth)
            if check:
                agreements.append(_agreement(repo, out, truth))
            advance()
    tallies = _tallies(agreements)
    if as_json:
        click.echo(json.dumps(_document(truths, agreements, tallies, check=check), indent=1))
    else:
        click.echo("\n".join(_report(truths, agreements, tallies, check=check)))
    context.exit(1 if check and _wrong(agreements) else 0)


def _agreement(repo: Path, out: Path, truth: Truth) -> Agreement:
    with uncollected(), GitCommit(repo, truth.base) as start:
        return compared(out / f"{truth.session}.jsonl", truth, start)


def _tallies(agreements: Sequence[Agreement]) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for agreement in agreements:
        for name, tally in agreement.tallies.items():
            found[name] = found.get(name, Tally()) + tally
    return dict(sorted(found.items()))


def _wrong(agreements: Sequence[Agreement]) -> int:
    checks = (each.check for each in agreements)
    wrong = sum(check.misses + check.over_nominations for check in checks)
    return wrong + sum(len(each.differences) for each in agreements)


def _document(
    truths: Sequence[Truth],
    agreements: Sequence[Agreement],
    tallies: dict[str, Tally],
    *,
    check: bool,
) -> dict[str, object]:
    document: dict[str, object] = {
        "sessions": len(truths),
        "commits": sum(len(truth.commits) for truth in truths),
        "steps": sum(truth.steps for truth in truths),
        "records": sum(len(truth.records) for truth in truths),
        "left_out_files": sum(truth.left_out for truth in truths),
    }
    if check:
        total = sum(tallies.values(), Tally())
        sums: Counter[str] = Counter()
        for agreement in agreements:
            sums.update(structs.asdict(agreement.check))
        document |= {
            "check": dict(sums),
            "recall": total.recall,
            "precision": total.precision,
            "tallies": {name: structs.asdict(tally) for name, tally in tallies.items()},
            "differences": [
                difference._asdict() for each in agreements for difference in each.differences
            ],
        }
    return document


def _report(
    truths: Sequence[Truth],
    agreements: Sequence[Agreement],
    tallies: dict[str, Tally],
    *,
    check: bool,
) -> Iterator[str]:
    steps, records = (
        sum(truth.steps for truth in truths),
        sum(len(truth.records) for truth in truths),
    )
    yield from labelled("sessions", f"{len(truths):,}, {steps:,} steps, {records:,} records")
    if not check:
        return
    counts = [each.check for each in agreements]
    misses, over = sum(c.misses for c in counts), sum(c.over_nominations for c in counts)
    writes = sum(c.writes for c in counts)
    words = f"{misses:,} misses, {over:,} over-nominations of reads after {writes:,} writes"
    yield from labelled("check", words)
    yield ""
    yield _COLUMNS.format("", "stale", "caught", "missed", "over", "fresh", "open")
    rows = {**tallies, "all": sum(tallies.values(), Tally())}
    for name, tally in rows.items():
        stale = tally.caught + tally.missed
        figures = (stale, tally.caught, tally.missed, tally.over, tally.fresh, tally.open)
        yield _COLUMNS.format(name, *(f"{figure:,}" for figure in figures))
    yield ""
    total = rows["all"]
    yield from labelled("recall", f"{total.recall:.2%} of what is stale is nominated")
    yield from labelled("precision", f"{total.precision:.2%} of what is nominated is stale")
    for each in agreements:
        for found in each.differences:
            place = f"step {found.step}, {found.kind} {found.slot.side}, request {found.request}"
            yield from labelled(found.what, f"{found.session}: {place}")
