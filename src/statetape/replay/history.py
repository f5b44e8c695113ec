"""What every file held at every moment of a recording, rebuilt from what its log shows."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from statetape.files import Memory, Overlay
from statetape.replay.cells import State, known_state, plain
from statetape.replay.edited import replaced
from statetape.replay.inferred import nearest
from statetape.replay.recording import (
    Event,
    Evidence,
    Happened,
    Noticed,
    Part,
    Patched,
    Recording,
    Replaced,
    Whole,
)
from statetape.replay.tracked import Change, Hand, Tracked, quoted
from statetape.types import Edit, Files, Result, Write

ShellWrites = Mapping[int, tuple[Edit | None, ...]]


class SeenWrite(Struct, frozen=True):
    """A write, whose hand made it, and how that is known.

    "agent": an edit, or a command that states what it writes; "shell": the files contradict what
    was tracked, and a command of the agent may have changed them; "external": nothing explains it.
    """

    write: Write
    hand: Hand
    why: str


class History(Struct, frozen=True):
    """The files at the start, and the writes by index of the recording's events, in order.

    At an index, the writes come before the text of that event's block is looked at. Bytes are made
    when asked for: asking in order makes each state once. `problems` are edits that could not be
    followed, and evidence whose numbers cannot be true, one line each.
    """

    files: Files
    writes: Mapping[int, tuple[SeenWrite, ...]]
    problems: tuple[str, ...]


def history(
    recording: Recording, base: Files | None = None, shell_writes: ShellWrites | None = None
) -> History:
    """What the files held, from the recording's evidence laid over `base`.

    `shell_writes`: by index of a result's event, what its command may have written, in order; an
    `Edit` that states its effect is applied, one that does not may have changed its file, None may
    have changed any. Lines that nothing shows are empty. Each contradiction between what is tracked
    and what is shown becomes a write: by the shell if such a command came since the lines were last
    seen, else external. Linear in the evidence.
    """
    story = _Story(base)
    for index, event in enumerate(recording.events):
        for edit in shell_writes.get(index, ()) if shell_writes else ():
            story.command(index, edit)
        story.event(index, event)
    rendered = _Rendered()
    first = {path: track.first for path, track in story.files.tracks.items()}
    return History(
        files=Overlay(Memory() if base is None else base, _Initial(first, rendered)),
        writes=_Writes(dict(sorted(story.files.changes.items())), rendered),
        problems=tuple(story.problems),
    )


class _Rendered:
    """The bytes of states.

    Each file's last ones are kept: `before` of a write is the same object as `after` of the last.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[State, bytes]] = {}

    def data(self, path: str, state: State | None) -> bytes | None:
        if state is None:
            return None
        last = self._last.get(path)
        if last is None or last[0] is not state:
            last = self._last[path] = (state, state.data())
        return last[1]


class _Initial(Mapping[str, bytes | None]):
    """The initial bytes of every file that was touched."""

    def __init__(self, states: Mapping[str, State | None], rendered: _Rendered) -> None:
        self._states = states
        self._rendered = rendered

    def __getitem__(self, path: str) -> bytes | None:
        return self._rendered.data(path, self._states[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)


class _Writes(Mapping[int, tuple[SeenWrite, ...]]):
    """The writes of each event."""

    def __init__(self, changes: Mapping[int, Sequence[Change]], rendered: _Rendered) -> None:
        self._changes = changes
        self._rendered = rendered

    def __getitem__(self, index: int) -> tuple[SeenWrite, ...]:
        data = self._rendered.data
        writes = [
            SeenWrite(Write(path, data(path, before), data(path, after)), hand, why)
            for path, before, after, hand, why in self._changes[index]
        ]
        return tuple(each for each in writes if each.write.before != each.write.after)

    def __iter__(self) -> Iterator[int]:
        return iter(self._changes)

    def __len__(self) -> int:
        return len(self._changes)


class _Story:
    """The events told to the tracked files, one by one."""

    def __init__(self, base: Files | None) -> None:
        self.files = Tracked(base)
        self.problems: list[str] = []

    def event(self, index: int, event: Event) -> None:
        """Take in the evidence of one event."""
        if isinstance(event, Noticed):
            for evidence in self._credible(index, event.evidence):
                self._shown(index, evidence, "the client noticed: ")
        elif isinstance(event, Happened):
            failed = isinstance(event.block, Result) and event.block.failed
            shown: set[str] = set()
            edited: set[str] = set()
            for evidence in self._credible(index, event.evidence):
                path = evidence.path
                if _shows(evidence, rewrite=path in shown - edited):
                    self._shown(index, evidence, "beside the edit: " if path in edited else "")
                    shown.add(path)
                elif not failed:
                    edited.update(self._edited(index, evidence))

    def command(self, index: int, edit: Edit | None) -> None:
        """Apply what a shell command states; remember what else it may have written."""
        if edit is None:
            self.files.suspects[None] = index
        elif not self._stated(index, edit):
            self.files.suspects[edit.path] = index

    def _credible(self, index: int, evidence: Sequence[Evidence]) -> Iterator[Evidence]:
        for each in evidence:
            if self.files.trusts(each):
                yield each
            else:
                self.problems.append(f"event {index}: {each.path}: line numbers too high to follow")

    def _shown(self, index: int, evidence: Evidence, why: str = "") -> None:
        if isinstance(evidence, Whole):
            self.files.show_whole(index, evidence.path, evidence.text, why)
        elif isinstance(evidence, Part):
            self.files.show(index, evidence, why)

    def _edited(self, index: int, evidence: Evidence) -> tuple[str, ...]:
        """Apply an edit; the paths it changed, none (and a problem) if it does not apply."""
        path = evidence.path
        if isinstance(evidence, Patched):
            return self._patched(index, evidence)
        if isinstance(evidence, Whole):
            self._put(index, path, evidence.text, "the whole text")
        elif isinstance(evidence, Replaced) and not self._replaced(index, evidence):
            self._problem(index, path, f"{quoted(evidence.old)} is not (once) in the known lines")
            return ()
        return (path,)

    def _patched(self, index: int, evidence: Patched) -> tuple[str, ...]:
        """Show the old lines of every hunk, then put the new ones in their place.

        Where a hunk's lines stand elsewhere, another hand has moved them, but if the whole text was
        shown with the patch, it is the numbers that are off.
        """
        path, target = evidence.path, evidence.moved_to
        track = self.files.track(path)
        makes = track.now is None and evidence.hunks and not any(h.old for h in evidence.hunks)
        if not makes:
            self.files.show(index, Part(path, 1, ()), "before the edit: ")
        hunks = []
        for hunk in evidence.hunks:
            old, new = plain(hunk.old), plain(hunk.new)
            first = max(0, hunk.first - 1 if old else hunk.first)
            now = track.now
            if old and now is not None and track.verified == index and now.clash(first, old):
                near = nearest(now, old, first)
                first = first if near is None else near
            if not makes:
                self.files.show(index, Part(path, first + 1, tuple(old)), "before the edit: ")
            hunks.append((first, len(old), new))
        state = known_state("") if track.now is None else track.now
        hunks.sort(key=lambda hunk: hunk[0])
        for first, count, new in reversed(hunks):
            state = state.spliced(first, count, new)
        if target is None:
            self.files.write(index, path, state, "agent", "a patch")
            return (path,)
        self._moved(index, path, target, state)
        return (path, target)

    def _replaced(self, index: int, edit: Replaced) -> bool:
        """Replace a text of the file; whether it stands there. An empty `old` makes a file."""
        path = edit.path
        now = self.files.track(path, absent=not edit.old).now
        if not edit.old:
            new = now is None or (not len(now) and now.tail.closed)
            if new:
                self._put(index, path, edit.new, "a new file")
            return new
        after = None if now is None else replaced(now, edit.old, edit.new, every=edit.every)
        if after is not None:
            self.files.write(index, path, after, "agent", "a replacement")
        return after is not None

    def _put(self, index: int, path: str, text: str | None, why: str) -> None:
        """The agent states the whole new text; None removes the file."""
        track = self.files.track(path, absent=text is not None)
        after = None if text is None else known_state(text)
        if after is not None and track.now is not None:
            after.style = track.now.style
        self.files.write(index, path, after, "agent", why)
        track.verified = index

    def _moved(self, index: int, path: str, target: str, state: State | None) -> None:
        self.files.track(target, absent=True)
        self.files.write(index, path, None, "agent", f"moved to {target}")
        self.files.write(index, target, state, "agent", f"moved from {path}")

    def _stated(self, index: int, edit: Edit) -> bool:
        """Apply an edit of a command that says what it does; False: the effect is not known."""
        path, target = edit.path, edit.moved_to
        if edit.absent or target is not None:
            for each in self.files.present(path):
                if target is None:
                    self._put(index, each, None, "a removal")
                else:
                    state = self.files.track(each).now
                    self._moved(index, each, target + each[len(path) :], state)
            return True
        if edit.content is not None:
            content = edit.content
            if edit.append:
                now = self.files.track(path).now
                if now is not None and not now.tail.closed:
                    return False
                content = ("" if now is None else now.data().decode("utf-8", "replace")) + content
            self._put(index, path, content, "a command's text")
            return True
        pairs = edit.patch or (((edit.old, edit.new or ""),) if edit.old else ())
        state = self.files.track(path).now if pairs else None
        for old, new in pairs:
            state = None if state is None else replaced(state, old, new, every=edit.every)
        if state is not None:
            self.files.write(index, path, state, "agent", "a command's replacement")
        return state is not None

    def _problem(self, index: int, path: str, why: str) -> None:
        self.problems.append(f"event {index}: edit of {path} does not apply: {why}")


def _shows(evidence: Evidence, *, rewrite: bool) -> bool:
    """Whether this only shows a file.

    A whole text after the block is its effect if one before it came first (`rewrite`), or if the
    file is absent then: no read shows that.
    """
    if isinstance(evidence, Whole) and evidence.when == "after":
        return not rewrite and evidence.text is not None
    return isinstance(evidence, Whole | Part)
