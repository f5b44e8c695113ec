"""The declarations in a part of a Go file: where they are, and what others see of them."""

from collections.abc import Iterator
from typing import Literal

from tree_sitter import Node

from statetape.code.extract.go_shape import (
    Function,
    Shape,
    Type,
    Value,
    arguments,
    base,
    type_text,
)
from statetape.code.treesitter import Place, text

# Bytes. A longer expression says nothing about the type of a variable but by its first word.
_LONGEST = 2000


class Declarations:
    """What the nodes at the top level of a text declare.

    `bases` are the structs and interfaces with what they embed, `loose` the declarations of
    variables that bind no name of their own. Cost: the top level, no function's body.
    """

    def __init__(self, data: bytes, root: Node) -> None:
        self._data = data
        self.places: list[Place] = []
        self.loose: list[bytes] = []
        self.bases: list[tuple[str, tuple[str, ...]]] = []
        self._package = ""
        self._imports: list[tuple[str, str]] = []
        self._functions: dict[str, Function] = {}
        self._types: dict[str, Type] = {}
        self._values: dict[str, Value] = {}
        for node in root.named_children:
            self._declare(node)

    def shape(self) -> Shape:
        """What others see."""
        imports = tuple(self._imports)
        return Shape(self._package, imports, self._functions, self._types, self._values)

    def _declare(self, node: Node) -> None:
        match node.type:
            case "function_declaration" | "method_declaration":
                name, generics = self._function_name(node)
                if name:
                    self._place(name, node.type.partition("_")[0], node)
                    self._functions.setdefault(name, self._function(node, generics))
            case "type_declaration":
                for spec, place in _specs(node, ("type_spec", "type_alias")):
                    self._type(spec, place)
            case "const_declaration":
                self._constants(node)
            case "var_declaration":
                for spec, place in _specs(node, ("var_spec",)):
                    self._value(spec, place)
            case "import_declaration":
                for spec, _ in _specs(node, ("import_spec",)):
                    path, name_node = spec.child_by_field_name("path"), _named(spec)
                    alias = self._text(name_node) if name_node else ""
                    if path is not None:
                        self._imports.append((alias, self._text(path).strip('"`')))
            case "package_clause" if not self._package:
                self._package = "".join(map(self._text, node.named_children[:1]))

    def _text(self, node: Node) -> str:
        return text(self._data, node)

    def _place(
        self, name: str, kind: str, node: Node, setting: bytes = b"", *, shared: bool = False
    ) -> None:
        place = Place(name, kind, node.start_byte, node.end_byte, setting, shared)
        self.places.append(place)

    def _function_name(self, node: Node) -> tuple[str, tuple[str, ...]]:
        """`Name` or `Type.Name`, empty where it is lost; and the names of type parameters."""
        name = _named(node)
        own = self._text(name) if name else ""
        receiver = node.child_by_field_name("receiver")
        if receiver is None or not own:
            return own, self._generics(node)
        for parameter in receiver.named_children:
            type_ = parameter.child_by_field_name("type")
            if type_ is not None:
                stated = type_text(self._data, type_)
                return f"{base(stated)}.{own}", arguments(stated)
        return own, ()

    def _generics(self, node: Node) -> tuple[str, ...]:
        parameters = node.child_by_field_name("type_parameters")
        return tuple(
            self._text(name)
            for parameter in (parameters.named_children if parameters else ())
            for name in parameter.children_by_field_name("name")
        )

    def _function(self, node: Node, generics: tuple[str, ...] = ()) -> Function:
        taken = node.child_by_field_name("parameters")
        result = node.child_by_field_name("result")
        if result is None:
            results: tuple[str, ...] = ()
        elif result.type == "parameter_list":
            results = tuple(self._parameters(result))
        else:
            results = (type_text(self._data, result),)
        return Function(tuple(self._parameters(taken)) if taken else (), results, generics)

    def _parameters(self, node: Node) -> Iterator[str]:
        """The type text of each parameter."""
        for parameter in node.named_children:
            type_ = parameter.child_by_field_name("type")
            if type_ is not None:
                dots = "..." if parameter.type.startswith("variadic") else ""
                names = len(parameter.children_by_field_name("name"))
                yield from [dots + type_text(self._data, type_)] * max(1, names)

    def _type(self, spec: Node, place: Node) -> None:
        name_node = _named(spec)
        if name_node is None or name_node.end_byte == name_node.start_byte:
            return
        name = self._text(name_node)
        node = spec.child_by_field_name("type")
        generics = self._generics(spec)
        members: list[Place] = []
        if node is not None and node.type == "struct_type":
            found = self._struct(name, node, generics, members)
        elif node is not None and node.type == "interface_type":
            found = self._interface(name, node, generics, members)
        else:
            of = type_text(self._data, node) if node else ""
            found = Type(of=of, alias=spec.type == "type_alias", generics=generics)
        self._place(name, found.kind, place)
        self.places += members
        self._types.setdefault(name, found)
        if found.embeds:
            named = (base(part) for each in found.embeds for part in each.split("|"))
            self.bases.append((name, tuple(part.rpartition(".")[2] for part in named)))

    def _struct(self, of: str, node: Node, generics: tuple[str, ...], members: list[Place]) -> Type:
        fields: dict[str, str] = {}
        embeds: list[str] = []
        together: set[str] = set()
        for member in (m for list_ in node.named_children for m in list_.named_children):
            type_ = member.child_by_field_name("type")
            if type_ is None:
                continue
            names = [self._text(n) for n in member.children_by_field_name("name") if n.is_named]
            fields.update(dict.fromkeys(names, type_text(self._data, type_)))
            if not names:
                embeds.append(type_text(self._data, type_))
            elif len(names) == 1 and names[0] != "_":
                members.append(_member(f"{of}.{names[0]}", "field", member))
            else:
                together.update(names)
        return Type(
            "struct",
            fields=fields,
            embeds=tuple(embeds),
            together=frozenset(together),
            generics=generics,
        )

    def _interface(
        self, of: str, node: Node, generics: tuple[str, ...], members: list[Place]
    ) -> Type:
        methods: dict[str, Function] = {}
        embeds: list[str] = []
        for member in node.named_children:
            name = _named(member)
            if name is not None:
                methods[self._text(name)] = self._function(member)
                members.append(_member(f"{of}.{self._text(name)}", "method", member))
            elif member.type == "type_elem":
                embeds.append(type_text(self._data, member))
        return Type("interface", methods=methods, embeds=tuple(embeds), generics=generics)

    def _constants(self, node: Node) -> None:
        """A constant in a block means what its place there, and what it repeats, make of it."""
        stated: Node | None = None
        for at, (spec, place) in enumerate(_specs(node, ("const_spec",))):
            repeated = spec.child_by_field_name("value") is None and stated is not None
            stated = stated if repeated else spec
            source = b""
            if stated is not None:
                source = self._data[stated.start_byte : stated.end_byte]
            counted = b"%d " % at if b"iota" in source else b""
            self._value(spec, place, stated, counted + (source if repeated else b""))

    def _value(
        self, spec: Node, place: Node, stated: Node | None = None, setting: bytes = b""
    ) -> None:
        """The names of one specification. Their values are `stated` by an earlier one, if any."""
        source = stated or spec
        repeated = source is not spec
        names = [self._text(n) for n in spec.children_by_field_name("name") if n.is_named]
        own = len(names) == 1 and names[0] != "_"
        if own:
            self._place(names[0], "variable", place, setting)
        else:
            word = b"const" if spec.type == "const_spec" else b"var"
            self.loose.append(b"%b %b" % (word, self._data[spec.start_byte : spec.end_byte]))
        type_ = source.child_by_field_name("type")
        value = source.child_by_field_name("value")
        expressions = value.named_children if value else []
        for at, name in enumerate(names):
            type_name = type_text(self._data, type_) if type_ else ""
            expression, result = "", 0
            if expressions and (len(expressions) == 1 or at < len(expressions)):
                alone = len(expressions) == 1
                node, result = expressions[0 if alone else at], at if alone else 0
                type_name = type_name or self._literal_type(node)
                if node.end_byte - node.start_byte <= _LONGEST and (repeated or not type_name):
                    expression = self._text(node)
            found = Value(type_name, expression, result, own, repeated)
            self._values.setdefault(name, found)

    def _literal_type(self, node: Node) -> str:
        """The type text that a composite literal begins with; empty: it is none."""
        if node.type == "unary_expression" and node.named_children:
            node = node.named_children[0]
        type_ = node.child_by_field_name("type") if node.type == "composite_literal" else None
        return type_text(self._data, type_) if type_ else ""


def _member(name: str, kind: Literal["field", "method"], node: Node) -> Place:
    return Place(name, kind, node.start_byte, node.end_byte, shared=True)


def _named(node: Node) -> Node | None:
    return node.child_by_field_name("name")


def _specs(node: Node, types: tuple[str, ...]) -> Iterator[tuple[Node, Node]]:
    """(specification, node of its place): alone in its declaration, it is all of it."""
    for child in node.named_children:
        if child.type.endswith("_spec_list"):
            yield from ((spec, spec) for spec in child.named_children if spec.type in types)
        elif child.type in types:
            grouped = any(part.type == "(" for part in node.children)
            yield child, child if grouped else node
