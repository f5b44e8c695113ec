"""The oracle: is every read that a write falsified nominated, and none that it did not.

It shares no code with the tape, the inventory or the matching: it takes line numbers off by its
own rule, follows the lines by its own rule through the texts of their file, and compares.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from statetape.replay.timeline import Check
from statetape.types import Files, Nomination, Read, Result, Slot, Step

_NUMBER = re.compile(r"^ *(\d{1,9})(?:\t|→|: ?|\| ?)")
_FOOT = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*$", re.DOTALL)
_HEAD = re.compile(r"\A.*?\nOutput:\n", re.DOTALL)


class Standing(NamedTuple):
    """Where the lines `shown` can stand in their file: 0-based places of the first of them.

    No place: their own copy is gone. `certain`: one of the places is theirs; otherwise it may have
    fallen while another one came, and where the lines come again they may be theirs again.
    """

    shown: str
    places: frozenset[int]
    certain: bool = True

    def after(self, before: str | None, text: str | None) -> "Standing":
        """The same lines after one write of their file; None: the file is absent.

        A write is what lies between the longest equal start and the longest equal end of its two
        sides. Where these overlap there are two ways to cut, and the lines may stand as either has
        it. Lines in an equal part stay, lines between may be any copy that the write put there.
        """
        old, new = _lines(before), _lines(text)
        size = self.shown.count("\n") + 1
        copies, now = _places(self.shown, before), _places(self.shown, text)
        head = _equal(old, new)
        tail = _equal(old[::-1], new[::-1])
        short = min(len(old), len(new))
        places: set[int] = set()
        certain = self.certain
        for top, end in ((head, min(tail, short - head)), (min(head, short - tail), tail)):
            moved = {
                place: place if place + size <= top else place + len(new) - len(old)
                for place in copies
                if place + size <= top or place >= len(old) - end
            }
            kept = {moved[place] for place in self.places if place in moved}
            places |= kept
            if not self.certain or len(kept) < len(self.places):
                places |= now - set(moved.values())
                certain = certain and len(copies) == len(now) == 1
        return Standing(self.shown, frozenset(places), certain and bool(places))


def standing(shown: str, text: str, first: int | None = None) -> Standing:
    """Lines that a read shows: at line `first` (1-based) if they stand there, else at any place."""
    places = _places(shown, text)
    if first is not None and first - 1 in places:
        places = {first - 1}
    return Standing(shown, frozenset(places))


class _Held(NamedTuple):
    path: str
    standing: Standing


class Oracle:
    """Looks after every write at all file reads that are still held as the agent got them."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._reads: dict[Slot, _Held] = {}
        self._texts: dict[str, str | None] = {}
        self._writes = 0
        self._held_reads = 0
        self._misses = 0
        self._over = 0

    def hold(self, step: Step) -> None:
        """A step's result is held from now on; kept if it is a read whose text is in its file."""
        result = step.result
        if result is None or result.failed or not step.actions:
            return
        reads = [action for action in step.actions if isinstance(action, Read)]
        if len(reads) < len(step.actions) or len({read.path for read in reads}) != 1:
            return
        path = reads[0].path
        text = self._text(path)
        shown = None if text is None else _shown(result, text, reads[0].first)
        if shown:
            self._reads[result.slot] = _Held(path, shown)
            self._texts[path] = text

    def forget(self, slots: frozenset[Slot] | None) -> None:
        """The client dropped these slots, or all."""
        for slot in list(self._reads) if slots is None else slots:
            self._reads.pop(slot, None)

    def doubt(self, path: str) -> None:
        """Nobody can see any more what the file at `path` holds: its reads cannot be judged."""
        self._reads = {slot: held for slot, held in self._reads.items() if held.path != path}

    def write(self, path: str, nominations: Mapping[Slot, Nomination]) -> None:
        """A write of `path` has happened and `nominations` is what the tape says now."""
        self._writes += 1
        self._held_reads += len(self._reads)
        if path in self._texts:
            before, text = self._texts[path], self._text(path)
            self._texts[path] = text
            for slot, held in self._reads.items():
                if held.path == path:
                    self._reads[slot] = _Held(path, held.standing.after(before, text))
        for slot, (own, lines) in self._reads.items():
            nominated = nominations.get(slot)
            if nominated is None:
                self._misses += own == path and not lines.places
            elif not nominated.dispatch:
                self._over += lines.certain and bool(lines.places)

    def verdict(self) -> Check:
        """The counts so far; `held_reads` sums the held reads over all writes."""
        return Check(self._writes, self._held_reads, self._misses, self._over)

    def _text(self, path: str) -> str | None:
        data = self._files.read(path)
        if data is None:
            return None
        text = data.decode("utf-8", "surrogateescape").lstrip("\ufeff")
        return text.replace("\r\n", "\n").replace("\r", "\n")


def _shown(result: Result, text: str, first: int | None) -> Standing | None:
    """The lines that a result shows, if they stand in the text one after another."""
    body = _FOOT.sub("", result.text)
    body = _HEAD.sub("", body, count=1)
    lines = body.strip("\n").split("\n")
    marks = [_NUMBER.match(line) for line in lines]
    kept = [line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark]
    numbers = [int(mark[1]) for mark in marks if mark]
    if len(kept) < max(1, len(lines) - 12):
        kept, numbers = lines, []
    number = numbers[0] if numbers else first
    # The last row may be the empty "line" after the file's last newline: no line of the file.
    for shown in ("\n".join(kept), "\n".join(kept[:-1])):
        if shown.strip() and f"\n{shown}\n" in f"\n{text}\n":
            whole = shown.removesuffix("\n") if text.endswith(shown) else shown
            return standing(whole, text, number)
    return None


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.split("\n")


def _places(shown: str, text: str | None) -> set[int]:
    """The 0-based lines of a text from which on `shown` stands."""
    lines, wanted = _lines(text), shown.split("\n")
    return {
        at
        for at, line in enumerate(lines)
        if line == wanted[0] and lines[at : at + len(wanted)] == wanted
    }


def _equal(one: list[str], other: list[str]) -> int:
    """How many lines two texts have in common before they differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
