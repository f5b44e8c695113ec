"""Which statements of a JavaScript or TypeScript file make one of its variables."""

from collections.abc import Iterator

from tree_sitter import Node

from statetape.code.extract.javascript_names import AROUND, DECLARATIONS, assigned, required
from statetape.code.treesitter import text

_NAMED_ELSEWHERE = (
    *("identifier", "arrow_function", "function_expression", "generator_function", "class"),
)
_GUARDS = ("if_statement", "else_clause", "statement_block", "try_statement", "catch_clause")


def variables(data: bytes, root: Node) -> Iterator[Node]:
    """The declarators of one name, and the assignments to one, in the statements of a file.

    Those in its namespaces, too, and those that a condition of the file guards.
    """
    statements = [(each, False) for each in root.named_children]
    while statements:
        node, guarded = statements.pop()
        if node.type in AROUND:
            inner = node.child_by_field_name("declaration")
            value = node.child_by_field_name("value")
            if value is not None and value.type not in _NAMED_ELSEWHERE:
                yield node
            statements += [(each, guarded) for each in [inner] if each] or [
                (each, guarded) for each in node.named_children
            ]
        elif node.type in _GUARDS:
            statements += [(each, True) for each in node.named_children]
        elif node.type in DECLARATIONS:
            is_own = node.type == "variable_declaration" or not guarded
            yield from (each for each in node.named_children if is_own and _binds_one(data, each))
        elif node.type == "expression_statement" and node.named_children:
            inner = node.named_children[0]
            body = inner.child_by_field_name("body")
            if inner.type == "assignment_expression" and assigned(data, inner) != "default":
                yield inner
            elif inner.type == "assignment_expression":
                yield from _exported_entries(data, inner)
            elif inner.type == "internal_module" and body is not None:
                statements += [(each, guarded) for each in body.named_children]


def _exported_entries(data: bytes, node: Node) -> Iterator[Node]:
    """The entries of `module.exports = {...}` that are values of their own."""
    right = node.child_by_field_name("right")
    whole = text(data, node).startswith("module.exports")
    for entry in right.named_children if right and right.type == "object" and whole else ():
        value = entry.child_by_field_name("value")
        if entry.type == "pair" and value is not None and value.type not in _NAMED_ELSEWHERE:
            yield from [entry] if not required(data, value) else []


def is_guarded(node: Node) -> bool:
    """Whether a statement stands in one that is subject to a condition."""
    here = node.parent
    if here is None or here.type not in _GUARDS:
        return False
    return here.parent is None or here.parent.type != "internal_module"


def _binds_one(data: bytes, node: Node) -> bool:
    """Whether it is a declarator of one name that is no import."""
    name = node.child_by_field_name("name")
    plain = name is not None and name.type == "identifier"
    return plain and not required(data, node.child_by_field_name("value"))
