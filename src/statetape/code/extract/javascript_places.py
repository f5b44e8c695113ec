"""Where JavaScript and TypeScript define something, and under which qualified name."""

from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.extract.javascript_names import name_of, whole
from statetape.code.extract.javascript_variables import variables
from statetape.code.treesitter import Place

_COMMON = """
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @method
(variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator value: (class)) @class
(pair value: [(arrow_function) (function_expression) (generator_function)]) @method
(assignment_expression left: (member_expression)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (member_expression) right: (class)) @class
(export_statement value: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement value: (class)) @class
(function_expression name: (identifier)) @function
"""
_JAVASCRIPT = """
(field_definition value: [(arrow_function) (function_expression)]) @method
(field_definition) @field
"""
_TYPESCRIPT = """
(public_field_definition value: [(arrow_function) (function_expression)]) @method
(public_field_definition) @field
(interface_body (property_signature) @field)
(interface_body (method_signature) @method)
(abstract_class_declaration) @class
(function_signature) @function
(class_body (method_signature) @method)
(abstract_method_signature) @method
(interface_declaration) @interface
(type_alias_declaration) @type
(enum_declaration) @enum
(internal_module) @namespace
(module) @namespace
(class_body (decorator)) @decorated
"""
_DEEPEST = 50
"""How many definitions around another one are told apart; what is deeper is text of the last."""


class _Around(NamedTuple):
    """A definition that others are nested in: its end, its qualified and own name, its kind."""

    end: int
    name: str
    own: str
    kind: str


class Grammar(NamedTuple):
    """A wheel, and the function in it that gives the grammar."""

    module: str
    function: str


JAVASCRIPT = Grammar("tree_sitter_javascript", "language")
TYPESCRIPT = Grammar("tree_sitter_typescript", "language_typescript")
TSX = Grammar("tree_sitter_typescript", "language_tsx")


def parsed(data: bytes, grammar: Grammar) -> Node:
    """The root of the tree of a text."""
    return treesitter.parser(*grammar).parse(data).root_node


def definitions(data: bytes, root: Node, grammar: Grammar) -> list[tuple[Place, Node]]:
    """The definitions below a root with their own nodes, outermost first.

    Cost: one run of the query over the tree, and a few steps per definition.
    """
    source = _COMMON + (_JAVASCRIPT if grammar is JAVASCRIPT else _TYPESCRIPT)
    captures = QueryCursor(treesitter.query(source, *grammar)).captures(root)
    decorated = _decorated(captures.pop("decorated", ()))
    kinds = {node.id: (node, "variable") for node in variables(data, root)}
    kinds |= {node.id: (node, "field") for node in captures.pop("field", ())}
    kinds |= {node.id: (node, kind) for kind, found in captures.items() for node in found}
    nodes = sorted(kinds.values(), key=lambda pair: (pair[0].start_byte, -pair[0].end_byte))
    found: list[tuple[Place, Node]] = []
    around = [_Around(len(data) + 1, "", "", "")]
    for node, kind in nodes:
        while node.start_byte >= around[-1].end:
            around.pop()
        if len(around) > _DEEPEST:
            continue
        name, full = _full_name(data, node, kind, around[-1])
        if full:
            statement = whole(node)
            start = decorated.get(node.id, statement.start_byte)
            found.append((Place(full, kind, start, statement.end_byte), node))
            around.append(_Around(node.end_byte, full, name, kind))
    return found


def _full_name(data: bytes, node: Node, kind: str, around: _Around) -> tuple[str, str]:
    """The name of a definition, and the qualified one; both empty: it is none of its own."""
    name = name_of(data, node, inside=around.kind not in ("", "namespace", "variable"))
    if not name or (kind == "field" and around.kind not in ("class", "interface")):
        return "", ""
    if around.kind == "variable" and _is_entry(node):
        prefix = f"{around.own}."
        if not name.startswith(prefix):
            return "", ""
        name = name.removeprefix(prefix)
    return name, f"{around.name}.{name}" if around.name else name


def _is_entry(node: Node) -> bool:
    """Whether it is an entry of an object literal."""
    return node.parent is not None and node.parent.type == "object"


def _decorated(bodies: Iterable[Node]) -> dict[int, int]:
    """Where the decorators start that stand before a member in a class's body, by its node."""
    starts: dict[int, int] = {}
    for body in {node.id: node for node in bodies}.values():
        start: int | None = None
        for child in body.named_children:
            if child.type == "decorator":
                start = child.start_byte if start is None else start
            elif child.type != "comment":
                if start is not None:
                    starts[child.id] = start
                start = None
    return starts
