"""A progress bar on stderr: on a terminal only, and only once a second has passed."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0


@contextmanager
def progress(words: str, total: int | None) -> Iterator[Callable[[], None]]:
    """A function to call whenever one of `total` pieces is done (None: nobody knows how many)."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    bar = _Bar(words, total)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield bar.advance
    finally:
        timer.cancel()
        bar.stop()


class _Bar:
    """Counts from the beginning, drawn from `start` on; rich is imported only then."""

    def __init__(self, words: str, total: int | None) -> None:
        self._words = words
        self._total = total
        self._done = 0
        self._over = False
        self._drawn: Progress | None = None

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        drawn = Progress(console=Console(stderr=True), transient=True)
        drawn.add_task(self._words, total=self._total, completed=self._done)
        if not self._over:
            drawn.start()
            self._drawn = drawn

    def advance(self) -> None:
        self._done += 1
        if self._drawn:
            self._drawn.update(self._drawn.task_ids[0], completed=self._done)

    def stop(self) -> None:
        self._over = True
        if self._drawn:
            self._drawn.stop()
