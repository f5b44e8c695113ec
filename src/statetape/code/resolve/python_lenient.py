"""The syntax tree of Python text that CPython refuses, once what it refuses is mended.

An outline is read by tree-sitter, which minds no indentation: a line that is indented too far
stands where it stands, a header without a body has an empty one. Here it is the same, so that one
such line moves no edge of another one. Every line stays on its number.
"""

import ast
import re
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from statetape.code.conflicts import ours

_ATTEMPTS = 8
_HEADER = re.compile(r":[ \t]*(?:#.*)?$")
_DECORATED = re.compile(r"[ \t\f]*(?:@|def\b|class\b|async\b)")
_TRY = re.compile(r"[ \t\f]*try[ \t]*:")
_NO_MORE = re.compile(r"[ \t]*(?:#.*)?")
_WITHOUT_BODY = re.compile(r"expected an indented block after .* on line (\d+)")


class Read(NamedTuple):
    """A syntax tree, and the text that it is of."""

    tree: ast.Module
    text: str


def read(text: str, attempts: int = _ATTEMPTS) -> Read | None:
    """The syntax tree of a text, None where it cannot be read.

    Bad indentation, headers that lack their colon or their body, and conflicts (one side stays)
    are mended; another line that does not parse counts as `pass`. Costs a parse for each, and
    nothing is read where there are more than `attempts`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(attempts):
            try:
                return Read(ast.parse(text), text)
            except SyntaxError as error:
                mended = _mended(text, error)
                if mended is None:
                    return None
                text = mended
            except (ValueError, RecursionError, MemoryError):
                return None
    return None


def _mended(text: str, error: SyntaxError) -> str | None:
    """The text without this error, as far as one can tell; None where it says no line of it."""
    own = ours(text.encode(errors="replace")).decode(errors="replace")
    if own != text:
        return own
    lines = text.split("\n")
    if not error.lineno or error.lineno > len(lines):
        return None
    at = error.lineno - 1
    if isinstance(error, IndentationError):
        found = [_expanded(line) for line in lines]
        without = _WITHOUT_BODY.match(error.msg)
        if without:
            _embody(found, at if int(without[1]) == error.lineno else at - 1)
        elif not isinstance(error, TabError):
            _shift(found, at)
        if found != lines:
            return "\n".join(found)
    if error.msg.startswith("expected 'except'"):
        tried = [i for i in range(at + 1) if _TRY.match(lines[i])]
        alike = [i for i in tried if _indent(lines[i]) == _indent(lines[at])] or tried
        lines[alike[-1]] = _TRY.sub(" " * _indent(lines[alike[-1]]) + "if 1:", lines[alike[-1]])
        return "\n".join(lines)
    if error.msg == "expected ':'" and error.offset:
        header, rest = lines[at][: error.offset - 1], lines[at][error.offset - 1 :]
        if _NO_MORE.fullmatch(rest):
            lines[at] = f"{header}:{rest}"
            return "\n".join(lines)
    at = _decorator(lines, at)
    while lines[at].strip() in ("", "pass"):  # something above it is wrong
        at -= 1
        if at < 0:
            return None
    lines[at] = " " * _indent(lines[at]) + "pass"
    return "\n".join(lines)


def _decorator(lines: Sequence[str], at: int) -> int:
    """The line of a decorator that stands on no definition, where a parser stops below it."""
    above = next((i for i in range(at - 1, -1, -1) if lines[i].strip()), at)
    alone = lines[above].lstrip().startswith("@") and not _DECORATED.match(lines[at])
    return above if alone else at


def _expanded(line: str) -> str:
    blank = line[: _indent(line)]
    return blank.expandtabs() + line[len(blank) :] if "\t" in blank else line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\f"))


def _embody(lines: list[str], at: int) -> None:
    """Give the header that ends at a line, or before it where that is none, a body."""
    for i in range(at, -1, -1):
        header = _HEADER.search(lines[i])
        if header:
            lines[i] = lines[i][: header.start()] + ": pass"
            return


def _shift(lines: list[str], at: int) -> None:
    """Move a line, and those below it that are not further left, to the level that it is in."""
    far = _indent(lines[at])
    level = _level(lines[:at], far)
    for i in range(at, len(lines)):
        if lines[i].strip():
            if _indent(lines[i]) < far:
                return
            lines[i] = lines[i][far - level :]


def _level(above: Sequence[str], far: int) -> int:
    """The indentation of the closest line above that is less than `far`."""
    stated = (_indent(line) for line in reversed(above) if line.strip())
    return next((indent for indent in stated if indent < far), 0)
