"""`statetape bench review`: labels confirmed or corrected one by one, on a local page."""

import asyncio
import json
import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import click
from aiohttp import web

from statetape.bench import folder
from statetape.bench.labels import Gold, Held, Source
from statetape.bench.review import Agreement, Answer, Case, agreement, cases, sampled
from statetape.bench.review_kept import Reviews
from statetape.bench.review_server import HOST, Desk, application
from statetape.cli.columns import labelled
from statetape.cli.names import PathName
from statetape.errors import BadInput, StatetapeError
from statetape.shim.security import prefix

_COLUMNS = "{:<12} {:>8} {:>8} {:>11} {:>9} {:>9}"
_ANSWERS = ("needed", "stale", "superseded", "finished", "unneeded")


@click.command()
@click.argument("benchmark", metavar="DIR", type=PathName(file_okay=False))
@click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=0, show_default=True,
              help="Where the page is; 0: any free port.")  # fmt: skip
@click.option("--most", metavar="N", type=click.IntRange(1), default=200, show_default=True,
              help="Ask about so many labels.")  # fmt: skip
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Which ones.")
@click.option("--report", "as_report", is_flag=True, help="Print how far the reviews agree.")
@click.option("--json", "as_json", is_flag=True, help="With --report: one JSON document.")
def command(
    *, benchmark: Path, port: int, most: int, seed: int, as_report: bool, as_json: bool
) -> None:
    """Confirm or correct the labels of the benchmark in DIR, one by one.

    Prints the address of a page that only this machine and only who knows the address can open,
    and serves it until it is interrupted. The labels are drawn evenly from all verdicts and rules.
    Answers are kept in DIR/reviews.jsonl as they are given.
    """
    if as_json and not as_report:
        raise click.UsageError("--json needs --report")
    sources = folder.manifest(benchmark).sessions
    reviews = Reviews(benchmark)
    every = [
        case
        for source in sources
        for case in cases(folder.labelled(folder.session_file(benchmark, source)))
    ]
    if as_report:
        found = _document(every, reviews)
        click.echo(json.dumps(found, indent=1) if as_json else "\n".join(_report(every, reviews)))
        return
    chosen = sampled(every, most, seed)
    if not chosen:
        raise BadInput(f"{benchmark}: no labels to review")
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(chosen, sources, reviews, port))


async def _serve(
    chosen: Sequence[Case], sources: Sequence[Source], reviews: Reviews, port: int
) -> None:
    token = secrets.token_hex(16)
    desk = Desk(chosen, {source.id: source for source in sources}, reviews)
    runner = web.AppRunner(application(desk, token), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port, shutdown_timeout=1)
        try:
            await site.start()
        except OSError as error:
            raise StatetapeError(f"{HOST}:{port}: {error.strerror or error}") from None
        bound = runner.addresses[0][1]
        click.echo(f"http://{HOST}:{bound}{prefix(token)}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _document(every: Sequence[Case], reviews: Reviews) -> dict[str, object]:
    answers = reviews.answers
    names = {case.name for case in every}
    held, regions = (agreement(every, answers, kind) for kind in (Held, Gold))
    return {
        "labels": len(every),
        "reviewed": held.count + regions.count,
        "skipped": sum(answers[name] == "skip" for name in names & answers.keys()),
        "gone": len(answers.keys() - names),
        "unread_lines": reviews.unread,
        "held": _figures(held),
        "regions": _figures(regions) | {"rules": _rules(every, answers)},
    }


def _rules(every: Sequence[Case], answers: Mapping[str, Answer]) -> dict[str, object]:
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in every:
        if isinstance(case.of, Gold):
            found[case.stratum].append(case)
    return {rule: _figures(agreement(found[rule], answers, Gold)) for rule in sorted(found)}


def _figures(found: Agreement) -> dict[str, object]:
    return {
        "reviewed": found.count,
        "agreement": found.share,
        "weighted": found.weighted,
        "kappa": found.kappa,
        "kappa_needed": found.kappa_needed,
        "pairs": found.pairs,
    }


def _report(every: Sequence[Case], reviews: Reviews) -> Iterator[str]:
    answers = reviews.answers
    for name, kind in (("held records", Held), ("regions", Gold)):
        found = agreement(every, answers, kind)
        words = f"{found.count:,} reviewed"
        if found.share is not None:
            words += f", {found.share:.1%} confirmed"
        if found.weighted is not None:
            words += f" ({found.weighted:.1%} where each sort counts by how many labels it has)"
        if found.kappa is not None:
            words += f"; Cohen's kappa {found.kappa:.2f}"
        if kind is Held and found.kappa_needed is not None:
            words += f", needed or not {found.kappa_needed:.2f}"
        yield from labelled(name, words)
        if found.count:
            yield ""
            yield _COLUMNS.format("label", *_ANSWERS).rstrip()
            for label, given in found.pairs.items():
                yield _COLUMNS.format(label, *(f"{given.get(each, 0):,}" for each in _ANSWERS))
            yield ""
    document = _document(every, reviews)
    if document["skipped"] or document["gone"] or reviews.unread:
        words = f"{document['skipped']} skipped, {document['gone']} of labels that are gone"
        yield from labelled("beside", f"{words}, {reviews.unread} lines that cannot be read")
