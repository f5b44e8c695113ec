"""Where lines of a file stand after writes: the position side of a nomination and of a refresh."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from statetape.text import framed, lines_of, text_of
from statetape.types import Lines, Write

_LARGEST_DIFF = 4_000_000


class Block(NamedTuple):
    """Lines `old` (half-open, 0-based) of the text before became lines `new` of the text after."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Copy(NamedTuple):
    """One copy of some lines in a file: `first` is its line (1-based), or where it was last."""

    first: int
    stands: bool


def followed(copy: Copy, text: str, write: Write) -> Copy:
    """A copy of the whole lines `text` after a write of its file.

    A copy that the write leaves as it is moves with the lines above it. One that it breaks, or
    that was broken before, stands again where the write puts the same lines; what stood there
    already is another copy. Costs a look at the changed runs, and a search of both sides for a
    copy that is broken.
    """
    changed = blocks(write)
    size = text.count("\n") + 1
    first = _kept(copy.first, size, changed) if write.after is not None and copy.stands else None
    if first is not None:
        return Copy(first, stands=True)
    others = {_kept(place, size, changed) for place in places(text, text_of(write.before))}
    new = [place for place in places(text, text_of(write.after)) if place not in others]
    if not new:
        return Copy(copy.first, stands=False)
    return Copy(min(new, key=lambda place: abs(place - copy.first)), stands=True)


def places(text: str, whole: str | None) -> list[int]:
    """The lines (1-based) at which the whole lines `text` stand in a file's text."""
    found: list[int] = []
    if whole is None:
        return found
    wanted, searched = f"\n{text}\n", framed(whole)
    line, before, at = 1, 0, searched.find(wanted)
    while at >= 0:
        line += searched.count("\n", before, at)
        found.append(line)
        before, at = at, searched.find(wanted, at + 1)
    return found


def _kept(first: int, size: int, changed: Sequence[Block]) -> int | None:
    """The line (1-based) to which a run of lines moves as a whole; None: the change breaks it."""
    start = first - 1
    at = bisect_right(changed, start, key=lambda block: block.old_end)
    if at < len(changed) and changed[at].old_start < start + size:
        return None
    return first + (changed[at - 1].new_end - changed[at - 1].old_end if at else 0)


def moved(lines: Lines, writes: Iterable[Write]) -> Lines | None:
    """Where these lines of a file stand after its writes; None where nothing of them is left."""
    start, end = lines.first - 1, lines.last
    for write in writes:
        if write.after is None:
            return None
        if write.before is None:
            continue
        start, end = _shifted(start, end, blocks(write))
        if start >= end:
            return None
    return Lines(start + 1, end)


def remaining(lines: Lines, writes: Iterable[Write]) -> list[Lines]:
    """The runs of these lines that the writes of their file left alone, where they stand now."""
    runs = [(lines.first - 1, lines.last)]
    for write in writes:
        if write.after is None or write.before is None:
            return []
        runs = [run for each in runs for run in _apart(*each, blocks(write))]
    return [Lines(start + 1, end) for start, end in runs]


def _apart(start: int, end: int, changed: Sequence[Block]) -> Iterable[tuple[int, int]]:
    shift = 0
    for block in changed:
        if block.old_start >= end:
            break
        if block.old_end > start or block.old_start > start:
            if block.old_start > start:
                yield start + shift, block.old_start + shift
            start = max(start, block.old_end)
        shift = block.new_end - block.old_end
    if start < end:
        yield start + shift, end + shift


def _shifted(start: int, end: int, changed: tuple[Block, ...]) -> tuple[int, int]:
    new_start, new_end = start, end
    for block in changed:
        if block.old_start >= end:
            break
        shift = block.new_end - block.old_end
        if block.old_end <= start:
            new_start, new_end = start + shift, end + shift
            continue
        if block.old_start < start:
            offset = start - block.old_start
            new_start = min(block.new_start + offset, block.new_end)
            if block.old_end < end:
                new_start = max(block.new_start, block.new_end - (block.old_end - start))
        if block.old_end >= end:
            new_end = max(block.new_end - (block.old_end - end), new_start)
        else:
            new_end = end + shift
    return new_start, new_end


def differing(
    before: Sequence[str], after: Sequence[str]
) -> tuple[int, Sequence[str], Sequence[str]]:
    """Two texts without the lines that they begin and end with alike; how many begin them."""
    head = _common(before, after)
    tail = _common(before[: head - len(before) - 1 : -1], after[: head - len(after) - 1 : -1])
    return head, before[head : len(before) - tail], after[head : len(after) - tail]


@lru_cache(maxsize=64)
def blocks(write: Write) -> tuple[Block, ...]:
    """The changed runs of lines of one write, in order.

    Common heads and tails are cut before any comparison; what is left is compared line by line
    up to a bound (2,000 lines against 2,000), and is one block beyond it.
    """
    before = lines_of(text_of(write.before) or "")
    after = lines_of(text_of(write.after) or "")
    head, old, new = differing(before, after)
    if not old and not new:
        return ()
    if not old or not new or len(old) * len(new) > _LARGEST_DIFF:
        return (Block(head, head + len(old), head, head + len(new)),)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Block(head + i1, head + i2, head + j1, head + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines are equal from the start on. Compares runs of lines, not line by line."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
