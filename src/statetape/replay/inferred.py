"""What another hand must have written, where shown lines contradict the tracked state."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from statetape.replay.cells import Cell, Line, State, Tail

# A run of this many lines is taken for the same one where it stands elsewhere.
_TELLING = 3


class Block(NamedTuple):
    """`size` shown lines from `shown` on that stand in the state from `known` on (0-based)."""

    shown: int
    known: int
    size: int


def rewritten(state: State, first: int, shown: Sequence[str], total: int | None) -> State:
    """The state nearest to `state` that has the lines `shown` from line `first` (0-based) on.

    Lines that stand in both keep their cells, so what is revealed later still flows back. Where
    the shown lines stand higher or lower than they did, unknown lines are put in (or lines taken
    out) right above them. `total` as in `State.clash`. Linear in the size of the file.
    """
    lines, known = state.lines(), state.texts()
    blocks = _blocks(known, shown)
    if not blocks and len(shown) >= _TELLING:
        place = nearest(state, shown, first)
        blocks = [] if place is None else [Block(0, place, len(shown))]
    above = min(blocks[0].known if blocks else len(lines), first)
    new: list[Line] = [*lines[:above], *_unknown(first - above)]
    at_shown, at_known = 0, above
    for block in blocks:
        new += _merged(lines[at_known : block.known], shown[at_shown : block.shown])
        at_shown, at_known = block.shown + block.size, block.known + block.size
        new += _merged(lines[block.known : at_known], shown[block.shown : at_shown])
    rest = shown[at_shown:]
    below = min(at_known + len(rest), len(lines))
    if total is not None and state.tail.closed:
        below = max(at_known, len(lines) - max(0, total - first - len(shown)))
    new += _merged(lines[at_known:below], rest)
    new += lines[below:]
    if total is None:
        return State(new, state.tail, len(state.tail.cells), state.style)
    new += _unknown(total - len(new))
    final = None if first + len(shown) == total else state.tail.final
    return State(new[:total], Tail(closed=True, final=final), 0, state.style)


def nearest(state: State, old: Sequence[str], first: int) -> int | None:
    """The line closest to `first` (0-based) from which `old` stands in the state; None: nowhere."""
    texts = state.texts()
    places = [
        place
        for place, text in enumerate(texts)
        if text == old[0] and texts[place : place + len(old)] == old
    ]
    return min(places, key=lambda place: abs(place - first), default=None)


def _blocks(known: Sequence[str | None], shown: Sequence[str]) -> list[Block]:
    """Runs of lines that stand in both, in the order of both, around lines that occur once."""
    blocks: list[Block] = []
    end_shown = end_known = 0
    for at_shown, at_known in _anchors(known, shown):
        if at_shown < end_shown or at_known < end_known:
            continue
        most = min(at_shown - end_shown, at_known - end_known)
        up = 0
        while up < most and known[at_known - up - 1] in (None, shown[at_shown - up - 1]):
            up += 1
        most = min(len(shown) - at_shown, len(known) - at_known)
        down = 1
        while down < most and known[at_known + down] in (None, shown[at_shown + down]):
            down += 1
        blocks.append(Block(at_shown - up, at_known - up, up + down))
        end_shown, end_known = at_shown + down, at_known + down
    return blocks


def _anchors(known: Sequence[str | None], shown: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that occur once on each side: the longest run of pairs that rises on both sides."""
    once_known, once_shown = Counter(known), Counter(shown)
    places = {
        text: number
        for number, text in enumerate(known)
        if text is not None and once_known[text] == 1
    }
    pairs = [
        (number, places[text])
        for number, text in enumerate(shown)
        if once_shown[text] == 1 and text in places
    ]
    ends: list[int] = []
    best: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        rank = bisect_left(ends, place)
        before.append(best[rank - 1] if rank else -1)
        ends[rank : rank + 1] = [place]
        best[rank : rank + 1] = [index]
    return [*_chain(pairs, before, best[-1] if best else -1)][::-1]


def _chain(
    pairs: Sequence[tuple[int, int]], before: Sequence[int], index: int
) -> Iterator[tuple[int, int]]:
    while index >= 0:
        yield pairs[index]
        index = before[index]


def _merged(lines: Sequence[Line], shown: Sequence[str]) -> list[Line]:
    """The shown lines in place of `lines`; where the number is equal, agreeing cells stay."""
    if len(lines) != len(shown):
        return [*shown]
    new: list[Line] = []
    for line, text in zip(lines, shown, strict=True):
        if isinstance(line, Cell) and line.text is None:
            line.text = text
        known = line.text if isinstance(line, Cell) else line
        new.append(line if known == text else text)
    return new


def _unknown(count: int) -> list[Cell]:
    return [Cell() for _ in range(count)]
