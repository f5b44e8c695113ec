"""The names of definitions in JavaScript and TypeScript, and the statements they make up."""

from tree_sitter import Node

from statetape.code.treesitter import text

_BINDINGS = (
    *("variable_declarator", "pair", "assignment_expression", "export_statement"),
    *("field_definition", "public_field_definition"),
)
DECLARATIONS = ("lexical_declaration", "variable_declaration")
AROUND = ("export_statement", "ambient_declaration")


def key(data: bytes, node: Node | None) -> str:
    """A property's name as written, without quotes; empty where there is none."""
    return text(data, node).strip("\"'`") if node else ""


def required(data: bytes, node: Node | None) -> str:
    """The module of `require("module")` or `await import("module")`, else empty."""
    if node is not None and node.type == "await_expression" and node.named_children:
        node = node.named_children[0]
    if node is None or node.type != "call_expression":
        return ""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or text(data, function) not in ("require", "import"):
        return ""
    first = arguments.named_children[:1]
    return key(data, first[0]) if first and first[0].type == "string" else ""


def whole(node: Node) -> Node:
    """The statement that is nothing but this definition: `export`, `declare`, `const` and all."""
    parent = node.parent
    if parent and node.type == "variable_declarator" and parent.type in DECLARATIONS:
        if parent.named_child_count > 1:
            return node
        node, parent = parent, parent.parent
    elif parent and parent.type == "expression_statement":
        node, parent = parent, parent.parent
    while parent and parent.type in AROUND:
        node, parent = parent, parent.parent
    return node


def statement_of(node: Node) -> Node:
    """The statement that a declarator or assignment stands in."""
    parent = node.parent
    while parent is not None and parent.type in (*DECLARATIONS, *AROUND, "expression_statement"):
        node, parent = parent, parent.parent
    return node


def name_of(data: bytes, node: Node, *, inside: bool) -> str:
    """The name a definition adds to those around it; empty: it is none of its own."""
    match node.type:
        case "assignment_expression":
            return "" if inside else assigned(data, node)
        case "function_expression" if node.parent and node.parent.type in _BINDINGS:
            return ""
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


def assigned(data: bytes, node: Node) -> str:
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
    name = assigned(data, node)
    return [] if name == "default" else [name]
