"""The names that the blocks and functions of JavaScript declare."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from statetape.code.extract.javascript_modules import pattern_names
from statetape.code.treesitter import text

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
    }
)
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_PARAMETERS = ("required_parameter", "optional_parameter")
_NAMED = ("function_declaration", "generator_function_declaration", "class_declaration")


class Declared(NamedTuple):
    """Where a local name is declared; the node is None where nothing is known of its value.

    `nests`: it may be a definition of its own, nested in the owner of the text.
    """

    node: Node | None
    nests: bool = False


def names(data: bytes, node: Node) -> Iterator[tuple[str, Declared]]:
    """The names that a function, block, loop or `catch` declares itself.

    A pattern's deeper names mean nothing known, yet they shadow.
    """
    for target, declarer in _declared(node):
        if target.type == "object_pattern":
            yield from ((local, Declared(declarer)) for _, local in pattern_names(data, target))
        elif target.type in ("identifier", "type_identifier"):
            nests = declarer.type == "variable_declarator" or declarer.type in _NAMED
            yield text(data, target), Declared(declarer, nests)
        else:
            for inner in below(target):
                if inner.type in ("identifier", "shorthand_property_identifier_pattern"):
                    yield text(data, inner), Declared(None)


def below(root: Node) -> Iterator[Node]:
    """A node and all named nodes below it, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.named_children)


def _declared(node: Node) -> Iterator[tuple[Node, Node]]:
    """(name or pattern, node that says what it is) of each declaration directly in a node."""
    if node.type in FUNCTIONS:
        yield from _parameters(node)
    elif node.type in ("for_in_statement", "catch_clause"):
        field = "left" if node.type == "for_in_statement" else "parameter"
        target = node.child_by_field_name(field)
        if target is not None:
            yield target, node
    for child in node.named_children:
        cases = child.type in ("switch_case", "switch_default")
        for statement in child.named_children if cases else [child]:
            declares = statement.type in _DECLARATIONS
            for declarer in statement.named_children if declares else [statement]:
                target = declarer.child_by_field_name("name")
                if target is not None and (declares or declarer.type in _NAMED):
                    yield target, declarer


def _parameters(function: Node) -> Iterator[tuple[Node, Node]]:
    single = function.child_by_field_name("parameter")
    if single is not None:
        yield single, single
    parameters = function.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters else []:
        typed = parameter.type in _PARAMETERS
        target = parameter.child_by_field_name("pattern") if typed else parameter
        if target is not None:
            yield target, parameter
