"""One repository on disk, for all the conversations that work on it."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from statetape.code.facts import Index
from statetape.disk import Disk, Stamp, clock
from statetape.errors import StatetapeError
from statetape.listing import heeded, unfolded
from statetape.shim.foresight import outcome
from statetape.types import Edit, Read, Tick
from statetape.watch import Watch
from statetape.workspace import Workspace

_PATIENCE = 0.25  # seconds
# A state that no repository has.
_ANOTHER = -1
# Messages of which it is known when they came.
_MOST = 100_000


class Sighting(NamedTuple):
    """When a message was first seen here: the tick, the one of the request before, the state.

    `unseen`: it came as part of a history that nobody had followed. `told`: it did not come yet,
    and is known from another process.
    """

    tick: Tick
    batch: Tick
    state: int
    unseen: bool
    told: bool = False


class Checkout:
    """A folder with its workspace. Hold `lock` while using either; `close` it after use.

    `seen`: all writes until then (nanoseconds of `disk.clock`) were observed.
    """

    def __init__(self, root: Path, index: Index | None = None) -> None:
        """Raises BadInput where `root` is no folder. Begins to look through its files.

        `index`: what is known of the content of files from before.
        """
        self.root = root
        self.lock = threading.RLock()
        self.disk = Disk(root)
        self.workspace = Workspace(self.disk, index)
        self._since = clock()
        self._watch = Watch(root)
        self._begun = False  # whether the watch was there before the files were looked at
        self._real = os.path.realpath(root)
        self._identity = _identity(root)
        self._stamps: dict[str, Stamp | None] | None = None
        self._sightings: OrderedDict[bytes, Sighting] = OrderedDict()
        self._written = 0
        self.seen = 0
        self._looked_through = threading.Event()
        threading.Thread(target=self._look_through, name="statetape-index", daemon=True).start()

    def ready(self, patience: float) -> bool:
        """Whether all files were looked through; waits at most so many seconds for it."""
        return self._looked_through.wait(patience)

    def _look_through(self) -> None:
        """Who overrides what is a question to all files, which the first request need not pay."""
        try:
            self._watch.written(_PATIENCE)
            self._begun = self._watch.heard
            with self.lock:
                self._written = self.disk.written()
                self.workspace.graph.interfaces()
        except (OSError, StatetapeError):
            pass  # asked again by whoever needs it, who then hears why
        finally:
            self._looked_through.set()

    def catch_up(self, named: Iterable[str] = (), *, ran: bool = True) -> None:
        """Observe what was written since the last time, by whatever hand.

        Sees the files that were read here, those `named` (repository paths), and what the watch
        tells, but for what git ignores. Costs a status call for each file that was read. Where a
        command `ran` since, waits until the watch has told all that it wrote, and looks at all
        files where that takes too long.
        """
        began = clock()
        named = [*named, *self._told(ran=ran)]
        if ran:
            self.seen = self._since = began
        unread = {path for path in named if not self.disk.has_read(path)}
        writes = self.disk.writes(named)
        for write in writes:
            if write.path not in unread:
                self.workspace.observe(write)
        new = {write.path: write.after for write in writes if write.path in unread}
        gone = (path for path in unread - new.keys() if self.disk.read(path) is None)
        passed = dict.fromkeys(filter(self.workspace.graph.exists, gone))
        self.workspace.pass_over({**new, **passed})

    def sighting(self, message: bytes, batch: Tick, *, unseen: bool) -> Sighting:
        """When the message of this digest, which a request has now, was seen first.

        A conversation that comes back (a fork, a rewind that is taken back, one that was let go
        of) is as old as it is. `batch` (the tick of its last request) and `unseen` are for a new
        message.
        """
        now = Sighting(self.workspace.now, batch, self.workspace.state, unseen)
        found = self._sightings.setdefault(message, now)._replace(told=False)
        self._sightings[message] = found
        self._sightings.move_to_end(message)
        while len(self._sightings) > _MOST:
            self._sightings.popitem(last=False)
        return found

    def sighted(self, message: bytes) -> bool:
        """Whether a request that was followed here had this message."""
        found = self._sightings.get(message)
        return found is not None and not found.told

    def recall(self, until: Mapping[bytes, int]) -> None:
        """Messages that were true until these times (nanoseconds) say what may be false by now.

        It is where a file was written since, before anybody looked here.
        """
        for message, then in until.items():
            if then <= self._written and message not in self._sightings:
                before = self.workspace.now - 1
                told = Sighting(before, before, _ANOTHER, unseen=True, told=True)
                self._sightings[message] = told

    def real(self, path: str) -> str:
        """The path of the file that a path means, where links lead elsewhere in the folder.

        A path that leads out of it is absolute.
        """
        try:
            full = os.path.realpath(self.root / path)
        except (OSError, ValueError):
            return path
        if full == self._real or full.startswith(self._real + os.sep):
            return full[len(self._real) + 1 :].replace(os.sep, "/")
        return full if os.path.lexists(self.root / path) else path

    def look(self, foreseen: Iterable[Read | Edit]) -> None:
        """Read files that are about to be read or written, and prepare for what they will be.

        So it is known what they were before, and the request after costs less. Does nothing while
        the checkout is in use: this is asked for in passing.
        """
        if self.lock.acquire(blocking=False):
            try:
                for action in foreseen:
                    before = self.disk.read(action.path)
                    after = outcome(action, before) if isinstance(action, Edit) else None
                    if after is not None:
                        self.workspace.expect(action.path, after)
            finally:
                self.lock.release()

    @property
    def watched(self) -> bool:
        """Whether the system tells what is written; if not, more is looked at for each request."""
        return self._watch.alive

    def close(self) -> None:
        """Stop watching the folder."""
        self._watch.close()

    def _told(self, *, ran: bool) -> Iterable[str]:
        """The paths that may have been written, of files that were never read here too.

        Where the watch does not tell (in time), and a command ran, all stamps are looked at. Where
        another folder stands in the place of the one that was watched, any file is another.
        """
        identity = _identity(self.root)
        if identity is not None and identity != self._identity:
            self._watch.close()
            self._watch, self._identity, self._begun = Watch(self.root), identity, False
            return [*self.workspace.paths(), *self.disk.paths()]
        if self._watch.alive:
            told = self._watch.written(_PATIENCE if ran else 0.0)
            found = heeded(self.root, unfolded(self.root, told, self.workspace.paths()))
            if ran and not (self._watch.heard and self._begun):
                self._begun = self._watch.heard
                found += self.disk.touched(self._since, self.workspace.paths())
            return found
        before = self._stamps
        if not ran and before is not None:
            return ()
        now = self._stamps = self.disk.stamps()
        if before is None:
            return self.disk.touched(self._since, self.workspace.paths())
        return [path for path in {**before, **now} if before.get(path) != now.get(path)]


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
