"""The declarations of a damaged Go file.

One lost brace makes the parser read every later declaration as text of the damaged one. Formatted
Go starts each top-level declaration at the first column: each is parsed on its own, and one that
is damaged is named by its first line.
"""

import re
from itertools import pairwise

from statetape.code import treesitter
from statetape.code.extract.go_shape import Shape, declared
from statetape.code.treesitter import Place

_START = re.compile(
    rb"""`[^`]*+` | //[^\n]*+ | /\*(?s:.*?)(?:\*/|\Z) | "(?:[^"\\\n]++|\\.)*+"?
    | (?P<start>^(?:func|type|var|const|import|package)\b)""",
    re.MULTILINE | re.VERBOSE,
)
_FUNCTION = re.compile(
    rb"func[ \t]+(?:\([^)\n]*?\*?[ \t]*(?P<type>\w+)(?:\[[^\]\n]*\])?[ \t]*\)[ \t]*)?(?P<name>\w+)"
)
_TYPE = re.compile(rb"type[ \t]+(?P<name>\w+)[ \t]+(?P<kind>struct|interface)?")
_LAST_LINE = re.compile(rb"^[})][^\n]*", re.MULTILINE)


def repaired(data: bytes) -> tuple[list[Place], Shape]:
    """The places and the shape of a file that does not parse. Cost: one more parse of it."""
    parse = treesitter.parser("tree_sitter_go").parse
    roots = []
    guesses: list[Place] = []
    starts = [mark.start() for mark in _START.finditer(data) if mark["start"]]
    for start, end in pairwise([*starts, len(data)]):
        part = data[start:end]
        root = parse(part).root_node
        guess = _guess(part, start) if root.has_error else None
        if guess:
            guesses.append(guess)
        else:
            roots.append((start, part, root))
    places, shape = declared(roots)
    for guess in guesses:
        if guess.kind in ("function", "method"):
            shape.functions.setdefault(guess.name, ())
    return places + guesses, shape


def _guess(part: bytes, start: int) -> Place | None:
    """The place of a damaged declaration: to its last line at the first column, if there is one."""
    ends = [line.end() for line in _LAST_LINE.finditer(part)]
    end = ends[-1] if ends else _text_end(part)
    if found := _FUNCTION.match(part):
        type_, name = found["type"], found["name"].decode(errors="replace")
        if type_:
            return Place(f"{type_.decode(errors='replace')}.{name}", "method", start, start + end)
        return Place(name, "function", start, start + end)
    if found := _TYPE.match(part):
        kind = (found["kind"] or b"type").decode()
        return Place(found["name"].decode(errors="replace"), kind, start, start + end)
    return None


def _text_end(part: bytes) -> int:
    """The end of a text without the comment lines behind it: they belong to what follows."""
    lines = part.splitlines(keepends=True)
    while len(lines) > 1 and lines[-1].strip()[:2] in (b"", b"//"):
        lines.pop()
    return len(b"".join(lines).rstrip())
