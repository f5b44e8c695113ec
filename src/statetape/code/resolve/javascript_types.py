"""What a type annotation says, as a value without positions: a pure function of its text."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from tree_sitter import Node

from statetape.code.extract.javascript_names import key
from statetape.code.extract.javascript_places import TYPESCRIPT, parsed
from statetape.code.treesitter import text

_DEEPEST = 30
_TRANSPARENT = frozenset(
    [
        "Promise",
        "PromiseLike",
        "Awaited",
        "Readonly",
        "Partial",
        "Required",
        "NonNullable",
        "Omit",
        "Pick",
        "WeakRef",
    ]
)
_LISTS = frozenset(
    [
        "Array",
        "ReadonlyArray",
        "Set",
        "ReadonlySet",
        "Iterable",
        "IterableIterator",
        "Iterator",
        "AsyncIterable",
        "AsyncIterableIterator",
        "Generator",
        "AsyncGenerator",
    ]
)
_AROUND = (
    "parenthesized_type",
    "readonly_type",
    "optional_type",
    "rest_type",
    "type_annotation",
    "type_predicate",
    "type_predicate_annotation",
)


class Type(NamedTuple):
    """One type.

    `name`: what the path `name` names, applied to `of`. `list`: of elements `of[0]`. `union`: any
    of `of` (intersections too). `object`: members `names` of types `of`. `function`: what it
    returns, then its parameters. `typeof`: the type of the value that the path `name` names.
    `member`: that of the member `name` of `of[0]`. `new`: a constructor of `of[0]`. `other`:
    nothing that tells.
    """

    kind: Literal["name", "list", "union", "object", "function", "typeof", "member", "new", "other"]
    name: str = ""
    of: tuple["Type", ...] = ()
    names: tuple[str, ...] = ()


OTHER = Type("other")


@lru_cache(maxsize=4096)
def stated(annotation: str) -> Type:
    """The type that a text states. Cost: one parse, remembered."""
    data = b"type _ = " + annotation.encode()
    for node in parsed(data, TYPESCRIPT).named_children:
        value = node.child_by_field_name("value")
        if value is not None:
            return _type(data, value, 0)
    return OTHER


def _type(data: bytes, node: Node, depth: int) -> Type:
    if depth > _DEEPEST:
        return OTHER
    children = node.named_children
    match node.type:
        case "this_type" | "this":
            return Type("name", "this")
        case "type_identifier" | "nested_type_identifier" | "identifier" | "member_expression":
            return Type("name", text(data, node))
        case "array_type" if children:
            return Type("list", of=(_type(data, children[0], depth + 1),))
        case "union_type" | "intersection_type":
            return _union(data, children, depth + 1)
        case "type_query" if children:
            return Type("typeof", text(data, children[0]))
        case kind if kind in _AROUND and children:
            return _type(data, children[0], depth + 1)
        case _:
            return _composed(data, node, depth + 1)


def _composed(data: bytes, node: Node, depth: int) -> Type:
    children = node.named_children
    match node.type:
        case "generic_type":
            return _applied(data, node, depth)
        case "tuple_type":
            return Type("list", of=(_union(data, children, depth),))
        case "conditional_type":
            return _union(data, node.children_by_field_name("consequence"), depth)
        case "object_type":
            members = dict(_members(data, node, depth))
            return Type("object", of=tuple(members.values()), names=tuple(members))
        case "function_type" | "constructor_type":
            return _function(data, node, depth)
        case "lookup_type" if len(children) > 1:
            return Type("member", key(data, children[1]), (_type(data, children[0], depth),))
        case _:
            return OTHER


def _applied(data: bytes, node: Node, depth: int) -> Type:
    name, arguments = (node.child_by_field_name(f) for f in ("name", "type_arguments"))
    path = text(data, name) if name else ""
    of = tuple(_type(data, each, depth) for each in (arguments.named_children if arguments else ()))
    if of and path in _TRANSPARENT:
        return of[0]
    if of and path in _LISTS:
        return Type("list", of=of[:1])
    return Type("name", path, of)


def _union(data: bytes, nodes: list[Node], depth: int) -> Type:
    parts = [part for node in nodes if (part := _type(data, node, depth)) != OTHER]
    return parts[0] if len(parts) == 1 else Type("union", of=tuple(parts)) if parts else OTHER


def _function(data: bytes, node: Node, depth: int) -> Type:
    result = node.child_by_field_name("return_type") or node.child_by_field_name("type")
    returned = _type(data, result, depth) if result else OTHER
    if node.type == "constructor_type":
        return Type("new", of=(returned,))
    parameters = node.child_by_field_name("parameters")
    of = [returned]
    for parameter in parameters.named_children if parameters else ():
        type_ = parameter.child_by_field_name("type")
        of.append(_type(data, type_, depth) if type_ else OTHER)
    return Type("function", of=tuple(of))


def _members(data: bytes, node: Node, depth: int) -> Iterator[tuple[str, Type]]:
    for member in node.named_children:
        name = key(data, member.child_by_field_name("name"))
        if member.type == "property_signature":
            type_ = member.child_by_field_name("type")
            yield name, _type(data, type_, depth) if type_ else OTHER
        elif member.type == "method_signature":
            yield name, _function(data, member, depth)
        elif member.type == "construct_signature":
            yield "new", _function(data, member, depth)
        elif member.type == "index_signature":
            type_ = member.child_by_field_name("type")
            yield "[]", _type(data, type_, depth) if type_ else OTHER
