"""The outgoing edges of a Go function or method: every definition its text refers to.

Resolution is lexical: local names shadow, then come the package, dot imports and the packages of
the same module. A receiver's type is that of its declaration, literal, call or field; promoted
methods are followed through embedded structs. Outside the repository there is no edge.
"""

from collections.abc import Callable

from tree_sitter import Node

from statetape.code.extract.go_shape import Source
from statetape.code.facts import Facts, Lookup
from statetape.code.resolve.go_expressions import Expressions, expression, parsed
from statetape.code.resolve.go_packages import Packages, Typed
from statetape.types import SymbolId

_SCOPES = frozenset(
    {
        "block",
        "func_literal",
        "function_declaration",
        "method_declaration",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
        "expression_case",
        "type_case",
        "default_case",
        "communication_case",
    }
)


def edges(owner: SymbolId, lookup: Lookup) -> frozenset[SymbolId]:
    """The definitions a function or method refers to; for the residue, what its variables call.

    Types have none. Costs one parse of the symbol's own text, remembered, and one walk over it.
    """
    facts = lookup.facts(owner.path)
    if facts is None or not isinstance(facts.detail, Source):
        return frozenset()
    packages = Packages(lookup)
    found: set[SymbolId] = set()
    for data, root in _texts(facts, facts.detail, owner.name):
        found |= _Walk(packages, owner.path, data).found(root)
    return frozenset(found)


def _texts(facts: Facts, source: Source, name: str) -> list[tuple[bytes, Node]]:
    """The texts of a symbol with the nodes to walk."""
    if not name:
        texts = [
            b"package p; var _ = " + value[1:].encode()
            for value in source.shape.values.values()
            if value.startswith("=")
        ]
        return [(data, node) for data in texts if (node := expression(data))]
    spans = [
        span
        for definition in facts.definitions
        if definition.name == name and definition.kind in ("function", "method")
        for span in definition.spans
    ]
    return [(data, parsed(data)) for data in (source.data[start:end] for start, end in spans)]


class _Walk:
    """One walk over a text, in its order, with the scopes that are open."""

    def __init__(self, packages: Packages, path: str, data: bytes) -> None:
        self.packages = packages
        self.path = path
        self.at = Expressions(packages, path, data)
        self.stack: list[Node | Callable[[], object]] = []
        self.edges: set[SymbolId] = set()

    def found(self, root: Node) -> set[SymbolId]:
        self.stack = [root]
        while self.stack:
            item = self.stack.pop()
            if isinstance(item, Node):
                self._visit(item)
            else:
                item()
        return self.edges

    def _visit(self, node: Node) -> None:
        match node.type:
            case "identifier":
                name = self.at.text(node)
                if not self.at.local(name):
                    self.edges |= self.packages.definitions(self.path, name)
            case "selector_expression":
                self._selector(node)
            case "composite_literal":
                self._literal(node)
            case "keyed_element":
                self._keyed(node)
            case "parameter_declaration" | "variadic_parameter_declaration":
                self._parameter(node)
            case "short_var_declaration" | "range_clause":
                self._assigned(node)
            case "var_spec":
                self._variable(node)
            case "const_spec" | "type_spec" | "type_alias":
                for named in node.children_by_field_name("name"):
                    self._bind(named, None)
                self._descend(node.children_by_field_name("value"))
            case _:
                self._block(node)

    def _block(self, node: Node) -> None:
        if node.type in _SCOPES:
            self.at.scopes.append({})
            self.stack.append(self.at.scopes.pop)
            if node.type == "type_case":
                self._case(node)
        declared = node.type == "function_declaration"
        self._descend(node.named_children[1:] if declared else node.named_children)

    def _descend(self, nodes: list[Node]) -> None:
        self.stack += reversed(nodes)

    def _bind(self, name: Node, type_: Typed | None) -> None:
        if name.type in ("identifier", "type_identifier"):
            self.at.scopes[-1][self.at.text(name)] = type_

    def _selector(self, node: Node) -> None:
        operand = node.child_by_field_name("operand")
        field = node.child_by_field_name("field")
        if operand is None or field is None:
            return
        files = self.at.package(operand)
        if files is not None:
            self.edges |= self.packages.defined(files, self.at.text(field))
            return
        of = self.at.type(operand)
        if of is not None:
            self.edges |= self.packages.member(of, self.at.text(field)).symbols
        self.stack.append(operand)

    def _literal(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        if type_ is not None:
            stated = self.at.stated(type_)
            while stated.text.startswith(("[", "map[", "*")):
                stated = self.packages.element(stated) or Typed(self.path, "")
            if not self.at.local(stated.text):
                files, name = self.packages.named(stated)
                self.edges |= self.packages.defined(files, name)
        body = node.child_by_field_name("body")
        self._descend([body] if body else [])

    def _keyed(self, node: Node) -> None:
        """A bare name as a key is a field."""
        key, *values = node.named_children or [node]
        bare = key.type == "literal_element" and [c.type for c in key.children] == ["identifier"]
        self._descend(values if bare else [key, *values] if key is not node else [])

    def _parameter(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        stated = self.at.stated(type_) if type_ else None
        if stated and node.type.startswith("variadic"):
            stated = stated._replace(text="..." + stated.text)
        for name in node.children_by_field_name("name"):
            self._bind(name, stated)

    def _assigned(self, node: Node) -> None:
        """`a, b := x` and `for k, v := range x`: the right side comes first, then the names."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        declares = any(child.type == ":=" for child in node.children)
        if left is None or not declares:
            self._descend(node.named_children)
            return
        names = left.named_children

        def bind() -> None:
            types = self._ranged(right) if node.type == "range_clause" else self._types(right)
            for i, name in enumerate(names):
                self._bind(name, types[i] if i < len(types) else None)

        self.stack.append(bind)
        self._descend([right] if right else [])

    def _types(self, right: Node | None) -> list[Typed | None]:
        values = right.named_children if right else []
        if len(values) == 1:
            return list(self.at.types(values[0]))
        return [self.at.type(value) for value in values]

    def _ranged(self, right: Node | None) -> list[Typed | None]:
        of = self.at.type(right)
        element = self.packages.element(of)
        return [element if of and "chan" in of.text[:6] else None, element]

    def _variable(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        value = node.child_by_field_name("value")
        names = node.children_by_field_name("name")

        def bind() -> None:
            types = self._types(value)
            for i, name in enumerate(names):
                known = types[i] if i < len(types) else None
                self._bind(name, self.at.stated(type_) if type_ else known)

        self.stack.append(bind)
        self._descend([value] if value else [])

    def _case(self, node: Node) -> None:
        """`switch v := x.(type)`: in a case of one type, `v` has it."""
        switch = node.parent
        alias = switch.child_by_field_name("alias") if switch else None
        types = node.children_by_field_name("type")
        for name in alias.named_children if alias else []:
            self._bind(name, self.at.stated(types[0]) if len(types) == 1 else None)
