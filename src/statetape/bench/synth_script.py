"""What a scripted agent does for a run of commits: it looks, edits hunk by hunk, looks again.

Everything is chosen by one seeded generator, so the same commits and seed give the same calls.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from statetape.bench.synth_commits import Commit, FileChange, Hit, whole_lines
from statetape.bench.synth_hand import Done, Hand
from statetape.bench.synth_site import Site
from statetape.bench.truth import Ground, inside

Found = Callable[[str], Sequence[Hit] | None]
"""The lines that have a word in them at the start; None: they cannot be shown as they are."""

_WORD = re.compile(r"[A-Za-z_]\w{4,}", re.ASCII)
_MOST_HITS = 40
_LONGEST_LINE = 400
_MOST_LINES = 1200
_TESTS = {".go": "go test ./...", ".py": "pytest -q", ".ts": "npm test", ".js": "npm test"}


class Turn(Struct, frozen=True):
    """One message: the user's words, or the agent's with calls that leave together."""

    said: str | None
    calls: tuple[Done, ...] = ()
    user: bool = False


class Script:
    """The turns of one session. `paths` are those of the repository at the start."""

    def __init__(
        self, ground: Ground, hand: Hand, found: Found, paths: Iterable[str], chance: Random
    ) -> None:
        self._ground = ground
        self._hand = hand
        self._found = found
        self._paths = frozenset(paths)
        self._chance = chance
        self._words: list[str] = []
        self._near: list[str] = []

    def turns(self, commits: Sequence[Commit]) -> Iterator[Turn]:
        """All turns, each done when it is asked for."""
        for commit in commits:
            yield Turn(commit.subject or "Go on.", user=True)
            yield from self._looking(commit)
            yield from self._working(commit)
            yield from self._closing(commit)

    def _looking(self, commit: Commit) -> Iterator[Turn]:
        self._words = _words(commit, self._chance)
        looks: list[Callable[[], Done | None]] = []
        for change in commit.changes:
            path = change.moved_from or change.path
            places = [hunk.start + 1 for hunk in change.hunks]
            looks += [self._reading(path, places) for _ in range(self._chance.choice((0, 1, 1, 2)))]
        looks += [self._searching(word, commit.changes) for word in self._words[:2]]
        looks.append(self._listing(commit.changes))
        looks.append(self._testing(commit))
        self._chance.shuffle(looks)
        yield from self._batches(looks)
        self._chance.shuffle(self._near)
        yield from self._batches([self._reading(path, ()) for path in self._near[:3]])

    def _batches(self, looks: Sequence[Callable[[], Done | None]]) -> Iterator[Turn]:
        waiting = list(looks)
        while waiting:
            size = self._chance.choice((1, 1, 1, 2, 3))
            now, waiting = waiting[:size], waiting[size:]
            calls = tuple(done for look in now if (done := look()) is not None)
            if calls:
                yield Turn(self._remark("Looking."), calls)

    def _working(self, commit: Commit) -> Iterator[Turn]:
        sites = [Site(change, self._ground, self._hand, self._chance) for change in commit.changes]
        while sites:
            site = self._chance.choice(sites)
            yield from self._before(site)
            calls: tuple[Done, ...] = ()
            for _ in range(self._chance.choice((1, 1, 2)) if self._hand.originals else 1):
                if not site.finished:
                    calls += (site.step(),)
            look = self._again(site.change) if self._chance.random() < 0.3 else None
            if look is not None and self._chance.random() < 0.5:
                calls += (look,)
                look = None
            if calls:
                yield Turn(self._remark("Changing it."), calls)
            if look is not None:
                yield Turn(None, (look,))
            sites = [each for each in sites if not each.finished]

    def _before(self, site: Site) -> Iterator[Turn]:
        """A read of what is about to be replaced, where the log would not show it."""
        path = site.change.path
        if self._hand.originals or path in self._hand.read_whole:
            return
        lines = site.seen()
        if lines is not None:
            around = self._chance.randrange(1, 20)
            read = self._hand.read(path, max(1, lines.first - around), lines.last + around)
            yield Turn(None, (read,))

    def _closing(self, commit: Commit) -> Iterator[Turn]:
        looks = [self._testing(commit)]
        looks += [
            self._reading(change.path, [hunk.start + 1 for hunk in change.hunks])
            for change in commit.changes[:3]
            if self._chance.random() < 0.3
        ]
        yield from self._batches(looks)
        if self._chance.random() < 0.3:
            yield Turn(None, (self._hand.commit(commit.subject),))
        yield Turn("Done.")

    def _again(self, change: FileChange) -> Done | None:
        places = [hunk.start + 1 for hunk in change.hunks]
        match self._chance.randrange(4):
            case 0 if self._words:
                return self._searching(self._chance.choice(self._words), (change,))()
            case 1 if self._near:
                return self._reading(self._chance.choice(self._near), ())()
            case 2:
                return self._hand.test(_test_command((change,)), self._chance.randrange(3, 90))
        return self._reading(change.path, places)()

    def _remark(self, words: str) -> str | None:
        return words if self._chance.random() < 0.3 else None

    def _reading(self, path: str, places: Sequence[int]) -> Callable[[], Done | None]:
        def look() -> Done | None:
            lines = self._ground.lines(path)
            if not any(map(str.strip, lines)) or max(map(len, lines)) > _LONGEST_LINE:
                return None
            tool = self._chance.choice((self._hand.read, self._hand.read, self._hand.print))
            if len(lines) <= _MOST_LINES and self._chance.random() < 0.35:
                return tool(path)
            place = self._chance.choice(places) if places else self._chance.randint(1, len(lines))
            first = max(1, min(place, len(lines)) - self._chance.randrange(25))
            last = min(len(lines), first + self._chance.randrange(3, 60))
            if not any(map(str.strip, lines[first - 1 : last])):
                return None
            return tool(path, first, last)

        return look

    def _searching(self, word: str, changes: Sequence[FileChange]) -> Callable[[], Done | None]:
        def look() -> Done | None:
            path = self._chance.choice(changes).path if changes else ""
            folder = path.rpartition("/")[0] if self._chance.random() < 0.4 else ""
            suffix = _suffix(path) if self._chance.random() < 0.3 else ""
            found = self._hits(word, folder, "")
            if found is None or len(found) > _MOST_HITS:
                return None
            self._near += [hit.path for hit in found if hit.path not in self._near]
            if folder and folder not in self._folders():
                folder, found = "", self._hits(word, "", "") or ()
            if self._chance.random() < 0.25:
                return self._hand.shell_grep(word, found, folder)
            found = [hit for hit in found if hit.path.endswith(suffix)]
            form = self._hand.grep if self._chance.random() < 0.6 else self._hand.files_with
            return form(word, found, folder, suffix)

        return look

    def _hits(self, word: str, folder: str, suffix: str) -> Sequence[Hit] | None:
        base = self._found(word)
        if base is None:
            return None
        touched = self._ground.touched
        hits = [hit for hit in base if hit.path not in touched]
        hits += [
            Hit(path, number, line)
            for path in touched
            for number, line in enumerate(self._ground.lines(path), 1)
            if word in line
        ]
        if any(len(hit.line) > _LONGEST_LINE for hit in hits):
            return None
        return sorted(h for h in hits if inside(h.path, folder) and h.path.endswith(suffix))

    def _listing(self, changes: Sequence[FileChange]) -> Callable[[], Done | None]:
        def look() -> Done | None:
            if not changes or self._chance.random() < 0.6:
                return None
            path = self._chance.choice(changes).path
            folder, suffix = path.rpartition("/")[0], _suffix(path)
            names = [n for n in self._names() if inside(n, folder) and n.endswith(suffix)]
            if not suffix or not 0 < len(names) < 100:
                return None
            return self._hand.glob(names, folder, suffix)

        return look

    def _testing(self, commit: Commit) -> Callable[[], Done | None]:
        def look() -> Done | None:
            if self._chance.random() < 0.4:
                return None
            passed = self._chance.randrange(3, 90)
            return self._hand.test(_test_command(commit.changes), passed)

        return look

    def _names(self) -> Sequence[str]:
        touched = set(self._ground.touched)
        made = {path for path in touched if self._ground.text(path) is not None}
        return sorted(made | (self._paths - touched))

    def _folders(self) -> frozenset[str]:
        return frozenset(
            path[:at] for path in self._names() for at, c in enumerate(path) if c == "/"
        )


def _words(commit: Commit, chance: Random) -> list[str]:
    """Names in the lines that the commit takes away or puts in, in seeded order."""
    words: dict[str, None] = {}
    for change in commit.changes:
        old = whole_lines(change.before or "")
        for hunk in change.hunks:
            for line in (*old[hunk.start : hunk.end], *hunk.new):
                words.update(dict.fromkeys(_WORD.findall(line)))
    found = list(words)
    chance.shuffle(found)
    return found[:6]


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2] if "." in name[1:] else ""


def _test_command(changes: Sequence[FileChange]) -> str:
    found = (_TESTS.get(_suffix(change.path)) for change in changes)
    return next((command for command in found if command is not None), "make test")
