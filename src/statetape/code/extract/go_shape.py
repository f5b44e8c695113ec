"""What the rest of a Go repository can see of one file, without positions.

A *type text* is a type as written in the file, without needless blank space: it means something
only together with the file's package and imports.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from tree_sitter import Node

from statetape.code.treesitter import Block, Place, text

_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_GENERIC = re.compile(r"\[.*", re.DOTALL)


class Type(Struct, frozen=True):
    """A declared type: fields and interface methods by name, as type texts, and what it embeds.

    `of` is the type text it is defined as, `alias` whether it is the same type (`type A = B`).
    Interface methods are fields here, their type text that of the first result.
    """

    fields: dict[str, str] = field(default_factory=dict)
    embeds: tuple[str, ...] = ()
    of: str = ""
    alias: bool = False


class Shape(Struct, frozen=True):
    """The declarations of one file.

    `imports` are (name, path) pairs, the name empty where none is given, `.` for a dot import.
    `functions` have the type texts of their results, methods under `Type.Method`. `values` are
    package-level variables: a type text, or `=` and the expression that initialises them.
    """

    package: str = ""
    imports: tuple[tuple[str, str], ...] = ()
    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)


class Source(Struct, frozen=True):
    """The detail of a Go file: its shape, and its bytes for the bodies, parsed when asked for.

    `blocks` are the places of each name.
    """

    shape: Shape
    data: bytes
    blocks: Mapping[str, Sequence[Block]]


def declared(roots: Iterable[tuple[int, bytes, Node]]) -> tuple[list[Place], Shape]:
    """The places and the shape of the declarations directly under the roots.

    A root comes with its own text, and the byte of the file where that starts. Cost: the top
    level and the types, no function's body.
    """
    places: list[Place] = []
    package = ""
    imports: list[tuple[str, str]] = []
    functions: dict[str, tuple[str, ...]] = {}
    types: dict[str, Type] = {}
    values: dict[str, str] = {}
    for shift, source, root in roots:
        for node in root.named_children:
            match node.type:
                case "function_declaration" | "method_declaration":
                    name = _function_name(source, node)
                    if name:
                        kind = node.type.partition("_")[0]
                        places.append(_place(name, kind, node, shift))
                        functions.setdefault(name, results(source, node))
                case "type_declaration":
                    for name, place, spec in _types(source, node):
                        kind, type_ = _type(source, spec)
                        places.append(_place(name, kind, place, shift))
                        types.setdefault(name, type_)
                case "var_declaration":
                    values.update(_values(source, node))
                case "import_declaration":
                    imports += _imports(source, node)
                case "package_clause" if not package:
                    package = "".join(text(source, child) for child in node.named_children[:1])
    return places, Shape(package, tuple(imports), functions, types, values)


def type_text(data: bytes, node: Node) -> str:
    """The type text of a type node."""
    return _SPACE.sub("", text(data, node))


def base(type_: str) -> str:
    """The name in a type text, without pointers and type arguments; a qualifier stays."""
    return _GENERIC.sub("", type_.lstrip("*&("), count=1).rstrip(")")


def results(data: bytes, node: Node) -> tuple[str, ...]:
    """The type texts of what a function returns."""
    result = node.child_by_field_name("result")
    if result is None:
        return ()
    if result.type != "parameter_list":
        return (type_text(data, result),)
    found: list[str] = []
    for parameter in result.named_children:
        type_ = parameter.child_by_field_name("type")
        if type_ is not None:
            names = len(parameter.children_by_field_name("name"))
            found += [type_text(data, type_)] * max(1, names)
    return tuple(found)


def _place(name: str, kind: str, node: Node, shift: int) -> Place:
    return Place(name, kind, node.start_byte + shift, node.end_byte + shift)


def _function_name(data: bytes, node: Node) -> str:
    """`Name` of a function, `Type.Name` of a method, empty where the name is lost."""
    name = node.child_by_field_name("name")
    receiver = node.child_by_field_name("receiver")
    own = text(data, name) if name else ""
    if receiver is None or not own:
        return own
    for parameter in receiver.named_children:
        type_ = parameter.child_by_field_name("type")
        if type_ is not None:
            return f"{base(type_text(data, type_))}.{own}"
    return own


def _types(data: bytes, node: Node) -> Iterator[tuple[str, Node, Node]]:
    """(name, node of the place, specification); alone in its declaration, it is all of it."""
    specs = [child for child in node.named_children if child.type in ("type_spec", "type_alias")]
    grouped = any(child.type == "(" for child in node.children)
    for spec in specs:
        name = spec.child_by_field_name("name")
        if name is not None and name.end_byte > name.start_byte:
            yield text(data, name), spec if grouped else node, spec


def _type(data: bytes, spec: Node) -> tuple[str, Type]:
    """The kind and the shape of a declared type."""
    node = spec.child_by_field_name("type")
    if node is None:
        return "type", Type()
    fields: dict[str, str] = {}
    embeds: list[str] = []
    if node.type == "struct_type":
        for list_ in node.named_children:
            for member in list_.named_children:
                _field(data, member, fields, embeds)
        return "struct", Type(fields, tuple(embeds))
    if node.type == "interface_type":
        for member in node.named_children:
            name = member.child_by_field_name("name")
            if name is not None:
                fields[text(data, name)] = "".join(results(data, member)[:1])
            elif member.type == "type_elem":
                embeds.append(type_text(data, member))
        return "interface", Type(fields, tuple(embeds))
    return "type", Type(of=type_text(data, node), alias=spec.type == "type_alias")


def _field(data: bytes, member: Node, fields: dict[str, str], embeds: list[str]) -> None:
    type_ = member.child_by_field_name("type")
    if type_ is None:
        return
    names = member.children_by_field_name("name")
    for name in names:
        fields[text(data, name)] = type_text(data, type_)
    if not names:
        embeds.append(type_text(data, type_))


def _values(data: bytes, node: Node) -> Iterator[tuple[str, str]]:
    for child in node.named_children:
        for spec in child.named_children if child.type == "var_spec_list" else [child]:
            type_ = spec.child_by_field_name("type")
            value = spec.child_by_field_name("value")
            expressions = value.named_children if value else []
            for i, name in enumerate(spec.children_by_field_name("name")):
                stated = type_text(data, type_) if type_ else ""
                if i < len(expressions) and (
                    not stated or not expressions[i].type.endswith("_lit")
                ):
                    stated = stated or "=" + text(data, expressions[i])
                yield text(data, name), stated


def _imports(data: bytes, node: Node) -> Iterator[tuple[str, str]]:
    for child in node.named_children:
        for spec in child.named_children if child.type == "import_spec_list" else [child]:
            path = spec.child_by_field_name("path")
            name = spec.child_by_field_name("name")
            if path is not None:
                yield text(data, name) if name else "", text(data, path).strip('"`')
