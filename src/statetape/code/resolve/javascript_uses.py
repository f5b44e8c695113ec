"""The uses in a JavaScript text: a pure function of the text, found in one walk over its tree.

Local scopes are applied here; what is nested in the text as a definition of its own is left out.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.extract.javascript_places import Grammar, parsed
from statetape.code.recent import Recent
from statetape.code.resolve.javascript_expressions import Expressions, Local
from statetape.code.resolve.javascript_scopes import FUNCTIONS, below
from statetape.code.resolve.javascript_terms import Term, Terms
from statetape.types import Span

_SCOPES = (
    *FUNCTIONS,
    "statement_block",
    "for_statement",
    "for_in_statement",
    "catch_clause",
    "switch_body",
)
_BARREN = (
    "import_statement",
    "type_annotation",
    "export_clause",
    "comment",
    "string",
    "number",
    "regex",
    "this",
    "jsx_text",
    "property_identifier",
    "type_identifier",
    "predefined_type",
)


class Place(NamedTuple):
    """A place of a definition in a file, with the spans of the definitions nested in it.

    `around` is what makes its text a file of its own, where the whole file is damaged.
    """

    data: bytes
    grammar: Grammar
    span: Span
    nested: tuple[Span, ...] = ()
    around: tuple[bytes, bytes] | None = None


class _Key(NamedTuple):
    own: bytes
    grammar: Grammar
    nested: tuple[int, ...]
    around: tuple[bytes, bytes] | None


_uses: Recent[_Key, Terms] = Recent(1_000_000)
_locals: Recent[_Key, Terms] = Recent(300_000)


def used_terms(place: Place) -> Terms:
    """The terms of what a place uses.

    Cost: one walk over it, remembered by its text; a parse of the file unless it is a recent one.
    """
    key = _key(place)
    return _uses.get(key, len(key.own), lambda: _Walk(*_roots(place)).terms())


def local_terms(place: Place) -> Terms:
    """The terms of the names that a function gives the definitions nested in it. Cost: as above."""
    key = _key(place)
    return _locals.get(key, len(key.own), lambda: _local(*_roots(place)[:2]))


@lru_cache(maxsize=1024)
def expression_terms(expression: str, grammar: Grammar) -> Terms:
    """The terms of an expression. Cost: one parse, remembered."""
    data = b"(" + expression.encode() + b")"
    read = Expressions(data)
    value = read.value(next(iter(parsed(data, grammar).named_children), None))
    number = read.number(value) if value else -1
    return Terms(tuple(read.numbers), value=number)


def _key(place: Place) -> _Key:
    start, end = place.span
    nested = tuple(byte - start for span in place.nested for byte in span)
    return _Key(place.data[start:end], place.grammar, nested, place.around)


def _roots(place: Place) -> tuple[bytes, list[Node], list[tuple[int, int]]]:
    """A text, the nodes of it that stand in the place, and the nested spans there."""
    (start, end), data = place.span, place.data
    if place.around is None:
        node = treesitter.tree(data, *place.grammar).root_node
        inner = node.descendant_for_byte_range(start, end) or node
        whole = start <= inner.start_byte and inner.end_byte <= end
        nodes = [inner] if whole and inner != node else inner.named_children
        inside = [n for n in nodes if start <= n.start_byte and n.end_byte <= end]
        return data, inside, [(s.start, s.end) for s in place.nested]
    before, after = place.around
    shift = start - len(before)
    text = before + data[start:end] + after
    spans = [(s.start - shift, s.end - shift) for s in place.nested]
    return text, parsed(text, place.grammar).named_children, spans


def _local(data: bytes, roots: list[Node]) -> Terms:
    read = Expressions(data)
    nodes = (node for root in roots for node in below(root))
    function = next((node for node in nodes if node.type in FUNCTIONS), None)
    body = function.child_by_field_name("body") if function else None
    for node in (function, body):
        if node is not None:
            read.local = read.inside(node)
    found = {name: read.named(name) for name in read.local}
    numbers = {name: read.number(term) if term else -1 for name, term in found.items()}
    return Terms(tuple(read.numbers), numbers)


class _Walk:
    """One walk over a text, in its order. A `Local` on the stack is in scope from there on."""

    def __init__(self, data: bytes, roots: list[Node], nested: list[tuple[int, int]]) -> None:
        self.read = Expressions(data)
        self.nested = nested
        self.size = len(data)
        self.stack: list[Node | Local] = list(reversed(roots))

    def terms(self) -> Terms:
        stack = self.stack
        while stack:
            item = stack.pop()
            if isinstance(item, Local):
                self.read.local = item
            elif self.nested and self._is_nested(item):
                pass
            elif visit := _VISITS.get(item.type):
                visit(self, item)
            else:
                stack += reversed(item.named_children)
        return Terms(tuple(self.read.numbers))

    def _is_nested(self, node: Node) -> bool:
        at = bisect_right(self.nested, (node.start_byte, self.size)) - 1
        return at >= 0 and node.end_byte <= self.nested[at][1]

    def nothing(self, node: Node) -> None:
        """No use is below."""

    def children(self, node: Node) -> None:
        """The name that a function or class declares is no use."""
        name = node.child_by_field_name("name")
        self.stack += [child for child in reversed(node.named_children) if child != name]

    def used(self, node: Node) -> None:
        value = self.read.value(node)
        if value is not None:
            self.read.number(Term("used", of=self.read.number(value)))

    def member(self, node: Node) -> None:
        object_ = node.child_by_field_name("object")
        self.used(node)
        self.stack += [object_] if object_ else []

    def made(self, node: Node) -> None:
        value = self.read.value(node)
        if value is not None:
            self.read.number(Term("constructed", of=self.read.number(value)))
        self.stack += reversed(node.named_children)

    def call(self, node: Node) -> None:
        children = node.named_children
        if children and children[0].type == "super":
            this = self.read.number(Term("this"))
            inherited = self.read.number(Term("inherited", "constructor", this))
            self.read.number(Term("used", of=inherited))
        self.stack += reversed(children)

    def declared(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        self.stack += [value] if value else []

    def element(self, node: Node) -> None:
        """A JSX element; one that is an HTML tag is no use."""
        self.stack += [
            child
            for child in reversed(node.named_children)
            if child.type != "identifier" or not self.read.text(child)[:1].islower()
        ]

    def scope(self, node: Node) -> None:
        self.stack.append(self.read.local)
        self.read.local = self.read.inside(node)
        if node.type in FUNCTIONS:
            self.children(node)
        else:
            self.stack += reversed(node.named_children)


_VISITS: dict[str, Callable[[_Walk, Node], None]] = {
    "identifier": _Walk.used,
    "shorthand_property_identifier": _Walk.used,
    "member_expression": _Walk.member,
    "new_expression": _Walk.made,
    "call_expression": _Walk.call,
    "variable_declarator": _Walk.declared,
    "required_parameter": _Walk.declared,
    "optional_parameter": _Walk.declared,
    "class": _Walk.children,
    "class_declaration": _Walk.children,
    "jsx_opening_element": _Walk.element,
    "jsx_closing_element": _Walk.element,
    "jsx_self_closing_element": _Walk.element,
}
_VISITS |= dict.fromkeys(_SCOPES, _Walk.scope) | dict.fromkeys(_BARREN, _Walk.nothing)
