"""`statetape bench lookahead`: the manager against what agents themselves went for next."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from statetape.bench.foresight import FACTORS, METHODS, macro, moved, scores
from statetape.bench.lookahead import points
from statetape.bench.score import Score, total
from statetape.cli.batch import batch_options, done
from statetape.cli.bench.bases import Base, bases, bases_option, name_of
from statetape.cli.columns import labelled
from statetape.cli.names import PathName, distinct
from statetape.manager.weights import weights_without

_HEAD = f"{'':<15}{'cleared':>8}{'net':>7}{'lost':>7}{'lift':>6}{'CE':>7}"
_HEAD += f"{'found':>7}{'tokens':>7}{'RE':>6}{'none':>5}"


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PathName())
@bases_option
@batch_options
@click.pass_context
def command(
    context: click.Context,
    *,
    files: tuple[Path, ...],
    bases_file: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Score what is let go and brought in by what agents used and read next.

    At every request that follows a write. A held result is needed if a later step uses lines that
    no later result shows; gold to be brought in are the lines that the next 10 steps read or quote
    and that are not held. A session that the weights were fitted on is scored by weights that were
    fitted without it. FILE is as for `replay`. Without --bases, only files that a session shows
    can be brought in.
    """
    given = distinct(files)
    known = bases(bases_file, given)
    codes = {0}
    found = dict(done(partial(_scores, known=known), given, jobs, codes))
    sessions = [found[place] for place in sorted(found)]
    if not sessions:
        context.exit(max({1, *codes}))
    rows = [_row(name, [each[name] for each in sessions]) for name in sessions[0]]
    writes = sum(each["keep-all"].points for each in sessions)
    if as_json:
        click.echo(json.dumps({"rows": rows, "writes": writes}, indent=1))
    else:
        click.echo("\n".join(_report(rows, writes, len(sessions))))
    context.exit(max(codes))


def _scores(file: Path, *, known: Mapping[str, Base]) -> dict[str, Score]:
    """What every method, and every other point of the frontier, came to in one session."""
    start = known.get(name_of(file))
    rows = points(file, repo=start.repo if start else None, base=start.base if start else None)
    own = weights_without(sha256(file.read_bytes()).hexdigest())
    found = {name: scores(rows, method, own) for name, method in METHODS.items()}
    for factor in FACTORS:
        found[f"heuristic x{factor:g}"] = scores(rows, METHODS["heuristic"], moved(own, factor))
    return found


def _row(name: str, sessions: Sequence[Score]) -> dict[str, Any]:
    score = total(sessions)
    return {
        "method": name,
        "found": score.found_share,
        "tokens_per_write": score.added_per_point,
        "re": score.re,
        "abstained": score.abstained / score.points if score.points else 0.0,
        "cleared": score.cleared_share,
        "cleared_net": score.net_share,
        "lost": score.lost_share,
        "ce": score.ce,
        "lift": score.lift,
        "found_macro": macro(sessions, lambda each: each.found_share),
        "cleared_macro": macro(sessions, lambda each: each.cleared_share),
        "lost_macro": macro(sessions, lambda each: each.lost_share),
    }


def _report(rows: Sequence[Mapping[str, Any]], writes: int, sessions: int) -> Iterator[str]:
    yield _HEAD
    for row in rows:
        yield (
            f"{row['method']:<15}{row['cleared']:>8.1%}{row['cleared_net']:>7.1%}"
            f"{row['lost']:>7.1%}{_figure(row['lift'], 1):>6}{_figure(row['ce'], 1):>7}"
            f"{row['found']:>7.1%}{row['tokens_per_write']:>7,.0f}{_figure(row['re'], 1):>6}"
            f"{row['abstained']:>5.0%}"
        )
    yield ""
    of = "1 session" if sessions == 1 else f"{sessions:,} sessions"
    yield from labelled(
        of,
        f"{writes:,} requests that follow a write; cleared and net: of the tokens that nobody "
        "needs any more, gone, and gone without coming back as a fresh text; lost: of those that "
        "are needed; lift: cleared by lost; found: of the tokens sought next; tokens: brought in "
        "for each; RE: per cent found for 1,000 tokens; none: where nothing is brought in",
    )


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
