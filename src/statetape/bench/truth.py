"""Exact staleness of what was shown of files, from the states of the files alone.

Shares no code with the graph, the tape, the inventory or the matching. Whoever writes the files
tells of each write in the pieces that he made it of; lines keep their identity through a piece
wherever it can be cut, and where two cuts disagree nothing is said for certain.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Literal

from msgspec import Struct

from statetape.types import Lines

Verdict = Literal["fresh", "either", "stale"]
"""`either`: the text stands in its file, but whether that is the same copy cannot be told."""

_SEVERITY: dict[Verdict, int] = {"fresh": 0, "either": 1, "stale": 2}


class Whole(Struct, frozen=True):
    """A claim: these lines of a file, which stood there at `born`, stand there still."""

    path: str
    lines: Lines
    born: int


class Matches(Struct, frozen=True):
    """A claim: the lines (or, unless `listed`, the files) that have `text` in them are these.

    Only files below `folder` ("": all) whose path ends with `suffix` count.
    """

    text: str
    folder: str
    suffix: str
    listed: bool
    born: int


class Names(Struct, frozen=True):
    """A claim: the files below `folder` whose path ends with `suffix` are these."""

    folder: str
    suffix: str
    born: int


class Everything(Struct, frozen=True):
    """A claim: the whole repository is as it was at `born`."""

    born: int


Claim = Whole | Matches | Names | Everything


class _State(Struct, frozen=True):
    """A file from a moment on; `top` and `end` are its lines' identities by either way to cut."""

    since: int
    text: str | None
    lines: tuple[str, ...]
    top: tuple[int, ...]
    end: tuple[int, ...]


class Ground:
    """The files of a repository as somebody changes them, and what is still true of them.

    `base` gives the text of a file at the start, None where there is none. `now` counts the
    writes.
    """

    def __init__(self, base: Callable[[str], str | None]) -> None:
        self._base = base
        self._states: defaultdict[str, list[_State]] = defaultdict(list)
        self._identities = count()
        self._known: dict[tuple[Claim, str], tuple[int, Verdict]] = {}
        self.now = 0

    def text(self, path: str) -> str | None:
        """A file's text now."""
        return self._state(path).text

    def lines(self, path: str) -> Sequence[str]:
        """A file's lines now; one that ends with a newline has an empty last one. () for none."""
        return self._state(path).lines

    @property
    def touched(self) -> Sequence[str]:
        """The paths that were written, in the order of their first write."""
        return [path for path, states in self._states.items() if len(states) > 1]

    def put(self, path: str, text: str | None) -> None:
        """One write in one piece: what lies between the equal start and the equal end is new."""
        old = self._state(path)
        self.now += 1
        lines = () if text is None else tuple(text.split("\n"))
        head = _equal(old.lines, lines)
        tail = _equal(old.lines[::-1], lines[::-1])
        short = min(len(old.lines), len(lines))
        top = self._cut(old.top, len(lines), head, min(tail, short - head))
        end = self._cut(old.end, len(lines), min(head, short - tail), tail)
        self._states[path].append(_State(self.now, text, lines, top, end))

    def _cut(self, old: tuple[int, ...], size: int, head: int, tail: int) -> tuple[int, ...]:
        new = tuple(next(self._identities) for _ in range(size - head - tail))
        return old[:head] + new + old[len(old) - tail :]

    def verdict(self, claims: Sequence[Claim]) -> Verdict:
        """Whether all of some claims still hold; "fresh" for none."""
        return max(map(self._verdict, claims), key=_SEVERITY.__getitem__, default="fresh")

    def _verdict(self, claim: Claim) -> Verdict:
        match claim:
            case Whole(path=path):
                return self._once(claim, path, partial(self._stands, claim))
            case Matches(folder=folder, suffix=suffix, born=born):
                return _worst(
                    self._once(claim, path, partial(self._matching, claim, path))
                    for path in self._written(folder, suffix, born)
                )
            case Names(folder=folder, suffix=suffix, born=born):
                return _worst(
                    "fresh"
                    if (self._at(path, born).text is None) == (self.text(path) is None)
                    else "stale"
                    for path in self._written(folder, suffix, born)
                )
            case Everything(born=born):
                return _worst(
                    "fresh" if self._at(path, born).text == self.text(path) else "stale"
                    for path in self._written("", "", born)
                )

    def _once(self, claim: Claim, path: str, verdict: Callable[[], Verdict]) -> Verdict:
        """What was worked out for this state of the file, or is now."""
        since = self._state(path).since
        known = self._known.get((claim, path))
        if known is None or known[0] != since:
            known = self._known[claim, path] = since, verdict()
        return known[1]

    def _stands(self, claim: Whole) -> Verdict:
        was, now = self._at(claim.path, claim.born), self._state(claim.path)
        if was.text == now.text:
            return "fresh"
        first, last = claim.lines.first - 1, claim.lines.last
        if not _run(was.lines[first:last], now.lines):
            return "stale"
        same = _run(was.top[first:last], now.top) and _run(was.end[first:last], now.end)
        return "fresh" if same else "either"

    def _matching(self, claim: Matches, path: str) -> Verdict:
        was, now = self._at(path, claim.born), self._state(path)
        old, new = (
            Counter(line for line in state.lines if claim.text in line) for state in (was, now)
        )
        if not claim.listed:
            return "fresh" if bool(old) == bool(new) else "stale"
        if old != new:
            return "stale"
        same = all(
            {n for n, line in zip(ids, was.lines, strict=True) if claim.text in line}
            == {n for n, line in zip(then, now.lines, strict=True) if claim.text in line}
            for ids, then in ((was.top, now.top), (was.end, now.end))
        )
        return "fresh" if same else "either"

    def _written(self, folder: str, suffix: str, born: int) -> Sequence[str]:
        return [
            path
            for path, states in self._states.items()
            if states[-1].since > born and inside(path, folder) and path.endswith(suffix)
        ]

    def _at(self, path: str, moment: int) -> _State:
        self._state(path)
        return next(s for s in reversed(self._states[path]) if s.since <= moment)

    def _state(self, path: str) -> _State:
        states = self._states[path]
        if not states:
            text = self._base(path)
            lines = () if text is None else tuple(text.split("\n"))
            ids = tuple(next(self._identities) for _ in lines)
            states.append(_State(0, text, lines, ids, ids))
        return states[-1]


def inside(path: str, folder: str) -> bool:
    """Whether a path lies below a folder; "" has all."""
    return not folder or path.startswith(f"{folder}/")


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, key=_SEVERITY.__getitem__, default="fresh")


def _run(wanted: Sequence[object], among: Sequence[object]) -> bool:
    """Whether these stand among others one after another; nothing always does."""
    if not wanted:
        return True
    size = len(wanted)
    return any(
        each == wanted[0] and among[at : at + size] == wanted for at, each in enumerate(among)
    )


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts have in common before they differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
