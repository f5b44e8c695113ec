"""Where JavaScript and TypeScript define something, and under which qualified name."""

from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.treesitter import Place, text

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
"""
_JAVASCRIPT = """
(field_definition value: [(arrow_function) (function_expression)]) @method
"""
_TYPESCRIPT = """
(public_field_definition value: [(arrow_function) (function_expression)]) @method
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
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_AROUND = ("export_statement", "ambient_declaration")
_DEEPEST = 50
"""How many definitions around another one are told apart; what is deeper is text of the last."""


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
    nodes = [(node, kind) for kind, found in captures.items() for node in found]
    nodes.sort(key=lambda pair: (pair[0].start_byte, -pair[0].end_byte))
    found: list[tuple[Place, Node]] = []
    around: list[tuple[int, str]] = [(len(data) + 1, "")]
    for node, kind in nodes:
        while node.start_byte >= around[-1][0]:
            around.pop()
        if len(around) > _DEEPEST:
            continue
        outer = around[-1][1]
        name = _name(data, node, inside=bool(outer))
        if name:
            full = f"{outer}.{name}" if outer else name
            whole = _whole(node)
            start = decorated.get(node.id, whole.start_byte)
            place = Place(full, kind, start, whole.end_byte)
            found.append((place, node))
            around.append((node.end_byte, full))
    return found


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


def key(data: bytes, node: Node | None) -> str:
    """A property's name as written, without quotes; empty where there is none."""
    return text(data, node).strip("\"'`") if node else ""


def _whole(node: Node) -> Node:
    """The statement that is nothing but this definition: `export`, `declare`, `const` and all."""
    parent = node.parent
    if parent and node.type == "variable_declarator" and parent.type in _DECLARATIONS:
        if parent.named_child_count > 1:
            return node
        node, parent = parent, parent.parent
    elif parent and parent.type == "expression_statement":
        node, parent = parent, parent.parent
    while parent and parent.type in _AROUND:
        node, parent = parent, parent.parent
    return node


def _name(data: bytes, node: Node, *, inside: bool) -> str:
    """The name a definition adds to those around it; empty: it is none of its own."""
    match node.type:
        case "assignment_expression":
            return "" if inside else _assigned(data, node)
        case "export_statement":
            return key(data, _own_name(node.child_by_field_name("value"))) or "default"
        case "pair":
            return "" if inside else ".".join(_object_path(data, node))
        case "method_definition" if node.parent and node.parent.type == "object":
            return "" if inside else ".".join(_object_path(data, node))
        case _:
            return _declared(data, node)


def _declared(data: bytes, node: Node) -> str:
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is not None and name.type.endswith("_pattern"):
        return ""
    parent = node.parent
    if name is None and parent and parent.type == "export_statement":
        return "default"
    return key(data, name)


def _own_name(node: Node | None) -> Node | None:
    return node.child_by_field_name("name") if node else None


def _assigned(data: bytes, node: Node) -> str:
    """`f` for `exports.f` and `module.exports.f`, `C.m` for `C.prototype.m`, else the own name."""
    left = node.child_by_field_name("left")
    parts = key(data, left).split(".")
    if parts[:2] == ["module", "exports"]:
        parts = parts[1:]
    if parts == ["exports"]:
        return key(data, _own_name(node.child_by_field_name("right"))) or "default"
    if parts[0] == "exports":
        parts = parts[1:]
    parts = [part for part in parts if part != "prototype"]
    plain = all(part.replace("$", "_").isidentifier() for part in parts)
    return ".".join(parts) if plain and parts[0] not in ("this", "self", "window") else ""


def _object_path(data: bytes, node: Node) -> list[str]:
    """The keys from a named object literal down to one of its functions; empty: it has no name."""
    keys: list[str] = []
    here: Node | None = node
    while here is not None:
        match here.type:
            case "method_definition" | "pair":
                named = here.child_by_field_name("name") or here.child_by_field_name("key")
                keys.append(key(data, named))
            case "variable_declarator":
                name = _declared(data, here)
                return [name, *reversed(keys)] if name else []
            case "assignment_expression":
                return [*_assigned_path(data, here), *reversed(keys)]
            case "export_statement":
                return ["default", *reversed(keys)]
            case "object" | "parenthesized_expression" | "as_expression" | "satisfies_expression":
                pass
            case _:
                return []
        here = here.parent
    return []


def _assigned_path(data: bytes, node: Node) -> list[str]:
    name = _assigned(data, node)
    return [] if name == "default" else [name]
