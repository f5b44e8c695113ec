"""One repository on disk, for all the conversations that work on it."""

import threading
from collections.abc import Iterable
from pathlib import Path

from statetape.disk import Disk
from statetape.workspace import Workspace


class Checkout:
    """A folder with its workspace. Hold `lock` while using either."""

    def __init__(self, root: Path) -> None:
        """Raises BadInput where `root` is no folder."""
        self.root = root
        self.lock = threading.RLock()
        self.disk = Disk(root)
        self.workspace = Workspace(self.disk)

    def catch_up(self, named: Iterable[str] = ()) -> None:
        """Observe what was written since the last time, by whatever hand.

        Sees writes of the files that were read here, and of those `named` (repository paths).
        """
        for write in self.disk.writes(named):
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
