"""One repository on disk, for all the conversations that work on it."""

import threading
from collections.abc import Iterable
from pathlib import Path

from statetape.disk import Disk
from statetape.listing import heeded
from statetape.watch import Watch
from statetape.workspace import Workspace

_PATIENCE = 0.25  # seconds


class Checkout:
    """A folder with its workspace. Hold `lock` while using either; `close` it after use."""

    def __init__(self, root: Path) -> None:
        """Raises BadInput where `root` is no folder."""
        self.root = root
        self.lock = threading.RLock()
        self.disk = Disk(root)
        self.workspace = Workspace(self.disk)
        self._watch = Watch(root)

    def catch_up(self, named: Iterable[str] = (), *, ran: bool = True) -> None:
        """Observe what was written since the last time, by whatever hand.

        Sees the files that were read here, those `named` (repository paths), and what the watch
        tells, but for what git ignores. Costs a status call for each file that was read. Where a
        command `ran` since, waits until the watch has told all that it wrote.
        """
        patience = _PATIENCE if ran else 0.0
        told = heeded(self.root, self._watch.written(patience)) if self._watch.alive else ()
        unread = {path for path in (*named, *told) if not self.disk.has_read(path)}
        for write in self.disk.writes((*named, *told)):
            if write.path in unread:
                self.workspace.pass_over(write.path, write.after)
            else:
                self.workspace.observe(write)

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
