"""Broken Python: which definitions a text still states when some of its lines do not parse.

One open bracket makes a parser lose everything behind it, but the indentation still tells where
definitions begin and end. A block that does not parse alone is reduced to its header, to the
blocks nested in it and, of a class, to its healthy statements, without moving a line; the
definitions of the text that is left are then found on the same lines of the original.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from tree_sitter import Node

from statetape.code.conflicts import ours
from statetape.code.treesitter import Place

_HEADER = re.compile(
    rb"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([a-zA-Z_\x80-\xff][\w\x80-\xff]*)"
)
_STATEMENT = re.compile(
    rb"(?:if|for|while|try|with|return|import|from|raise|pass|async|else|elif|except|finally)\b"
    rb"|[a-zA-Z_][\w.]*\s*[=(:\[]|\"\"\"\w|'''\w"
)
_CONTINUED = (b" ", b"\t", b")", b"]", b"}")
_ASSIGNED = re.compile(rb"([a-zA-Z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)")
_CLAUSE = re.compile(rb"(?:if|for|while|try|with|async|else|elif|except|finally)\b")
_GOES_ON = re.compile(rb"(?:else|elif|except|finally)\b")
_QUOTES = re.compile(rb"\"\"\"|'''")
# Columns.
_DEEPEST = 100
# Lines.
_LONGEST_HEADER = 30
_LONGEST_STRING = 400

Parse = Callable[[bytes], Node]


def places(data: bytes, parse: Parse, stated: Callable[[bytes, Node], list[Place]]) -> list[Place]:
    """The places of the definitions in broken text; `stated` finds them in a tree that parses.

    Costs a few parses of the text, more only where whole nests of definitions are broken.
    """
    lines = data.split(b"\n")
    kept = ours(data).split(b"\n")
    blocks = _blocks(kept)
    outermost = [block for block in blocks if block.outermost]
    doubtful = {
        id(block) for top in outermost if not _parses(kept, top, parse) for block in top.all()
    }
    reduced: dict[int, _Block] = {}
    for block in reversed(blocks):  # nested blocks come after those that hold them
        if id(block) in doubtful and not _parses(kept, block, parse):
            reduced |= _reduce(kept, block, parse)
    text = b"\n".join(kept)
    root = parse(text)
    if root.has_error:
        reduced |= _mend(kept, range(len(kept)), outermost, 0, parse)
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


def _reduce(lines: list[bytes], block: _Block, parse: Parse) -> dict[int, _Block]:
    """Leave the header, the nested blocks, and the healthy statements of a class.

    The header alone where that does not parse. Returns what was reduced, by the line that is left.
    """
    inside = range(block.first, block.last + 1)
    held = {i for child in block.children for i in range(child.first, child.last + 1)}
    found = {block.header: block}
    if block.stub.lstrip().startswith(b"class"):
        body = range(_behind_header(lines, block, parse), block.last + 1)
        for i in range(block.first, body.start):
            lines[i] = b""
        mended = _mend(lines, body, block.children, _indent(lines, body), parse)
        empty = not any(lines[i].strip() for i in body)
        lines[block.header] = block.stub + (b" pass" if empty else b"")
        if _parses(lines, block, parse):
            return found | mended
    for i in inside:
        if i not in held:
            lines[i] = b""
    if held:
        lines[block.header] = block.stub
        if _parses(lines, block, parse):
            return found
        for i in held:
            lines[i] = b""
    lines[block.header] = block.stub + b" pass"
    return found


def _behind_header(lines: Sequence[bytes], block: _Block, parse: Parse) -> int:
    """The first line of a class's body; the one behind its first line where that is damaged."""
    end = min(block.last, block.header + _LONGEST_HEADER) + 1
    for i in range(block.header, end):
        line = lines[i].split(b"#")[0].rstrip()
        header = [*lines[block.header : i], line + b" pass"]
        if line.endswith(b":") and _clean(header, block.indent, parse):
            return i + 1
    return block.header + 1


def _indent(lines: Sequence[bytes], inside: range) -> int:
    """The least indentation of some lines."""
    stated = (lines[i] for i in inside if lines[i].strip())
    return min((len(line) - len(line.lstrip(b" \t")) for line in stated), default=0)


def _mend(
    lines: list[bytes], inside: range, blocks: Sequence[_Block], indent: int, parse: Parse
) -> dict[int, _Block]:
    """Blank the statements around some blocks that do not parse, but for the name they assign.

    Returns what was reduced to a name, by its line.
    """
    found: dict[int, _Block] = {}
    for statement in _statements(lines, inside, blocks, indent, parse):
        if _clean(lines[statement.start : statement.stop], indent, parse):
            continue
        if _CLAUSE.match(lines[statement.start], indent):
            found |= _mend_clauses(lines, statement, blocks, indent, parse)
            if _clean(lines[statement.start : statement.stop], indent, parse):
                continue
        assigned = _ASSIGNED.match(lines[statement.start], indent)
        deeper = [b.last for b in blocks if b.indent > indent and b.first in statement]
        last = max([*deeper, *(i for i in statement if lines[i].strip())])
        for i in statement:
            lines[i] = b""
        if assigned:
            lines[statement.start] = b" " * indent + assigned[1] + b" = 0"
            found[statement.start] = _Block(statement.start, statement.start, indent, b"")
            found[statement.start].last = last
    return found


def _mend_clauses(
    lines: list[bytes], statement: range, blocks: Sequence[_Block], indent: int, parse: Parse
) -> dict[int, _Block]:
    """Blank the damaged statements within an `if`, a `try`, and the like."""
    heads = [i for i in statement if _CLAUSE.match(lines[i], indent) and lines[i][indent:].strip()]
    found: dict[int, _Block] = {}
    for head, end in pairwise([*heads, statement.stop]):
        body = range(head + 1, end)
        inner = _indent(lines, body)
        if indent < inner <= _DEEPEST:
            found |= _mend(lines, body, blocks, inner, parse)
        if not any(lines[i].strip() for i in body):
            lines[head] += b" pass"
    return found


def _statements(
    lines: Sequence[bytes], inside: range, blocks: Sequence[_Block], indent: int, parse: Parse
) -> Iterator[range]:
    """The lines of each statement, without the blocks that are indented alike.

    A block that is indented deeper belongs to the statement around it.
    """
    alike = {i for b in blocks if b.indent <= indent for i in range(b.first, b.last + 1)}
    starts: list[int] = []
    for i in inside:
        content = lines[i][indent:]
        if i in alike:
            if i - 1 not in alike or not starts:
                starts.append(i)
        elif (
            content.strip()
            and (i - 1 in alike or not content.startswith(_CONTINUED))
            and (not _GOES_ON.match(content) or not starts or starts[-1] in alike)
        ):
            starts.append(i)
    found = [range(start, end) for start, end in pairwise([*starts, inside.stop])]
    at = 0
    while at < len(found):
        statement = found[at]
        at += 1
        if statement.start in alike:
            continue
        end = _string_end(lines, found, at, indent, parse)
        yield range(statement.start, found[end - 1].stop)
        at = end


def _string_end(
    lines: Sequence[bytes], found: Sequence[range], at: int, indent: int, parse: Parse
) -> int:
    """How many statements end with the one a string goes through that begins before `at`."""
    first = found[at - 1]
    if sum(len(_QUOTES.findall(lines[i])) for i in first) % 2 == 0:
        return at
    for end in range(at, min(at + _LONGEST_STRING, len(found))):
        if any(_QUOTES.search(lines[i]) for i in found[end]):
            whole = lines[first.start : found[end].stop]
            return end + 1 if _clean(whole, indent, parse) else at
    return at


def _starts(lines: Sequence[bytes]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines)]
