"""The uses in a Go text: a pure function of the text, found in one walk over its tree.

Local scopes are applied here. The walk is over all expressions, types are found where a use or
a local name needs one.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.recent import Recent
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.resolve.go_types import Types
from statetape.types import Span

_NAMED = ("type_identifier", "qualified_type", "generic_type")
_ELEMENTS = {
    "slice_type": "element",
    "array_type": "element",
    "implicit_length_array_type": "element",
    "map_type": "value",
}
_SCOPES = (
    "block",
    "func_literal",
    "method_declaration",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "expression_case",
    "default_case",
    "communication_case",
)
_BARREN = (
    "comment",
    "field_identifier",
    "interpreted_string_literal",
    "raw_string_literal",
    "rune_literal",
    "int_literal",
    "nil",
    "true",
    "false",
    "type_identifier",
    "qualified_type",
)
_known: Recent[bytes, Terms] = Recent(1_000_000)


def function_terms(data: bytes, span: Span) -> Terms:
    """The terms of the function or method at a place of a file.

    Cost: one walk over it, remembered by its text; a parse of the file unless it is a recent one.
    """
    own = data[span.start : span.end]
    return _known.get(own, len(own), lambda: _Walk(*_function(data, span, own)).terms())


@lru_cache(maxsize=1024)
def expression_terms(expression: str) -> Terms:
    """The terms of an expression. Cost: one parse and one walk, remembered."""
    data = b"package p; var _ = " + expression.encode()
    for node in _parsed(data).named_children:
        for spec in node.named_children:
            value = spec.child_by_field_name("value")
            if value is not None and value.named_children:
                return _Walk(data, value.named_children[0]).terms()
    return Terms(())


def _function(data: bytes, span: Span, own: bytes) -> tuple[bytes, Node]:
    """A text and the node in it that is the function: of a damaged file, of its own text."""
    root = treesitter.tree(data, "tree_sitter_go").root_node
    node = None if root.has_error else root.first_named_child_for_byte(span.start)
    if node and span.start <= node.start_byte and node.end_byte <= span.end:
        return data, node
    return own, _parsed(own)


def _parsed(data: bytes) -> Node:
    return treesitter.parser("tree_sitter_go").parse(data).root_node


class _Walk:
    """One walk over a text, in its order. Behind a callable on the stack is what it follows."""

    def __init__(self, data: bytes, root: Node) -> None:
        self.types = Types(data)
        self.root = root
        self.stack: list[Node | Callable[[], None]] = [root]

    def terms(self) -> Terms:
        stack = self.stack
        while stack:
            item = stack.pop()
            if not isinstance(item, Node):
                item()
            elif visit := _VISITS.get(item.type):
                visit(self, item)
            else:
                stack += reversed(item.named_children)
        return self.types.terms(self.root)

    def nothing(self, node: Node) -> None:
        """No use is below."""

    def _after(self, nodes: list[Node], note: Callable[[], None]) -> None:
        """Visits nodes, then takes note of what they were."""
        self.stack.append(note)
        self.stack += reversed(nodes)

    def identifier(self, node: Node) -> None:
        name = self.types.text(node)
        if name not in self.types.local:
            self.types.number(Term("name", name))

    def selector(self, node: Node) -> None:
        selected = self.types.of(node)
        if selected is not None:
            self.types.number(Term("member", selected.name, selected.of))
        operand = node.child_by_field_name("operand")
        if operand is not None and operand.type != "identifier":
            self.stack.append(operand)

    def literal(self, node: Node) -> None:
        named = node.child_by_field_name("type")
        while named and named.type in _ELEMENTS:
            named = named.child_by_field_name(_ELEMENTS[named.type])
        if named and named.type in _NAMED and self.types.text(named) not in self.types.local:
            self.types.number(self.types.stated(named)._replace(kind="literal"))
        body = node.child_by_field_name("body")
        self.stack += [body] if body else []

    def keyed(self, node: Node) -> None:
        """A bare name as a key is a field."""
        key, *values = node.named_children or [node]
        bare = key.type == "literal_element" and [c.type for c in key.children] == ["identifier"]
        self.stack += reversed(values if bare or key is node else [key, *values])

    def scope(self, node: Node) -> None:
        self._open(node.named_children)

    def function(self, node: Node) -> None:
        self._open(node.named_children[1:])

    def case(self, node: Node) -> None:
        """`switch v := x.(type)`: in a case of one type, `v` has it."""
        self._open(node.named_children)
        switch = node.parent
        alias = switch.child_by_field_name("alias") if switch else None
        types = node.children_by_field_name("type")
        for name in alias.named_children if alias else []:
            self._bind(name, self.types.stated(types[0]) if len(types) == 1 else None)

    def _open(self, nodes: list[Node]) -> None:
        """Visits nodes in a scope of their own."""
        outer = self.types.local

        def close() -> None:
            self.types.local = outer

        self.types.local = outer.copy()
        self._after(nodes, close)

    def _bind(self, name: Node, term: Term | None) -> None:
        if name.type in ("identifier", "type_identifier"):
            self.types.local[self.types.text(name)] = term

    def parameter(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        stated = self.types.stated(type_) if type_ else None
        if stated and node.type.startswith("variadic"):
            stated = stated._replace(name="..." + stated.name)
        for name in node.children_by_field_name("name"):
            self._bind(name, stated)

    def named(self, node: Node) -> None:
        """Constants and local types."""
        for name in node.children_by_field_name("name"):
            self._bind(name, None)
        self.stack += reversed(node.children_by_field_name("value"))

    def variable(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        self._declare(
            node.children_by_field_name("name"),
            node.child_by_field_name("value"),
            self.types.stated(type_) if type_ else None,
        )

    def assigned(self, node: Node) -> None:
        """`a, b := x`: the right side comes first, then the names."""
        left = node.child_by_field_name("left")
        self._declare(left.named_children if left else [], node.child_by_field_name("right"))

    def _declare(self, names: list[Node], right: Node | None, stated: Term | None = None) -> None:
        def bind() -> None:
            values = right.named_children if right else []
            for at, name in enumerate(names):
                self._bind(name, stated or self.types.value(values, at))

        self._after([right] if right else [], bind)

    def ranged(self, node: Node) -> None:
        """`for k, v := range x`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or all(child.type != ":=" for child in node.children):
            self.stack += reversed(node.named_children)
            return
        names = left.named_children

        def bind() -> None:
            for name, term in zip_longest(names, self.types.ranged(right)[: len(names)]):
                self._bind(name, term)

        self._after([right], bind)


_VISITS: dict[str, Callable[[_Walk, Node], None]] = {
    "identifier": _Walk.identifier,
    "selector_expression": _Walk.selector,
    "composite_literal": _Walk.literal,
    "keyed_element": _Walk.keyed,
    "parameter_declaration": _Walk.parameter,
    "variadic_parameter_declaration": _Walk.parameter,
    "const_spec": _Walk.named,
    "type_spec": _Walk.named,
    "type_alias": _Walk.named,
    "var_spec": _Walk.variable,
    "short_var_declaration": _Walk.assigned,
    "range_clause": _Walk.ranged,
    "function_declaration": _Walk.function,
    "type_case": _Walk.case,
}
_VISITS |= dict.fromkeys(_SCOPES, _Walk.scope) | dict.fromkeys(_BARREN, _Walk.nothing)
