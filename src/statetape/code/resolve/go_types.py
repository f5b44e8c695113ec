"""The types of the expressions in a Go text, as terms, under the local names in scope."""

from tree_sitter import Node

from statetape.code.extract.go_shape import type_text
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.treesitter import text

_DEEPEST = 100
"""How deep expressions are read into for their type."""
_WRAPPED = ("parenthesized_expression", "index_expression", "type_instantiation_expression")


class Types:
    """The types of expressions in one text, and the numbers of the terms made so far.

    `local` are the local names in scope with their types; None: a name whose type is not known,
    which still shadows.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._numbers: dict[Term, int] = {}
        self._known: dict[int, Term] = {}
        self.local: dict[str, Term | None] = {}

    def terms(self, root: Node) -> Terms:
        """All terms made so far, with the type of the whole text."""
        type_ = self.of(root)
        number = self.number(type_) if type_ else -1
        return Terms(tuple(self._numbers), number)

    def number(self, term: Term) -> int:
        """The number of a term, made now where it is a new one."""
        return self._numbers.setdefault(term, len(self._numbers))

    def text(self, node: Node) -> str:
        """The text of a node."""
        return text(self._data, node)

    def stated(self, node: Node) -> Term:
        """The type that a type node states."""
        return Term("stated", type_text(self._data, node))

    def of(self, node: Node | None, depth: int = 0) -> Term | None:
        """The type of an expression, the first of several; None: not known."""
        if node is None or depth > _DEEPEST:
            return None
        match node.type:
            case "identifier":
                name = self.text(node)
                return self.local[name] if name in self.local else Term("global", name)
            case "call_expression" | "selector_expression":
                found = self._known.get(node.id)
                if found is None:
                    read = self._called if node.type == "call_expression" else self._selected
                    found = read(node, depth)
                    if found is not None:
                        self._known[node.id] = found
                return found
            case "composite_literal" | "type_assertion_expression" | "type_conversion_expression":
                type_ = node.child_by_field_name("type")
                return self.stated(type_) if type_ else None
            case "index_expression":
                return self._element(node.child_by_field_name("operand"), depth)
            case "unary_expression":
                operand = node.child_by_field_name("operand")
                operator = node.child_by_field_name("operator")
                received = operator is not None and operator.type == "<-"
                return self._element(operand, depth) if received else self.of(operand, depth + 1)
            case "slice_expression":
                return self.of(node.child_by_field_name("operand"), depth + 1)
            case "parenthesized_expression" | "literal_element" if node.named_children:
                return self.of(node.named_children[0], depth + 1)
            case _:
                return None

    def value(self, values: list[Node], at: int) -> Term | None:
        """The type of what the name in place `at` gets of the right side of an assignment."""
        if len(values) != 1:
            return self.of(values[at]) if at < len(values) else None
        term = self.of(values[0])
        if term is not None and term.kind in ("function", "method"):
            return term._replace(at=at)
        return term if at == 0 else None

    def ranged(self, over: Node) -> tuple[Term, ...]:
        """The types of the key and the element in a loop over a value."""
        of = self.of(over)
        if of is None:
            return ()
        number = self.number(of)
        return Term("key", of=number), Term("element", of=number)

    def _element(self, operand: Node | None, depth: int) -> Term | None:
        of = self.of(operand, depth + 1)
        return Term("element", of=self.number(of)) if of else None

    def _selected(self, node: Node, depth: int) -> Term | None:
        operand = node.child_by_field_name("operand")
        field = node.child_by_field_name("field")
        of = self.of(operand, depth + 1)
        if of is None or operand is None or field is None:
            return None
        if of.kind == "global" and operand.type == "identifier":
            of = of._replace(kind="qualifier")
        return Term("field", self.text(field), self.number(of))

    def _called(self, node: Node, depth: int) -> Term | None:
        """The first result."""
        function = node.child_by_field_name("function")
        while function is not None and function.type in _WRAPPED and function.named_children:
            function = function.named_children[0]
        if function is None:
            return None
        if function.type == "selector_expression":
            of = self.of(function, depth + 1)
            return Term("method", of.name, of.of) if of else None
        if function.type not in ("identifier", "type_identifier"):
            return None
        name = self.text(function)
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[:1] if arguments else []
        if name in ("new", "make") and first:
            return self.stated(first[0])
        if name == "append" and first:
            return self.of(first[0], depth + 1)
        return None if name in self.local else Term("function", name)
