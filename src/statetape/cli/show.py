"""`statetape show`: the timeline of one session, or what it held at one step."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from statetape.cli.columns import WIDTH, fit
from statetape.cli.figures import session_figures
from statetape.cli.names import PathName
from statetape.cli.passages import Change, Held, changes_by_step, held_at
from statetape.cli.progress import progress
from statetape.cli.replay import source_options
from statetape.cli.story import holdings, timeline
from statetape.errors import BadInput
from statetape.replay.timeline import Replayed


@click.command()
@click.argument("file", type=PathName())
@click.option("--at", metavar="STEP", type=int, help="Show the records held after this step.")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    file: Path,
    at: int | None,
    repo: Path | None,
    base: str | None,
    policy: str,
    as_json: bool,
) -> None:
    """Show the timeline of one recorded session.

    Each step with its tokens; under a step the files it wrote, the symbols that drifted (`body`
    changed or removed, `dispatch` what it calls or reads is another now, `created`), and the
    records that went stale, were refreshed, dropped, left to run again, kept (and why), let go as
    finished with (`evicted`), brought in (`retrieved`), or forgotten by the client.
    """
    from statetape.replay.player import replayed

    with progress("replaying", None):
        replay = replayed(file, repo=repo, base=base, policy=policy)
    if at is None:
        document, lines = _timeline_document(replay), timeline(replay)
    else:
        held = _held(replay, at)
        document, lines = _held_document(replay, at, held), holdings(held)
    if as_json:
        click.echo(json.dumps(document, indent=1))
        return
    when = "" if at is None else f" · held after step {at}"
    head = fit(f"{replay.id} · {replay.agent} · policy {replay.policy}{when}", WIDTH)
    _print([click.style(head, bold=True), *lines])


def _held(replay: Replayed, at: int) -> list[Held]:
    last = max((row.step for row in replay.records), default=-1)
    if not 0 <= at <= last:
        steps = f"steps 0 to {last}" if last >= 0 else "no records"
        raise BadInput(f"{replay.file}: no step {at}; the session has {steps}")
    return list(held_at(replay, at))


def _print(lines: Sequence[str]) -> None:
    text = "\n".join(lines) + "\n"
    if sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size().lines:
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)


def _timeline_document(replay: Replayed) -> dict[str, Any]:
    """The steps, each with its writes and its records' changes; `stale` of a write are records."""
    changes = changes_by_step(replay)
    writes: dict[int, list[dict[str, Any]]] = {}
    for write in replay.writes:
        stale = [change.record.id for change in changes[write.step].by_write[write.tick]]
        writes.setdefault(write.step, []).append({**to_builtins(write), "stale": stale})
    steps = [
        {
            **to_builtins(step),
            "writes": writes.pop(step.index, []),
            "changes": [
                _change(change)
                for group in (*changes[step.index].by_write.values(), changes[step.index].others)
                for change in group
            ]
            if step.index in changes
            else [],
        }
        for step in replay.steps
    ]
    return {"session": session_figures(replay), "steps": steps}


def _change(change: Change) -> dict[str, Any]:
    record, passage, then, why = change
    return {
        "record": record.id,
        "side": record.side,
        "state": passage.state,
        "then": then,
        "why": why,
        "because": list(passage.because),
    }


def _held_document(replay: Replayed, at: int, held: Sequence[Held]) -> dict[str, Any]:
    records = [
        {
            "id": one.record.id,
            "side": one.record.side,
            "step": one.record.step,
            "kind": one.record.kind,
            "title": one.record.title,
            "state": one.state,
            "since": one.since,
            "because": list(one.because),
            "tokens": one.tokens,
        }
        for one in held
    ]
    sums: dict[str, int] = {}
    for one in held:
        sums[one.state] = sums.get(one.state, 0) + one.tokens
    return {"session": session_figures(replay), "step": at, "records": records, "tokens": sums}
