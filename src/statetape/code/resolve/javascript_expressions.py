"""What each kind of expression is, as terms. Every function here visits one node of a walk."""

import re

from tree_sitter import Node

from statetape.code.extract.javascript_names import key, required
from statetape.code.resolve.javascript_terms import Written
from statetape.code.resolve.javascript_walk import UNKNOWN, Walk

_EXPORTS = re.compile(r"^(?:module\.)?exports\.")
_CONSTANTS = ("string", "number")
_ASSIGNABLE = ("identifier", "member_expression", "subscript_expression", "this")


def nothing(walk: Walk, node: Node) -> int:  # noqa: ARG001
    """No use is below."""
    return UNKNOWN


def identifier(walk: Walk, node: Node) -> int:
    """A name; one of the text's own is no mention, unless it is a definition nested in it."""
    found = walk.read(walk.text(node))
    if found >= 0 and walk.listed[found].kind in ("free", "nested", "variable"):
        walk.mention(found)
    return found


def this(walk: Walk, node: Node) -> int:  # noqa: ARG001
    """The receiver: `this`, or `super`."""
    return walk.term("this")


def transparent(walk: Walk, node: Node) -> int:
    """What is around an expression and leaves its value as it is."""
    values = [walk.value(child) for child in node.named_children]
    return values[-1 if node.type == "sequence_expression" else 0] if values else UNKNOWN


def cast(walk: Walk, node: Node) -> int:
    """`value as Type`, where the type tells more than `const` does."""
    value, *stated = node.named_children
    found = walk.value(value)
    if node.type == "satisfies_expression" or not stated:
        return found
    walk.value(stated[-1])
    return walk.typed(walk.text(stated[-1])) if stated[-1].type != "predefined_type" else found


def any_of(walk: Walk, node: Node) -> int:
    """A condition or a logical operator: one of its sides. Other operators give nothing known."""
    condition = node.child_by_field_name("condition")
    walk.value(condition)
    sides = [walk.value(child) for child in node.named_children if child != condition]
    operator = node.child_by_field_name("operator")
    plain = operator is not None and operator.type not in ("||", "&&", "??")
    return UNKNOWN if plain else walk.either(sides)


def constant(walk: Walk, node: Node) -> int:
    """A literal string or number."""
    return walk.term("constant", key(walk.data, node))


def member(walk: Walk, node: Node) -> int:
    """`a.b` and `a["b"]`: what was assigned to it before in the same function, else the member."""
    object_, property_ = (node.child_by_field_name(f) for f in ("object", "property"))
    index = node.child_by_field_name("index")
    of = walk.value(object_)
    of = of if of >= 0 else walk.term("unknown")
    if object_ is None:
        return UNKNOWN
    if property_ is not None:
        is_super = object_.type == "super"
        found = walk.term("inherited" if is_super else "member", walk.text(property_), (of,))
    else:
        at = walk.value(index)
        constant_ = index is not None and index.type in _CONSTANTS
        found = (
            walk.term("member", key(walk.data, index), (of,))
            if constant_
            else walk.term("element", of=(of, at) if at >= 0 else (of,))
        )
    walk.mention(found)
    binding = walk.scope.find(_path(walk, node))
    if binding is not None and binding.function == walk.function and binding.now:
        return walk.either(binding.now)
    return found


def _path(walk: Walk, node: Node) -> str:
    """The path of a member of a name, as a name that only bindings have; empty: no such path."""
    object_, index = (node.child_by_field_name(f) for f in ("object", "index"))
    if object_ is None or object_.type not in _ASSIGNABLE:
        return ""
    if object_.type in ("member_expression", "subscript_expression"):
        inner = object_.child_by_field_name("object")
        if inner is None or inner.type not in ("identifier", "this"):
            return ""
    name = walk.text(node.child_by_field_name("property")) or f"[{walk.text(index)}]"
    return f"{walk.text(object_)}.{name}"


def call(walk: Walk, node: Node) -> int:
    """A call; `require("module")` and `import("module")` are the module."""
    module = required(walk.data, node)
    if module:
        return walk.term("required", module)
    function, arguments = (node.child_by_field_name(f) for f in ("function", "arguments"))
    if function is not None and function.type == "super":
        callee = walk.term("inherited", "constructor", (walk.term("this"),))
    else:
        callee = walk.value(function)
    walk.value(node.child_by_field_name("type_arguments"))
    return _called(walk, "called", callee, arguments)


def made(walk: Walk, node: Node) -> int:
    """`new C(...)`."""
    callee = walk.value(node.child_by_field_name("constructor"))
    walk.value(node.child_by_field_name("type_arguments"))
    return _called(walk, "made", callee, node.child_by_field_name("arguments"))


def _called(walk: Walk, kind: str, callee: int, arguments: Node | None) -> int:
    values = [
        _filled(walk, walk.value(each))
        for each in (arguments.named_children if arguments else ())
        if each.type != "comment"
    ]
    of = (_filled(walk, callee), *values)
    number = walk.call(walk.term("made" if kind == "made" else "called", of=of))
    for at, value in enumerate(of, start=-1):
        if walk.listed[value].kind == "function":
            index = int(walk.listed[value].name)
            walk.functions[index] = walk.functions[index]._replace(passed=(number, at))
    return number


def _filled(walk: Walk, value: int) -> int:
    return value if value >= 0 else walk.term("unknown")


def element(walk: Walk, node: Node) -> int:
    """A JSX element: a call of its component; one that is an HTML tag is none."""
    name = node.child_by_field_name("name")
    walk.all([child for child in node.named_children if child != name])
    if name is not None and not (name.type == "identifier" and walk.text(name)[:1].islower()):
        found = walk.value(name)
        if node.type != "jsx_closing_element" and found >= 0:
            walk.call(walk.term("called", of=(found,)))
    return UNKNOWN


def object_(walk: Walk, node: Node) -> int:
    """An object literal."""
    keys: list[str] = []
    values: list[int] = []
    for entry in node.named_children:
        match entry.type:
            case "pair":
                name = key(walk.data, entry.child_by_field_name("key"))
                value = walk.value(entry)
            case "shorthand_property_identifier":
                name, value = walk.text(entry), identifier(walk, entry)
            case "method_definition":
                name = key(walk.data, entry.child_by_field_name("name"))
                value = walk.value(entry)
            case "spread_element" if entry.named_children:
                name, value = "...", walk.value(entry.named_children[0])
            case _:
                continue
        if value >= 0:
            keys.append(name)
            values.append(value)
    return walk.term("object", of=tuple(values), keys=tuple(keys))


def pair(walk: Walk, entry: Node) -> int:
    """The value of an entry of an object literal; where it is the whole text, a name's."""
    name = entry.child_by_field_name("key")
    if name is not None and name.type == "computed_property_name":
        walk.value(name)
    value = walk.value(entry.child_by_field_name("value"))
    if walk.depth == 1 and value >= 0:
        walk.stated.setdefault(key(walk.data, name), []).append(value)
    return value


def array(walk: Walk, node: Node) -> int:
    """An array literal: an object with the positions as keys."""
    found = {}
    for at, entry in enumerate(each for each in node.named_children if each.type != "comment"):
        spread = entry.type == "spread_element" and entry.named_children
        value = walk.value(entry.named_children[0] if spread else entry)
        if value >= 0:
            found[f"...{at}" if spread else str(at)] = value
    keys = tuple("..." if name.startswith("...") else name for name in found)
    return walk.term("object", of=tuple(found.values()), keys=keys)


def assignment(walk: Walk, node: Node) -> int:
    """An assignment, plain or augmented, to a name, a member, or a pattern."""
    left, right = (node.child_by_field_name(f) for f in ("left", "right"))
    value = walk.value(right)
    if left is None:
        return value
    if node.type == "augmented_assignment_expression":
        walk.branch += 1
    if left.type == "identifier":
        assign(walk, walk.text(left), value)
    elif left.type in ("member_expression", "subscript_expression"):
        _assign_member(walk, left, value)
    elif left.type.endswith("_pattern"):
        walk.bind(left, value)
    else:
        walk.value(left)
    if node.type == "augmented_assignment_expression":
        walk.branch -= 1
    return value


def assign(walk: Walk, name: str, value: int) -> None:
    """What a name holds from here on; outside all functions of a whole file, its variable."""
    binding = walk.scope.find(name)
    if binding is None and walk.whole and walk.function == UNKNOWN:
        binding = walk.declare(name, walk.top)
    if binding is not None:
        binding.hold(value, walk.branch)
    if (binding is None or binding.of_file) and value >= 0:
        walk.stated.setdefault(name, []).append(value)


def _assign_member(walk: Walk, left: Node, value: int) -> None:
    object_, property_ = (left.child_by_field_name(f) for f in ("object", "property"))
    index = left.child_by_field_name("index")
    of = walk.value(object_)
    walk.value(index)
    path = _path(walk, left)
    if path:
        walk.declare(path, walk.scope.function()).hold(value, walk.branch)
    name = key(walk.data, property_ or index)
    if value >= 0:
        name_outside = _EXPORTS.sub("", walk.text(left)).replace(".prototype.", ".")
        walk.stated.setdefault(name_outside, []).append(value)
        walk.written += [Written(of, name, value)] if of >= 0 else []
