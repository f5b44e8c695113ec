"""The terms of a Go text: a pure function of the text, found in one walk over its tree.

Local scopes are applied here. Terms that nothing needs are not made.
"""

from collections.abc import Callable
from functools import lru_cache

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.extract.go_shape import type_text
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.resolve.recent import Recent
from statetape.code.treesitter import text
from statetape.types import Span

_WRAPPED = ("parenthesized_expression", "index_expression", "type_instantiation_expression")
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
_known: Recent[bytes, Terms] = Recent(8192)


def function_terms(data: bytes, span: Span) -> Terms:
    """The terms of the function or method at a place of a file.

    Cost: one walk over it, remembered by its text; a parse of the file unless it is a recent one.
    """
    own = data[span.start : span.end]
    return _known.get(own, lambda: _Walk(*_function(data, span, own)).terms())


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
    """One walk over a text, in its order.

    `numbers` are the terms made so far. `types` are those of expressions, by node, and `local`
    those of the names in scope, which become numbered once something builds on them.
    """

    def __init__(self, data: bytes, root: Node) -> None:
        self.data = data
        self.root = root
        self.numbers: dict[Term, int] = {}
        self.types: dict[int, Term] = {}
        self.local: dict[str, Term | None] = {}
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
        type_ = self.types.get(self.root.id)
        number = self._number(type_) if type_ else -1
        return Terms(tuple(self.numbers), number)

    def _number(self, term: Term) -> int:
        return self.numbers.setdefault(term, len(self.numbers))

    def _stated(self, node: Node) -> Term:
        return Term("stated", type_text(self.data, node))

    def _typed(self, node: Node, term: Term | None) -> None:
        if term is not None:
            self.types[node.id] = term

    def _after(self, nodes: list[Node], note: Callable[[], None]) -> None:
        """Visits nodes, then takes note of what they were."""
        self.stack.append(note)
        self.stack += reversed(nodes)

    # Expressions

    def identifier(self, node: Node) -> None:
        name = text(self.data, node)
        if name in self.local:
            self._typed(node, self.local[name])
        else:
            self._number(Term("name", name))
            self.types[node.id] = Term("global", name)

    def selector(self, node: Node) -> None:
        operand = node.child_by_field_name("operand")
        field = node.child_by_field_name("field")
        if operand is None or field is None:
            return
        name = text(self.data, field)
        if operand.type == "identifier":
            qualifier = text(self.data, operand)
            free = qualifier not in self.local
            of = Term("qualifier", qualifier) if free else self.local[qualifier]
            self._select(node, of, name)
        else:
            self._after([operand], lambda: self._select(node, self.types.get(operand.id), name))

    def _select(self, node: Node, of: Term | None, name: str) -> None:
        if of is not None:
            number = self._number(of)
            self._number(Term("member", name, number))
            self.types[node.id] = Term("field", name, number)

    def call(self, node: Node) -> None:
        self._after(node.named_children, lambda: self._typed(node, self._called(node)))

    def _called(self, node: Node) -> Term | None:
        """The first result."""
        function = node.child_by_field_name("function")
        while function is not None and function.type in _WRAPPED and function.named_children:
            function = function.named_children[0]
        if function is None:
            return None
        if function.type == "selector_expression":
            of = self.types.get(function.id)
            return of._replace(kind="method") if of else None
        if function.type not in ("identifier", "type_identifier"):
            return None
        name = text(self.data, function)
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[:1] if arguments else []
        if name in ("new", "make") and first:
            return self._stated(first[0])
        if name == "append" and first:
            return self.types.get(first[0].id)
        return None if name in self.local else Term("function", name)

    def literal(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        if type_ is not None:
            self.types[node.id] = self._stated(type_)
            named: Node | None = type_
            while named and named.type in _ELEMENTS:
                named = named.child_by_field_name(_ELEMENTS[named.type])
            if named and named.type in _NAMED and text(self.data, named) not in self.local:
                self._number(Term("literal", type_text(self.data, named)))
        body = node.child_by_field_name("body")
        self.stack += [body] if body else []

    def keyed(self, node: Node) -> None:
        """A bare name as a key is a field."""
        key, *values = node.named_children or [node]
        bare = key.type == "literal_element" and [c.type for c in key.children] == ["identifier"]
        self.stack += reversed(values if bare or key is node else [key, *values])

    def conversion(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        self._typed(node, self._stated(type_) if type_ else None)
        self.children(node)

    def transparent(self, node: Node) -> None:
        """The type is that of the first child."""

        def note() -> None:
            if children:
                self._typed(node, self.types.get(children[0].id))

        children = node.named_children
        self._after(children, note)

    def element(self, node: Node) -> None:
        """An index; `<-x` is one too, any other unary operator leaves the type."""
        operand = node.child_by_field_name("operand")
        operator = node.child_by_field_name("operator")
        plain = operator is not None and operator.type != "<-"

        def note() -> None:
            of = self.types.get(operand.id) if operand else None
            if of is not None:
                self.types[node.id] = of if plain else Term("element", of=self._number(of))

        self._after(node.named_children, note)

    # Scopes and declarations

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
            self._bind(name, self._stated(types[0]) if len(types) == 1 else None)

    def _open(self, nodes: list[Node]) -> None:
        """Visits nodes in a scope of their own."""
        outer = self.local

        def close() -> None:
            self.local = outer

        self.local = outer.copy()
        self._after(nodes, close)

    def _bind(self, name: Node, term: Term | None) -> None:
        if name.type in ("identifier", "type_identifier"):
            self.local[text(self.data, name)] = term

    def parameter(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        stated = self._stated(type_) if type_ else None
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
            self._stated(type_) if type_ else None,
        )

    def assigned(self, node: Node) -> None:
        """`a, b := x`: the right side comes first, then the names."""
        left = node.child_by_field_name("left")
        self._declare(left.named_children if left else [], node.child_by_field_name("right"))

    def _declare(self, names: list[Node], right: Node | None, stated: Term | None = None) -> None:
        def bind() -> None:
            values = right.named_children if right else []
            for at, name in enumerate(names):
                self._bind(name, stated or self._value(values, at))

        self._after([right] if right else [], bind)

    def _value(self, values: list[Node], at: int) -> Term | None:
        """What the name in place `at` gets of the right side."""
        if len(values) != 1:
            return self.types.get(values[at].id) if at < len(values) else None
        term = self.types.get(values[0].id)
        if term is not None and term.kind in ("function", "method"):
            return term._replace(at=at)
        return term if at == 0 else None

    def ranged(self, node: Node) -> None:
        """`for k, v := range x`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or all(child.type != ":=" for child in node.children):
            self.children(node)
            return
        names = left.named_children

        def bind() -> None:
            of = self.types.get(right.id)
            number = self._number(of) if of else -1
            terms = [Term("key", of=number), Term("element", of=number)] if of else []
            for at, name in enumerate(names):
                self._bind(name, terms[at] if at < len(terms) else None)

        self._after([right], bind)

    def children(self, node: Node) -> None:
        self.stack += reversed(node.named_children)

    def nothing(self, node: Node) -> None:
        """No use is below."""


_VISITS: dict[str, Callable[[_Walk, Node], None]] = {
    "identifier": _Walk.identifier,
    "selector_expression": _Walk.selector,
    "call_expression": _Walk.call,
    "composite_literal": _Walk.literal,
    "keyed_element": _Walk.keyed,
    "type_assertion_expression": _Walk.conversion,
    "type_conversion_expression": _Walk.conversion,
    "parenthesized_expression": _Walk.transparent,
    "literal_element": _Walk.transparent,
    "slice_expression": _Walk.transparent,
    "index_expression": _Walk.element,
    "unary_expression": _Walk.element,
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
