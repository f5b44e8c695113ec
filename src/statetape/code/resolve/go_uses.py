"""The uses in a Go text: a pure function of the text, found in one walk over its tree.

Local scopes are applied here. The walk is over all expressions, types are found where a use or
a local name needs one.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Literal

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.recent import Recent
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.resolve.go_types import Types

_NAMED = ("type_identifier", "qualified_type", "generic_type")
_ELEMENTS = {
    "slice_type": "element",
    "array_type": "element",
    "implicit_length_array_type": "element",
    "map_type": "value",
}
_PREDECLARED = re.compile(
    "any|bool|byte|error|rune|string|uintptr|complex(?:64|128)|float(?:32|64)|u?int(?:8|16|32|64)?"
)
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
    "label_name",
)
_known: Recent[bytes, Terms] = Recent(1_000_000)


def declaration_terms(text: bytes) -> Terms:
    """The terms of a function, a method, or a declaration of variables, by its own text.

    Cost: a parse and a walk, remembered.
    """
    return _known.get(text, len(text), lambda: _Walk(text, _parsed(text)).terms())


@lru_cache(maxsize=1024)
def expression_terms(expression: str, at: int = 0) -> Terms:
    """The terms of an expression, with the type of its result `at`. Remembered, too."""
    data = b"package p; var _ = " + expression.encode()
    for node in _parsed(data).named_children:
        for spec in node.named_children:
            value = spec.child_by_field_name("value")
            if value is not None and value.named_children:
                return _Walk(data, value.named_children[0]).terms(at)
    return Terms(())


def _parsed(data: bytes) -> Node:
    return treesitter.parser("tree_sitter_go").parse(data).root_node


class _Walk:
    """One walk over a text, in its order. Behind a callable on the stack is what it follows."""

    def __init__(self, data: bytes, root: Node) -> None:
        self.types = Types(data)
        self.root = root
        self.stack: list[Node | Callable[[], None]] = [root]

    def terms(self, at: int = 0) -> Terms:
        """All terms, with the type of result `at` of the text."""
        stack = self.stack
        while stack:
            item = stack.pop()
            if not isinstance(item, Node):
                item()
            elif visit := _VISITS.get(item.type):
                visit(self, item)
            else:
                stack += reversed(item.named_children)
        return self.types.terms(self.root, at)

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

    def mentioned(self, node: Node) -> None:
        """A type that is no more than named."""
        name = self.types.text(node)
        known = self.types.local.keys() | self.types.constraints.keys()
        if not _PREDECLARED.fullmatch(name) and name.partition(".")[0] not in known:
            self.types.number(Term("mentioned", name))

    def converted(self, node: Node) -> None:
        """`F[T](x)`: a call, or a conversion."""
        type_ = node.child_by_field_name("type")
        name = type_.child_by_field_name("type") if type_ else None
        self.stack += reversed(node.named_children)
        if type_ is None or type_.type != "generic_type" or name is None:
            return
        package, _, own = self.types.text(name).rpartition(".")
        if package:
            of = self.types.number(Term("qualifier", package))
            self.types.number(Term("member", own, of))
        elif own not in self.types.local:
            self.types.number(Term("name", own))

    def literal(self, node: Node) -> None:
        type_, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        named = type_
        while named and named.type in _ELEMENTS:
            named = named.child_by_field_name(_ELEMENTS[named.type])
            if named and named.type == "pointer_type" and named.named_children:
                named = named.named_children[0]
        if named and named.type in _NAMED and self.types.text(named) not in self.types.local:
            self.types.number(self.types.stated(named)._replace(kind="literal"))
        if type_ is not None and type_.type not in _NAMED:
            self.stack.append(type_)
        if body is not None:
            self._elements(body, self.types.stated(type_) if type_ else None)

    def _elements(self, body: Node, of: Term | None) -> None:
        """The elements of a literal of a type. A bare name as a key may be a field."""
        number = self.types.number(of) if of else -1
        element = Term("element", of=number) if of else None
        for child in reversed(body.named_children):
            value = child
            if child.type == "keyed_element":
                key, *values = child.named_children or [child]
                value = values[-1] if values else key
                if values:
                    self._key(key, number)
            inner = value.named_children[0] if value.named_children else value
            if value.type == "literal_element" and inner.type == "literal_value":
                self.stack.append(partial(self._elements, inner, element))
            else:
                self.stack.append(value)

    def _key(self, key: Node, of: int) -> None:
        inner = key.named_children[0] if key.named_children else key
        if key.type != "literal_element" or inner.type != "identifier":
            self.stack.append(key)
            return
        name = self.types.text(inner)
        if of >= 0:
            kind: Literal["member", "key"] = "member" if name in self.types.local else "key"
            self.types.number(Term(kind, name, of))

    def scope(self, node: Node) -> None:
        self._open(node.named_children)

    def function(self, node: Node) -> None:
        self._open(node.named_children[1:])
        self.types.constraints = {}

    def constrained(self, node: Node) -> None:
        """A type parameter stands for what it has to be."""
        type_ = node.child_by_field_name("type")
        self.stack += [type_] if type_ else []
        for name in node.children_by_field_name("name"):
            self.types.constraints[self.types.text(name)] = (
                self.types.stated(type_).name if type_ else ""
            )

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
        self.stack += [type_] if type_ else []

    def named(self, node: Node) -> None:
        """Constants and local types."""
        for name in node.children_by_field_name("name"):
            self._bind(name, None)
        self.stack += reversed(node.children_by_field_name("value"))

    def variable(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        self.stack += [type_] if type_ else []
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
    "type_identifier": _Walk.mentioned,
    "qualified_type": _Walk.mentioned,
    "type_conversion_expression": _Walk.converted,
    "type_parameter_declaration": _Walk.constrained,
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
