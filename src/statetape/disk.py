"""The files of a folder as they were last looked at, and what has become of them since.

The live counterpart of a recording's evidence: whoever wrote, and by whatever hand, the bytes
before and after are known for every file that was read here.
"""

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from statetape.files import Folder
from statetape.listing import CACHES, walked
from statetape.types import Write

# A file that changed within this many nanoseconds before it was read may change again without a
# trace in its stamp: file systems round their clocks.
_UNSURE = 20_000_000


class Stamp(NamedTuple):
    """What a file system says of a file; equal stamps, equal bytes."""

    mode: int
    inode: int
    size: int
    written: int
    changed: int


# The clock by which the system stamps files, where it says so. It goes in steps.
_CLOCK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)
# Of a file that has to be read again.
_NEVER = Stamp(0, 0, 0, 0, 0)


def clock() -> int:
    """Now, in nanoseconds: no less than what the system has stamped a file of this machine with."""
    return time.clock_gettime_ns(_CLOCK)


class Disk:
    """A folder whose files stay as they were first read until `writes` looks again."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Raises BadInput where `root` is no folder."""
        self._folder = Folder(root)
        self._prefix = os.fspath(self._folder.root) + "/"
        self._known: dict[str, tuple[Stamp | None, bytes | None]] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a file as last looked at, None where there was none."""
        if path not in self._known:
            self._known[path] = self._looked(path)
        return self._known[path][1]

    def paths(self) -> Iterable[str]:
        """Every path there is now, of files that were read and others."""
        return self._folder.paths()

    def skim(self, path: str) -> bytes | None:
        """The bytes of a file as `read` has them, which are not remembered for this."""
        known = self._known.get(path)
        return known[1] if known is not None else self._folder.read(path)

    def has_read(self, path: str) -> bool:
        """Whether it is known what a file was before."""
        return path in self._known

    def stamps(self) -> dict[str, Stamp | None]:
        """What the file system says of every file that is listed: a listing and a call a file."""
        return {path: self._stamp(path) for path in self.paths()}

    def touched(self, since: int, known: Iterable[str]) -> list[str]:
        """The paths that may have been written since a time (nanoseconds of `clock`).

        `known` are those that there were then; the ones that are new or gone are among the found.
        Costs as much as `stamps`.
        """
        now, before = self.stamps(), frozenset(known)
        late = (path for path, stamp in now.items() if stamp is None or stamp.changed >= since)
        gone = (path for path in before - now.keys() if self._stamp(path) is None)
        return [*late, *(now.keys() - before), *gone]

    def written(self) -> int:
        """When the last write was, in nanoseconds of the file system's clock; 0 if there are none.

        Of files that are listed, and their folders, which say that one went, but for what tools
        keep for themselves. Costs a call for each.
        """
        last = 0
        for path in walked(self._folder.root, folders=True):
            if not CACHES.isdisjoint(path.split("/")):
                continue
            with suppress(OSError, ValueError):
                found = os.lstat(self._prefix + path)
                folder = stat.S_ISDIR(found.st_mode)
                last = max(last, found.st_mtime_ns if folder else found.st_ctime_ns)
        return last

    def writes(self, named: Iterable[str] = ()) -> list[Write]:
        """What has changed in the files that were read, and in those that are named.

        One status call a file, and one read of each whose stamp differs. A named file that was
        never read before counts as absent before.
        """
        found = []
        for path in dict.fromkeys((*self._known, *named)):
            stamp, before = self._known.get(path, (None, None))
            now = self._stamp(path)
            if now == stamp and path in self._known:
                continue
            self._known[path] = self._looked(path)
            after = self._known[path][1]
            if after != before:
                found.append(Write(path, before, after))
        return found

    def _looked(self, path: str) -> tuple[Stamp | None, bytes | None]:
        """The stamp comes first: a write in between shows in the next one."""
        stamp = self._stamp(path)
        if stamp is not None and time.time_ns() - max(stamp.written, stamp.changed) < _UNSURE:
            stamp = _NEVER
        return stamp, self._folder.read(path)

    def _stamp(self, path: str) -> Stamp | None:
        try:
            found = os.lstat(self._prefix + path)
        except (OSError, ValueError):
            return None
        if stat.S_ISDIR(found.st_mode):
            return None
        return Stamp(
            found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        )
