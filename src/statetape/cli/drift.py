"""`statetape drift`: the symbols that differ between two states of a repository (Eq. 6)."""

import json
from contextlib import ExitStack
from pathlib import Path

import click

from statetape.cli.names import PathName, stated
from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Folder, GitCommit
from statetape.types import Drift, Files

PARTS = ("body", "dispatch", "created")


@click.command()
@click.argument("before", callback=stated)
@click.argument("after", callback=stated)
@click.option("--repo", metavar="PATH", type=PathName(),
              help="The repository of which BEFORE and AFTER are revisions.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, before: str, after: str, repo: Path | None, as_json: bool) -> None:
    """Name the symbols that differ between two states of a repository.

    BEFORE and AFTER are two folders, or two revisions with --repo. `body`: its own text changed,
    or it is gone; `dispatch`: its text is the same, but what it calls or reads is another now;
    `created`: it is new. A symbol is `path::Class.method`; `path::` is the file's text outside
    every definition.
    """
    with ExitStack() as stack:
        old, new = (_files(side, repo, stack) for side in (before, after))
        found = named(drift(Graph(old), Graph(new)))
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    lines = [f"{part:<9} {symbol}" for part in PARTS for symbol in found[part]]
    click.echo("\n".join(lines) or "no drift")


def named(found: Drift) -> dict[str, list[str]]:
    """The parts of a drift as sorted symbol names."""
    return {part: sorted(str(symbol) for symbol in getattr(found, part)) for part in PARTS}


def _files(state: str, repo: Path | None, stack: ExitStack) -> Files:
    if repo is None:
        return Folder(state)
    return stack.enter_context(GitCommit(repo, state))
