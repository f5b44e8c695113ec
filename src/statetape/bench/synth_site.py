"""One file of a commit under the scripted agent's hand: what is still to be done to it."""

from collections.abc import Iterator, Sequence
from random import Random

from statetape.bench.synth_commits import FileChange, Hunk, whole_lines
from statetape.bench.synth_hand import Done, Hand
from statetape.bench.truth import Ground
from statetape.types import Lines

_MOST_AROUND = 40
_SMALL = 300


class Site:
    """The steps that take a file from before the commit to after it, in seeded order."""

    def __init__(self, change: FileChange, ground: Ground, hand: Hand, chance: Random) -> None:
        self.change = change
        self._ground = ground
        self._hand = hand
        self._chance = chance
        self._applied: list[Hunk] = []
        self._hunks = list(change.hunks)
        chance.shuffle(self._hunks)
        self._moves = change.moved_from is not None
        self._begun = False
        self._plan: tuple[tuple[str, str] | None] | None = None

    @property
    def finished(self) -> bool:
        """Whether the file is as the commit left it."""
        return self._begun and not self._hunks and not self._moves

    def step(self) -> Done:
        """The next change, made."""
        self._begun = True
        path, after = self.change.path, self.change.after
        if self._moves:
            self._moves = False
            command = self._chance.choice(("git mv", "mv"))
            return self._hand.move(self.change.moved_from or path, path, command)
        if after is None:
            return self._hand.remove(path, self._chance.choice(("rm", "git rm -q", "rm -f")))
        if self.change.before is None:
            plain = after.endswith("\n") and after.strip() and "EOF" not in after
            if plain and "/" not in path and self._chance.random() < 0.3:
                return self._hand.heredoc(path, after)
            return self._hand.write(path, [after])
        lines = whole_lines(self._ground.text(path) or "")
        hunk = self._hunks[0]
        (found,), self._plan = self._plan or (self._edited(lines, hunk),), None
        if found is None or (len(lines) < _SMALL and self._chance.random() < 0.05):
            return self._hand.write(path, list(self._states(lines)))
        self._done(hunk)
        return self._hand.edit(path, *found)

    def seen(self) -> Lines | None:
        """The lines that the next step replaces, which an agent has to have read; None: none."""
        path = self.change.path
        if self._moves or self.change.after is None or self.change.before is None:
            return None
        text = self._ground.text(path) or ""
        found = self._edited(whole_lines(text), self._hunks[0])
        self._plan = (found,)
        if found is None:
            return None
        old = found[0]
        first = text.count("\n", 0, text.index(old)) + 1
        return Lines(first, first + old.count("\n"))

    def _done(self, hunk: Hunk) -> None:
        self._hunks.remove(hunk)
        self._applied.append(hunk)

    def _place(self, hunk: Hunk) -> tuple[int, int]:
        """Where a hunk's old lines are now."""
        shift = sum(
            len(each.new) - (each.end - each.start)
            for each in self._applied
            if each.start < hunk.start
        )
        return hunk.start + shift, hunk.end + shift

    def _states(self, lines: Sequence[str]) -> Iterator[str]:
        """The texts of the file as one hunk after the other is applied."""
        now = list(lines)
        for hunk in list(self._hunks):
            start, end = self._place(hunk)
            now[start:end] = hunk.new
            self._done(hunk)
            yield "".join(now)

    def _edited(self, lines: Sequence[str], hunk: Hunk) -> tuple[str, str] | None:
        """What to replace by what: a text that stands in the file once. None: there is no such."""
        start, end = self._place(hunk)
        text = "".join(lines)
        removed = "".join(lines[start:end])
        if not removed.endswith("\n\n"):  # then the client takes the line's end with it
            removed = removed.removesuffix("\n")
        if not hunk.new and removed.strip() and self._chance.random() < 0.3:
            return (removed, "") if self._alone(text, removed, lines, start, end) else None
        top, bottom = start, end
        while top > 0 or bottom < len(lines):
            old, new = (
                "".join((*lines[top:start], *middle, *lines[end:bottom]))
                for middle in (lines[start:end], hunk.new)
            )
            if old.endswith("\n") and new.endswith("\n"):
                old, new = old[:-1], new[:-1]
            if old.strip() and new.strip() and text.count(old) == 1:
                return self._trimmed(text, old, new)
            if bottom - top > end - start + _MOST_AROUND:
                return None
            if bottom == len(lines) or (top > 0 and self._chance.random() < 0.5):
                top -= 1
            else:
                bottom += 1
        return None

    def _alone(self, text: str, removed: str, lines: Sequence[str], start: int, end: int) -> bool:
        """Whether a removal takes just these lines: they stand once, and end with a newline."""
        whole = lines[end - 1].endswith("\n") and end > start
        return whole and text.count(removed) == 1 and "".join(lines[:start]) in text

    def _trimmed(self, text: str, old: str, new: str) -> tuple[str, str]:
        """Now and then without the indentation that both begin with, as agents do."""
        short, shorter = old.lstrip(" \t"), new.lstrip(" \t")
        same = old[: len(old) - len(short)] == new[: len(new) - len(shorter)]
        if same and short and text.count(short) == 1 and self._chance.random() < 0.3:
            return short, shorter
        return old, new
