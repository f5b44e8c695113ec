"""Which files below a folder were written since somebody asked last, told by the system."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from watchfiles import Change, watch

from statetape.bell import Bell
from statetape.listing import CACHES

_RING = 0.05  # seconds
# Milliseconds: how long events are gathered at most, and how often they are looked for.
_GATHERED = 20
_STEP = 5


class Watch:
    """A folder under watch, from the time it is made until `close`.

    Where the system does not say what changes (no watches left, a network drive), `alive` is
    false, and whoever asks has to look for himself. `heard`: the last answer had all.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._bell = Bell()
        self._rung = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._written: set[str] = set()
        self._marks: set[Path] = set()
        self.alive = True
        self.heard = False
        self._thread = threading.Thread(target=self._run, name="statetape-watch", daemon=True)
        self._thread.start()

    def written(self, patience: float = 0.25) -> set[str]:
        """The paths, relative to the folder, since the last time; what only tools need left out.

        With no patience, what has been told so far. Else waits at most so many seconds until all
        that happened before the call has been told: events come in order, and one is made here to
        wait for. Of a folder that is new, moved or gone, its files need not be told.
        """
        with self._lock:
            self._marks.clear()
            self._rung.clear()
        self.heard = False
        until = time.monotonic() + patience
        # The watch may not have begun yet, or miss the bell: it is rung until it is heard.
        while self.alive and time.monotonic() < until:
            try:
                with self._lock:
                    self._marks.add(self._bell.ring())
            except OSError:
                self.alive = False
            self.heard = self._rung.wait(_RING) and self.alive
            if self.heard:
                break
        with self._lock:
            found, self._written = self._written, set()
        return found

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join()
        self._bell.close()

    def _run(self) -> None:
        try:
            for changes in self._changes():
                paths = [Path(name) for _, name in changes]
                found = {
                    path.relative_to(self._root).as_posix()
                    for path in paths
                    if path.is_relative_to(self._root)
                }
                with self._lock:
                    self._written |= found
                    if not self._marks.isdisjoint(paths):
                        self._rung.set()
        except (OSError, RuntimeError):
            pass  # what the system refuses; `alive` says so
        finally:
            self.alive = False
            self._rung.set()

    def _changes(self) -> Iterator[set[tuple[Change, str]]]:
        wanted: Callable[[Change, str], bool] = self._is_wanted
        return watch(
            self._root,
            self._bell.folder,
            watch_filter=wanted,
            debounce=_GATHERED,
            step=_STEP,
            stop_event=self._stop,
            rust_timeout=200,
            raise_interrupt=False,
        )

    def _is_wanted(self, _: Change, name: str) -> bool:
        path = Path(name)
        if not path.is_relative_to(self._root):
            return path.parent == self._bell.folder
        return CACHES.isdisjoint(path.relative_to(self._root).parts)
