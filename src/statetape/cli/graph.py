"""`statetape graph`: what there is in a repository, and who calls whom."""

import json
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from statetape.cli.columns import clean, counts, labelled
from statetape.cli.names import PathName, stated
from statetape.cli.opened import graph_of
from statetape.cli.stats import counted
from statetape.cli.symbols import all_symbols, symbol_named, symbols_named
from statetape.code import languages
from statetape.code.graph import Graph
from statetape.skills.reach import reached
from statetape.types import Mark, SymbolId

Decorated = Callable[..., Any]

_repo = click.option("--repo", metavar="PATH", type=PathName(), default=".",
                     help="The repository.  [default: this folder]")  # fmt: skip
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_hops = click.option("--hops", metavar="N", type=click.IntRange(1), default=1, show_default=True,
                     help="How many calls away.")  # fmt: skip
_symbol = click.argument("symbol")
_MARKS: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")
_Step = Callable[[SymbolId], Mapping[SymbolId, Mark]]


def _marks(*default: Mark) -> Decorated:
    """Which edges are followed."""
    return click.option(
        "--mark", "marks", metavar="MARK", type=click.Choice(_MARKS), multiple=True,
        default=default, show_default=True,
        help="Edges to follow: exact, virtual, guess or uses; once for each.",
    )  # fmt: skip


@click.group(no_args_is_help=False)
def command() -> None:
    """Ask the code graph of a repository.

    SYMBOL is `path::Class.method`, or any end of it that fits one symbol only: `Class.method`,
    `method`, `file.py::method`. `path::` is the file's text outside every definition.
    """


@command.command()
@_repo
@_json
def stats(*, repo: Path, as_json: bool) -> None:
    """Count files, symbols, edges, calls; name files that do not parse.

    A call is resolved, guessed, external (nothing in the repository has that name) or unresolved.
    Vendored and generated files are left out.
    """
    began = time.perf_counter()
    with graph_of(repo, resolved=True) as graph:
        figures = counted(graph)
    figures["seconds"] = round(time.perf_counter() - began, 3)
    click.echo(json.dumps(figures, indent=1) if as_json else "\n".join(_stated(figures)))


@command.command()
@click.argument("symbol", metavar="[SYMBOL|PATH]", required=False, callback=stated)
@_repo
@_json
def symbols(*, symbol: str | None, repo: Path, as_json: bool) -> None:
    """List all symbols, those SYMBOL fits, or those of PATH.

    PATH is a file or a folder of the repository.
    """
    with graph_of(repo) as graph:
        if symbol is None:
            wanted = [each for each in all_symbols(graph) if each.name]
        else:
            wanted = symbols_named(graph, symbol)
        found = [_described(graph, each) for each in wanted]
    if as_json:
        click.echo(json.dumps({"symbols": found}, indent=1))
        return
    for each in found:
        lines = ", ".join(f"{first}-{last}" for first, last in each["lines"])
        click.echo(f"{each['kind']:<10} {clean(each['symbol'])}  {lines}")


@command.command()
@_repo
@_json
def index(*, repo: Path, as_json: bool) -> None:
    """Resolve all symbols and keep what they reach.

    From then on `callers` and `stats` look it up, and resolve what changes move.
    """
    began = time.perf_counter()
    with graph_of(repo, resolved=True) as graph:
        symbols = sum(languages.resolves(symbol.path) for symbol in graph.symbols())
        left = graph.unresolved()
    kept = symbols - len(left.moved) - sum(map(len, left.open.values()))
    seconds = round(time.perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps({"symbols": symbols, "kept": kept, "seconds": seconds}, indent=1))
    else:
        click.echo(f"edges of {kept:,} of {symbols:,} symbols kept, {seconds:,} seconds")


@command.command()
@_symbol
@_hops
@_marks(*_MARKS)
@_repo
@_json
def callers(*, symbol: str, hops: int, marks: tuple[str, ...], repo: Path, as_json: bool) -> None:
    """List who calls or reads SYMBOL, with the mark of each edge."""
    with graph_of(repo) as graph:
        step = only(graph.reaching, marks)
        _show_reached(symbol_named(graph, symbol), "callers", step, hops, as_json)


@command.command()
@_symbol
@_hops
@_marks("exact", "virtual", "guess")
@_repo
@_json
def callees(*, symbol: str, hops: int, marks: tuple[str, ...], repo: Path, as_json: bool) -> None:
    """List what SYMBOL calls, with the mark of each edge."""
    with graph_of(repo) as graph:
        step = only(graph.edges, marks)
        _show_reached(symbol_named(graph, symbol), "callees", step, hops, as_json)


@command.command()
@_symbol
@_repo
@_json
def source(*, symbol: str, repo: Path, as_json: bool) -> None:
    """Print the text of SYMBOL as it stands in the file."""
    with graph_of(repo) as graph:
        owner = symbol_named(graph, symbol)
        text = graph.source(owner) or ""
        described = _described(graph, owner)
    if as_json:
        click.echo(json.dumps({**described, "source": text}, indent=1))
    else:
        click.echo("\n".join(_printable(line) for line in text.split("\n")))


def only(step: _Step, marks: Collection[str]) -> _Step:
    """A step along the edges with these marks alone."""
    return lambda symbol: {to: mark for to, mark in step(symbol).items() if mark in marks}


def _show_reached(start: SymbolId, relation: str, step: _Step, hops: int, as_json: bool) -> None:
    found = reached(start, step, hops, sys.maxsize)
    if as_json:
        rows = [
            {"symbol": str(symbol), "hops": hop.distance, "mark": hop.mark}
            for symbol, hop in found.items()
        ]
        click.echo(json.dumps({"symbol": str(start), relation: rows}, indent=1))
        return
    click.echo(f"{clean(str(start))}: {relation} {len(found) or 'none'}")
    for symbol, hop in found.items():
        click.echo(f"{'  ' * hop.distance}{clean(str(symbol))}  {hop.mark}")


def _described(graph: Graph, symbol: SymbolId) -> dict[str, Any]:
    definition, known = graph.definition(symbol), graph.interfaces().get(symbol.path)
    facts = known or graph.facts(symbol.path)
    return {
        "symbol": str(symbol),
        "kind": definition.kind if definition else "",
        "language": facts.language if facts else "",
        "lines": list(map(list, definition.lines)) if definition else [],
    }


def _stated(figures: dict[str, Any]) -> Iterator[str]:
    yield from labelled("files", f"{figures['files']:,}: {counts(figures['files_by_language'])}")
    yield from labelled("symbols", f"{figures['symbols']:,}: {counts(figures['symbols_by_kind'])}")
    yield from labelled("by language", counts(figures["symbols_by_language"]))
    yield from labelled("edges", f"{figures['edges']:,}")
    for language, marks in figures["edges_by_language"].items():
        yield from labelled(f"  {language}", counts(marks))
    if figures["calls_by_language"]:
        yield "  calls"
    for language, fates in figures["calls_by_language"].items():
        yield from labelled(f"  {language}", counts(fates))
    yield from labelled("seconds", f"{figures['seconds']:,}")
    for path in figures["broken"]:
        yield from labelled("does not parse", path)


def _printable(line: str) -> str:
    """The line with nothing in it that steers a terminal."""
    return "".join(c if c.isprintable() or c == "\t" else "?" for c in line)
