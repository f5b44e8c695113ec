"""The terms of the texts in a file: a pure function of each text, remembered by it.

The text of a definition is read on its own, apart from its file: the cost is that of its size.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.extract.javascript_places import Grammar, parsed
from statetape.code.extract.javascript_shape import Source
from statetape.code.recent import Recent
from statetape.code.resolve.javascript_statements import VISITS
from statetape.code.resolve.javascript_terms import Terms
from statetape.code.resolve.javascript_walk import Nested, Walk
from statetape.code.treesitter import Block

_AROUND = {"class": (b"class _{", b"}"), "interface": (b"interface _{", b"}")}
_OBJECT, _FILE, _DECLARATOR = (b"({", b"})"), (b"", b""), (b"let ", b";")
_STATEMENT = re.compile(rb"\s*(?:(?:export|declare|const|let|var|default)\b|[\w$.\[\]]+\s*=)")


class _Text(NamedTuple):
    data: bytes
    grammar: Grammar
    nested: tuple[Nested, ...]
    held: tuple[Nested, ...]
    around: tuple[bytes, bytes]
    kind: str


_terms: Recent[_Text, Terms] = Recent(1_000_000)


def terms(source: Source, name: str) -> Iterator[Terms]:
    """The terms of each place of a definition. Cost: a parse and a walk of those not remembered."""
    for block in source.blocks.get(name, ()):
        text = _text(source, block)
        size = len(text.data) - sum(end - start for start, end, _ in text.nested)
        key = text._replace(data=treesitter.digest(text.data))
        yield _terms.get(key, size, partial(_walked, text))


@lru_cache(maxsize=1024)
def expression_terms(expression: str, grammar: Grammar) -> Terms:
    """The terms of an expression; its value is what it states of "". Cost: one parse."""
    data = b"(" + expression.encode() + b")"
    walk = Walk(data, VISITS)
    values = [walk.value(node) for node in parsed(data, grammar).named_children[:1]]
    found = walk.terms()
    return found._replace(stated={"": tuple(value for value in values if value >= 0)})


def _text(source: Source, block: Block) -> _Text:
    start, end = block.span
    nested: list[Nested] = []
    held: list[Nested] = []
    for child in block.children:
        inner = (child.span.start - start, child.span.end - start, child.name)
        is_held = child.kind == "variable" and not block.name
        (held if is_held else nested).append(inner)
        if is_held:
            nested += _below(child, start)
    return _Text(
        source.data[start:end],
        source.grammar,
        tuple(sorted(nested)),
        tuple(held),
        _around(source, block),
        block.kind,
    )


def _below(block: Block, start: int) -> list[Nested]:
    return [(each.span.start - start, each.span.end - start, each.name) for each in block.children]


def _around(source: Source, block: Block) -> tuple[bytes, bytes]:
    """What makes the text of a member a file of its own."""
    if block.kind == "variable" and not _STATEMENT.match(source.data, *block.span):
        is_entry = b"module.exports" in source.data and block.name in source.shape.exports
        return _OBJECT if is_entry else _DECLARATOR
    if block.kind not in ("method", "field"):
        return _FILE
    outer = block.name.rpartition(".")[0]
    kinds = source.shape.kinds
    if kinds.get(outer) in _AROUND:
        return _AROUND[kinds[outer]]
    is_entry = outer not in kinds or kinds[outer] in ("variable", "method")
    return _OBJECT if is_entry else _AROUND["class"]


def _walked(text: _Text) -> Terms:
    before, after = text.around
    data = before + text.data + after
    shift = len(before)
    nested = [(start + shift, end + shift, name) for start, end, name in text.nested]
    whole = text.kind == "file"
    tree = treesitter.tree(data, *text.grammar).root_node if whole else parsed(data, text.grammar)
    owned = text.kind in ("function", "method")
    walk = Walk(data, VISITS, nested, owned=owned, whole=whole)
    for node in tree.named_children if text.around in (_FILE, _DECLARATOR) else _members(tree):
        walk.silent = any(s <= node.start_byte and node.end_byte <= e for s, e, _ in text.held)
        walk.value(node)
    walk.silent = False
    return walk.terms()


def _members(root: Node) -> list[Node]:
    """The members in what was put around them."""
    stack = list(root.named_children)
    while stack:
        node = stack.pop()
        if node.type in ("class_body", "interface_body", "object", "object_type"):
            return node.named_children
        stack += node.named_children
    return []
