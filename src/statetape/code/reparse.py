"""Trees that are parsed once: again where the text is known, in part where it was edited.

A tree does not depend on how it came about. Where the grammar had to recover from an error
nobody promises that, so such a text is parsed as a whole.
"""

from collections.abc import Callable
from functools import partial

from tree_sitter import Parser, Point, Tree

from statetape.code.recent import Recent

# Bytes of source. A tree takes some 24 times as many.
_MOST = 150_000
# An edit is worth following while this share of the longer text stays.
_WORTH = 0.5

_LATER_BYTES_ARE_LETTERS = bytes(range(128)) + b"x" * 128


def readable(data: bytes, grammar: str) -> bytes:
    """What the grammar of a wheel may be given of a text, byte for byte in the same place.

    The scanner of tree-sitter-bash looks each character up in a table of C's that has 256 rows:
    another one may end the process. To the shell they all are letters.
    """
    return data.translate(_LATER_BYTES_ARE_LETTERS) if grammar == "tree_sitter_bash" else data


class Trees:
    """The trees of one grammar, the last few of which are kept."""

    def __init__(self, parser: Parser, grammar: str = "") -> None:
        self._parser = parser
        self._grammar = grammar
        self._trees: Recent[bytes, Tree] = Recent(_MOST)
        self._last: Recent[str, tuple[bytes, Tree]] = Recent(_MOST)

    def tree(self, data: bytes, path: str = "") -> Tree:
        """The tree of a text. `path` says which file it is a state of, if any.

        Costs a parse of what differs from the last state of that file, else of all of it.
        """
        return self._trees.get(data, len(data), partial(self._parsed, data, path))

    def _parsed(self, data: bytes, path: str) -> Tree:
        data = readable(data, self._grammar)
        known = self._last.pop(path) if path else None
        found = self._edited(*known, data) if known is not None else None
        if found is None or found.root_node.has_error:
            found = self._parser.parse(data)
        if path:
            kept = data, found
            self._last.get(path, len(data), lambda: kept)
        return found

    def _edited(self, old: bytes, tree: Tree, new: bytes) -> Tree | None:
        short, long = sorted((len(old), len(new)))
        start = _agreeing(short, lambda i, j: old[i:j] == new[i:j])
        end = _agreeing(
            short - start,
            lambda i, j: old[len(old) - j : len(old) - i] == new[len(new) - j : len(new) - i],
        )
        if start + end < _WORTH * long:
            return None
        before, after = len(old) - end, len(new) - end
        tree = tree.copy()
        points = _point(old, start), _point(old, before), _point(new, after)
        tree.edit(start, before, after, *points)
        return self._parser.parse(new, tree)


def _agreeing(most: int, agree: Callable[[int, int], bool]) -> int:
    """How many positions from 0 on agree, at most `most`; `agree` compares a run of them."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _point(data: bytes, at: int) -> Point:
    return Point(data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1)
