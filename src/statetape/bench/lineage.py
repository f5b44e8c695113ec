"""The identity of lines through writes: the same line in every state of its file that has it.

A line is a number. It is born with its file, or by the write that brings it in, and dies by the
write that removes or changes it. So lines that were shown at one time and used at another can be
compared without any text.
"""

from collections.abc import Iterable, Sequence

from statetape.regions import blocks
from statetape.text import lines_of, text_of
from statetape.types import Lines, Shown, Tick, Write
from statetape.workspace import Workspace

FOREVER: Tick = 1 << 60
"""The death of a line that still stands."""


class Lineage:
    """The lines of the files of one workspace. Every write has to be told of, right after it.

    By number: `texts` without the line's end, `paths`, `born` (the tick; 0: there from the start)
    and `died` (the tick of the write that ended it, `FOREVER` for none).
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files: dict[str, list[int]] = {}
        self.texts: list[str] = []
        self.paths: list[str] = []
        self.born: list[Tick] = []
        self.died: list[Tick] = []

    def lines(self, path: str) -> Sequence[int]:
        """The lines of a file now, first to last; none where there is no file."""
        if path not in self._files:
            text = self._workspace.text(path)
            self._files[path] = self._made(path, lines_of(text or ""), 0)
        return self._files[path]

    def within(self, path: str, lines: Lines) -> Sequence[int]:
        """Those lines of a file now that are among these."""
        return self.lines(path)[max(0, lines.first - 1) : lines.last]

    def shown(self, part: Shown) -> list[int]:
        """The lines that a record shows of a file, those that are not as it says left out."""
        now = self.within(part.path, part.lines)
        texts = part.text.split("\n")
        return [n for n, text in zip(now, texts, strict=False) if self.texts[n] == text]

    def wrote(self, write: Write, tick: Tick) -> tuple[Sequence[int], Sequence[int]]:
        """The lines of the file before a write, and those of them that it ended."""
        if write.path not in self._files:
            self._files[write.path] = self._made(write.path, _lines(write.before), 0)
        old = self._files[write.path]
        texts = _lines(write.after)
        new: list[int] = []
        ended: list[int] = []
        at = 0
        for block in blocks(write):
            new += old[at : block.old_start]
            ended += old[block.old_start : block.old_end]
            new += self._made(write.path, texts[block.new_start : block.new_end], tick)
            at = block.old_end
        new += old[at:]
        self._files[write.path] = new
        for number in ended:
            self.died[number] = tick
        return old, ended

    def stand(self, numbers: Iterable[int], tick: Tick) -> list[int]:
        """Those of some lines that stand in their files after the write of a tick."""
        return [n for n in numbers if self.born[n] <= tick < self.died[n]]

    def _made(self, path: str, texts: Sequence[str], tick: Tick) -> list[int]:
        first = len(self.texts)
        self.texts += texts
        self.paths += [path] * len(texts)
        self.born += [tick] * len(texts)
        self.died += [FOREVER] * len(texts)
        return list(range(first, len(self.texts)))


def _lines(data: bytes | None) -> Sequence[str]:
    return lines_of(text_of(data) or "")
