"""`statetape bench cost`: what maintenance costs and saves over recorded sessions."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click
from msgspec import structs

from statetape.cli.batch import batch_options, done
from statetape.cli.columns import WIDTH, fit, labelled
from statetape.cli.costing import priced
from statetape.cli.names import PathName, distinct
from statetape.cli.policies import policy_option
from statetape.cli.prices import prices_option
from statetape.economics.prices import Prices
from statetape.pricing import prices
from statetape.replay.economy import Row, SimulatorError, cases, rows, simulator_error, unchanged
from statetape.replay.player import compared
from statetape.replay.priced import Sums

_COLUMNS = "{:<3} {:<9} {:>5} {:>7} {:>7} {:>6} {:>5} {:>5}"
_NAME = WIDTH - len(_COLUMNS.format(*[""] * 8)) - 1


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PathName())
@policy_option
@prices_option
@click.option(
    "--price",
    "models",
    metavar="MODEL",
    multiple=True,
    help="Only by this model's price; once for each.  [default: all]",
)
@batch_options
@click.pass_context
def command(
    context: click.Context,
    *,
    files: tuple[Path, ...],
    policy: str,
    own: Path | None,
    models: tuple[str, ...],
    jobs: int | None,
    as_json: bool,
) -> None:
    """Measure what maintenance costs and saves over recorded sessions.

    Each session is replayed on all terms at once, by each price row that makes a difference of its
    own. The cost is that of the prompts, without what the model said, as a share of what the
    requests as they were would have cost by the same simulator; how far that is from what the
    provider reported stands below. FILE is as for `replay`. A session without the provider's
    figures is named on stderr and left out.
    """
    known = prices(own)
    asked = tuple(priced(model, known) for model in models)
    sessions = distinct(files)
    found: dict[int, Sequence[Sums | None]] = {}
    codes = {0}
    work = partial(_sums, policy=policy, prices=known, asked=asked)
    for place, outcome in done(work, sessions, jobs, codes):
        if outcome[0] is None or not outcome[0].told:
            why = "no price for its model" if outcome[0] is None else "no figures of a provider"
            click.echo(f"statetape: {sessions[place]}: left out: {why}", err=True)
        else:
            found[place] = outcome
    told = [found[place] for place in sorted(found)]
    if not told:
        context.exit(max({1, *codes}))
    table = rows(cases(known, asked), [each[1:] for each in told])
    error = simulator_error([each[0] for each in told if each[0] is not None])
    if as_json:
        document = {
            "rows": [structs.asdict(row) for row in table],
            "simulator_error": structs.asdict(error),
        }
        click.echo(json.dumps(document, indent=1))
    else:
        click.echo("\n".join(_report(table, error, len(told))))
    context.exit(max(codes))


def _sums(file: Path, *, policy: str, prices: Prices, asked: Prices) -> Sequence[Sums | None]:
    """What a session came to: as it was, and in every case."""
    payments = cases(prices, asked).values()
    return compared(file, policy, [unchanged(prices), *payments])


def _report(table: Sequence[Row], error: SimulatorError, sessions: int) -> Iterator[str]:
    heads = ("ttl", "maintain", "total", "session", "request", "tokens", "10%", "25%")
    yield fit("by the price of", _NAME, pad=True) + " " + _COLUMNS.format(*heads)
    last = ""
    for row in table:
        name = f"{row.model}{', tail' if row.edits == 'tail' else ''}"
        if row.maintain == "control":
            continue
        if row.model != last:
            yield "-" * WIDTH
        last = row.model
        figures = (
            row.cost_ratio_total,
            row.cost_ratio_max,
            row.request_ratio_max,
            row.tokens_ratio_total,
            row.cost_ratio_reread_10,
            row.cost_ratio_reread_25,
        )
        words = _COLUMNS.format(
            row.ttl,
            row.maintain,
            *(f"{figure:.3f}" if figure < 10 else f"{figure:.1f}" for figure in figures),
        )
        yield fit(name, _NAME, pad=True) + " " + words
    yield ""
    yield from labelled(
        "1 session" if sessions == 1 else f"{sessions:,} sessions",
        "cost of the prompts, by what they would have cost: of all (total), of the dearest session "
        "and request; 10%, 25%: the total if so many of the removals were read again",
    )
    yield from labelled(
        "simulator",
        f"{error.requests_within_half_percent:.1%} of cache reads within 0.5 % of the prompt; "
        f"session cost off by {error.session_median:.1%} in the median, "
        f"{error.session_p90:.1%} at p90",
    )
