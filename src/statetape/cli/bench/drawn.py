"""Pictures as SVG text: bars of parts, and curves over the number of edits. No script, no style.

Colours are classes; whatever text comes in stands there as text.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

WIDTH = 720
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 26, 44


class Part(NamedTuple):
    """A piece of a bar: the class of its colour, its size, and what it is called."""

    colour: str
    size: float
    words: str


class Bar(NamedTuple):
    """One bar: its name, and its parts one upon the other."""

    name: str
    parts: tuple[Part, ...]


class Curve(NamedTuple):
    """One curve: its name, its colour's class, and a value for each place; None: a gap."""

    name: str
    colour: str
    values: tuple[float | None, ...]


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element; `inside` is markup. Of attributes, `_` is `-`, and at the end nothing."""
    stated = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_said(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{stated}>{''.join(inside)}</{name}>"


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """Words at a place."""
    return tag("text", escape(words), x=x, y=y, **attributes)


def short(number: float) -> str:
    """A number for an axis or a bar."""
    if number >= 1e6:
        return f"{number / 1e6:.3g} M"
    if number >= 1e3:
        return f"{number / 1e3:.3g} k"
    return f"{number:.3g}"


def stacked(groups: Sequence[tuple[str, Sequence[Bar]]], unit: str, label: str) -> str:
    """Upright bars by numbers of edits, in groups under titles, all by one axis in `unit`."""
    height = 300
    base = height - _BOTTOM
    peak = max([1.0, *(_size(bar) for _, bars in groups for bar in bars)])
    scale = (base - _TOP) / peak
    count = sum(len(bars) for _, bars in groups) + len(groups) - 1
    wide = (WIDTH - _LEFT - _RIGHT) / max(1, count)
    shapes = list(_axis(peak, base, scale, unit))
    at = float(_LEFT)
    for title, bars in groups:
        middle = at + wide * len(bars) / 2
        shapes.append(text(middle, 12, title, text_anchor="middle", class_="title"))
        for bar in bars:
            y = float(base)
            for part in bar.parts:
                y -= part.size * scale
                shapes.append(
                    tag(
                        "rect",
                        tag("title", escape(f"{bar.name}: {part.words}, {part.size:,.0f} {unit}")),
                        x=at + wide * 0.18, y=y, width=wide * 0.64, height=part.size * scale,
                        class_=part.colour,
                    )
                )  # fmt: skip
            shapes.append(text(at + wide / 2, base + 16, bar.name, text_anchor="middle"))
            at += wide
        at += wide
    shapes.append(_edits(base))
    return _picture(shapes, height, label)


def lying(bars: Sequence[Bar], unit: str, label: str) -> str:
    """Bars from left to right, all equally long; a part has its words where there is room."""
    left = 64
    height = 56 * len(bars) + 14
    shapes = []
    for number, bar in enumerate(bars):
        y = 10 + 56 * number
        x = float(left)
        size = _size(bar)
        shapes.append(text(left - 8, y + 24, bar.name, text_anchor="end"))
        for part in bar.parts:
            long = (WIDTH - left - _RIGHT) * part.size / size if size else 0.0
            words = f"{part.words}: {short(part.size)}"
            shapes.append(
                tag("rect", tag("title", escape(f"{words} {unit}")), x=x, y=y, width=long,
                    height=40, class_=part.colour)
            )  # fmt: skip
            if long > 6.2 * len(words):
                shapes.append(text(x + 8, y + 24, words, class_="inside"))
            x += long
    return _picture(shapes, height, label)


def curves(places: Sequence[str], lines: Sequence[Curve], unit: str, label: str) -> str:
    """Curves over places; the axis counts in powers of ten, six at most, where values differ so."""
    height = 300
    base = height - _BOTTOM
    values = [value for line in lines for value in line.values if value is not None]
    high = max([*values, 1e-9])
    low = max(high / 1e6, min([value for value in values if value > 0], default=high))
    powers = high / low > 50
    bottom = 10 ** floor(log10(low)) if powers else 0.0
    top = 10 ** ceil(log10(high)) if powers and high > bottom else high

    def y(value: float) -> float:
        if not powers:
            return base - (base - _TOP) * value / top
        share = log10(max(value, bottom) / bottom) / max(1e-9, log10(top / bottom))
        return base - (base - _TOP) * share

    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(places))
    shapes = [text(_LEFT - 8, 12, unit, text_anchor="end", class_="unit")]
    ticks = _powers(bottom, top) if powers else _ticks(top)
    for tick in ticks:
        shapes.append(_grid(y(tick)))
        shapes.append(text(_LEFT - 8, y(tick) + 4, short(tick), text_anchor="end"))
    for number, place in enumerate(places):
        shapes.append(text(_LEFT + step * (number + 0.5), base + 16, place, text_anchor="middle"))
    shapes.append(_edits(base))
    for line in lines:
        shapes += _curve(line, [_LEFT + step * (n + 0.5) for n in range(len(places))], y, places)
    return _picture(shapes, height, label)


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """The names of colours: a list of (class, words)."""
    items = (
        tag(
            "li",
            tag("svg", tag("path", d="M0 6H22", class_=colour),
                tag("rect", width=22, height=12, class_=colour), viewBox="0 0 22 12"),
            escape(words),
        )
        for colour, words in entries
    )  # fmt: skip
    return tag("ul", *items, class_="legend")


def _curve(line: Curve, xs: Sequence[float], y: object, places: Sequence[str]) -> list[str]:
    at = [None if v is None else (x, y(v)) for x, v in zip(xs, line.values, strict=True)]  # type: ignore[operator]
    path = ""
    for number, point in enumerate(at):
        if point is not None:
            start = number == 0 or at[number - 1] is None
            path += f"{'M' if start else 'L'}{point[0]:.1f} {point[1]:.1f}"
    dots = [
        tag(
            "circle",
            tag("title", escape(f"{line.name}, edit {place}: {value:.3g}")),
            cx=point[0], cy=point[1], r=3.5, class_=line.colour,
        )
        for point, value, place in zip(at, line.values, places, strict=True)
        if point is not None and value is not None
    ]  # fmt: skip
    return [tag("path", d=path, class_=line.colour), *dots] if path else []


def _axis(peak: float, base: float, scale: float, unit: str) -> Iterable[str]:
    yield text(4, 12, unit, class_="unit")
    for tick in _ticks(peak):
        y = base - tick * scale
        yield _grid(y)
        yield text(_LEFT - 8, y + 4, short(tick), text_anchor="end")


def _edits(base: float) -> str:
    words = "number of the edit that comes next"
    return text(WIDTH - _RIGHT, base + 34, words, text_anchor="end")


def _grid(y: float) -> str:
    return tag("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y, class_="grid")


def _ticks(most: float) -> list[float]:
    rough = most / 5
    power = 10 ** floor(log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
    return [number * step for number in range(floor(most / step) + 1)]


def _powers(bottom: float, top: float) -> list[float]:
    first, last = round(log10(bottom)), round(log10(top))
    return [10.0**power for power in range(first, last + 1)]


def _size(bar: Bar) -> float:
    return sum(part.size for part in bar.parts)


def _picture(shapes: Iterable[str], height: int, label: str) -> str:
    return tag(
        "svg", *shapes, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label,
        class_="picture",
    )  # fmt: skip


def _said(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
