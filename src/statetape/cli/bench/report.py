"""`statetape bench report`: what a benchmark shows, as JSON, as a page, as Markdown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from statetape.bench.report import Report, report
from statetape.bench.tabled import Row
from statetape.bench.volumes import Block
from statetape.cli.bench import figures, tables
from statetape.cli.bench.document import Document, Section, count, ratio, share
from statetape.cli.bench.written import markdown, page
from statetape.cli.columns import WIDTH, fit, labelled, short
from statetape.cli.names import PathName
from statetape.cli.progress import progress
from statetape.errors import StatetapeError

_COLUMNS = "{:<8} {:>7} {:>6} {:>7} {:>6} {:>7} {:>6} {:>7}"
_NAME = WIDTH - len(_COLUMNS.format(*[""] * 8)) - 1


@click.command()
@click.argument("folder", metavar="DIR", type=PathName(file_okay=False))
@click.option("--html", type=PathName(dir_okay=False), metavar="FILE", help="Write a page.")
@click.option("--md", type=PathName(dir_okay=False), metavar="FILE", help="Write Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, folder: Path, html: Path | None, md: Path | None, as_json: bool) -> None:
    """Report what `statetape bench run` found for the benchmark in DIR.

    The paper's Tables 2, 3 and 5 and Figures 2, 3 and 5 for these sessions, beside what the paper
    says of its own. Scores are over the points before bursts of edits; intervals are of 1,000
    resamples of the sessions. A policy that was not run for all sessions by one statetape has no
    row; rows of different ones are named.
    """
    found = report(folder, progress)
    if html is not None or md is not None:
        made = document(found)
        for file, text in ((html, page), (md, markdown)):
            if file is not None:
                _write(file, text(made))
    if as_json:
        click.echo(json.dumps(as_document(found), indent=1))
    else:
        click.echo("\n".join(_lines(found)))
    for each in found.incomplete:
        words = "not run for all sessions by one statetape"
        click.echo(f"statetape: {each.policy}, {each.mode}: {words}", err=True)
    if len(found.codes) > 1:
        click.echo(f"statetape: {_mixed(found)}", err=True)


def as_document(found: Report) -> dict[str, Any]:
    """What `--json` prints."""
    volumes = found.volumes
    return {
        "decision_points": volumes.decision_points,
        "sessions": volumes.sessions,
        "points": volumes.points,
        "strict_points": volumes.strict,
        "skipped_bursts": volumes.skipped,
        "labels": found.manifest.labels,
        "held": _side(volumes.of_all) | {"results": _side(volumes.of_results)},
        "needed": to_builtins(volumes.wanted) | {"missing_share": volumes.wanted.missing_share},
        "by_edits": to_builtins(volumes.steps),
        "rows": to_builtins(found.rows),
        "codes": [
            {"code": code, "columns": [asker._asdict() for asker in askers]}
            for code, askers in found.codes.items()
        ],
    }


def document(found: Report) -> Document:
    """The report as a page has it."""
    volumes, rows = found.volumes, found.rows
    modes = [mode for mode in ("recorded", "rolling") if any(r.mode == mode for r in rows)]
    last = modes[-1]
    return Document(
        "statetape bench report",
        [_about(found), _THEIRS, *([_mixed(found)] if len(found.codes) > 1 else [])],
        [
            Section("What agents hold and what they need", [
                tables.glance(volumes), figures.growth(volumes), figures.regions(volumes)]),
            Section("Policies", [
                _READING, tables.of_paper(), *(tables.policies(rows, mode) for mode in modes),
                *(tables.intervals(rows, mode) for mode in modes)]),
            Section("The held side, in results of tools", [
                _RESULTS, *(tables.results(rows, mode) for mode in modes)]),
            Section("One part taken away", [tables.ablations(rows, last)]),
            Section("By the number of edits", figures.by_edits(rows, last)),
        ],
    )  # fmt: skip


_THEIRS = (
    "The paper's own figures are of other sessions and other labels; they are marked, and no"
    " column has both. A policy marked as scripted asks a model, for which a script stands."
)
_READING = (
    "CE: unneeded tokens cleared for each needed token lost; it follows the base rate, so read it"
    " beside evict-all's, and lift, which is 1 for whoever cannot tell. Net: cleared without what"
    " stands in the context again. RE: points of the missing tokens found for each thousand added."
    " Added: tokens for each decision, of all that came in: words, fresh texts, code; new: without"
    " what a fresh text says again of the one in its place. No code:"
    " points at which no text of a file came in. -: nothing was lost, or nothing added."
)
_RESULTS = (
    "Policies remove results of tools only; reference points also what the agent said. Precision:"
    " the unneeded share of what was removed. Sent: tokens of all requests, of those that the"
    " unmodified agent sent. Regretted: of the lines of files that were removed, those that the"
    " agent then read again or quoted."
)


def _about(found: Report) -> str:
    volumes, manifest = found.volumes, found.manifest
    return (
        f"{volumes.sessions:,} sessions, {volumes.decision_points:,} decision points before bursts"
        f" of edits, labels by {manifest.labels}, tokens of {manifest.tokenizer}. Everything is"
        " micro-averaged over these points. Intervals: 1,000 resamples of the sessions, the middle"
        " 95 %."
    )


def _mixed(found: Report) -> str:
    """Which rows are of which code; those of the code that most are of are the others."""
    fewest_first = sorted(found.codes.items(), key=lambda each: len(each[1]))
    parts = [
        f"{code[:8]}: {', '.join(' '.join(asker) for asker in askers)}"
        for code, askers in fewest_first[:-1]
    ]
    others = f"{fewest_first[-1][0][:8]}: the others"
    return (
        f"The rows are of {len(found.codes)} versions of statetape; compare within one of them,"
        f" or run all again. {'; '.join([*parts, others])}."
    )


def _side(block: Block) -> dict[str, Any]:
    found: dict[str, Any] = to_builtins(block)
    return found | {"unneeded_share": block.unneeded_share, "stale_share": block.stale_share}


def _lines(found: Report) -> Iterator[str]:
    volumes = found.volumes
    unneeded, missing = (
        share(part).replace(" ", "")
        for part in (volumes.of_all.unneeded_share, volumes.wanted.missing_share)
    )
    yield from labelled(
        "1 session" if volumes.sessions == 1 else f"{volumes.sessions:,} sessions",
        f"{volumes.decision_points:,} decision points before edits; of "
        f"{short(volumes.of_all.tokens)} held tokens {unneeded} are not needed, of "
        f"{short(volumes.wanted.tokens)} needed ones {missing} are missing; below, cleared, lost "
        "and found in per cent",
    )
    yield ""
    heads = ("mode", "CE", "lift", "cleared", "lost", "RE", "found", "added")
    yield fit("policy", _NAME, pad=True) + " " + _COLUMNS.format(*heads)
    yield "-" * WIDTH
    for row in found.rows:
        yield fit(tables.named(row), _NAME, pad=True) + " " + _COLUMNS.format(*_words(row))


def _words(row: Row) -> tuple[str, ...]:
    return (
        row.mode, ratio(row.ce), ratio(row.lift), f"{100 * row.cleared:.1f}",
        f"{100 * row.lost:.1f}", ratio(row.re), f"{100 * row.found:.1f}",
        count(row.added_per_decision),
    )  # fmt: skip


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise StatetapeError(f"{file}: {error.strerror}") from None
