"""What a report consists of, whatever it is written as."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """Rows of words under heads; the first column is what each row is of."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Figure(NamedTuple):
    """A picture (SVG) with its legend (markup), and the data that it shows."""

    caption: str
    picture: str
    legend: str
    data: Table


class Section(NamedTuple):
    """A part of the report: words, tables and figures, in order."""

    title: str
    blocks: Sequence[str | Table | Figure]


class Document(NamedTuple):
    """A report; `about` stands below its title, one line each."""

    title: str
    about: Sequence[str]
    sections: Sequence[Section]


def share(value: float | None) -> str:
    """A share of 0 to 1 in per cent."""
    return "-" if value is None else f"{100 * value:.1f} %"


def ratio(value: float | None) -> str:
    """A ratio, with three digits that matter or two behind the point."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def count(value: float | None) -> str:
    """A number of tokens or of things."""
    return "-" if value is None else f"{value:,.0f}"


def between(value: tuple[float, float] | None, of_shares: bool = False) -> str:
    """An interval of ratios, or of shares."""
    if value is None:
        return "-"
    if of_shares:
        return f"{100 * value[0]:.1f} to {100 * value[1]:.1f} %"
    return f"{ratio(value[0])} to {ratio(value[1])}"
