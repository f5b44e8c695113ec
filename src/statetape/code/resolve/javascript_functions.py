"""What functions and classes are, as terms. Every function here visits one node of a walk."""

from tree_sitter import Node

from statetape.code.extract.javascript_shape import type_parameters, type_text
from statetape.code.resolve.javascript_scopes import Scope
from statetape.code.resolve.javascript_terms import Function
from statetape.code.resolve.javascript_walk import UNKNOWN, Walk

_PARAMETERS = ("required_parameter", "optional_parameter")


def function(walk: Walk, node: Node) -> int:
    """A function: its parameters, and what it returns."""
    index = len(walk.functions)
    walk.functions.append(Function())
    walk.results.append([])
    found = walk.term("function", str(index))
    if walk.owned and walk.own == UNKNOWN:
        walk.own = index
    outer = walk.scope, walk.function, walk.branch, walk.bounds
    walk.scope, walk.function, walk.branch = Scope(walk.scope, of_function=True), index, 0
    bounds = type_parameters(walk.data, node)
    walk.bounds = {**walk.bounds, **{name: bound or name for name, bound in bounds.items()}}
    name = node.child_by_field_name("name")
    if name is not None and node.type == "function_expression":
        walk.declare(walk.text(name)).hold(found, 0)
    stated = _parameters(walk, node, index)
    result = node.child_by_field_name("return_type")
    walk.value(result)
    walk.functions[index] = walk.functions[index]._replace(
        parameters=stated,
        stated=walk.bounds.get(*[type_text(walk.data, result)] * 2) if result else "",
        generates="generator" in node.type or any(child.type == "*" for child in node.children),
    )
    body = node.child_by_field_name("body")
    value = walk.value(body)
    if value >= 0:
        walk.results[index].append(value)
    walk.scope, walk.function, walk.branch, walk.bounds = outer
    return found


def _parameters(walk: Walk, node: Node, index: int) -> tuple[str, ...]:
    single, listed = (node.child_by_field_name(f) for f in ("parameter", "parameters"))
    stated: list[str] = []
    for parameter in [single] if single else listed.named_children if listed else []:
        typed = parameter.type in _PARAMETERS
        pattern = parameter.child_by_field_name("pattern") if typed else parameter
        if pattern is None or pattern.type in ("this", "comment"):
            continue
        default = parameter.child_by_field_name("value")
        if pattern.type == "assignment_pattern":
            pattern, default = (pattern.child_by_field_name(f) for f in ("left", "right"))
        type_ = parameter.child_by_field_name("type") if typed else None
        walk.value(type_)
        annotation = walk.bounds.get(*[type_text(walk.data, type_)] * 2) if type_ else ""
        position = walk.term("parameter", str(index), keys=(str(len(stated)),))
        value = walk.either([position, walk.value(default)])
        if pattern is not None:
            walk.bind(pattern, value)
        for decorator in parameter.children_by_field_name("decorator"):
            walk.value(decorator)
        stated.append(annotation)
    return tuple(stated)


def class_(walk: Walk, node: Node) -> int:
    """A class: what it extends, and the members that are no definitions of their own."""
    bases: list[int] = []
    for child in node.named_children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                value = clause.child_by_field_name("value") or clause
                bases.append(walk.value(value if clause.type == "extends_clause" else clause))
        elif child.type in ("class_body", "decorator"):
            walk.value(child)
    return walk.term("class", of=tuple(each for each in bases if each >= 0))
