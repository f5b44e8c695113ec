"""Files that are written only to be heard of, in a folder that outlives nobody."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

if sys.platform != "win32":
    import fcntl

_PREFIX = "statetape-bell-"
_NAME = "bell"
_KEPT = 2
# Seconds in which whoever has made a folder has locked it.
_YOUNG = 60.0


class Bell:
    """A folder of our own for temporary files, with the marks that were written last.

    It is locked while we live, however we end, so that the next one can tell what was left.
    """

    def __init__(self) -> None:
        """Removes the folders of those who were killed. OSError where none can be made."""
        _sweep(Path(gettempdir()))
        self._folder = TemporaryDirectory(prefix=_PREFIX)
        self.folder = Path(self._folder.name).resolve()
        self._marks: list[Path] = []
        self._count = 0
        self._held = ExitStack()
        with suppress(OSError):  # a file system without locks: nobody else gets one there either
            self._held.enter_context(_locked(self.folder))

    def ring(self) -> Path:
        """The file that was written: another one each time. OSError where that is not possible.

        So what is heard late of one is not taken for the next.
        """
        self._count += 1
        mark = self.folder / f"{_NAME}{self._count}"
        mark.write_bytes(b"")
        self._marks.append(mark)
        if len(self._marks) > _KEPT:
            self._marks.pop(0).unlink(missing_ok=True)
        return mark

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()
        self._held.close()


def _sweep(place: Path) -> None:
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError), _locked(folder) as found:
            if found is not None and _is_ours(found):
                for mark in folder.glob(f"{_NAME}*"):
                    mark.unlink(missing_ok=True)
                folder.rmdir()  # nothing else is in it, or it stays


def _is_ours(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and time.time() - found.st_mtime > _YOUNG


@contextmanager
def _locked(folder: Path) -> Iterator[os.stat_result | None]:
    """What the system says of a folder that nobody else has locked; None where nobody can know."""
    if sys.platform == "win32":
        yield None
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(number)
    finally:
        os.close(number)
