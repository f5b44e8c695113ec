"""The options that say on what terms changes are made, and what follows from them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from statetape.cli.names import PathName

if TYPE_CHECKING:
    from statetape.economics.account import Horizon
    from statetape.shim.billing import Means

Decorated = Callable[..., Any]

_MOST = 10_000  # requests
_TTLS = {"5m": 300, "1h": 3600}


class HorizonType(click.ParamType[Any]):
    """`rent`, `lindy` or a number of requests."""

    name = "horizon"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Horizon":
        """The horizon that a word states."""
        if value in ("rent", "lindy") or isinstance(value, int):
            return value
        if not isinstance(value, str) or not value.isdecimal() or not 1 <= int(value) <= _MOST:
            self.fail(f"{value!r} is not rent, lindy or a number from 1 to {_MOST}", param, ctx)
        return int(value)


def terms_options(command: Decorated) -> Decorated:
    """`--maintain`, `--edit-mode`, `--horizon`, `--prices` and `--ttl`."""
    for option in (
        click.option("--ttl", type=click.Choice(["client", "auto", "5m", "1h"]), default="client",
                     show_default=True,
                     help="How long the cache keeps what the agent marks for it."),
        click.option("--prices", "prices", metavar="FILE", type=PathName(),
                     help="Prices that go over ours.  [default: in the user's settings]"),
        click.option("--horizon", metavar="N|lindy|rent", type=HorizonType(), default=20,
                     show_default=True,
                     help="For how many requests a change is expected to count."),
        click.option("--edit-mode", type=click.Choice(["auto", "free", "tail", "drop_block"]),
                     default="auto", show_default=True,
                     help="What may be changed: all, or only what was never sent"
                     " (auto: as the model allows)."),
        click.option("--maintain", type=click.Choice(["paying", "eager", "never"]),
                     default="paying", show_default=True,
                     help="Make changes when they pay, at once, or not at all."),
    ):  # fmt: skip
        command = option(command)
    return command


def means_of(
    *,
    maintain: str,
    edit_mode: str,
    horizon: "Horizon",
    ttl: str,
    prices: Path | None,
    observe: bool,
) -> "Means":
    """How a proxy pays. BadInput for a file of prices that cannot be used."""
    from statetape.economics.account import Terms
    from statetape.pricing import prices as known
    from statetape.shim.billing import Means

    terms = Terms(maintain=maintain, horizon=horizon)  # type: ignore[arg-type]
    return Means(
        prices=known(prices),
        terms=terms,
        edits=edit_mode,  # type: ignore[arg-type]
        ttl=_TTLS.get(ttl, ttl),  # type: ignore[arg-type]
        observe=observe,
    )
