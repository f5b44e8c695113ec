"""Numbered lines in a text (`12<tab>line`, `12→line`, `12: line`, `00012| line`)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_ARROW_OR_TAB = re.compile(r" *(\d{1,9})(?:→|\t)(.*)", re.DOTALL)
_COLON_OR_BAR = re.compile(r"(\d{1,9})(?:: |\| )(.*)", re.DOTALL)


class Run(NamedTuple):
    """Consecutive lines, the first numbered `first`."""

    first: int
    lines: tuple[str, ...]


def tabbed_runs(text: str) -> tuple[Run, ...]:
    """The runs of lines numbered as Claude Code does; rows without a number end a run."""
    return tuple(_runs(text, _ARROW_OR_TAB))


def colon_runs(text: str) -> tuple[Run, ...]:
    """The runs of lines numbered as opencode does; rows without a number end a run."""
    return tuple(_runs(text, _COLON_OR_BAR))


def _runs(text: str, row_form: re.Pattern[str]) -> Iterator[Run]:
    first = 0
    lines: list[str] = []
    for row in text.split("\n"):
        match = row_form.fullmatch(row)
        if lines and (match is None or int(match[1]) != first + len(lines)):
            yield Run(first, tuple(lines))
            lines = []
        if match:
            first = first if lines else int(match[1])
            lines.append(match[2])
    if lines:
        yield Run(first, tuple(lines))
