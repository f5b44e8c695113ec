"""Where lines stand after writes."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from statetape.regions import Copy, blocks, followed, moved, places, remaining
from statetape.types import Lines, Write

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "", "x = 1"]), max_size=12)


def write(before: str, after: str) -> Write:
    """A write of one file."""
    return Write("f.py", before.encode(), after.encode())


def test_an_insertion_above_moves_lines_down() -> None:
    """Lines below an insertion keep their text and get later numbers."""
    assert moved(Lines(2, 3), [write("a\nb\nc\n", "new\nmore\na\nb\nc\n")]) == Lines(4, 5)


def test_a_change_inside_stretches_the_region() -> None:
    """A region grows with what is inserted within it."""
    assert moved(Lines(1, 3), [write("a\nb\nc\n", "a\nb1\nb2\nb3\nc\n")]) == Lines(1, 5)


def test_lines_removed_are_nowhere() -> None:
    """A region that is deleted has no place."""
    assert moved(Lines(2, 2), [write("a\nb\nc\n", "a\nc\n")]) is None


def test_a_deleted_file_has_no_lines() -> None:
    """None where the file is gone."""
    assert moved(Lines(1, 1), [Write("f.py", b"a\n", None)]) is None


def test_an_insertion_at_either_edge_stays_outside() -> None:
    """What is put right before or right behind a region is not part of it."""
    assert moved(Lines(2, 2), [write("a\nb\nc", "a\nX\nb\nY\nc")]) == Lines(3, 3)


def test_a_replaced_part_maps_inside_its_replacement() -> None:
    """A region within a replaced block stays within the replacement."""
    found = moved(Lines(3, 4), [write("1\na\nb\nc\nd\n2", "1\nA\nB\nC\nD\n2")])
    assert found == Lines(3, 4)


def test_a_first_line_that_became_several_is_shown_whole() -> None:
    """A block that starts with the region is all in it, at either end."""
    assert moved(Lines(2, 3), [write("1\na\nb\n2", "1\nA\nA\nA\nb\n2")]) == Lines(2, 5)
    assert moved(Lines(2, 3), [write("1\na\nb\n2", "1\na\nB\nB\nB\n2")]) == Lines(2, 5)
    assert moved(Lines(2, 2), [write("1\na\n2", "1\nA\nA\n2")]) == Lines(2, 3)


def test_a_block_across_an_edge_is_in_the_region_as_far_as_its_lines_were() -> None:
    """Of the lines that replace those across an edge, the nearest to the region count."""
    before, after = "a\nb\nc\nd\ne\nf", "a\nB\nB\nB\nd\ne\nf"
    assert moved(Lines(3, 5), [write(before, after)]) == Lines(4, 6)
    assert moved(Lines(1, 2), [write(before, after)]) == Lines(1, 3)
    assert moved(Lines(3, 4), [write(before, "a\nd\ne\nf")]) == Lines(2, 2)
    assert moved(Lines(2, 2), [write(before, after)]) == Lines(2, 3)
    assert moved(Lines(3, 3), [write(before, after)]) == Lines(3, 4)


def test_several_blocks_and_several_writes_add_up() -> None:
    """Each write is followed on what the one before has left."""
    first = write("a\nb\nc\nd\n", "x\na\nb\nnew\nc\nd\n")
    second = write("x\na\nb\nnew\nc\nd\n", "a\nb\nnew\nc\n")
    assert moved(Lines(2, 3), [first]) == Lines(3, 5)
    assert moved(Lines(2, 3), [first, second]) == Lines(2, 4)
    assert moved(Lines(2, 3), []) == Lines(2, 3)


def test_a_line_more_of_its_like_is_a_change_and_so_is_one_less() -> None:
    """A common head and a common tail do not share lines."""
    for lines in range(1, 5):
        fewer, more = "\n".join("a" * lines), "\n".join("a" * (lines + 1))
        assert blocks(write(fewer, more)) == ((lines, lines, lines, lines + 1),)
        assert blocks(write(more, fewer)) == ((lines, lines + 1, lines, lines),)
    assert blocks(write("a\na", "a\na")) == ()


def test_a_text_beyond_the_bound_of_comparison_is_one_block() -> None:
    """Costs nothing, and stays within the replacement."""
    old = "\n".join(f"old {n}" for n in range(2_500))
    new = "\n".join(f"new {n}" for n in range(2_500))
    assert blocks(write(f"a\n{old}\nz", f"a\n{new}\nz")) == ((1, 2_501, 1, 2_501),)


TWICE = "A\nrun\none\nB\nrun\none\n"


def copy_after(first: int, text: str, *texts: str | None) -> Copy:
    """The copy of `text` at a line of the first of these texts, after all of them."""
    copy = Copy(first, stands=True)
    sides = [None if each is None else each.encode() for each in texts]
    for before, after in pairwise(sides):
        copy = followed(copy, text, Write("f.py", before, after))
    return copy


def test_a_copy_falls_though_another_one_stands() -> None:
    """Of two equal runs of lines the one that is edited is gone, the other is not."""
    edited = TWICE.replace("one", "two", 1)
    assert copy_after(2, "run\none", TWICE, edited) == Copy(2, stands=False)
    assert copy_after(5, "run\none", TWICE, edited) == Copy(5, stands=True)


def test_a_copy_made_before_the_original_is_edited_is_not_the_original() -> None:
    """The usual way to write a variant: copy the lines, then change them where they were."""
    once = "A\nrun\none\n"
    assert not copy_after(2, "run\none", once, TWICE, TWICE.replace("one", "two", 1)).stands
    assert copy_after(2, "run\none", once, TWICE, TWICE.replace("one", "two", 1)[:-4]).first == 2


def test_a_copy_moves_with_what_is_put_above_and_taken_away_there() -> None:
    """Its line counts after each write."""
    assert copy_after(5, "run", TWICE, "x\n" + TWICE, TWICE[2:]) == Copy(4, stands=True)


def test_a_copy_that_one_write_moves_is_the_same_one() -> None:
    """Lines taken out here and put in there by one write have moved, above or below others."""
    assert copy_after(1, "a\nb", "a\nb\nc\nd\ne\n", "c\nd\ne\na\nb\n") == Copy(4, stands=True)
    assert copy_after(4, "a\nb", "c\nd\ne\na\nb\n", "a\nb\nc\nd\ne\n") == Copy(1, stands=True)


def test_a_copy_that_was_broken_stands_again_where_its_lines_are_put_back() -> None:
    """A reverted edit, a file that goes and comes back; not by another copy that stayed."""
    edited = TWICE.replace("one", "two", 1)
    assert copy_after(3, "one", TWICE, edited, edited + "more\n").stands is False
    assert copy_after(3, "one", TWICE, edited, TWICE) == Copy(3, stands=True)
    assert copy_after(6, "one", TWICE, None, None) == Copy(6, stands=False)
    assert copy_after(6, "one", TWICE, None, TWICE) == Copy(6, stands=True)


def test_the_places_of_lines_are_those_of_whole_lines() -> None:
    """Overlaps count, parts of lines do not."""
    assert places("a\na", "a\na\na\nab") == [1, 2]
    assert places("one", TWICE) == [3, 6]
    assert places("", "a\n") == [2]
    assert places("a", None) == []


@given(LINES, LINES, LINES, st.data())
def test_a_copy_stands_where_it_is_said_to(
    one: list[str], two: list[str], three: list[str], data: st.DataObject
) -> None:
    """Whatever is written: a copy that stands is one of the places of its text, and a lone text
    that is in the file stands."""
    texts = ["\n".join(lines) for lines in (one, two, three)]
    lines = texts[0].split("\n")
    first = data.draw(st.integers(1, len(lines)))
    text = "\n".join(lines[first - 1 : data.draw(st.integers(first, len(lines)))])
    copy = copy_after(first, text, *texts)
    assert not copy.stands or copy.first in places(text, texts[-1])
    if all(len(places(text, each)) == 1 for each in texts):
        assert copy.stands


NEW_LINES = st.lists(st.sampled_from(["A", "B", "y = 2"]), max_size=12)


@given(LINES, LINES, LINES, NEW_LINES, NEW_LINES)
def test_untouched_lines_keep_their_text(
    head: list[str], region: list[str], tail: list[str], above: list[str], below: list[str]
) -> None:
    """Whatever new lines replace those above and below, the region found again says the same."""
    region = ["def region():", *region, "end of region"]
    before = "\n".join([*head, *region, *tail])
    after = "\n".join([*above, *region, *below])
    lines = Lines(len(head) + 1, len(head) + len(region))
    found = moved(lines, [write(before, after)])
    assert found is not None
    assert after.split("\n")[found.first - 1 : found.last] == region


@given(LINES, LINES)
def test_blocks_turn_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    """Replacing each block's old lines by its new ones gives the text after."""
    before, after = "\n".join(old), "\n".join(new)
    out, at = [], 0
    left, right = before.split("\n"), after.split("\n")
    for block in blocks(write(before, after)):
        out += left[at : block.old_start] + right[block.new_start : block.new_end]
        at = block.old_end
    assert out + left[at:] == right


EDITS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), max_size=3)


@given(st.integers(1, 12), st.lists(EDITS, max_size=3), st.integers(1, 12), st.integers(0, 12))
def test_what_writes_left_alone_remains(
    count: int, changes: list[list[tuple[int, int]]], first: int, more: int
) -> None:
    """Of lines that are all different: those that still stand, wherever they are."""
    rows = [f"line {n}" for n in range(count)]
    first = min(first, count)
    asked = Lines(first, min(count, first + more))
    wanted = set(rows[asked.first - 1 : asked.last])
    writes = []
    for number, edits in enumerate(changes):
        before = "\n".join(rows)
        for size, at in edits:
            rows[at : at + size] = [f"new {number} {size} {at}"] * (size != 2)
        writes.append(write(before, "\n".join(rows)))
    found = [n for run in remaining(asked, writes) for n in range(run.first, run.last + 1)]
    assert found == [n for n, row in enumerate(rows, 1) if row in wanted]


def test_nothing_remains_of_a_file_that_was_gone() -> None:
    """What is put there again is another file's."""
    gone = [Write("f.py", b"a\n", None), Write("f.py", None, b"a\n")]
    assert remaining(Lines(1, 1), gone) == []
