"""One repository on disk, for all the conversations that work on it."""

import threading
from collections.abc import Iterable
from pathlib import Path

from statetape.code.facts import Index
from statetape.disk import Disk
from statetape.errors import StatetapeError
from statetape.listing import heeded
from statetape.watch import Watch
from statetape.workspace import Workspace

_PATIENCE = 0.25  # seconds


class Checkout:
    """A folder with its workspace. Hold `lock` while using either; `close` it after use."""

    def __init__(self, root: Path, index: Index | None = None) -> None:
        """Raises BadInput where `root` is no folder. Begins to look through its files.

        `index`: what is known of the content of files from before.
        """
        self.root = root
        self.lock = threading.RLock()
        self.disk = Disk(root)
        self.workspace = Workspace(self.disk, index)
        self._watch = Watch(root)
        self._looked_through = threading.Event()
        threading.Thread(target=self._look_through, name="statetape-index", daemon=True).start()

    def ready(self, patience: float) -> bool:
        """Whether all files were looked through; waits at most so many seconds for it."""
        return self._looked_through.wait(patience)

    def _look_through(self) -> None:
        """Who overrides what is a question to all files, which the first request need not pay."""
        try:
            with self.lock:
                self.workspace.graph.interfaces()
        except (OSError, StatetapeError):
            pass  # asked again by whoever needs it, who then hears why
        finally:
            self._looked_through.set()

    def catch_up(self, named: Iterable[str] = (), *, ran: bool = True) -> None:
        """Observe what was written since the last time, by whatever hand.

        Sees the files that were read here, those `named` (repository paths), and what the watch
        tells, but for what git ignores. Costs a status call for each file that was read. Where a
        command `ran` since, waits until the watch has told all that it wrote.
        """
        named = list(named)
        patience = _PATIENCE if ran else 0.0
        told = heeded(self.root, self._watch.written(patience)) if self._watch.alive else ()
        unread = {path for path in (*named, *told) if not self.disk.has_read(path)}
        writes = self.disk.writes((*named, *told))
        for write in writes:
            if write.path not in unread:
                self.workspace.observe(write)
        self.workspace.pass_over({w.path: w.after for w in writes if w.path in unread})

    def look(self, paths: Iterable[str]) -> None:
        """Read files that are about to be written, so that it is known what they were before.

        Does nothing while the checkout is in use: this is asked for in passing.
        """
        if self.lock.acquire(blocking=False):
            try:
                for path in paths:
                    self.disk.read(path)
            finally:
                self.lock.release()

    def close(self) -> None:
        """Stop watching the folder."""
        self._watch.close()
