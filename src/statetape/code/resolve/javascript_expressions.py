"""What the expressions in a JavaScript text are, as terms, under the local names in scope."""

from typing import Literal

from tree_sitter import Node

from statetape.code.extract.javascript_modules import pattern_names, required
from statetape.code.extract.javascript_shape import type_text
from statetape.code.resolve.javascript_scopes import Declared, names
from statetape.code.resolve.javascript_terms import Term
from statetape.code.treesitter import text

_DEEPEST = 60
"""How deep expressions, and the declarations of the names in them, are read into."""
_TRANSPARENT = (
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
    "await_expression",
    "expression_statement",
)


class Local(dict[str, tuple[Declared, "Local"]]):
    """The local names in scope: where each is declared, and what is in scope there."""

    depth = 0


class Expressions:
    """The expressions of one text, and the numbers of the terms made so far."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._known: dict[int, Term | None] = {}
        self._names: dict[tuple[int, str], Term | None] = {}
        self.numbers: dict[Term, int] = {}
        self.local = Local()

    def number(self, term: Term) -> int:
        """The number of a term, made now where it is a new one."""
        return self.numbers.setdefault(term, len(self.numbers))

    def text(self, node: Node) -> str:
        """The text of a node."""
        return text(self._data, node)

    def inside(self, node: Node) -> Local:
        """What is in scope inside a function, block, loop or `catch`; nothing new if too deep."""
        declared = dict(names(self._data, node)) if self.local.depth < _DEEPEST else {}
        if not declared:
            return self.local
        local = Local(self.local)
        local.depth = self.local.depth + 1
        for name, where in declared.items():
            local[name] = where, local
        return local

    def value(self, node: Node | None, depth: int = 0) -> Term | None:
        """What an expression is; None: not known."""
        if node is None or depth > _DEEPEST:
            return None
        match node.type:
            case "identifier" | "shorthand_property_identifier":
                return self.named(self.text(node), depth)
            case "this" | "super":
                return Term("this")
            case "member_expression" | "call_expression":
                found = self._known.get(node.id)
                if found is None:
                    read = self._member if node.type == "member_expression" else self._call
                    found = self._known[node.id] = read(node, depth)
                return found
            case "subscript_expression":
                return self._on("element", node.child_by_field_name("object"), depth)
            case "new_expression":
                return self._on("made", node.child_by_field_name("constructor"), depth)
            case kind if kind in _TRANSPARENT and node.named_children:
                stated = node.named_children[-1]
                if kind == "as_expression" and stated.type not in ("identifier", "const"):
                    return Term("typed", self.text(stated))
                return self.value(node.named_children[0], depth + 1)
            case _:
                return None

    def named(self, name: str, depth: int = 0) -> Term | None:
        """What a name is. None, too, while that is being found: circles end."""
        if name not in self.local:
            return Term("free", name)
        (node, nests), local = self.local[name]
        if node is None:
            return None
        key = node.id, name
        if key not in self._names:
            self._names[key] = None
            here, self.local = self.local, local
            found = self._declared(node, name, depth)
            self.local = here
            if nests:
                found = Term("nested", name, self.number(found) if found else -1)
            self._names[key] = found
        return self._names[key]

    def _declared(self, node: Node, name: str, depth: int) -> Term | None:
        """What a declarator, parameter or loop says that a name is."""
        if node.type == "for_in_statement":
            return self._on("element", node.child_by_field_name("right"), depth)
        type_ = node.child_by_field_name("type")
        pattern = node.child_by_field_name("name") or node.child_by_field_name("pattern")
        if type_ is not None:
            found: Term | None = Term("typed", type_text(self._data, type_))
        else:
            found = self.value(node.child_by_field_name("value"), depth + 1)
        if pattern is None or pattern.type != "object_pattern":
            return found
        keys = [key for key, local in pattern_names(self._data, pattern) if local == name]
        return Term("picked", keys[0], self.number(found)) if found and keys else None

    def _on(
        self, kind: Literal["element", "made", "called"], node: Node | None, depth: int
    ) -> Term | None:
        of = self.value(node, depth + 1)
        return Term(kind, of=self.number(of)) if of else None

    def _member(self, node: Node, depth: int) -> Term | None:
        object_, property_ = (node.child_by_field_name(f) for f in ("object", "property"))
        of = self.value(object_, depth + 1)
        if of is None or object_ is None or property_ is None:
            return None
        kind: Literal["inherited", "member"] = "inherited" if object_.type == "super" else "member"
        return Term(kind, self.text(property_), self.number(of))

    def _call(self, node: Node, depth: int) -> Term | None:
        module = required(self._data, node)
        if module:
            return Term("required", module)
        return self._on("called", node.child_by_field_name("function"), depth)
