"""Price rows that make the same difference, though one may cost a multiple of the other."""

from collections.abc import Sequence

from statetape.economics.prices import Price, Rates


def distinct(prices: Sequence[Price]) -> list[Price]:
    """The first of each kind of row, as `kind` tells them apart."""
    found: dict[object, Price] = {}
    for price in prices:
        found.setdefault(kind(price), price)
    return list(found.values())


def kind(price: Price) -> object:
    """What decides whether a change pays.

    What writing and reading cost compared with input, tiers, how and for how long prompts are
    cached, and what may be edited. Not the least cacheable prefix and the step: a session's prompts
    are much longer than either.
    """
    tiers = [(tier.above, *_ratios(tier, price.input)) for tier in price.tiers]
    return (
        *_ratios(price, price.input),
        *tiers,
        price.caching,
        price.lookback,
        price.breakpoints,
        price.implicit,
        price.lifetime,
        price.binding,
    )


def _ratios(rates: Rates, unit: float) -> tuple[float, ...]:
    figures = (rates.input, rates.write_5m, rates.write_1h, rates.read)
    return tuple(round(figure / unit, 4) if unit else figure for figure in figures)
