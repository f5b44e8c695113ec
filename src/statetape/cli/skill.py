"""`statetape skill`: one question to a recorded session as it stands after a step."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import click
from msgspec import to_builtins

from statetape.cli.columns import WIDTH, cells, clean, fit, fit_end
from statetape.cli.names import PathName
from statetape.cli.progress import progress
from statetape.cli.replay import source_options
from statetape.errors import BadInput

_LABEL = 10
_TEXTS = frozenset({"text", "fresh"})
_WORDS = frozenset({"title", "preview", "reason", "states", "through"})
_ENDS = frozenset({"symbol", "path", "slot"})  # what names it stands at the end
_LEAST = 12  # cells of a column that has to make room


class Argument(click.ParamType[Any]):
    """`NAME=VALUE`."""

    name = "argument"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The name and the value, which may be empty."""
        name, equals, given = str(value).partition("=")
        if not equals or not name:
            self.fail(f"{str(value)[:40]!r} is not NAME=VALUE", param, ctx)
        return name, given


@click.command()
@click.argument("name")
@click.argument("file", type=PathName())
@click.argument("arguments", metavar="[ARGUMENT=VALUE]...", nargs=-1, type=Argument())
@click.option("--step", metavar="STEP", type=int, help="After this step.  [default: the last]")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    name: str,
    file: Path,
    arguments: tuple[tuple[str, str], ...],
    step: int | None,
    repo: Path | None,
    base: str | None,
    policy: str,
    as_json: bool,
) -> None:
    """Ask a recorded session one question, as it stands after a step.

    NAME is one of those that `statetape skills` lists, with its arguments. What policies changed up
    to then stays changed.
    """
    given = dict(arguments)
    if len(given) < len(arguments):
        names = [each for each, _ in arguments]
        twice = next(each for each in names if names.count(each) > 1)
        raise BadInput(f"{twice} is given twice")
    from statetape.replay.standing import standing
    from statetape.skills import answered

    with (
        progress("replaying", None),
        standing(file, step=step, repo=repo, base=base, policy=policy) as found,
    ):
        answer = answered(name, found.situation, given)
    rows = to_builtins(answer.rows)
    if as_json:
        document = {
            "session": found.id,
            "step": found.step,
            "skill": name,
            "arguments": given,
            "rows": rows,
            "left_out": answer.left_out,
        }
        click.echo(json.dumps(document, indent=1))
        return
    click.echo("\n".join(_table(rows)) or "none")
    if answer.left_out:
        click.echo(f"{answer.left_out:,} left out")


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The short fields of each row in columns, longer ones below them."""
    if not rows:
        return
    short = [name for name in rows[0] if not _is_long(name, rows)]
    widths = _widths({n: [n, *(_said(row[n]) for row in rows)] for n in short})
    yield "  ".join(f"{name:<{widths[name]}}" for name in short).rstrip()
    for row in rows:
        yield "  ".join(_cell(name, row[name], widths[name]) for name in short).rstrip()
        for name in row:
            if name not in short:
                yield from _below(name, row[name])


def _is_long(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    return name in _TEXTS | _WORDS or any(isinstance(row[name], list | tuple) for row in rows)


def _widths(columns: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The cells of each column, the widest cut until all fit a line."""
    widths = {name: max(map(cells, values)) for name, values in columns.items()}
    while sum(widths.values()) + 2 * (len(widths) - 1) > WIDTH:
        widest = max(widths, key=lambda name: widths[name])
        if widths[widest] <= _LEAST:
            break
        widths[widest] -= 1
    return widths


def _cell(name: str, value: object, width: int) -> str:
    said = _said(value)
    cut = fit_end(said, width) if name in _ENDS else fit(said, width)
    space = " " * (width - cells(cut))
    return space + cut if isinstance(value, int) else cut + space


def _said(value: object) -> str:
    return "" if value is None else clean(str(value))


def _below(name: str, value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    if not value:
        return
    if name in _TEXTS:
        for line in str(value).split("\n"):
            yield f"    {_printable(line)}"
        return
    label = f"  {name:<{_LABEL}}"
    for line in wrap(clean(str(value)), WIDTH - len(label)):
        yield label + fit(line, WIDTH - len(label))
        label = " " * len(label)


def _printable(line: str) -> str:
    """The line with nothing in it that steers a terminal."""
    return "".join(c if c.isprintable() or c == "\t" else "?" for c in line)
