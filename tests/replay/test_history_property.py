"""A true disk is played beside the log of a client; what is rebuilt from the log is compared."""

from collections.abc import Callable
from typing import NamedTuple

import hypothesis.strategies as st
from hypothesis import given, settings

from statetape.files import Memory
from statetape.replay.history import History, history
from statetape.replay.recording import (
    Evidence,
    Happened,
    Hunk,
    Part,
    Patched,
    Recording,
    Replaced,
    Whole,
)
from statetape.types import Result, Slot

PATH = "pkg/a.py"
# Few texts, so that lines repeat and look alike; a line of its own where it has to be told apart.
texts = st.sampled_from(["", "}", "x = 1", "\treturn x", "    return x", "def f():", "é"])


class Row(NamedTuple):
    """A line of the true file; its number tells it from every other line that ever was."""

    number: int
    text: str


class Disk:
    """The true file, the log that shows it, and which of its lines the log ever showed."""

    def __init__(self, rows: list[str], *, final: bool, known: bool) -> None:
        self.count = 0
        self.rows = self.made(rows)
        self.final = final or not rows or not rows[-1]
        self.shown: set[int] = {row.number for row in self.rows} if known else set()
        self.events: list[Happened] = []
        self.truth: list[list[Row]] = []
        self.first = list(self.rows)
        self.ended = known

    def made(self, new: list[str]) -> list[Row]:
        self.count += len(new)
        return [Row(self.count - len(new) + at, text) for at, text in enumerate(new)]

    def text(self) -> str:
        whole = "\n".join(row.text for row in self.rows)
        return whole + "\n" if self.rows and self.final else whole

    def log(self, *evidence: Evidence) -> None:
        block = Result(Slot(str(len(self.events)), "result"), "")
        self.events.append(Happened(block, evidence))
        self.truth.append(list(self.rows))

    def see(self, first: int, end: int) -> None:
        self.shown.update(row.number for row in self.rows[first:end])

    def foreign(self, data: st.DataObject) -> bool:
        """Another hand writes; whether it changes any line."""
        before = [row.text for row in self.rows]
        first, end = span(data, len(self.rows))
        self.splice(first, end - first, data.draw(st.lists(texts, max_size=3)))
        self.settle()
        return before != [row.text for row in self.rows]

    def settle(self) -> bool:
        """A file that holds nothing is given a line; whether it was."""
        empty = not self.rows
        if empty:
            self.splice(0, 0, ["only"])
        self.final |= not self.rows[-1].text
        return empty

    def splice(self, first: int, count: int, new: list[str]) -> None:
        self.rows[first : first + count] = self.made(new)

    def recording(self) -> Recording:
        return Recording("r", "claude-code", "f", "/r", (), (), tuple(self.events))


def span(data: st.DataObject, length: int, most: int = 6) -> tuple[int, int]:
    first = data.draw(st.integers(0, length))
    return first, data.draw(st.integers(first, min(length, first + most)))


def read(data: st.DataObject, disk: Disk) -> None:
    first, end = span(data, len(disk.rows), 20)
    if data.draw(st.booleans()):
        disk.see(0, len(disk.rows))
        disk.ended = True
        disk.log(Whole(PATH, disk.text(), data.draw(st.sampled_from(["before", "after"]))))
    elif first < end:
        total = len(disk.rows) if data.draw(st.booleans()) else None
        disk.ended |= total is not None
        disk.see(first, end)
        lines = tuple(row.text for row in disk.rows[first:end])
        disk.log(Part(PATH, first + 1, lines, total))


def edit(data: st.DataObject, disk: Disk) -> None:
    """One or two hunks with context, sometimes with the whole text before."""
    evidence: list[Evidence] = []
    if data.draw(st.booleans()):
        evidence.append(Whole(PATH, disk.text(), "before"))
    hunks: list[Hunk] = []
    changes = []
    contexts = []
    low = 0
    for _ in range(data.draw(st.integers(1, 2))):
        first, end = span(data, len(disk.rows) - low)
        first, end = first + low, end + low
        new = data.draw(st.lists(texts, max_size=4))
        top = max(low, first - data.draw(st.integers(0, 3)))
        bottom = min(len(disk.rows), end + data.draw(st.integers(0, 3)))
        old = [row.text for row in disk.rows[top:bottom]]
        contexts.append((top, bottom))
        after = old[: first - top] + new + old[len(old) - (bottom - end) :]
        if bottom == end:
            after = old[: first - top] + new
        hunks.append(Hunk(top + 1 if old else top, tuple(old), tuple(after)))
        changes.append((first, end - first, new))
        low = bottom
        if low >= len(disk.rows):
            break
    left = [row.text for row in disk.rows]
    for first, count, new in reversed(changes):
        left[first : first + count] = new
    if not disk.final and (not left or not left[-1]):
        return  # the same lines with a final newline: not what these hunks say
    for top, bottom in [(0, len(disk.rows))] if evidence else contexts:
        disk.see(top, bottom)
    disk.ended |= bool(evidence)
    for first, count, new in reversed(changes):
        kept = disk.rows[first : first + count]
        start = 0
        while start < min(len(kept), len(new)) and kept[start].text == new[start]:
            start += 1
        disk.splice(first + start, count - start, new[start:])
        disk.see(first, first + len(new))
    disk.log(*evidence, Patched(PATH, tuple(hunks)))


def replacement(data: st.DataObject, disk: Disk) -> None:
    """A text replaced in a file that was shown whole just before."""
    before = disk.text()
    first = data.draw(st.integers(0, len(before)))
    old = before[first : data.draw(st.integers(first, min(len(before), first + 30)))]
    new = data.draw(st.sampled_from(["", "y", "y\n", "\nz\nz", "x = 1\n"]))
    every = before.count(old) > 1
    after = before.replace(old, new)
    if not old or not after or old == new:
        return
    disk.see(0, len(disk.rows))
    disk.ended = True
    disk.final = after.endswith("\n")
    disk.rows = disk.made(after.removesuffix("\n").split("\n"))
    disk.see(0, len(disk.rows))
    disk.log(Whole(PATH, before, "before"), Replaced(PATH, old, new, every))


def rewrite(data: st.DataObject, disk: Disk) -> None:
    before = disk.text()
    disk.see(0, len(disk.rows))
    disk.ended = disk.final = True
    disk.rows = disk.made(data.draw(st.lists(texts, min_size=1, max_size=8)))
    disk.see(0, len(disk.rows))
    disk.log(Whole(PATH, before, "before"), Whole(PATH, disk.text(), "after"))


def states(disk: Disk, found: History) -> list[bytes | None]:
    """What was rebuilt: at the start, and after each event."""
    memory = Memory()
    first = found.files.read(PATH)
    memory.write(PATH, first)
    seen = [first]
    for index in range(len(disk.events)):
        for each in found.writes.get(index, ()):
            assert each.write.before == memory.read(each.write.path)
            assert each.write.before != each.write.after
            memory.write(each.write.path, each.write.after)
        seen.append(memory.read(PATH))
    return seen


def rows_of(data: bytes | None) -> list[str]:
    text = (data or b"").decode()
    return text.removesuffix("\n").split("\n") if text else []


Step = Callable[[st.DataObject, Disk], None]
operations = st.lists(st.sampled_from([read, edit, replacement, rewrite]), min_size=1, max_size=8)


@settings(max_examples=150)
@given(data=st.data(), rows=st.lists(texts, max_size=25), final=st.booleans(), steps=operations)
def test_every_line_ever_shown_is_right_in_every_state_and_no_hand_is_invented(
    data: st.DataObject,
    rows: list[str],
    *,
    final: bool,
    steps: list[Step],
) -> None:
    disk = Disk(rows, final=final, known=False)
    for step in steps:
        step(data, disk)
    if not disk.events:
        return
    found = history(disk.recording())
    assert not found.problems
    assert {each.hand for seen in found.writes.values() for each in seen} <= {"agent"}
    for truth, rebuilt in zip([disk.first, *disk.truth], states(disk, found), strict=True):
        lines = rows_of(rebuilt)
        expected = [row.text if row.number in disk.shown else "" for row in truth]
        last = max((at for at, row in enumerate(truth) if row.number in disk.shown), default=-1)
        known = max(last + 1, len(lines))
        assert lines + [""] * (known - len(lines)) == expected[:known]
        if disk.ended:
            assert [line for line in lines if line] == [line for line in expected if line]


@settings(max_examples=150)
@given(
    data=st.data(),
    rows=st.lists(texts, max_size=25),
    final=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    steps=operations,
)
def test_on_a_base_every_byte_is_right(
    data: st.DataObject,
    rows: list[str],
    *,
    final: bool,
    newline: str,
    mark: str,
    steps: list[Step],
) -> None:
    disk = Disk(rows, final=final, known=True)
    base = Memory({PATH: (mark + disk.text().replace("\n", newline)).encode()})
    ends = disk.text().count("\n")
    for step in steps:
        step(data, disk)
    found = history(disk.recording(), base)
    assert not found.problems
    assert {each.hand for seen in found.writes.values() for each in seen} <= {"agent"}
    rebuilt = states(disk, found)
    if disk.events:
        assert rebuilt[0] == base[PATH]
    style = newline if ends else "\n"
    for truth, state in zip(disk.truth, rebuilt[1:], strict=True):
        text = (state or b"").decode()
        assert text.startswith(mark)
        lines = text.removeprefix(mark)
        assert lines.removesuffix(style).split(style) == [row.text for row in truth] or [""]


@settings(max_examples=150)
@given(
    data=st.data(),
    rows=st.lists(texts, min_size=1, max_size=25),
    based=st.booleans(),
    steps=operations,
)
def test_every_foreign_write_that_is_shown_is_inferred(
    data: st.DataObject,
    rows: list[str],
    *,
    based: bool,
    steps: list[Step],
) -> None:
    """The file is known at first; each later event shows a known truth, whatever came between."""
    disk = Disk(rows, final=True, known=True)
    base = Memory({PATH: disk.text().encode()}) if based else None
    disk.log(Whole(PATH, disk.text(), "before"))
    expected = 0
    for step in steps:
        if data.draw(st.booleans()):
            expected += disk.foreign(data)
            # A part may not show the change, so the whole text is shown.
            disk.log(Whole(PATH, disk.text(), "before"))
        step(data, disk)
        if disk.settle():
            expected += 1
            disk.log(Whole(PATH, disk.text(), "before"))
    found = history(disk.recording(), base)
    assert not found.problems
    foreign = [each for seen in found.writes.values() for each in seen if each.hand != "agent"]
    assert len(foreign) == expected
    assert all(each.hand == "external" and each.why for each in foreign)
    for truth, state in zip(disk.truth, states(disk, found)[1:], strict=True):
        assert rows_of(state) == [row.text for row in truth]


@settings(max_examples=150)
@given(data=st.data(), rows=st.lists(texts, min_size=1, max_size=25), steps=operations)
def test_what_an_event_shows_is_what_the_file_holds_then(
    data: st.DataObject, rows: list[str], steps: list[Step]
) -> None:
    """Foreign writes at any time, and only parts of them shown."""
    disk = Disk(rows, final=True, known=False)
    for step in steps:
        if data.draw(st.booleans()):
            disk.foreign(data)
        step(data, disk)
    found = history(disk.recording())
    assert not found.problems
    for event, state in zip(disk.events, states(disk, found)[1:], strict=True):
        lines = rows_of(state)
        for evidence in event.evidence:
            if isinstance(evidence, Part):
                first = evidence.first - 1
                padded = lines + [""] * len(evidence.lines)
                assert tuple(padded[first : first + len(evidence.lines)]) == evidence.lines
                assert evidence.total in (None, len(lines))
            elif isinstance(evidence, Whole) and len(event.evidence) == 1:
                assert (state or b"").decode().rstrip("\n") == (evidence.text or "").rstrip("\n")
