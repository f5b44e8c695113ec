"""Text that fits the terminal: one line, a known width, and nothing that steers the terminal."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from unicodedata import combining, east_asian_width

WIDTH = 80
_LABEL = 19


def clean(text: str) -> str:
    """The text on one line; control, format and unpaired characters become `?`.

    Session text is untrusted: no escape sequence of it may reach a terminal.
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "?" for c in line)


def cells(text: str) -> int:
    """The number of terminal cells the text takes."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def fit(text: str, width: int, *, pad: bool = False) -> str:
    """The text, `clean`, cut to `width` cells with an ellipsis; with `pad` filled up to it."""
    line = clean(text)
    if cells(line) > width:
        used, kept = 0, 0
        while used + _cell(line[kept]) < width:
            used += _cell(line[kept])
            kept += 1
        line = line[:kept] + "…"
    return line + " " * (width - cells(line)) if pad else line


def fit_end(text: str, width: int) -> str:
    """The text, `clean`, cut at its front: what names a file or a symbol stands at the end."""
    return fit(clean(text)[::-1], width)[::-1]


def short(number: int) -> str:
    """The number in at most seven characters: `9,999`, `12.3k`, `123k`, `1.23M`."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= unit and number >= 10_000:
            digits = 2 if number < 10 * unit else 1 if number < 100 * unit else 0
            return f"{number / unit:.{digits}f}{name}"
    return f"{number:,}"


def labelled(label: str, words: str) -> Iterator[str]:
    """A row with a label, on as many lines as the words take."""
    for line in wrap(clean(words), WIDTH - _LABEL - 3):
        yield f"  {label:<{_LABEL}} {fit(line, WIDTH - _LABEL - 3)}"
        label = ""


def counts(named: Mapping[str, int], *, zeros: bool = False) -> str:
    """The counts in words: `3 read, 1 edit failed`."""
    said = [f"{n:,} {name.replace('_', ' ')}" for name, n in named.items() if n or zeros]
    return ", ".join(said) or "none"


def regions(number: int, tokens: int) -> str:
    """How much code was brought in, in words: `3 regions of code, 1,234 tokens`."""
    return f"{number:,} {'region' if number == 1 else 'regions'} of code, {tokens:,} tokens"


def _cell(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
