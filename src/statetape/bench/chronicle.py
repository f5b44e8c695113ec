"""The states of the files of a session, each at any tick: by the identity of its lines.

Built on `Lineage` alone, which is told of writes. No tape, no graph.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from statetape.bench.lineage import Lineage
from statetape.types import Tick, Write
from statetape.workspace import Workspace


class State:
    """A file in one state: its lines by number (`Lineage`), and its text."""

    def __init__(self, lineage: Lineage, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self._lineage = lineage

    @cached_property
    def text(self) -> str:
        """The text, newlines normalised; empty where there is no file."""
        return "\n".join(self._lineage.texts[number] for number in self.numbers)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends."""
        return tuple(self.text.split("\n"))

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Where each line stands (1-based), by its number."""
        return {number: line for line, number in enumerate(self.numbers, 1)}


class Written(NamedTuple):
    """One write, and the lines of its file before it, by number."""

    tick: Tick
    write: Write
    before: Sequence[int]


class Chronicle(Lineage):
    """A lineage that remembers. `writes` by path, in order."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.writes: defaultdict[str, list[Written]] = defaultdict(list)
        self._digests: list[tuple[Tick, int]] = [(0, 0)]
        self._state = lru_cache(maxsize=512)(self._made_state)

    def wrote(self, write: Write, tick: Tick) -> tuple[Sequence[int], Sequence[int]]:
        """The lines of the file before a write, and those of them that it ended."""
        before, ended = super().wrote(write, tick)
        self.writes[write.path].append(Written(tick, write, before))
        digest = self._digests[-1][1] ^ _digest(write.path, write.before)
        self._digests.append((tick, digest ^ _digest(write.path, write.after)))
        return before, ended

    def at(self, path: str, tick: Tick) -> State:
        """A file as it was at a tick."""
        writes = self.writes.get(path, ())
        return self._state(path, bisect_right(writes, tick, key=lambda each: each.tick))

    def exists(self, path: str, tick: Tick) -> bool:
        """Whether there was such a file at a tick, as far as is known."""
        writes = self.writes.get(path, ())
        later = bisect_right(writes, tick, key=lambda each: each.tick)
        if later < len(writes):
            return writes[later].write.before is not None
        if writes:
            return writes[-1].write.after is not None
        return self._workspace.read(path) is not None

    def digest(self, tick: Tick) -> int:
        """A digest of all that the writes have made of the files; 0 is as they began."""
        at = bisect_right(self._digests, tick, key=lambda each: each[0])
        return self._digests[at - 1][1]

    def _made_state(self, path: str, version: int) -> State:
        writes = self.writes.get(path, ())
        later = version < len(writes)
        return State(self, writes[version].before if later else tuple(self.lines(path)))


def _digest(path: str, data: bytes | None) -> int:
    said = path.encode("utf-8", "surrogateescape") + (b"\0" if data is None else b"\1" + data)
    return int.from_bytes(blake2b(said, digest_size=16).digest(), "big")
