"""What models cost and how their prompts are cached: rows of data, and what they say of a usage.

The rows that we know are in `prices.toml` beside this module; `statetape.pricing` reads them.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from statetape.errors import BadInput
from statetape.types import Usage

Dollars = Annotated[float, Meta(ge=0, le=100_000)]
Ratio = Annotated[float, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0, le=10**9)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class Rates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars per million tokens; `write_5m` and `write_1h` are those of what goes to the cache.

    Where a provider writes for one price, or for that of other input, all of them say so.
    """

    input: Dollars
    output: Dollars
    write_5m: Dollars
    write_1h: Dollars
    read: Dollars


class Tier(Rates, frozen=True, kw_only=True):
    """The rates of all tokens of a request whose prompt has more than `above` tokens."""

    above: Count


class Price(Rates, frozen=True, kw_only=True):
    """One model: its rates, how its provider caches prompts, and what its tokens are.

    `names` are patterns (fnmatch, lower case) of further names. `least` is the shortest prefix
    that is cached, in tokens; what is read of it is a multiple of `step`. An explicit cache has
    entries at `breakpoints` (at most so many a request), found from a breakpoint up to `lookback`
    blocks behind them; `implicit` is the lifetime of the one that the provider sets itself (0:
    it sets none). Entries live `lifetime` seconds after their last use, `retention` at most if a
    request asks for it.

    `binding`: each thinking block is bound to all that stands before it. `tokens_prose` and
    `tokens_shell` are the model's tokens for one cl100k token, of shell and search output and of
    all else; each block has `tokens_block` more. `verified`: somebody compared it with a bill.
    """

    model: Name
    names: tuple[Name, ...] = ()
    provider: str = "unknown"
    tiers: tuple[Tier, ...] = ()
    caching: Literal["explicit", "automatic"] = "automatic"
    least: Count = 1024
    lookback: Count = 0
    breakpoints: Count = 0
    implicit: Count = 0
    step: Annotated[int, Meta(ge=1, le=10**6)] = 1
    lifetime: Count = 300
    retention: Count = 300
    binding: bool = False
    tokens_prose: Ratio = 1.0
    tokens_shell: Ratio = 1.0
    tokens_block: Count = 0
    source: str = ""
    date: dt.date | None = None
    verified: bool = False


Prices = tuple[Price, ...]


def parsed(text: str, place: str, known: Prices = ()) -> Prices:
    """The rows of a price file, and of those `known` the ones that it does not replace.

    A row replaces the fields it states of the row of the same model, known or earlier; a new one
    begins with those of the row it is `like`. A new row without one has to state `input` and
    `output`; what it does not state of the others costs as input does. `source` is `place` where
    a row names none. Raises BadInput that names the place, the row and the field.
    """
    try:
        document = tomllib.loads(text)
    except ValueError as error:  # not only TOMLDecodeError: a number may have too many digits
        raise BadInput(f"{place}: {error}") from None
    except RecursionError:
        raise BadInput(f"{place}: nested too deeply") from None
    given = document.pop("model", [])
    if document or not isinstance(given, list):
        raise BadInput(f"{place}: {next(iter(document), 'model')}: it has [[model]] rows only")
    rows = {bare(price.model): price for price in known}
    for number, fields in enumerate(given, 1):
        price = _row(fields, f"{place}: row {number}", place, rows)
        rows[bare(price.model)] = price
    return tuple(rows.values())


def price_of(model: str, prices: Sequence[Price]) -> Price | None:
    """The row of a model, however it is spelled; None: its price is not known.

    A row of that very name goes before one with a pattern, the first pattern before others.
    """
    full, short = model.strip().lower()[:_LONGEST], bare(model)
    for price in prices:
        if price.model.lower() == full or bare(price.model) == short:
            return price
    for price in prices:
        if any(fnmatchcase(full, name) or fnmatchcase(short, name) for name in price.names):
            return price
    return None


def rates(price: Price, prompt: int) -> Rates:
    """The rates of a request whose prompt has so many tokens, cached ones counted in."""
    return next((tier for tier in reversed(price.tiers) if prompt > tier.above), price)


def dollars(price: Price, usage: Usage) -> float:
    """What a request cost."""
    rate = rates(price, usage.prompt)
    return (
        usage.input * rate.input
        + usage.cache_read * rate.read
        + usage.cache_write_5m * rate.write_5m
        + usage.cache_write_1h * rate.write_1h
        + usage.output * rate.output
    ) / 1e6


def edit_mode(price: Price) -> Literal["free", "tail"]:
    """What may be edited where nothing else was said: all, or only what was never sent."""
    return "tail" if price.binding else "free"


_LONGEST = 200  # characters of a name
_ENDING = re.compile(r"(?:-latest|-default|-v\d+|-\d{8}|-\d{4}-\d{2}-\d{2})+$")


@lru_cache(maxsize=1024)
def bare(model: str) -> str:
    """A model's name without router, region, vendor, date, version and variant; points as dashes.

    `us.anthropic.claude-opus-4-5-20251101-v1:0`, `anthropic/claude-opus-4.5` and
    `claude-opus-4-5@20251101` are `claude-opus-4-5`, as is `claude-opus-4-5[1m]`.
    """
    name = model.strip().lower()[:_LONGEST].rpartition("/")[2]
    name = name.rpartition("anthropic.")[2].partition("[")[0]
    name = re.split("[:@]", name, maxsplit=1)[0]
    return _ENDING.sub("", name.replace(".", "-"))


def _row(fields: object, row: str, place: str, rows: Mapping[str, Price]) -> Price:
    """A row of a file as a price; `rows` are those it can build on, by bare name."""
    if not isinstance(fields, dict):
        raise BadInput(f"{row}: it is no table; a row begins with [[model]]")
    model, like = fields.get("model"), fields.get("like")
    if not isinstance(model, str):
        raise BadInput(f"{row}: model: a row names its model")
    row += f" ({model})"
    base: dict[str, Any] = {}
    if (before := rows.get(bare(model))) is not None:
        base = msgspec.structs.asdict(before)
    elif like is not None:
        if not isinstance(like, str) or (other := price_of(like, tuple(rows.values()))) is None:
            raise BadInput(f"{row}: like: no row of that model before it")
        base = {**msgspec.structs.asdict(other), "names": ()}
    elif "input" in fields:
        base = dict.fromkeys(("input", "write_5m", "write_1h", "read"), fields["input"])
    base |= {"source": place, "date": None, "verified": False}
    base |= {name: value for name, value in fields.items() if name != "like"}
    try:
        price = msgspec.convert(msgspec.to_builtins(base, builtin_types=(dt.date,)), Price)
    except (msgspec.ValidationError, TypeError) as error:
        raise BadInput(f"{row}: {_said(str(error))}") from None
    return msgspec.structs.replace(price, tiers=tuple(sorted(price.tiers, key=_above)))


def _above(tier: Tier) -> int:
    return tier.above


def _said(error: str) -> str:
    """What msgspec says, the field first."""
    what, _, where = error.partition(" - at `$")
    field = where.strip("`.").replace("[...]", "")
    return f"{field}: {what}" if field else what
