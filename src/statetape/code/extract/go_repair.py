"""A damaged declaration of a Go file: what its healthy lines still declare.

One lost brace makes a parser drop the whole declaration. Of a block of constants or imports, and
of a struct, the members that do not parse alone are blanked without moving a byte. A function is
named by its first line.
"""

import re
from itertools import pairwise

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.treesitter import Place

_FUNCTION = re.compile(
    rb"func[ \t]+(?:\([^)\n]*?\*?[ \t]*(?P<type>\w+)(?:\[[^\]\n]*\])?[ \t]*\)[ \t]*)?(?P<name>\w+)"
)
_TYPE = re.compile(rb"type[ \t]+(?P<name>\w+)(?:\[[^\n]*\])?[ \t]+(?P<kind>struct|interface)?")
_BLOCK = re.compile(
    rb"(?P<word>import|const|var|type)[ \t]*\([^\n]*\n"
    rb"|type[ \t]+\w+(?:\[[^\n]*\])?[ \t]+(?P<kind>struct|interface)\b[ \t]*(?P<open>\{[^\n]*)?\n"
)
_MEMBER = re.compile(rb"^(?:\t| {1,4})?(?=[^\s)}])[^\n]*", re.MULTILINE)
_LAST_LINE = re.compile(rb"^[})][^\n]*", re.MULTILINE)
_TEXT = re.compile(rb"[^\r\n]")
# A block of more members is not searched for the damaged ones.
_MOST = 2000


def mended(piece: bytes) -> tuple[bytes, Node] | None:
    """A declaration without what is damaged in it or behind it, and its tree, if that helps.

    All that is left stands where it stood; a lost last line may be added. Cost: a parse of each
    member of a block.
    """
    first, last = piece.find(b"\n"), _LAST_LINE.search(piece)
    for cut in (last.end() if last else -1, first):
        whole = piece[:cut] + _TEXT.sub(b" ", piece[cut:]) + b"\n"
        if cut > 0 and not (root := _parsed(whole)).has_error:
            return whole, root
    return _members(piece)


def _members(piece: bytes) -> tuple[bytes, Node] | None:
    block = _BLOCK.match(piece)
    if block is None:
        return None
    ends = [line.start() for line in _LAST_LINE.finditer(piece, block.end())]
    close = b")" if block["word"] else b"}"
    end = ends[-1] if ends else len(piece)
    starts = [line.start() for line in _MEMBER.finditer(piece, block.end(), end)]
    if len(starts) > _MOST:
        return None
    before = b"%b (\n" % block["word"] if block["word"] else b"type _ %b {\n" % block["kind"]
    text = bytearray(piece)
    if block["kind"] and not block["open"]:
        text[block.end() - 1 : block.end()] = b"{"
    for first, last in pairwise([*starts, end]):
        member = piece[first:last]
        if _parsed(before + _valued(member, before) + b"\n" + close + b"\n").has_error:
            text[first:last] = _TEXT.sub(b" ", member)
            if block["word"] == b"const" and first != starts[0]:
                text[first : first + 1] = b"_"  # the others keep their numbers
    close += b"\n"
    for whole in (bytes(text), bytes(text[:end]) + close, bytes(text).rstrip() + b"\n" + close):
        root = _parsed(whole)
        if not root.has_error:
            return whole, root
    return None


def guess(piece: bytes) -> Place | None:
    """The place of a damaged declaration: to its last line at the first column, if there is one."""
    ends = [line.end() for line in _LAST_LINE.finditer(piece)]
    end = ends[-1] if ends else _text_end(piece)
    if found := _FUNCTION.match(piece):
        type_, name = found["type"], found["name"].decode(errors="replace")
        if type_:
            return Place(f"{type_.decode(errors='replace')}.{name}", "method", 0, end)
        return Place(name, "function", 0, end)
    if found := _TYPE.match(piece):
        kind = (found["kind"] or b"type").decode()
        return Place(found["name"].decode(errors="replace"), kind, 0, end)
    return None


def _valued(member: bytes, before: bytes) -> bytes:
    """A constant without a value repeats an earlier one: alone, it needs one in front."""
    return b"_ = 0\n" + member if before.startswith(b"const") else member


def _parsed(text: bytes) -> Node:
    return treesitter.parser("tree_sitter_go").parse(text).root_node


def _text_end(piece: bytes) -> int:
    """The end of a text without the comment lines behind it: they belong to what follows."""
    lines = piece.splitlines(keepends=True)
    while len(lines) > 1 and lines[-1].strip()[:2] in (b"", b"//"):
        lines.pop()
    return len(b"".join(lines).rstrip())
