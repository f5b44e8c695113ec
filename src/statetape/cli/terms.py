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
_LONGEST = 10_000  # tokens
_NOTES = {"on": 120, "off": 0}  # tokens of one write's note
_DIGITS = 9  # of a number; more of them are none that anybody means
_SHOWN = 40  # characters of what was said
_TTLS = {"5m": 300, "1h": 3600}


class NotesType(click.ParamType[Any]):
    """`on`, `off` or a number of tokens."""

    name = "notes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The tokens that one note may have."""
        if isinstance(value, int):
            return value
        if value in _NOTES:
            return _NOTES[str(value)]
        number = _number(value)
        if number is None or number > _LONGEST:
            self.fail(
                f"{str(value)[:_SHOWN]!r} is not on, off or a number up to {_LONGEST}", param, ctx
            )
        return number


class HorizonType(click.ParamType[Any]):
    """`rent`, `lindy` or a number of requests."""

    name = "horizon"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Horizon":
        """The horizon that a word states."""
        if value in ("rent", "lindy") or isinstance(value, int):
            return value
        number = _number(value)
        if number is None or not 1 <= number <= _MOST:
            words = f"is not rent, lindy or a number from 1 to {_MOST}"
            self.fail(f"{str(value)[:_SHOWN]!r} {words}", param, ctx)
        return number


def _number(value: object) -> int | None:
    """The number that a word is; None where it is none, or one beyond all bounds."""
    is_number = isinstance(value, str) and value.isdecimal() and len(value) <= _DIGITS
    return int(str(value)) if is_number else None


def terms_options(command: Decorated) -> Decorated:
    """The options of what is changed when, and what is said of the rest."""
    for option in (
        click.option("--dedupe", is_flag=True,
                     help="Point to what is shown already where it is read again."),
        click.option("--notes", metavar="on|off|TOKENS", type=NotesType(), default="on",
                     show_default=True,
                     help="Tell in a few words what went stale and stays as it is."),
        click.option("--ttl", type=click.Choice(["client", "auto", "5m", "1h"]), default="client",
                     show_default=True,
                     help="How long the cache keeps what the agent marks for it."),
        click.option("--prices", "prices", metavar="FILE", type=PathName(),
                     help="Prices that go over ours.  [default: in the user's settings]"),
        click.option("--horizon", metavar="N|lindy|rent", type=HorizonType(), default=30,
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
    notes: int,
    dedupe: bool,
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
        notes=notes,
        dedupe=dedupe,
        observe=observe,
    )
