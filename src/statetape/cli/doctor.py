"""`statetape doctor`: what would go wrong, before it does."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click

from statetape.cli import checks
from statetape.cli.checks import Finding
from statetape.cli.columns import clean
from statetape.cli.found import found
from statetape.cli.hosting import default_store
from statetape.cli.names import PathName
from statetape.cli.roundtrip import roundtrip

_MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


@click.command()
@click.option("--store", metavar="FILE", type=PathName(),
              help="Where changes are kept.  [default: in the user's state folder]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(context: click.Context, /, *, store: Path | None, as_json: bool) -> None:
    """Look for what would go wrong: versions, grammars, agents, a round trip on this machine.

    Starts each installed agent with --version, and a proxy for a moment. Changes nothing, and
    connects to nothing but itself. Exits with 1 if something will not work.
    """
    findings = []
    for finding in _findings(store or default_store()):
        findings.append(finding)
        if not as_json:
            click.echo(f"{_MARKS[finding.kind]} {finding.topic:<12} {clean(finding.words)}")
    if as_json:
        click.echo(json.dumps({"findings": [each._asdict() for each in findings]}, indent=1))
    context.exit(any(each.kind == "bad" for each in findings))


def _findings(store: Path) -> Iterator[Finding]:
    environment, folder = dict(os.environ), Path.cwd()
    yield from checks.versions()
    yield from checks.grammars()
    yield from checks.certificates()
    yield from checks.store(store)
    yield from checks.proxies(environment)
    yield from checks.agents(environment, folder, found(environment, folder))
    yield from roundtrip()
