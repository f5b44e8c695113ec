"""Where lines stand after writes."""

from hypothesis import given
from hypothesis import strategies as st

from statetape.context.regions import blocks, moved
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
