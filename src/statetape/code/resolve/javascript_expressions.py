"""The values of JavaScript expressions, under the scopes that are open."""

from functools import lru_cache

from tree_sitter import Node

from statetape.code.extract import javascript_places
from statetape.code.extract.javascript_modules import pattern_names, required
from statetape.code.extract.javascript_places import Grammar
from statetape.code.extract.javascript_shape import type_text
from statetape.code.resolve.javascript_values import Value, Values
from statetape.code.treesitter import text

_DEEPEST = 60
_TRANSPARENT = (
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
    "await_expression",
    "expression_statement",
)
Binding = Value | Node | None
"""A local name: its value, the node that declares it, or nothing known."""


@lru_cache(maxsize=1024)
def parsed(data: bytes, grammar: Grammar) -> Node:
    """The root of the tree of a text. A pure function: the same text is parsed once."""
    return javascript_places.parsed(data, grammar)


class Expressions:
    """The values of expressions in one text of one file; `this` and `owner` are what it is in."""

    def __init__(self, values: Values, path: str, data: bytes, this: Value | None = None) -> None:
        self.values = values
        self.path = path
        self.data = data
        self.this = this
        self.scopes: list[tuple[bytes, dict[str, Binding]]] = []

    def text(self, node: Node) -> str:
        """The text of a node."""
        return text(self.data, node)

    def value(self, node: Node | None, depth: int = 0) -> Value | None:
        """The value of an expression; None: not known, or outside the repository."""
        if node is None or depth > _DEEPEST:
            return None
        match node.type:
            case "identifier" | "shorthand_property_identifier":
                return self._name(self.text(node), depth)
            case "this" | "super":
                return self.this
            case "member_expression":
                return self._member(node, depth)
            case "subscript_expression":
                return self.values.element(
                    self.value(node.child_by_field_name("object"), depth + 1)
                )
            case "call_expression":
                return self._call(node, depth)
            case "new_expression":
                made = self.value(node.child_by_field_name("constructor"), depth + 1)
                is_class = made is not None and made.kind == "definition"
                return made._replace(kind="instance") if made and is_class else None
            case kind if kind in _TRANSPARENT and node.named_children:
                stated = node.named_children[-1]
                if kind == "as_expression" and stated.type not in ("identifier", "const"):
                    return Value("type", self.path, self.text(stated))
                return self.value(node.named_children[0], depth + 1)
            case _:
                return None

    def _name(self, name: str, depth: int) -> Value | None:
        for data, scope in reversed(self.scopes):
            if name in scope:
                bound = scope[name]
                return (
                    self._declared(data, bound, name, depth) if isinstance(bound, Node) else bound
                )
        return self.values.top(self.path, name, depth + 1)

    def _declared(self, data: bytes, node: Node, name: str, depth: int) -> Value | None:
        """The value of a name that a declarator, parameter or loop declares."""
        here, self.data = self.data, data
        try:
            type_ = node.child_by_field_name("type")
            pattern = node.child_by_field_name("name") or node.child_by_field_name("pattern")
            if node.type == "for_in_statement":
                return self.values.element(self.value(node.child_by_field_name("right"), depth + 1))
            if type_ is not None:
                found: Value | None = Value("type", self.path, type_text(data, type_))
            else:
                found = self.value(node.child_by_field_name("value"), depth + 1)
            if pattern is None or pattern.type != "object_pattern":
                return found
            keys = [key for key, local in pattern_names(data, pattern) if local == name]
            return self.values.member(found, keys[0], depth + 1) if found and keys else None
        finally:
            self.data = here

    def _member(self, node: Node, depth: int) -> Value | None:
        object_, property_ = (node.child_by_field_name(f) for f in ("object", "property"))
        of = self.value(object_, depth + 1)
        if of is None or object_ is None or property_ is None:
            return None
        name = self.text(property_)
        found = (
            self.values.inherited(of, name, depth + 1)
            if object_.type == "super"
            else self.values.member(of, name, depth + 1)
        )
        if found and found.kind == "definition" and self._is_getter(found):
            return self.values.result(found, depth + 1)
        return found

    def _is_getter(self, found: Value) -> bool:
        class_, _, name = found.name.rpartition(".")
        classes = self.values.shape(found.path, class_).classes
        return class_ in classes and name in classes[class_].fields

    def _call(self, node: Node, depth: int) -> Value | None:
        module = required(self.data, node)
        if module:
            return self.values.module(self.path, module, depth=depth + 1)
        called = self.value(node.child_by_field_name("function"), depth + 1)
        return self.values.result(called, depth + 1) if called else None
