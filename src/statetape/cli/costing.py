"""What a replay costs: the options that say by which prices, and on what terms."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from statetape.cli.names import stated
from statetape.cli.prices import prices_option
from statetape.economics.account import Maintain, Terms
from statetape.economics.prices import Price, Prices, price_of
from statetape.errors import BadInput
from statetape.pricing import prices
from statetape.replay.priced import Payment

Decorated = Callable[..., Any]

TTLS = {"5m": 300, "1h": 3600}


def cost_options(command: Decorated) -> Decorated:
    """The options that say what a replay costs, and when it changes what was sent."""
    for option in (
        prices_option,
        click.option(
            "--maintain",
            type=click.Choice(["eager", "paying", "never"]),
            default="eager",
            show_default=True,
            help="Change what is stale at once, when it pays, or never.",
        ),
        click.option(
            "--ttl",
            type=click.Choice(list(TTLS)),
            help="How long the cache keeps what it is given.  [default: as the log says]",
        ),
        click.option(
            "--price",
            metavar="MODEL",
            callback=stated,
            help="Whose price counts; all: a table.  [default: the session's own model]",
        ),
    ):
        command = option(command)
    return command


class Costing(NamedTuple):
    """How sessions are priced: `price` is that of all, None: that of each one's model.

    `every`: by all rows, beside that. `ttl`: seconds; None: as the log says.
    """

    prices: Prices
    maintain: Maintain
    ttl: int | None
    price: Price | None
    every: bool

    def payments(self, *, rewrite_inputs: bool) -> list[Payment]:
        """What to replay on: the terms of the session that is told of first."""
        own = Payment(
            prices=self.prices,
            price=self.price,
            ttl=self.ttl,
            rewrite_inputs=rewrite_inputs,
            terms=Terms(maintain=self.maintain),
            lawful=self.maintain == "paying",
        )
        return [own, *(replace(own, price=row) for row in self.prices if self.every)]


def costing(model: str | None, ttl: str | None, maintain: Maintain, own: Path | None) -> Costing:
    """What the options ask for. BadInput for a model without a price."""
    known = prices(own)
    every = model == "all"
    price = None if model is None or every else priced(model, known)
    return Costing(known, maintain, TTLS[ttl] if ttl else None, price, every)


def priced(model: str, known: Prices) -> Price:
    """The price that `--price MODEL` names. BadInput where it is not known."""
    price = price_of(model, known)
    if price is None:
        raise BadInput(
            f"--price {model}: its price is not known; `statetape prices` has those that are, "
            "--prices FILE can state it"
        )
    return price
