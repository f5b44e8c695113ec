"""Broken Python: which definitions a text still states when some of its lines do not parse.

One open bracket makes a parser lose everything behind it, but the indentation still tells where
definitions begin and end. A block that does not parse alone is reduced to its header (and to
the blocks nested in it) without moving a line; the definitions of the text that is left are
then found on the same lines of the original.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from tree_sitter import Node

from statetape.code.treesitter import Place

_HEADER = re.compile(
    rb"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([a-zA-Z_\x80-\xff][\w\x80-\xff]*)"
)
_STATEMENT = re.compile(
    rb"(?:if|for|while|try|with|return|import|from|raise|pass|async|else|elif|except|finally)\b"
    rb"|[a-zA-Z_][\w.]*\s*[=(:\[]"
)
_CONFLICT = re.compile(rb"<{7}|={7}|>{7}|\|{7}")
_CONTINUED = (b" ", b"\t", b")", b"]", b"}")

Parse = Callable[[bytes], Node]


def places(data: bytes, parse: Parse, stated: Callable[[bytes, Node], list[Place]]) -> list[Place]:
    """The places of the definitions in broken text; `stated` finds them in a tree that parses.

    Costs a few parses of the text, more only where whole nests of definitions are broken.
    """
    lines = data.split(b"\n")
    kept = [b"" if _CONFLICT.match(line) else line for line in lines]
    blocks = _blocks(kept)
    outermost = [block for block in blocks if block.outermost]
    doubtful = {
        id(block) for top in outermost if not _parses(kept, top, parse) for block in top.all()
    }
    reduced: dict[int, _Block] = {}
    for block in reversed(blocks):  # nested blocks come after those that hold them
        if id(block) in doubtful and not _parses(kept, block, parse):
            _reduce(kept, block, parse)
            reduced[block.header] = block
    text = b"\n".join(kept)
    root = parse(text)
    if root.has_error:
        _blank_statements(kept, outermost, parse)
        text = b"\n".join(kept)
        root = parse(text)
    old, new = _starts(lines), _starts(kept)

    def original(place: Place) -> Place:
        first, last = (bisect_right(new, byte) - 1 for byte in (place.start, place.end - 1))
        start = old[first] + place.start - new[first]
        end = min(old[last] + place.end - new[last], old[last] + len(lines[last]))
        block = reduced.get(first)
        if block is not None:
            start = old[block.first] + block.indent
            end = old[block.last] + len(lines[block.last])
        return place._replace(start=start, end=max(start, end))

    return [original(place) for place in stated(text, root)]


class _Block:
    """A definition by indentation; `first` (its decorators), `header` and `last` index lines."""

    __slots__ = ("children", "first", "header", "indent", "last", "outermost", "stub")

    def __init__(self, first: int, header: int, indent: int, stub: bytes) -> None:
        self.first = first
        self.header = header
        self.last = header
        self.indent = indent
        self.stub = stub
        self.outermost = True
        self.children: list[_Block] = []

    def all(self) -> list["_Block"]:
        """The block and all blocks in it."""
        found = [self]
        for block in found:
            found += block.children
        return found


def _blocks(lines: Sequence[bytes]) -> list[_Block]:
    """The definitions in the order of their headers."""
    found: list[_Block] = []
    stack: list[_Block] = []
    decorators: tuple[int, int] | None = None  # line index and indentation of the first
    for index, line in enumerate(lines):
        content = line.lstrip(b" \t")
        if not content.strip() or content.startswith(b"#"):
            continue
        indent = len(line) - len(content)
        header = _HEADER.match(line)
        decorator = content.startswith(b"@")
        if header or decorator or _ends_block(content, indent):
            while stack and stack[-1].indent >= indent:
                stack.pop()
        if decorator:
            decorators = decorators if decorators and decorators[1] == indent else (index, indent)
        elif header:
            first = decorators[0] if decorators and decorators[1] == indent else index
            stub = header[1] + header[2] + b" " + header[3]
            stub += b"():" if header[2] == b"def" else b":"
            block = _Block(first, index, indent, stub)
            if stack:
                block.outermost = False
                stack[-1].children.append(block)
            stack.append(block)
            found.append(block)
            decorators = None
        elif decorators and indent <= decorators[1] and not content.startswith(_CONTINUED):
            decorators = None
        if not decorator:
            for block in stack:
                block.last = index
    return found


def _ends_block(content: bytes, indent: int) -> bool:
    return not content.startswith(_CONTINUED) and (indent == 0 or bool(_STATEMENT.match(content)))


def _parses(lines: Sequence[bytes], block: _Block, parse: Parse) -> bool:
    return _clean(lines[block.first : block.last + 1], block.indent, parse)


def _clean(lines: Sequence[bytes], indent: int, parse: Parse) -> bool:
    text = b"\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)
    return not parse(text + b"\n").has_error


def _reduce(lines: list[bytes], block: _Block, parse: Parse) -> None:
    """Leave the header and the nested blocks; the header alone where that does not parse."""
    inside = range(block.first, block.last + 1)
    held = {i for child in block.children for i in range(child.first, child.last + 1)}
    for i in inside:
        if i not in held:
            lines[i] = b""
    if held:
        lines[block.header] = block.stub
        if _parses(lines, block, parse):
            return
        for i in held:
            lines[i] = b""
    lines[block.header] = block.stub + b" pass"


def _blank_statements(lines: list[bytes], outermost: Sequence[_Block], parse: Parse) -> None:
    """Blank the statements outside all definitions that do not parse alone."""
    held = {i for block in outermost for i in range(block.first, block.last + 1)}
    loose = [i for i, line in enumerate(lines) if i not in held and line.strip()]
    statements: list[list[int]] = []
    for i in loose:
        if statements and lines[i].startswith(_CONTINUED):
            statements[-1].append(i)
        else:
            statements.append([i])
    for statement in statements:
        if not _clean([lines[i] for i in statement], 0, parse):
            for i in statement:
                lines[i] = b""


def _starts(lines: Sequence[bytes]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines)]
