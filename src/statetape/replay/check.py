"""The oracle: is every read that a write falsified nominated, and none that it did not.

It shares no code with the tape, the inventory or the matching: it takes line numbers off by its
own rule, looks for the rest in the bytes of the file, and compares.
"""

import re
from collections.abc import Mapping

from statetape.replay.timeline import Check
from statetape.types import Files, Nomination, Read, Result, Slot, Step

_NUMBER = re.compile(r"^ *(\d+)(?:\t|→|: ?|\| ?)")
_FOOT = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*$", re.DOTALL)
_HEAD = re.compile(r"\A.*?\nOutput:\n", re.DOTALL)


class Oracle:
    """Looks after every write at all file reads that are still held as the agent got them."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._reads: dict[Slot, dict[str, str]] = {}
        self._writes = 0
        self._held_reads = 0
        self._misses = 0
        self._over = 0

    def hold(self, step: Step) -> None:
        """A step's result is held from now on; kept if it is a read whose text is in its file."""
        result = step.result
        if result is None or result.failed or not step.actions:
            return
        if not all(isinstance(action, Read) for action in step.actions):
            return
        paths = {action.path for action in step.actions if isinstance(action, Read)}
        if len(paths) != 1:
            return
        path = paths.pop()
        text = self._text(path)
        shown = None if text is None else _shown(result, text)
        if shown:
            self._reads[result.slot] = {path: shown}

    def forget(self, slots: frozenset[Slot] | None) -> None:
        """The client dropped these slots, or all."""
        for slot in list(self._reads) if slots is None else slots:
            self._reads.pop(slot, None)

    def doubt(self, path: str) -> None:
        """Nobody can see any more what the file at `path` holds: its reads cannot be judged."""
        self._reads = {slot: shown for slot, shown in self._reads.items() if path not in shown}

    def write(self, path: str, nominations: Mapping[Slot, Nomination]) -> None:
        """A write of `path` has happened and `nominations` is what the tape says now."""
        self._writes += 1
        self._held_reads += len(self._reads)
        text = self._text(path)
        for slot, shown in self._reads.items():
            nominated = nominations.get(slot)
            if path in shown:
                true = text is not None and f"\n{shown[path]}\n" in f"\n{text}\n"
                self._misses += not true and nominated is None
                self._over += true and nominated is not None and not nominated.dispatch
            elif nominated is not None and not nominated.dispatch:
                own, line = next(iter(shown.items()))
                now = self._text(own)
                self._over += now is not None and f"\n{line}\n" in f"\n{now}\n"

    def verdict(self) -> Check:
        """The counts so far; `held_reads` sums the held reads over all writes."""
        return Check(self._writes, self._held_reads, self._misses, self._over)

    def _text(self, path: str) -> str | None:
        data = self._files.read(path)
        if data is None:
            return None
        text = data.decode("utf-8", "surrogateescape").lstrip("\ufeff")
        return text.replace("\r\n", "\n").replace("\r", "\n")


def _shown(result: Result, text: str) -> str | None:
    """The lines that a result shows, if they stand in the text one after another."""
    body = _FOOT.sub("", result.text)
    body = _HEAD.sub("", body, count=1)
    lines = body.strip("\n").split("\n")
    marks = [_NUMBER.match(line) for line in lines]
    kept = [line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark]
    if len(kept) < max(1, len(lines) - 12):
        kept = lines
    # The last row may be the empty "line" after the file's last newline: no line of the file.
    for shown in ("\n".join(kept), "\n".join(kept[:-1])):
        if shown.strip() and f"\n{shown}\n" in f"\n{text}\n":
            return shown.removesuffix("\n") if text.endswith(shown) else shown
    return None
