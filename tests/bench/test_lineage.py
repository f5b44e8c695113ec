"""The identity of lines through writes, against a list of lines that is changed by hand."""

from hypothesis import given
from hypothesis import strategies as st

from statetape.bench.lineage import FOREVER, Lineage
from statetape.files import Memory
from statetape.types import Lines, Shown, Write
from statetape.workspace import Workspace

CHANGES = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "replace"]), st.integers(0, 8)), max_size=4
)


class Numbered:
    """A file whose lines are all different, and which line of it is which by its text."""

    def __init__(self, count: int) -> None:
        self.rows = [f"line {at}" for at in range(count)]
        self.made = count

    def change(self, how: str, at: int) -> None:
        at = min(at, len(self.rows) - (how != "insert"))
        if how == "insert" or at < 0:
            self.rows.insert(max(at, 0), f"line {self.made}")
        elif how == "remove":
            del self.rows[at]
        else:
            self.rows[at] = f"line {self.made}"
        self.made += 1

    @property
    def data(self) -> bytes:
        return "\n".join(self.rows).encode()


@given(count=st.integers(1, 8), writes=st.lists(CHANGES, max_size=4), looked=st.booleans())
def test_a_line_keeps_its_number_for_as_long_as_it_stands(
    *, count: int, writes: list[list[tuple[str, int]]], looked: bool
) -> None:
    file = Numbered(count)
    space = Workspace(Memory({"a.txt": file.data}))
    lineage = Lineage(space)
    if looked:
        lineage.lines("a.txt")
    of: dict[str, int] = {}
    for changes in writes:
        before = file.data
        for how, at in changes:
            file.change(how, at)
        if not file.rows:
            file.change("insert", 0)
        was = set(lineage.lines("a.txt"))
        entry = space.observe(Write("a.txt", before, file.data))
        old, ended = lineage.wrote(entry.write, entry.tick)
        now = lineage.lines("a.txt")
        assert set(old) == was
        assert set(ended) == was - set(now)
        assert [lineage.texts[n] for n in now] == file.rows
        assert lineage.stand(range(len(lineage.texts)), entry.tick) == sorted(now)
        for number in now:
            assert of.setdefault(lineage.texts[number], number) == number
            assert lineage.died[number] == FOREVER
        assert all(lineage.died[n] == entry.tick for n in ended)
        assert all(lineage.born[n] == entry.tick for n in set(now) - was)


def test_a_record_shows_the_lines_that_say_what_it_says() -> None:
    lineage = Lineage(Workspace(Memory({"a.txt": b"one\ntwo\nthree\n"})))
    part = Shown("a.txt", Lines(2, 4), Lines(1, 3), "two\nTHREE\n")
    one, two, three, end = lineage.lines("a.txt")
    assert lineage.shown(part) == [two, end]
    assert list(lineage.within("a.txt", Lines(1, 1))) == [one]
    assert lineage.paths[three] == "a.txt"


def test_a_file_that_goes_takes_its_lines_with_it() -> None:
    space = Workspace(Memory({"a.txt": b"one"}))
    lineage = Lineage(space)
    (one,) = lineage.lines("a.txt")
    entry = space.observe(Write("a.txt", b"one", None))
    assert lineage.wrote(entry.write, entry.tick) == ([one], [one])
    assert lineage.stand([one], entry.tick) == []
    assert [lineage.texts[n] for n in lineage.lines("a.txt")] == [""]
