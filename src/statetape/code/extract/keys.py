"""What the files without calls share: named places in bytes, and the facts they make.

Configuration files have one symbol per key of the first two levels; Markdown one per section.
"""

import re
from collections.abc import Iterable

from statetape.code import treesitter
from statetape.code.facts import Facts
from statetape.code.treesitter import Place

DEPTH = 2
"""How many levels of keys are symbols; whatever is deeper is text of the key above it."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def facts(path: str, language: str, data: bytes, places: Iterable[Place]) -> Facts:
    """The facts of a file that calls nothing and that nothing calls."""
    outline = treesitter.outline(data, places)
    return Facts(
        path, language, treesitter.digest(data), outline.definitions, layout=outline.layout
    )


def place(data: bytes, names: Iterable[str], start: int, end: int, kind: str = "key") -> Place:
    """The place of a key with its value, or of a section, without the blank space behind it."""
    return Place(".".join(names), kind, start, start + len(data[start:end].rstrip()))


def plain(raw: bytes) -> str:
    """A key as written, without its quotes; bytes that are not UTF-8 become U+FFFD."""
    text = raw.decode("utf-8", "replace")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return _ESCAPE.sub(r"\1", text[1:-1]) if text[0] == '"' else text[1:-1]
    return text
