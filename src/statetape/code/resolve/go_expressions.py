"""The types of Go expressions: local names, package-level names, calls, fields, elements."""

from functools import lru_cache

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.extract.go_shape import type_text
from statetape.code.resolve.go_packages import Packages, Typed
from statetape.code.treesitter import text

_DEEPEST = 24
Scope = dict[str, Typed | None]
"""Local names with their types; None: a name whose type is not known, which still shadows."""


@lru_cache(maxsize=1024)
def parsed(data: bytes) -> Node:
    """The root of the tree of a text. A pure function: the same text is parsed once."""
    return treesitter.parser("tree_sitter_go").parse(data).root_node


class Expressions:
    """The types of expressions in one text of one file, under the scopes that are open."""

    def __init__(self, packages: Packages, path: str, data: bytes) -> None:
        self.packages = packages
        self.path = path
        self.data = data
        self.scopes: list[Scope] = [{}]

    def local(self, name: str) -> bool:
        """Whether a local name shadows all others."""
        return any(name in scope for scope in self.scopes)

    def text(self, node: Node) -> str:
        """The text of a node."""
        return text(self.data, node)

    def stated(self, node: Node) -> Typed:
        """The type that a type node states."""
        return Typed(self.path, type_text(self.data, node))

    def package(self, operand: Node) -> tuple[str, ...] | None:
        """The files of the package an operand names; None where it is something else."""
        if operand.type != "identifier" or self.local(self.text(operand)):
            return None
        return self.packages.imported(self.path, self.text(operand))

    def type(self, node: Node | None, depth: int = 0) -> Typed | None:
        """The type of an expression, the first of several; None: not known."""
        found = self.types(node, depth)
        return found[0] if found else None

    def types(self, node: Node | None, depth: int = 0) -> tuple[Typed | None, ...]:
        """The types of the values of an expression; empty: not known."""
        if node is None or depth > _DEEPEST:
            return ()
        match node.type:
            case "identifier":
                return (self._name(self.text(node), depth),)
            case "call_expression":
                return self._call(node, depth)
            case "selector_expression":
                return (self._selected(node, depth),)
            case "composite_literal" | "type_assertion_expression" | "type_conversion_expression":
                type_ = node.child_by_field_name("type")
                return (self.stated(type_),) if type_ else ()
            case "index_expression":
                operand = node.child_by_field_name("operand")
                return (self.packages.element(self.type(operand, depth + 1)),)
            case "unary_expression" | "slice_expression":
                operand = node.child_by_field_name("operand")
                found = self.type(operand, depth + 1)
                return (self.packages.element(found) if self._receives(node) else found,)
            case "parenthesized_expression" | "literal_element" if node.named_children:
                return self.types(node.named_children[0], depth + 1)
            case _:
                return ()

    def _receives(self, node: Node) -> bool:
        operator = node.child_by_field_name("operator")
        return operator is not None and operator.type == "<-"

    def _name(self, name: str, depth: int) -> Typed | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self._global(self.packages.files(self.path), name, depth)

    def _global(self, files: tuple[str, ...], name: str, depth: int) -> Typed | None:
        value = self.packages.value(files, name)
        if value is None:
            declared = [path for path in files if name in self.packages.shape(path).types]
            return Typed(declared[0], name) if declared else None
        if not value.text.startswith("="):
            return value
        data = b"package p; var _ = " + value.text[1:].encode()
        inner = Expressions(self.packages, value.path, data)
        return inner.type(expression(data), depth + 1)

    def _selected(self, node: Node, depth: int) -> Typed | None:
        operand = node.child_by_field_name("operand")
        field = node.child_by_field_name("field")
        if operand is None or field is None:
            return None
        files = self.package(operand)
        if files is not None:
            return self._global(files, self.text(field), depth + 1)
        of = self.type(operand, depth + 1)
        return self.packages.member(of, self.text(field)).field if of else None

    def _call(self, node: Node, depth: int) -> tuple[Typed | None, ...]:
        function = node.child_by_field_name("function")
        while function is not None and function.type in _WRAPPED and function.named_children:
            function = function.named_children[0]
        if function is None:
            return ()
        if function.type == "selector_expression":
            operand = function.child_by_field_name("operand")
            field = function.child_by_field_name("field")
            if operand is None or field is None:
                return ()
            files = self.package(operand)
            if files is not None:
                return self.packages.results(files, self.text(field))
            of = self.type(operand, depth + 1)
            return self.packages.member(of, self.text(field)).results if of else ()
        name = self.text(function)
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[:1] if arguments else []
        if name in ("new", "make") and first:
            return (self.stated(first[0]),)
        if name == "append" and first:
            return self.types(first[0], depth + 1)
        if self.local(name):
            return ()
        return self.packages.results(self.packages.files(self.path), name)


_WRAPPED = ("parenthesized_expression", "index_expression", "type_instantiation_expression")


def expression(data: bytes) -> Node | None:
    """The expression in `package p; var _ = ...`."""
    for node in parsed(data).named_children:
        for spec in node.named_children:
            value = spec.child_by_field_name("value")
            if value is not None and value.named_children:
                return value.named_children[0]
    return None
