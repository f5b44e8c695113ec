"""What the rest of a repository can see of one JavaScript or TypeScript file, without positions.

A name's *statement* is what the file says its value is: a type as written, or `=` and a short
expression. It means something only together with the file's imports and definitions. What a
definition says of its own value, beyond a type, its own text tells whoever asks.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from tree_sitter import Node

from statetape.code.extract.javascript_names import key, statement_of
from statetape.code.extract.javascript_places import Grammar
from statetape.code.extract.javascript_variables import is_guarded
from statetape.code.treesitter import Block, Place, text

WHOLE = "="
"""The export that `module.exports = x` sets, and the import of a whole CommonJS module."""
ALL = "*"
"""The import of a module as a namespace."""

_LONGEST = 200
_LONGEST_TYPE = 2000
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_PROPERTY = ("accessibility_modifier", "readonly", "override_modifier")
_PARAMETERS = ("required_parameter", "optional_parameter")
_MUTE = ("string", "number", "regex", "true", "false", "null", "method_definition", *_FUNCTIONS)
_ASSIGNED = re.compile(rb"this\.(?<!\wthis\.)(#?[A-Za-z_$][\w$]*+)\s*+(?:\?\?|\|\|)?+=(?![=>])")
# Of a text read backwards, for `=` is rarer than names: `(?<![\w$.])NAME\s*(\?\?|\|\|)?=(?![=>])`.
_SET = re.compile(rb"=(?<![=>]=)(?:\?\?|\|\|)?+\s*+([\w$]*+)(?<=[A-Za-z_$])(?!\.)")
_APPLIED = re.compile(r"<.*>", re.DOTALL)
_PATH = re.compile(r"[A-Za-z_$][\w$.]*")


class Class(Struct, frozen=True):
    """A class or interface.

    `extends` are expressions, with the type arguments that are applied; `implements` are types.
    `parameters` are its type parameters with their constraints. `fields` are the types of the
    members that state one. `assigned` are the methods, by qualified name, that set a member of
    `this`. `getters` are the members that are read like fields.
    """

    extends: tuple[str, ...] = ()
    implements: tuple[str, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    getters: tuple[str, ...] = ()


class Shape(Struct, frozen=True):
    """What one file defines, imports and exports.

    `kinds` has every definition by qualified name. `imports` are by local name (module, name
    there); `exports` by exported name (module or empty for this file, name there); `stars` the
    modules that are exported whole. `returns` are declared result types, `values` statements of
    top-level names: the types of variables, and all that is known of what is no definition.
    `holders` are the prefixes of the definitions, `name.`: something is nested in `name`.
    `settled` are the variables with several places, with the number of the last that no condition
    guards; `assigned` the functions, by qualified name, that set a variable.
    """

    kinds: dict[str, str] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    exports: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    holders: set[str] = field(default_factory=set)
    settled: dict[str, int] = field(default_factory=dict)
    assigned: dict[str, tuple[str, ...]] = field(default_factory=dict)


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
    places: Counter[str] = Counter()
    for place, node in found:
        shape.kinds.setdefault(place.name, place.kind)
        number = places[place.name]
        places[place.name] += 1
        if place.kind == "variable" and number and not is_guarded(statement_of(node)):
            shape.settled[place.name] = number
        if place.kind in ("class", "interface"):
            shape.classes.setdefault(place.name, _class(data, place.name, _function(node)))
        elif place.kind in ("function", "method"):
            result = _function(node).child_by_field_name("return_type")
            if result is not None:
                shape.returns.setdefault(place.name, type_text(data, result))
        elif place.kind == "type":
            value = node.child_by_field_name("value")
            if value is not None and value.end_byte - value.start_byte <= _LONGEST_TYPE:
                shape.values.setdefault(place.name, text(data, value))
        elif place.kind == "variable" and (type_ := node.child_by_field_name("type")) is not None:
            shape.values.setdefault(place.name, type_text(data, type_))
        end = place.name.find(".")
        while end >= 0:
            shape.holders.add(place.name[: end + 1])
            end = place.name.find(".", end + 1)


def add_assigned(shape: Shape, data: bytes, blocks: Mapping[str, Sequence[Block]]) -> None:
    """Adds which functions set which variable. Cost: one scan of a text that has one to set."""
    variables = {
        name.encode()[::-1]: name for name, kind in shape.kinds.items() if kind == "variable"
    }
    if not variables or not any(word in data for word in (b"let ", b"var ")):
        return
    found = [(match.end(), match[1]) for match in _SET.finditer(data[::-1])]
    set_ = [(len(data) - end, variables[name]) for end, name in found if name in variables]
    inner = sorted(
        (block.span, name)
        for name, places in (blocks.items() if set_ else ())
        for block in places
        if block.kind in ("function", "method")
    )
    for start, name in reversed(set_):
        at = bisect_right(inner, start, key=lambda each: each[0].start) - 1
        while at >= 0 and inner[at][0].end <= start:
            at -= 1
        if at >= 0 and inner[at][1] not in shape.assigned.get(name, ()):
            shape.assigned[name] = (*shape.assigned.get(name, ()), inner[at][1])


def bases(shape: Shape) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The classes of a file with the last names of their bases, under the names they have there."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for name, class_ in shape.classes.items():
        extended = (_APPLIED.sub("", base) for base in class_.extends)
        stated = (path for base in extended for path in _PATH.findall(base))
        plain = [base.partition("<")[0] for base in class_.implements]
        names = dict.fromkeys(_original(shape, path) for path in (*stated, *plain))
        found.append((name, tuple(names)))
    return tuple(found)


def _original(shape: Shape, path: str) -> str:
    imported = shape.imports.get(path, ("", ""))[1]
    return path.rpartition(".")[2] if imported in ("", "default", ALL, WHOLE) else imported


def type_text(data: bytes, node: Node) -> str:
    """The type that an annotation states."""
    return text(data, node).lstrip(":").strip()


def expression(data: bytes, value: Node) -> str:
    """The statement of an expression: itself where it is short and no literal of one value."""
    if value.type not in _MUTE and value.end_byte - value.start_byte <= _LONGEST:
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


def _class(data: bytes, owner: str, node: Node) -> Class:
    extends: list[str] = []
    implements: list[str] = []
    for child in node.named_children:
        if child.type == "extends_type_clause":
            extends += [text(data, base) for base in child.named_children]
        for clause in child.named_children if child.type == "class_heritage" else ():
            if clause.type == "implements_clause":
                implements += [text(data, base) for base in clause.named_children]
            else:
                extends.append(text(data, clause).removeprefix("extends").strip())
    body = node.child_by_field_name("body")
    members = body.named_children if body else []
    class_ = Class(
        tuple(extends),
        tuple(implements),
        type_parameters(data, node),
        getters=_getters(data, members),
    )
    for member in members:
        _add_member(class_.fields, data, member)
    starts = [member.start_byte for member in members]
    for match in _ASSIGNED.finditer(data, *(body.byte_range if body else (0, 0))):
        at = bisect_right(starts, match.start()) - 1
        name = members[at].child_by_field_name("name") if at >= 0 else None
        if name is not None:
            field_ = match[1].decode(errors="replace")
            by = f"{owner}.{key(data, name)}"
            others = class_.assigned.get(field_, ())
            class_.assigned[field_] = (*others, by) if by not in others else others
    return class_


def type_parameters(data: bytes, node: Node) -> dict[str, str]:
    """The type parameters of a class or function, each with its constraint, else empty."""
    declared = node.child_by_field_name("type_parameters")
    found: dict[str, str] = {}
    for each in declared.named_children if declared else ():
        constraint = each.child_by_field_name("constraint")
        type_ = constraint.named_children[0] if constraint and constraint.named_children else None
        found[key(data, each.child_by_field_name("name"))] = text(data, type_) if type_ else ""
    return found


def _getters(data: bytes, members: Sequence[Node]) -> tuple[str, ...]:
    found: list[str] = []
    for member in members:
        name = member.child_by_field_name("name")
        words = data[member.start_byte : name.start_byte] if name is not None else b""
        if b"get" in words and b"get" in words.split():
            found.append(key(data, name))
    return tuple(found)


def _add_member(fields: dict[str, str], data: bytes, member: Node) -> None:
    """The types of a field, and of the parameters of a constructor that are fields."""
    name = member.child_by_field_name("name") or member.child_by_field_name("property")
    type_ = member.child_by_field_name("type")
    if name is None:
        return
    if type_ is not None:
        fields.setdefault(key(data, name), type_text(data, type_))
    parameters = member.child_by_field_name("parameters")
    if key(data, name) != "constructor" or parameters is None:
        return
    for parameter in parameters.named_children:
        type_ = parameter.child_by_field_name("type")
        if type_ is not None and any(child.type in _PROPERTY for child in parameter.children):
            of = key(data, parameter.child_by_field_name("pattern"))
            fields.setdefault(of, type_text(data, type_))
