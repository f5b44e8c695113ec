"""Damaged JavaScript and TypeScript, mended without moving a byte.

One lost brace costs a class its node, and every method with it. Formatted code tells by its
indentation where each statement ends: those that do not parse on their own are reduced to their
first line and their healthy inner statements, or blanked, so that all others keep their place.
"""

import re
from typing import NamedTuple

from statetape.code.conflicts import ours
from statetape.code.extract.javascript_places import Grammar, parsed
from statetape.code.recent import Recent

_LINE = re.compile(rb"^([ \t]*+)([^\s][^\n]*)", re.MULTILINE)
_NO_START = (
    b"{",
    b">",
    b"}",
    b")",
    b"]",
    b".",
    b"?",
    b":",
    b"|",
    b"&",
    b",",
    b"+",
    b"*",
    b"`",
    b"</",
    b"/>",
)
_DECORATORS = re.compile(rb"(?:\s*+@[^\n]*+\n)*+")
_BLANKED = bytes(each if each in b"\r\n" else ord(" ") for each in range(256))
_DEPTH = 12

_NAME = rb"(?P<name>[A-Za-z_$#][\w$]*)"
_EXPORT = rb"(?P<export>export[ \t]+(?:default[ \t]+)?)?"
_WORDS = rb"(?:(?:public|private|protected|static|async|readonly|override|abstract|get|set)[ \t]+)*"
_HEADERS = (
    (
        re.compile(_EXPORT + rb"(?:declare[ \t]+)?(?:abstract[ \t]+)?class[ \t]+" + _NAME),
        b"class %s{",
    ),
    (re.compile(_EXPORT + rb"(?:declare[ \t]+)?interface[ \t]+" + _NAME), b"interface %s{"),
    (re.compile(_EXPORT + rb"namespace[ \t]+" + _NAME), b"namespace %s{"),
    (re.compile(_EXPORT + rb"enum[ \t]+" + _NAME), b"enum %s{"),
    (
        re.compile(_EXPORT + rb"(?:async[ \t]+)?function[ \t*]+" + _NAME),
        b"function %s(){",
    ),
    (
        re.compile(
            _EXPORT + rb"(?:const|let|var)[ \t]+" + _NAME + rb"[^=\n]*=[ \t]*"
            rb"(?:async[ \t]*)?(?:function\b|\w+[ \t]*=>|[(<])"
        ),
        b"const %s=()=>{",
    ),
)
_MEMBER = re.compile(
    _WORDS + rb"\*?[ \t]*(?!(?:if|for|while|switch|catch|return)\b)" + _NAME + rb"[ \t]*[(<=?]"
)
# Which texts parse on their own: most of a damaged file is what it was one write before.
_healthy: Recent[tuple[Grammar, bytes], bool] = Recent(1_000_000)
_CLASS, _INTERFACE = b"class _{", b"interface _{"


class _Block(NamedTuple):
    """A statement by indentation: half-open byte range of whole lines, and its width."""

    start: int
    end: int
    indent: int


def mended(data: bytes, grammar: Grammar) -> bytes:
    """The text, as long as before, with damaged statements reduced or blanked.

    Cost: one parse of the whole, and of the damaged statements one for each level of nesting.
    """
    text = bytearray(ours(data))
    for block in _blocks(text, 0, len(text), -1):
        _mend(text, block, grammar, around=b"", depth=0)
    return bytes(text)


def _mend(text: bytearray, block: _Block, grammar: Grammar, *, around: bytes, depth: int) -> None:
    if _parses(text, block, grammar, around=around):
        return
    part = bytes(text[block.start : block.end])
    decorators = _DECORATORS.match(part)
    at = decorators.end() if decorators else 0
    stub = _stub(part[at:].lstrip(), around=around)
    header = _header_end(text, block, block.start + at)
    inner = _blocks(text, header, block.end, block.indent) if depth < _DEPTH else []
    inside = next((each for each in (_CLASS, _INTERFACE) if each.split()[0] + b" " in stub), b"")
    for child in inner:
        _mend(text, child, grammar, around=inside, depth=depth + 1)
    if _parses(text, block, grammar, around=around):
        return
    healthy = bytes(text[block.start : block.end])
    body_end = inner[-1].end if inner else block.end
    _blank(text, block.start, inner[0].start if inner else block.end)
    _blank(text, body_end, block.end)
    room = (inner[0].start if inner else block.end - 1) - block.start - block.indent
    if stub and len(stub) <= room:
        start = block.start + block.indent
        text[start : start + len(stub)] = stub
        text[_closing(healthy, block)] = ord("}")
    if not _parses(text, block, grammar, around=around):
        _blank(text, block.start, block.end)


def _header_end(text: bytearray, block: _Block, start: int) -> int:
    """Behind the line that opens the body of a statement; behind its first line if none does."""
    first = 0
    for line in _LINE.finditer(text, start, block.end):
        first = first or line.end() + 1
        if len(line[1]) == block.indent and line[2].rstrip().endswith(b"{"):
            return min(line.end() + 1, block.end)
    return min(first, block.end) or block.end


def _closing(healthy: bytes, block: _Block) -> int:
    """Where the closing brace of a reduced statement goes: where its text ended."""
    return block.start + max(len(healthy.rstrip()) - 1, 0)


def _parses(text: bytearray, block: _Block, grammar: Grammar, *, around: bytes) -> bool:
    part = bytes(text[block.start : block.end])
    if around:
        part = around + part + b"}"
    return _healthy.get((grammar, part), len(part), lambda: not parsed(part, grammar).has_error)


def _stub(line: bytes, *, around: bytes) -> bytes:
    """The shortest definition with the name that a damaged one begins with; empty: no name."""
    if around:
        found = _MEMBER.match(line)
        return found["name"] + (b"(){" if around == _CLASS else b":{") if found else b""
    for header, stub in _HEADERS:
        if found := header.match(line):
            return (found["export"] or b"") + stub % found["name"]
    return b""


def _blocks(text: bytearray, start: int, end: int, around: int) -> list[_Block]:
    """The statements of a range, indented alike and deeper than `around`."""
    starts: list[int] = []
    widths: list[int] = []
    indent = None
    decorated = False
    for line in _LINE.finditer(text, start, end):
        at = line.start(2)
        width = at - line.start()
        if width <= around:
            end = line.start()  # it closes the range
            break
        indent = width if indent is None else indent
        # What a file begins with is a statement, be it a lone brace: nobody else would mend it.
        begun = bool(starts) or around >= 0
        if width > indent or (begun and text.startswith(_NO_START, at)):
            continue
        if not decorated:
            starts.append(line.start())
            widths.append(width)
        decorated = text.startswith(b"@", at)
    return [_Block(*each) for each in zip(starts, [*starts[1:], end], widths, strict=False)]


def _blank(text: bytearray, start: int, end: int) -> None:
    """Overwrites all but the line ends."""
    text[start:end] = text[start:end].translate(_BLANKED)
