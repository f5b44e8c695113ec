"""What is known of one file in one state: a list of lines, some of them not known yet.

A known line is a plain string. A line not seen yet is a `Cell`: the same cell stands in every
state that the line lived through, so a read that shows it later fills it in all of them, back to
the initial one. Lines hold no line ends.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

BOM = "\ufeff"


class Cell:
    """A line that was not known when its file was first touched; `text` None: still unknown."""

    __slots__ = ("text",)

    def __init__(self) -> None:
        self.text: str | None = None


Line = str | Cell


class Tail:
    """The end of a file, shared by all states that have the same end.

    `cells` grows when a line beyond the known ones is shown; `closed`: there are no more lines.
    `final` says whether the file ends with a newline, None: not known.
    """

    __slots__ = ("cells", "closed", "final")

    def __init__(self, *, closed: bool = False, final: bool | None = None) -> None:
        self.cells: list[Cell] = []
        self.closed = closed
        self.final = final


class Style(NamedTuple):
    """How the bytes of a file are made of its lines."""

    newline: str
    bom: bool


PLAIN = Style("\n", bom=False)


class Clash(NamedTuple):
    """Where shown lines contradict a state: 0-based half-open lines, and the first two texts."""

    first: int
    end: int
    known: str | None
    shown: str | None


class State:
    """One state of a file: `head`, then the cells of `tail` that the head has not taken over.

    States are never changed; only their cells are filled and their tail grows, which is knowledge
    and not change. Lines are 0-based and half-open here.
    """

    __slots__ = ("head", "skipped", "style", "tail")

    def __init__(
        self, head: list[Line], tail: Tail, skipped: int = 0, style: Style = PLAIN
    ) -> None:
        self.head = head
        self.tail = tail
        self.skipped = skipped
        self.style = style

    def __len__(self) -> int:
        """The number of lines known to exist."""
        return len(self.head) + len(self.tail.cells) - self.skipped

    @property
    def ended(self) -> bool:
        """Whether a newline ends the file. Not known: yes. An empty last line is one by that."""
        last = self.texts(len(self) - 1, len(self))
        return bool(last) and (self.tail.final is not False or not last[0])

    def lines(self, first: int = 0, end: int | None = None) -> list[Line]:
        """The lines from `first` to `end` as they stand; a new list."""
        if end is not None and end <= len(self.head):
            return self.head[first:end]
        return (self.head + self.tail.cells[self.skipped :])[first:end]

    def texts(self, first: int = 0, end: int | None = None) -> list[str | None]:
        """The texts of the lines from `first` to `end`, None for an unknown one."""
        return [
            line if line.__class__ is str else line.text  # type: ignore[union-attr]
            for line in self.lines(first, end)
        ]

    def grown(self, length: int) -> bool:
        """Whether the file can have `length` lines; unknown lines are added as needed."""
        missing = length - len(self)
        if missing > 0 and not self.tail.closed:
            self.tail.cells += [Cell() for _ in range(missing)]
        return missing <= 0 or not self.tail.closed

    def clash(self, first: int, shown: Sequence[str], total: int | None = None) -> Clash | None:
        """Where `shown`, standing from line `first` on, contradicts this state; None: nowhere.

        `total` is the file's length in lines, if it is known. Nothing is filled in.
        """
        length, end = len(self), first + len(shown)
        if self.lines(first, end) != shown:
            known = self.texts(first, end)
            wrong = [
                number
                for number, (line, text) in enumerate(zip(known, shown, strict=False))
                if line is not None and line != text and not alike(line, text)
            ]
            if wrong:
                return Clash(
                    first + wrong[0], first + wrong[-1] + 1, known[wrong[0]], shown[wrong[0]]
                )
        if self.tail.closed and end > length:
            return Clash(length, end, None, shown[max(0, length - first)] if shown else None)
        if total is not None and length > total:
            return Clash(total, length, self.texts(total)[0], None)
        if total is not None and self.tail.closed and length < total:
            return Clash(length, total, None, None)
        return None

    def fill(self, first: int, shown: Sequence[str], total: int | None = None) -> None:
        """Take in what `clash` found no contradiction in."""
        end = first + len(shown)
        self.grown(end)
        lines = self.lines(first, end)
        if lines != shown:
            for line, text in zip(lines, shown, strict=True):
                if line.__class__ is Cell and line.text is None:
                    line.text = text
        if total is not None:
            self.grown(total)
            self.tail.closed = True

    def spliced(self, first: int, count: int, new: Sequence[str]) -> "State":
        """The state with `count` lines from `first` on replaced.

        Equal lines at the start and at the end of the replaced run keep their cells. A run that
        goes beyond the end of the file ends with it.
        """
        if not self.grown(first + count):
            first = min(first, len(self))
            count = min(count, len(self) - first)
        old = self.texts(first, first + count)
        start, most = 0, min(len(old), len(new))
        while start < most and _same(old[start], new[start]):
            start += 1
        stop, most = 0, most - start
        while stop < most and _same(old[-1 - stop], new[-1 - stop]):
            stop += 1
        end = first + count - stop
        head = self.lines(0, end)
        head[first + start :] = new[start : len(new) - stop]
        head += self.head[end:]
        skipped = self.skipped + max(0, end - len(self.head))
        return State(head, self.tail, skipped, self.style)

    def same(self, other: "State") -> bool:
        """Whether both have the same lines (the same cells, where one is not known) and end."""
        return self is other or (
            len(self) == len(other)
            and self.ended == other.ended
            and self.style == other.style
            and self.lines() == other.lines()
        )

    def data(self) -> bytes:
        """The bytes. Unknown lines are empty, an unknown end is no more lines."""
        lines = self.lines()
        if Cell in set(map(type, lines)):
            lines = [text or "" for text in self.texts()]
        whole = self.style.newline.join(cast(list[str], lines))
        if self.ended:
            whole += self.style.newline
        if self.style.bom:
            whole = BOM + whole
        return _encoded(whole)


def unknown_state() -> State:
    """A file of which nothing is known but that it is there."""
    return State([], Tail())


def known_state(text: str) -> State:
    """The state whose whole text is known."""
    bom = text.startswith(BOM)
    ends = text.count("\r\n")
    newline = "\r\n" if ends and ends == text.count("\n") else "\n"
    lines, final = split_text(text[1:] if bom else text, newline)
    return State([*lines], Tail(closed=True, final=final), 0, Style(newline, bom))


def decoded_state(data: bytes) -> State:
    """The state of a file with these bytes; its `data()` is the same bytes again."""
    return known_state(data.decode("utf-8", "surrogateescape"))


def plain_lines(text: str) -> tuple[list[str], bool]:
    """The lines of a shown text without mark and carriage returns; whether a newline ends it."""
    return split_text(text.removeprefix(BOM).replace("\r\n", "\n"), "\n")


def plain(lines: Sequence[str]) -> list[str]:
    """Shown lines without the carriage returns that end them; each is one line."""
    if not lines:
        return []
    return "\n".join(lines).replace("\r\n", "\n").removesuffix("\r").split("\n")


def split_text(text: str, newline: str) -> tuple[list[str], bool]:
    """The lines of a text, and whether a newline ends it."""
    if not text:
        return [], True
    lines = text.split(newline)
    final = not lines[-1]
    if final:
        lines.pop()
    return lines, final


def alike(known: str, shown: str) -> bool:
    """Whether a client that normalises line ends and encodings would show `known` as `shown`."""
    if "\ufffd" in shown:
        known = _encoded(known).decode("utf-8", "replace")
    return known.rstrip("\r") == shown.rstrip("\r")


def _same(known: str | None, shown: str) -> bool:
    return known is not None and (known == shown or alike(known, shown))


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, from a cut JSON escape
        return text.encode("utf-8", "surrogatepass")
