"""Work on several files in parallel processes, quiet on Ctrl-C."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from statetape.errors import StatetapeError
from statetape.store.index.limits import heed

T = TypeVar("T")


def outcomes(
    work: Callable[[Path], T], files: Sequence[Path], jobs: int
) -> Iterator[tuple[int, T | StatetapeError]]:
    """The place in `files` and what `work` returned or raised, each as soon as it is there.

    `work` has to be picklable; each process gets it once. One process or one file: no other process
    is started. The largest files begin first.
    """
    if min(jobs, len(files)) <= 1:
        for place, file in enumerate(files):
            yield place, attempt(work, file)
        return
    with _pool(min(jobs, len(files)), work) as pool:
        order = sorted(range(len(files)), key=lambda place: -_size(files[place]))
        with _interrupts_held():
            places: dict[Future[T | StatetapeError], int] = {
                pool.submit(_attempt_here, files[place]): place for place in order
            }
        for future in as_completed(places):
            try:
                yield places.pop(future), future.result()
            except BrokenProcessPool:
                raise StatetapeError(
                    "a worker process was killed, perhaps for want of memory; try --jobs 1"
                ) from None


def attempt(work: Callable[[Path], T], file: Path) -> T | StatetapeError:
    """What `work` returns, or the fault that it raises."""
    try:
        return work(file)
    except StatetapeError as fault:
        return fault


_WORK: list[Callable[[Path], Any]] = []
"""In a process of a pool, what its work is: sent with each file it would be pickled as often."""


def _begin(work: Callable[[Path], Any]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    heed()
    _WORK[:] = [work]


def _end_with_parent() -> None:
    """A parent that was killed ends nobody: its processes would wait for files for good."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _attempt_here(file: Path) -> Any:  # noqa: ANN401 (of the pool's work)
    return attempt(_WORK[0], file)


@contextmanager
def _pool(jobs: int, work: Callable[[Path], Any]) -> Iterator[ProcessPoolExecutor]:
    """A pool that, when left early, ends its processes at once, and then its thread.

    Python 3.11 and others wake that thread at the end of the program, which fails aloud where the
    thread ends at the same moment.
    """
    pool = ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(work,)
    )
    try:
        yield pool
    except BaseException:
        for process in active_children():
            process.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started here ignore Ctrl-C for good: this process ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
