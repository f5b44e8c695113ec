"""Where JavaScript and TypeScript define something, and under which qualified name."""

from collections.abc import Iterable, Iterator
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
(function_expression name: (identifier)) @function
"""
_BINDINGS = (
    *("variable_declarator", "pair", "assignment_expression", "export_statement"),
    *("field_definition", "public_field_definition"),
)
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
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_AROUND = ("export_statement", "ambient_declaration")
_GUARDS = ("if_statement", "else_clause", "statement_block", "try_statement", "catch_clause")
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
    kinds = {node.id: (node, "variable") for node in _variables(data, root)}
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
            whole = _whole(node)
            start = decorated.get(node.id, whole.start_byte)
            found.append((Place(full, kind, start, whole.end_byte), node))
            around.append(_Around(node.end_byte, full, name, kind))
    return found


def _variables(data: bytes, root: Node) -> Iterator[Node]:
    """The declarators of one name, and the assignments to one, in the statements of a file.

    Those in its namespaces, too, and those that a condition of the file guards.
    """
    statements = [(each, False) for each in root.named_children]
    while statements:
        node, guarded = statements.pop()
        if node.type in _AROUND:
            inner = node.child_by_field_name("declaration")
            statements += [(each, guarded) for each in [inner] if each] or [
                (each, guarded) for each in node.named_children
            ]
        elif node.type in _GUARDS:
            statements += [(each, True) for each in node.named_children]
        elif node.type in _DECLARATIONS:
            is_own = node.type == "variable_declaration" or not guarded
            yield from (each for each in node.named_children if is_own and _binds_one(data, each))
        elif node.type == "expression_statement" and node.named_children:
            inner = node.named_children[0]
            body = inner.child_by_field_name("body")
            if inner.type == "assignment_expression" and _assigned(data, inner) != "default":
                yield inner
            elif inner.type == "internal_module" and body is not None:
                statements += [(each, guarded) for each in body.named_children]


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


def _full_name(data: bytes, node: Node, kind: str, around: _Around) -> tuple[str, str]:
    """The name of a definition, and the qualified one; both empty: it is none of its own."""
    name = _name(data, node, inside=around.kind not in ("", "namespace", "variable"))
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


def statement_of(node: Node) -> Node:
    """The statement that a declarator or assignment stands in."""
    parent = node.parent
    while parent is not None and parent.type in (*_DECLARATIONS, *_AROUND, "expression_statement"):
        node, parent = parent, parent.parent
    return node


def _name(data: bytes, node: Node, *, inside: bool) -> str:
    """The name a definition adds to those around it; empty: it is none of its own."""
    match node.type:
        case "assignment_expression":
            return "" if inside else _assigned(data, node)
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
