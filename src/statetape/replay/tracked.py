"""The files of a recording as they are followed: what is known now, what must have happened."""

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from statetape.replay.cells import (
    Clash,
    State,
    decoded_state,
    known_state,
    plain,
    plain_lines,
    unknown_state,
)
from statetape.replay.inferred import rewritten
from statetape.replay.recording import Evidence, Part, Patched
from statetape.types import Files

Hand = Literal["agent", "shell", "external"]

_FARTHEST = 200_000
_MOST_UNSEEN = 1_000_000
"""How many lines that nothing shows are taken on trust: from one evidence, and in all."""


class Change(NamedTuple):
    """A write between two tracked states; None: the file is absent."""

    path: str
    before: State | None
    after: State | None
    hand: Hand
    why: str


class _Sight(NamedTuple):
    """Lines that stand from line `first` (0-based) on, in a file of `total` lines, if known."""

    first: int
    lines: list[str]
    total: int | None

    @property
    def end(self) -> int:
        return self.first + len(self.lines)


class Track:
    """One file on its way through the recording; a state None: the file is absent.

    `verified` is the event that last showed the whole state, `written` the one that last changed
    it, `seen` the lines shown since then: (event, first, end).
    """

    __slots__ = ("based", "first", "now", "seen", "verified", "written")

    def __init__(self, state: State | None, *, based: bool) -> None:
        self.first = state
        self.now = state
        self.based = based
        self.verified = -1
        self.written = -1
        self.seen: list[tuple[int, int, int]] = []

    def consistent(self, clash: Clash) -> int:
        """The last event at which the contradicting lines were as tracked; -1: none."""
        seen = [event for event, first, end in self.seen if first < clash.end and clash.first < end]
        return max(self.verified, *seen, -1)


class Tracked:
    """All files touched so far, the changes by event, and what may have changed them unseen.

    `suspects` holds the last event whose command may have written a path (None: any path).
    """

    def __init__(self, base: Files | None) -> None:
        self.base = base
        self.tracks: dict[str, Track] = {}
        self.changes: defaultdict[int, list[Change]] = defaultdict(list)
        self.suspects: dict[str | None, int] = {}
        self._trusted = 0

    def track(self, path: str, *, absent: bool = False, text: str | None = None) -> Track:
        """The file at `path`.

        At the first touch it is as the base has it; without a base absent, or with this text, or
        nothing is known of it but that it is there.
        """
        track = self.tracks.get(path)
        if track is None:
            based = self.base is not None and _inside(path)
            if self.base is not None and based:
                data = self.base.read(path)
                state = None if data is None else decoded_state(data)
            elif absent:
                state = None
            else:
                state = unknown_state() if text is None else known_state(text)
            track = self.tracks[path] = Track(state, based=based)
        return track

    def trusts(self, evidence: Evidence) -> bool:
        """Whether the numbers of an evidence can be followed: each unseen line has its cost."""
        track = self.tracks.get(evidence.path)
        known = 0 if track is None or track.now is None else len(track.now)
        unseen = max(0, _end(evidence) - known)
        trusted = unseen <= min(_FARTHEST, _MOST_UNSEEN - self._trusted)
        self._trusted += unseen if trusted else 0
        return trusted

    def present(self, below: str) -> list[str]:
        """The files at or below a path, tracked ones and the base's; the path itself if none.

        A path with wildcards that is no file stands for the files and folders that match it.
        """
        based = self.base is not None and self.base.read(below) is not None
        if any(c in below for c in "*?[") and below not in self.tracks and not based:
            return self._matching(below)
        inside = below.rstrip("/") + "/"
        if self.base is not None and below not in self.tracks and not based:
            for path in [path for path in self.base.paths() if path.startswith(inside)]:
                self.track(path)
        return [
            path
            for path, track in self.tracks.items()
            if track.now is not None and (path == below or path.startswith(inside))
        ] or [below]

    def _matching(self, pattern: str) -> list[str]:
        """The files that a shell's glob names, or that are in a folder that it names."""
        depth = pattern.count("/") + 1
        names = pattern.split("/")

        def matches(path: str) -> bool:
            parts = path.split("/")
            return len(parts) >= depth and all(
                fnmatchcase(part, name) and (name.startswith(".") or not part.startswith("."))
                for part, name in zip(parts, names, strict=False)
            )

        for path in () if self.base is None else filter(matches, list(self.base.paths())):
            self.track(path)
        return [p for p, track in self.tracks.items() if track.now is not None and matches(p)]

    def show(self, index: int, part: Part, why: str = "") -> None:
        """Lines are shown at event `index`: they are filled in, or another hand wrote them."""
        first, lines = max(0, part.first - 1), plain(part.lines)
        total = None if part.total is None else max(part.total, first + len(lines))
        self._see(index, part.path, _Sight(first, lines, total), why)

    def show_whole(self, index: int, path: str, text: str | None, why: str = "") -> None:
        """The whole text is shown at event `index`; None: the file is absent."""
        if text is None:
            track = self.track(path, absent=True)
            if track.now is not None:
                everything = Clash(0, max(1, len(track.now)), None, None)
                self._infer(index, path, None, everything, f"{why}the file is gone")
            track.verified = index
            return
        self.track(path, text=text)
        lines, final = plain_lines(text)
        end = self._see(index, path, _Sight(0, lines, len(lines)), why).tail
        if end.final is None:
            end.final = final

    def _see(self, index: int, path: str, sight: _Sight, why: str) -> State:
        track = self.track(path)
        now = track.now
        if now is None:
            now = unknown_state()
            everything = Clash(sight.first, sight.end, None, None)
            self._infer(index, path, now, everything, f"{why}the file is there")
        elif clash := now.clash(*sight):
            now = rewritten(now, *sight)
            self._infer(index, path, now, clash, why + _account(clash))
        now.fill(*sight)
        if sight.total == len(sight.lines):
            track.verified = index
        else:
            track.seen.append((index, sight.first, sight.end))
        return now

    def write(self, index: int, path: str, after: State | None, hand: Hand, why: str) -> None:
        """A write from the tracked state to `after`; nothing if they do not differ."""
        track = self.tracks[path]
        before = track.now
        if before is not None and after is not None and before.same(after):
            return
        if before is not after:
            self.changes[index].append(Change(path, before, after, hand, why))
            track.now = after
            track.written = index
            track.seen.clear()

    def _infer(self, index: int, path: str, after: State | None, clash: Clash, why: str) -> None:
        """A write that no edit explains: as late as possible, unless a command may have made it."""
        track = self.tracks[path]
        since = track.consistent(clash)
        suspect = self.suspects.get(path, -1)
        if suspect <= since:
            suspect = self.suspects.get(None, -1)
        if track.based and track.written < 0:
            why = f"differs from the base commit: {why}"
        if suspect <= since:
            self.write(index, path, after, "external", why)
        else:
            at = suspect if suspect >= track.written else index
            self.write(at, path, after, "shell", f"seen later: {why}")


def _end(evidence: Evidence) -> int:
    """How many lines an evidence says there are, without as many as it shows."""
    if isinstance(evidence, Part):
        return max(evidence.first, evidence.total or 0) - len(evidence.lines)
    if isinstance(evidence, Patched):
        shown = sum(max(len(hunk.old), len(hunk.new)) for hunk in evidence.hunks)
        return max((hunk.first for hunk in evidence.hunks), default=0) - shown
    return 0


def _inside(path: str) -> bool:
    """Whether the path is in the repository: only then the base can have it."""
    return not path.startswith(("/", "../", "~")) and path[1:3] not in (":/", ":\\")


def _account(clash: Clash) -> str:
    lines = f"line {clash.first + 1}" + f"-{clash.end}" * (clash.end > clash.first + 1)
    return f"{lines}: {quoted(clash.shown)} is shown, {quoted(clash.known)} was tracked"


def quoted(text: str | None) -> str:
    """A text for a message, cut to 60 characters."""
    if text is None:
        return "no line"
    return repr(text if len(text) <= 60 else text[:57] + "...")
