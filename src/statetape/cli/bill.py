"""`statetape bill`: what requests cost, and what they would have cost without us."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from statetape.cli.columns import clean, counts
from statetape.cli.hosting import default_store
from statetape.cli.ledger import requests, session_name, sessions
from statetape.cli.names import PathName, stated
from statetape.cli.prices import prices_option
from statetape.economics.bill import Entry, total
from statetape.economics.statement import (
    bill_document,
    request_documents,
    session_documents,
)
from statetape.errors import BadInput
from statetape.pricing import prices
from statetape.store.bills import Bills, bills_beside
from statetape.types import Usage

_SHOWN = 3  # of the sessions that a name fits


@click.command()
@click.argument("session", required=False, callback=stated)
@click.option("--store", metavar="FILE", type=PathName(),
              help="What `run` or `serve` was given.  [default: in the user's state folder]",
)  # fmt: skip
@prices_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
def command(
    *, session: str | None, store: Path | None, own: Path | None, as_json: bool, as_csv: bool
) -> None:
    """Show what requests cost, and what they would have cost without us.

    One row a session, the latest first; with SESSION (its name, or how that begins) one row a
    request. Dollars, to a hundredth of a cent: `paid` by what the provider reported, `without`
    what it would have been without us, `saved` the difference. That is a simulator's figure; how
    far the simulator was off stands below.
    """
    if as_json and as_csv:
        raise click.UsageError("--json or --csv, not both")
    known, place = prices(own), bills_beside(store or default_store())
    entries = _entries(place, session)
    if not entries and not (as_json or as_csv):
        click.echo(f"nothing is billed yet: no request of `run` or `serve` is in {place}")
        return
    one = session is not None
    if as_csv or as_json:
        rows = list((request_documents if one else session_documents)(entries, known))
        if as_csv:
            click.echo(_table(rows), nl=False)
        else:
            bill = {"total": bill_document(total(entries, known))}
            kind = "requests" if one else "sessions"
            click.echo(json.dumps({kind: rows, **bill}, indent=1))
        return
    click.echo("\n".join((requests if one else sessions)(entries, known)))


def _entries(place: Path, session: str | None) -> Sequence[Entry]:
    """What is kept of a session, or of all; no file is made where there is none."""
    if not place.exists():
        if session is not None:
            raise BadInput(f"{session!r}: no such session; nothing is billed yet in {place}")
        return ()
    bills = Bills(place)
    try:
        names = [kept.conversation for kept in bills.conversations()]
        return bills.of(None if session is None else _fitting(session, names))
    finally:
        bills.close()


def _fitting(session: str, names: Sequence[str]) -> str:
    """The one name that is, or begins with, what was said; BadInput otherwise.

    The agent before the colon may be left out. A session goes before its sub-agents.
    """
    if session in names:
        return session
    fits = [
        key
        for key in names
        if any(form.startswith(session) for form in (key, key.partition(":")[2], session_name(key)))
    ]
    fits = [key for key in fits if not any(key.startswith(f"{other}:") for other in fits)]
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise BadInput(f"{session!r}: no such session; `statetape bill` lists them")
    more = ", ..." if len(fits) > _SHOWN else ""
    some = ", ".join(map(clean, fits[:_SHOWN]))
    raise BadInput(f"{session!r} fits {len(fits)} sessions: {some}{more}")


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The documents as lines; what is nested in them has columns `outer_inner`."""
    flat = [dict(_flat(row)) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in flat for name in row)))
    if flat:
        writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict) and name in {"changes", "nothing_done"}:
            yield prefix + name, clean(counts(value)) if value else ""
        elif isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}_")
        elif value is None and prefix == "usage_":
            yield from ((f"{prefix}{name}_{field}", None) for field in Usage.__struct_fields__)
        elif isinstance(value, list):
            yield prefix + name, clean(" ".join(map(str, value)))
        else:
            yield prefix + name, clean(value) if isinstance(value, str) else value
