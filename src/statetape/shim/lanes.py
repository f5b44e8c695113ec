"""Work that may block or hang, in threads: in order within a lane, lanes beside each other."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Done(NamedTuple):
    """What a job came to: its `value`, or the `fault` that it raised."""

    value: object = None
    fault: BaseException | None = None


class Lanes:
    """A lane has one thread, and only while it has jobs. Threads never hold up the exit."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: dict[str, deque[tuple[Future[Done], Callable[[], object]]]] = {}

    def put(self, lane: str, work: Callable[[], object]) -> Future[Done]:
        """Work at the end of a lane. It may be cancelled until it begins; it never raises."""
        future: Future[Done] = Future()
        with self._changed:
            waiting = self._jobs.get(lane)
            if waiting is None:
                waiting = self._jobs[lane] = deque()
                threading.Thread(
                    target=self._run, args=(lane, waiting), name="statetape-lane", daemon=True
                ).start()
            waiting.append((future, work))
        return future

    def idle(self, patience: float) -> bool:
        """Whether all lanes are empty, after at most `patience` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs, patience)

    def _run(self, lane: str, waiting: deque[tuple[Future[Done], Callable[[], object]]]) -> None:
        while True:
            with self._changed:
                if not waiting:
                    del self._jobs[lane]
                    self._changed.notify_all()
                    return
                future, work = waiting.popleft()
            if future.set_running_or_notify_cancel():
                future.set_result(_done(work))


def _done(work: Callable[[], object]) -> Done:
    try:
        return Done(work())
    except BaseException as fault:  # noqa: BLE001 (a lane outlives whatever its jobs raise)
        return Done(fault=fault)
