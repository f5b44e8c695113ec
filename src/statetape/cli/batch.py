"""Work on many files: in how many processes, how far it is, and what went wrong with which."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from statetape.cli.lazy import exit_code, fault_line
from statetape.cli.parallel import outcomes
from statetape.cli.progress import progress
from statetape.errors import StatetapeError

Decorated = Callable[..., Any]
T = TypeVar("T")


def batch_options(command: Decorated) -> Decorated:
    """`--jobs` and `--json`."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
        click.option("--jobs", metavar="N", type=click.IntRange(1),
                     help="Processes for several files.  [default: one for each processor]"),
    ):  # fmt: skip
        command = option(command)
    return command


def done(
    work: Callable[[Path], T],
    files: Sequence[Path],
    jobs: int | None,
    codes: set[int],
    words: str = "replaying",
) -> Iterator[tuple[int, T]]:
    """The place in `files` and what `work` made of each, as soon as it is there.

    A fault is said on stderr, and its exit code is one of `codes` then. `work` as for `outcomes`;
    `words` say what it is.
    """
    with progress(words, len(files) if len(files) > 1 else None) as advance:
        for place, outcome in outcomes(work, files, jobs or os.cpu_count() or 1):
            advance()
            if isinstance(outcome, StatetapeError):
                click.echo(fault_line(outcome), err=True)
                codes.add(exit_code(outcome))
            else:
                yield place, outcome
