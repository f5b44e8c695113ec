"""What the rest of a repository can see of one JavaScript or TypeScript file, without positions.

A name's *statement* is what the file says its value is: a type as written, or `=` and a short
expression. It means something only together with the file's imports and definitions.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from tree_sitter import Node

from statetape.code.extract.javascript_places import Grammar, key
from statetape.code.treesitter import Block, Place, text

WHOLE = "="
"""The export that `module.exports = x` sets, and the import of a whole CommonJS module."""
ALL = "*"
"""The import of a module as a namespace."""

_TELLING = (
    "new_expression",
    "call_expression",
    "identifier",
    "member_expression",
    "await_expression",
    "as_expression",
)
_LONGEST = 200
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_PROPERTY = ("accessibility_modifier", "readonly", "override_modifier")
_PARAMETERS = ("required_parameter", "optional_parameter")


class Class(Struct, frozen=True):
    """A class or interface: what it extends, as expressions, and statements for its fields."""

    extends: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)


class Shape(Struct, frozen=True):
    """What one file defines, imports and exports.

    `kinds` has every definition by qualified name. `imports` are by local name (module, name
    there); `exports` by exported name (module or empty for this file, name there); `stars` the
    modules that are exported whole. `returns` are declared result types, `values` statements of
    top-level variables, and of an object literal's keys under `name.key`. `holders` are the
    prefixes of all these, `name.`: something is nested in `name`.
    """

    kinds: dict[str, str] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    exports: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    holders: set[str] = field(default_factory=set)


class Source(Struct, frozen=True):
    """The detail of a file: its shape, its bytes for the bodies, and the grammar to parse them.

    `blocks` are the places of each name, with those nested in them.
    """

    shape: Shape
    data: bytes
    grammar: Grammar
    blocks: Mapping[str, Sequence[Block]]


def add_definitions(shape: Shape, data: bytes, found: Iterable[tuple[Place, Node]]) -> None:
    """Adds what the definitions of a file say to its shape."""
    for place, node in found:
        shape.kinds.setdefault(place.name, place.kind)
        if place.kind in ("class", "interface"):
            shape.classes.setdefault(place.name, _class(data, _function(node)))
        elif place.kind in ("function", "method"):
            result = _function(node).child_by_field_name("return_type")
            if result is not None:
                shape.returns.setdefault(place.name, type_text(data, result))
        elif place.kind == "type":
            value = node.child_by_field_name("value")
            if value is not None and value.end_byte - value.start_byte <= _LONGEST:
                shape.values.setdefault(place.name, text(data, value))


def add_holders(shape: Shape) -> None:
    """Adds the prefixes of the names in a shape that has all the rest."""
    for name in (*shape.kinds, *shape.values):
        end = name.find(".")
        while end >= 0:
            shape.holders.add(name[: end + 1])
            end = name.find(".", end + 1)


def type_text(data: bytes, node: Node) -> str:
    """The type that an annotation states."""
    return text(data, node).lstrip(":").strip()


def statement(data: bytes, node: Node) -> str:
    """What a declarator, field or parameter says its value is; empty: nothing that tells."""
    type_ = node.child_by_field_name("type")
    if type_ is not None:
        return type_text(data, type_)
    value = node.child_by_field_name("value")
    return expression(data, value) if value else ""


def expression(data: bytes, value: Node) -> str:
    """The statement of an expression: itself where it is short and may tell a definition."""
    if value.type in _TELLING and value.end_byte - value.start_byte <= _LONGEST:
        return "=" + text(data, value)
    return ""


def entries(data: bytes, literal: Node) -> Iterable[tuple[str, str, Node | None]]:
    """(key, statement, value) of an object literal; a spread has the key `...`."""
    for member in literal.named_children:
        match member.type:
            case "shorthand_property_identifier":
                name = text(data, member)
                yield name, "=" + name, None
            case "pair":
                value = member.child_by_field_name("value")
                if value is not None:
                    name = key(data, member.child_by_field_name("key"))
                    yield name, expression(data, value), value
            case "method_definition":
                yield key(data, member.child_by_field_name("name")), "", member
            case "spread_element" if member.named_children:
                yield "...", "", member.named_children[0]
            case _:
                pass


def _function(node: Node) -> Node:
    """The function or class itself, where a definition's node is the binding around it."""
    for name in ("value", "right"):
        value = node.child_by_field_name(name)
        if value is not None and value.type in _FUNCTIONS:
            return value
    return node


def _class(data: bytes, node: Node) -> Class:
    extends: list[str] = []
    for child in node.named_children:
        if child.type == "class_heritage":
            clauses = [c for c in child.named_children if c.type != "implements_clause"]
            for clause in clauses:
                value = (
                    clause.child_by_field_name("value")
                    if clause.type == "extends_clause"
                    else clause
                )
                extends += [text(data, value)] if value else []
        elif child.type == "extends_type_clause":
            extends += [text(data, base) for base in child.named_children]
    fields: dict[str, str] = {}
    body = node.child_by_field_name("body")
    for member in body.named_children if body else []:
        _add_member(fields, data, member)
    return Class(tuple(extends), fields)


def _add_member(fields: dict[str, str], data: bytes, member: Node) -> None:
    name = member.child_by_field_name("name") or member.child_by_field_name("property")
    if name is None:
        return
    own = key(data, name)
    if member.type.endswith("field_definition") or member.type == "property_signature":
        fields.setdefault(own, statement(data, member))
    elif member.type == "method_signature" or (
        member.type == "method_definition" and member.children[0].type == "get"
    ):
        result = member.child_by_field_name("return_type")
        fields.setdefault(own, type_text(data, result) if result else "")
    elif own == "constructor":
        _add_constructor(fields, data, member)


def _add_constructor(fields: dict[str, str], data: bytes, member: Node) -> None:
    """Parameter properties, and the fields that plain statements of the constructor set."""
    stated: dict[str, str] = {}
    parameters = member.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters else []:
        if parameter.type in _PARAMETERS:
            name = key(data, parameter.child_by_field_name("pattern"))
            stated[name] = statement(data, parameter)
            if any(child.type in _PROPERTY for child in parameter.children):
                fields.setdefault(name, stated[name])
    body = member.child_by_field_name("body")
    for line in body.named_children if body else []:
        assignment = line.named_children[0] if line.named_children else line
        left = assignment.child_by_field_name("left")
        right = assignment.child_by_field_name("right")
        if left is None or right is None or not text(data, left).startswith("this."):
            continue
        name = text(data, left).removeprefix("this.")
        value = stated.get(text(data, right)) or expression(data, right)
        if value and not fields.get(name):
            fields[name] = value
