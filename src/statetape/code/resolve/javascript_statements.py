"""What each kind of statement does to the names of a JavaScript text."""

from tree_sitter import Node

from statetape.code.extract.javascript_shape import type_text
from statetape.code.resolve import javascript_expressions as expressions
from statetape.code.resolve import javascript_functions as functions
from statetape.code.resolve.javascript_scopes import FUNCTIONS
from statetape.code.resolve.javascript_walk import UNKNOWN, Visits, Walk


def block(walk: Walk, node: Node) -> int:
    """Statements in a scope of their own."""
    walk.inside(node.named_children, node)
    return UNKNOWN


def guarded(walk: Walk, node: Node) -> int:
    """A statement of which parts run under a condition, or more than once."""
    condition = node.child_by_field_name("condition") or node.child_by_field_name("value")
    walk.value(condition)
    walk.branch += 1
    walk.inside([child for child in node.named_children if child != condition], node)
    walk.branch -= 1
    return UNKNOWN


def loop(walk: Walk, node: Node) -> int:
    """`for (x of y)`: the name holds an element of the value."""
    left, right, body = (node.child_by_field_name(f) for f in ("left", "right", "body"))
    value = walk.value(right)
    outer = walk.scope
    walk.scope = type(outer)(outer)
    walk.branch += 1
    over = node.child_by_field_name("operator")
    if left is not None:
        known = value >= 0 and (over is None or walk.text(over) != "in")
        walk.bind(left, walk.term("element", of=(value,)) if known else UNKNOWN)
        walk.call(walk.term("element", of=(value,))) if known else None
    walk.value(body)
    walk.branch -= 1
    walk.scope = outer
    return UNKNOWN


def caught(walk: Walk, node: Node) -> int:
    """`catch (e)`: nothing is known of it."""
    parameter = node.child_by_field_name("parameter")
    outer = walk.scope
    walk.scope = type(outer)(outer)
    if parameter is not None:
        walk.bind(parameter, UNKNOWN)
    walk.value(node.child_by_field_name("body"))
    walk.scope = outer
    return UNKNOWN


def declarator(walk: Walk, node: Node) -> int:
    """`name = value` of a declaration."""
    name, type_, value = (node.child_by_field_name(f) for f in ("name", "type", "value"))
    found = walk.value(value)
    walk.value(type_)
    if name is None:
        return UNKNOWN
    if type_ is not None:
        found = walk.typed(type_text(walk.data, type_))
    if walk.scope is walk.top:
        if name.type == "identifier":
            expressions.assign(walk, walk.text(name), found)
        return UNKNOWN
    defines = value is not None and (value.type in FUNCTIONS or value.type == "class")
    if defines and name.type == "identifier":
        walk.declare(walk.text(name)).hold(
            walk.term("nested", walk.text(name), (found,) if found >= 0 else ()), walk.branch
        )
        return UNKNOWN
    is_var = node.parent is not None and node.parent.type == "variable_declaration"
    walk.bind(name, found, walk.scope.function() if is_var else None)
    return UNKNOWN


def exported(walk: Walk, node: Node) -> int:
    """`export`: the name `default` stands for a value."""
    value = node.child_by_field_name("value")
    walk.all([child for child in node.named_children if child != value])
    found = walk.value(value)
    if value is not None:
        expressions.assign(walk, "default", found)
    return UNKNOWN


def returned(walk: Walk, node: Node) -> int:
    """`return` and `yield`: a result of the function around."""
    for child in node.named_children:
        value = walk.value(child)
        if value >= 0 and walk.function != UNKNOWN:
            walk.results[walk.function].append(value)
    return UNKNOWN


def field(walk: Walk, node: Node) -> int:
    """A field of a class: the value that it begins with."""
    for name in ("decorator", "type"):
        for each in node.children_by_field_name(name):
            walk.value(each)
    name_ = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name_ is not None and name_.type == "computed_property_name":
        walk.value(name_)
    found = walk.value(node.child_by_field_name("value"))
    if found >= 0:
        walk.stated.setdefault("", []).append(found)
    return UNKNOWN


def decorator(walk: Walk, node: Node) -> int:
    """A decorator: a call of what it names. A function in it is not the one that it decorates."""
    owned, walk.owned = walk.owned, False
    for child in node.named_children:
        value = walk.value(child)
        if value >= 0 and child.type != "call_expression":
            walk.call(walk.term("called", of=(value,)))
    walk.owned = owned
    return UNKNOWN


def body(walk: Walk, node: Node) -> int:
    """An enum or namespace: what is in it, and not its name."""
    walk.value(node.child_by_field_name("body"))
    return UNKNOWN


def types(walk: Walk, node: Node) -> int:
    """An annotation: the names of types in it."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.type in ("type_identifier", "nested_type_identifier"):
            walk.types[walk.text(inner)] = None
        else:
            stack += inner.named_children
    return UNKNOWN


VISITS: Visits = {
    **dict.fromkeys(
        [
            "import_statement",
            "export_clause",
            "comment",
            "regex",
            "jsx_text",
            "namespace_export",
            "property_identifier",
            "private_property_identifier",
            "predefined_type",
            "import",
            "statement_identifier",
            "namespace_import",
        ],
        expressions.nothing,
    ),
    **dict.fromkeys(FUNCTIONS, functions.function),
    **dict.fromkeys(("class", "class_declaration", "abstract_class_declaration"), functions.class_),
    **dict.fromkeys(
        [
            "type_annotation",
            "type_arguments",
            "type_identifier",
            "generic_type",
            "union_type",
            "type_predicate_annotation",
            "asserts_annotation",
            "implements_clause",
            "array_type",
            "nested_type_identifier",
            "type_parameters",
            "interface_declaration",
            "object_type",
            "type_alias_declaration",
            "property_signature",
            "index_signature",
            "call_signature",
        ],
        types,
    ),
    **dict.fromkeys(("identifier", "shorthand_property_identifier"), expressions.identifier),
    **dict.fromkeys(("this", "super"), expressions.this),
    **dict.fromkeys(
        [
            "parenthesized_expression",
            "await_expression",
            "non_null_expression",
            "expression_statement",
            "sequence_expression",
            "jsx_expression",
        ],
        expressions.transparent,
    ),
    **dict.fromkeys(("as_expression", "satisfies_expression"), expressions.cast),
    **dict.fromkeys(("ternary_expression", "binary_expression"), expressions.any_of),
    **dict.fromkeys(("string", "number"), expressions.constant),
    **dict.fromkeys(("member_expression", "subscript_expression"), expressions.member),
    **dict.fromkeys(
        ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"),
        expressions.element,
    ),
    **dict.fromkeys(
        ("assignment_expression", "augmented_assignment_expression"), expressions.assignment
    ),
    **dict.fromkeys(("return_statement", "yield_expression"), returned),
    **dict.fromkeys(("field_definition", "public_field_definition"), field),
    **dict.fromkeys(("statement_block", "class_static_block"), block),
    **dict.fromkeys(
        [
            "if_statement",
            "for_statement",
            "while_statement",
            "do_statement",
            "try_statement",
            "switch_statement",
            "switch_case",
        ],
        guarded,
    ),
    **dict.fromkeys(("enum_declaration", "internal_module", "module"), body),
    "switch_body": block,
    "export_statement": exported,
    "for_in_statement": loop,
    "catch_clause": caught,
    "variable_declarator": declarator,
    "decorator": decorator,
    "call_expression": expressions.call,
    "new_expression": expressions.made,
    "object": expressions.object_,
    "pair": expressions.pair,
    "array": expressions.array,
}
