"""`statetape bench build`: the decision points of recorded sessions, labelled."""

import json
from collections.abc import Iterator, Mapping
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from statetape.bench.building import (
    Built,
    Choices,
    Given,
    begun,
    built,
    ended,
    finished,
    manifest,
    names,
)
from statetape.bench.glance import RULES, VERDICTS, Agreement, Block, Glance
from statetape.bench.labels import Labels
from statetape.cli.batch import batch_options, done
from statetape.cli.bench.bases import Base, bases, bases_option, name_of
from statetape.cli.bench.judging import judge_options, judging
from statetape.cli.columns import labelled, short
from statetape.cli.names import PathName, distinct, stated
from statetape.cli.replay import checked_base
from statetape.errors import BadInput


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PathName())
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    required=True,
    type=PathName(file_okay=False),
    help="Where the benchmark goes; one that is there is replaced.",
)
@click.option(
    "--repo",
    metavar="PATH",
    type=PathName(),
    help="The repository, for files that the sessions do not show.",
)
@click.option(
    "--base",
    metavar="COMMIT",
    callback=stated,
    help="The commit of --repo the sessions began at.  [default: HEAD]",
)
@bases_option
@click.option(
    "--patch",
    "patch_file",
    metavar="FILE",
    type=PathName(dir_okay=False),
    help="A reference patch (unified diff): its hunks are outstanding, and not the "
    "session's own later edits.",
)
@click.option(
    "--labels",
    type=click.Choice(["rules", "judge"]),
    default="rules",
    show_default=True,
    help="Who says what is needed.",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=0,
    show_default=True,
    help="Goes into the manifest, and into what a judge is asked.",
)
@judge_options
@batch_options
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    files: tuple[Path, ...],
    folder: Path,
    repo: Path | None,
    base: str | None,
    bases_file: Path | None,
    patch_file: Path | None,
    labels: Labels,
    seed: int,
    jobs: int | None,
    as_json: bool,
    **judge: Any,
) -> None:  # fmt: skip
    """Label the decision points of recorded sessions: what is held, and what is needed.

    A decision point stands before each burst of edits (P), after each test run (T) and at the end
    (F). DIR gets a manifest and one file for each session. FILE is as for `replay`. The same
    input gives the same bytes.
    """
    if bases_file is not None and repo is not None:
        raise BadInput("--bases FILE and --repo PATH exclude each other")
    checked_base(repo, base)
    sessions = distinct(files)
    known = bases(bases_file, sessions)
    start = Base(repo, base or "HEAD") if repo else None
    given = dict(zip(sessions, _given(sessions, known, start), strict=True))
    judged = judging(labels, judge)
    answer, model = (judged.reply, judged.model) if judged else (None, None)
    choices = Choices(labels, seed, _text(patch_file), answer, model)
    codes = {0}
    work = begun(folder)
    try:
        label = partial(_built, given=given, folder=work, choices=choices)
        found = dict(done(label, sessions, jobs, codes, "labelling"))
        if not found:
            context.exit(max({1, *codes}))
        sources = [found[place].source for place in sorted(found)]
        finished(folder, manifest(sources, choices))
    finally:
        ended(folder)
    whole = reduce(add, (found[place].glance for place in sorted(found)))
    if as_json:
        click.echo(json.dumps(_document(whole, len(found)), indent=1))
    else:
        click.echo("\n".join(_report(whole, len(found))))
    context.exit(max(codes))


def _given(files: list[Path], known: Mapping[str, Base], every: Base | None) -> Iterator[Given]:
    for file, name in zip(files, names(files), strict=True):
        start = known.get(name_of(file), every)
        yield Given(file, name, start.repo if start else None, start.base if start else None)


def _built(file: Path, *, given: Mapping[Path, Given], folder: Path, choices: Choices) -> Built:
    return built(given[file], folder, choices)


def _text(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None


def _document(whole: Glance, sessions: int) -> dict[str, Any]:
    points = {name: block.points for name, block in whole.families.items()}
    block = whole.families["P"]
    return {
        "sessions": sessions,
        "decision_points": {**points, "strict": whole.strict.points, "skipped": whole.skipped},
        "held": {name: block.held.get(name, 0) for name in VERDICTS},
        "held_results": {name: block.results.get(name, 0) for name in VERDICTS},
        "needed": {
            rule: {
                "regions": block.regions.get(rule, 0),
                "tokens": block.gold.get(rule, 0),
                "missing": block.missing.get(rule, 0),
            }
            for rule in RULES
        },
        "points_without_gold": block.empty,
        "points_without_missing": block.whole,
        "lookahead": structs.asdict(whole.agreement),
    }


def _report(whole: Glance, sessions: int) -> Iterator[str]:
    counts = {name: block.points for name, block in whole.families.items()}
    yield from labelled(
        "1 session" if sessions == 1 else f"{sessions:,} sessions",
        f"{counts['P']:,} points before edits ({whole.strict.points:,} where any other step ends "
        f"a burst), {counts['T']:,} after tests, {counts['F']:,} at the end; skipped bursts of "
        f"the shell that touch no definition: {whole.skipped:,}",
    )
    block = whole.families["P"]
    yield ""
    yield from _held(block)
    yield ""
    yield from _needed(block)
    yield ""
    yield from _agreed(whole.agreement)


def _held(block: Block) -> Iterator[str]:
    held, results = sum(block.held.values()), sum(block.results.values())
    unneeded = held - block.held.get("needed", 0)
    heads = ("tokens", "a point", "share", "unneeded", "results")
    yield f"{'held before edits':<21}" + "".join(f"{head:>11}" for head in heads)
    for name in (*VERDICTS, "all"):
        tokens = held if name == "all" else block.held.get(name, 0)
        of_unneeded = _share(tokens, unneeded) if name in VERDICTS[1:] else ""
        of_results = results if name == "all" else block.results.get(name, 0)
        figures = (
            short(tokens),
            short(round(tokens / max(1, block.points))),
            _share(tokens, held),
            of_unneeded,
            _share(of_results, results),
        )
        yield f"  {name:<19}" + "".join(f"{figure:>11}" for figure in figures)


def _needed(block: Block) -> Iterator[str]:
    heads = ("regions", "tokens", "a point", "missing", "share")
    yield f"{'needed before edits':<21}" + "".join(f"{head:>11}" for head in heads)
    names = {"G1": "edit site", "G2": "referenced", "G3": "blast radius", "G4": "contract"}
    for rule in (*RULES, "all"):
        regions, gold, missing = (
            sum(each.values()) if rule == "all" else each.get(rule, 0)
            for each in (block.regions, block.gold, block.missing)
        )
        name = f"{rule} {names.get(rule, '')}".strip()
        figures = (
            short(regions),
            short(gold),
            short(round(gold / max(1, block.points))),
            short(missing),
            _share(missing, gold),
        )
        yield f"  {name:<19}" + "".join(f"{figure:>11}" for figure in figures)
    yield from labelled(
        "points", f"{block.empty:,} need nothing, {block.whole:,} hold all that they need"
    )


def _agreed(found: Agreement) -> Iterator[str]:
    other = found.held - found.needed - found.used + 2 * found.needed_and_used
    yield from labelled(
        "the next 10 steps",
        f"use {_share(found.needed_and_used, found.needed)} of the held results that are needed "
        f"(tokens); of what they use {_share(found.needed_and_used, found.used)} is needed; both "
        f"say the same of {_share(other, found.held)}. They read or quote "
        f"{_share(found.gold_and_sought, found.gold)} of the missing gold; of what they seek "
        f"{_share(found.gold_and_sought, found.sought)} is gold",
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
