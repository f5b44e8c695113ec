"""`statetape prices`: what is known of what models cost."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from statetape.cli.columns import WIDTH, fit, labelled
from statetape.cli.names import PathName
from statetape.economics.prices import Price, Rates, edit_mode, price_of
from statetape.errors import BadInput
from statetape.pricing import prices, users_file

Decorated = Callable[..., Any]

_COLUMNS = "{:>6} {:>6} {:>6} {:>6} {:>6}  {:<4} {:<10} {:>4}"
_NAME = WIDTH - len(_COLUMNS.format(*[""] * 8)) - 1


def prices_option(command: Decorated) -> Decorated:
    """The option that names a file of the user's own prices, as `own`."""
    return click.option(
        "--prices", "own", metavar="FILE", type=PathName(),
        help="Prices that go over ours.  [default: prices.toml in the user's settings]",
    )(command)  # fmt: skip


@click.command()
@click.argument("model", required=False)
@prices_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, model: str | None, own: Path | None, as_json: bool) -> None:
    """Show what models cost, and where that is known from.

    Dollars per million tokens. MODEL may be dated, or be spelled as Bedrock, Vertex or a router
    does; with it, everything that is known of that model.
    """
    known: Sequence[Price] = prices(own)
    if model is not None:
        known = [_named(model, known)]
    if as_json:
        click.echo(json.dumps({"prices": [_document(price) for price in known]}, indent=1))
    else:
        click.echo("\n".join(_table(known) if model is None else _all_of(known[0])))


def _named(model: str, known: Sequence[Price]) -> Price:
    price = price_of(model, known)
    if price is None:
        raise BadInput(
            f"{model}: its price is not known; state it in {users_file() or 'a file'}, "
            "or with --prices"
        )
    return price


def _document(price: Price) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(price)
    return {**fields, "edit_mode": edit_mode(price)}


def _table(known: Sequence[Price]) -> Iterator[str]:
    """One row for each model and each tier; below them the sources, by number."""
    sources = list(dict.fromkeys(price.source for price in known))
    heads = ("in", "out", "write", "1 h", "read", "edit", "date", "from")
    yield fit("$ per 1M tokens", _NAME, pad=True) + " " + _COLUMNS.format(*heads)
    for price in known:
        number = f"[{sources.index(price.source) + 1}]"
        end = (edit_mode(price), price.date.isoformat() if price.date else "", number)
        yield fit(price.model, _NAME, pad=True) + " " + _COLUMNS.format(*_figures(price), *end)
        for tier in price.tiers:
            row = _COLUMNS.format(*_figures(tier), "", "", "").rstrip()
            yield "  " + fit(f"above {tier.above:,}", _NAME - 2, pad=True) + " " + row
    yield ""
    yield from (fit(f"[{at}] {source}", WIDTH) for at, source in enumerate(sources, 1))
    verified = sum(price.verified for price in known)
    yield f"{verified or 'none'} of {len(known)} compared with a bill"


def _all_of(price: Price) -> Iterator[str]:
    yield fit(f"{price.model} · {price.provider}", WIDTH)
    if price.names:
        yield from labelled("also named", ", ".join(price.names))
    yield from labelled("$ per 1M tokens", _stated(price))
    for tier in price.tiers:
        yield from labelled(f"above {tier.above:,}", _stated(tier))
    how = {"explicit": "at breakpoints", "automatic": "by itself"}[price.caching]
    limits = f", at most {price.breakpoints}, {price.lookback} blocks back"
    yield from labelled("cached", how + (limits if price.breakpoints else ""))
    if price.implicit:
        yield from labelled("", f"without any, at one of the provider's for {price.implicit:,} s")
    yield from labelled("least prefix", f"{price.least:,} tokens, in steps of {price.step:,}")
    yield from labelled(
        "lives", f"{price.lifetime:,} s, at most {price.retention:,} s if asked for"
    )
    bound = "thinking is bound to what precedes it" if price.binding else "thinking is not bound"
    yield from labelled("edits", f"{edit_mode(price)} ({bound})")
    yield from labelled(
        "tokens",
        f"{price.tokens_prose:g} per cl100k token, {price.tokens_shell:g} in shell and search "
        f"output, {price.tokens_block} a block",
    )
    day = f", {price.date.isoformat()}" if price.date else ""
    checked = "compared with a bill" if price.verified else "not compared with a bill"
    yield from labelled("source", f"{price.source}{day}; {checked}")


def _figures(rates: Rates) -> tuple[str, ...]:
    figures = (rates.input, rates.output, rates.write_5m, rates.write_1h, rates.read)
    return tuple(f"{figure:.6g}" for figure in figures)


def _stated(rates: Rates) -> str:
    names = ("input", "output", "write", "write for 1 h", "read")
    stated = zip(_figures(rates), names, strict=True)
    return ", ".join(f"{figure} {name}" for figure, name in stated)
