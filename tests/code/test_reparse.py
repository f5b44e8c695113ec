"""Trees of edited texts: the same as if the text had never been another."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.reparse import Trees

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "go": ("tree_sitter_go", "language"),
}
SOURCES = {
    "python": b"""import os

class A:
    x = 1

    def f(self):
        return os

y = A()
""",
    "typescript": b"""import a from 'a'
class A {
  x = 1
  f(): number { return a }
}
new A()
""",
    "go": b"""package p

import "os"

type A struct {
    x int
}

func (a A) F() int {
    return a.x
}
""",
}
PIECES = st.sampled_from([b"", b"\n", b"x", b"    ", b"\t", b"(", b"}", b"'", b"f()", b"\nq = 2\n"])
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=6)


def shape(root: Node) -> Iterator[tuple[object, ...]]:
    cursor = root.walk()
    while (node := cursor.node) is not None:
        points = node.start_point, node.end_point
        yield node.type, node.byte_range, points, cursor.field_name, node.is_missing
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


@pytest.mark.parametrize("language", GRAMMARS)
@given(edits=EDITS)
def test_an_edited_tree_is_that_of_its_text(
    language: str, edits: list[tuple[float, int, bytes]]
) -> None:
    parser = treesitter.parser(*GRAMMARS[language])
    trees = Trees(parser)
    text = SOURCES[language] * 2
    trees.tree(text, "a")
    for where, gone, new in edits:
        at = int(where * len(text))
        text = text[:at] + new + text[at + gone :]
        found = trees.tree(text, "a").root_node
        assert list(shape(found)) == list(shape(parser.parse(text).root_node))


def test_only_the_difference_to_the_last_state_is_parsed() -> None:
    class Counting:
        fresh = 0

        def parse(self, data: bytes, old: object = None) -> object:
            Counting.fresh += old is None
            given = () if old is None else (old,)
            return treesitter.parser("tree_sitter_python").parse(data, *given)

    trees = Trees(Counting())  # type: ignore[arg-type]
    text = SOURCES["python"]
    for path, data in [
        ("a", text),
        ("a", text + b"z = 3\n"),
        ("b", text + b"z = 3\n"),
        ("a", text + b"z = 4\n"),
        ("a", b"other = 1\n"),
        ("b", text + b"z = (\n"),
    ]:
        trees.tree(data, path)
    assert Counting.fresh == 3  # the first; another text; what the grammar cannot read
