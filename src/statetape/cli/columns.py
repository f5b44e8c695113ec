"""Text that fits the terminal: one line, a known width, and nothing that steers the terminal."""

from unicodedata import combining, east_asian_width

WIDTH = 80


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


def _cell(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
