"""The types of the expressions in a Go text, as terms, under the local names in scope."""

import re

from tree_sitter import Node

from statetape.code.extract.go_shape import type_text
from statetape.code.resolve.go_terms import Term, Terms
from statetape.code.treesitter import text

_DEEPEST = 100
"""How deep expressions are read into for their type."""
_WORD = re.compile(r"\w+")


class Types:
    """The types of expressions in one text, and the numbers of the terms made so far.

    `local` are the local names in scope with their types; None: a name whose type is not known,
    which still shadows. `constraints` are the type parameters with what they have to be.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._numbers: dict[Term, int] = {}
        self._known: dict[int, Term] = {}
        self.local: dict[str, Term | None] = {}
        self.constraints: dict[str, str] = {}

    def terms(self, root: Node, at: int = 0) -> Terms:
        """All terms made so far, with the type of result `at` of the whole text."""
        type_ = self.value([root], at)
        number = self.number(type_) if type_ else -1
        return Terms(tuple(self._numbers), number)

    def number(self, term: Term) -> int:
        """The number of a term, made now where it is a new one."""
        return self._numbers.setdefault(term, len(self._numbers))

    def text(self, node: Node) -> str:
        """The text of a node."""
        return text(self._data, node)

    def stated(self, node: Node) -> Term:
        """The type that a type node states; of a type parameter, what it has to be."""
        stated = type_text(self._data, node)
        if self.constraints:
            stated = _WORD.sub(lambda word: self.constraints.get(word[0], word[0]), stated)
        return Term("stated", stated)

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
            case (
                "composite_literal"
                | "type_assertion_expression"
                | "type_conversion_expression"
                | "func_literal"
            ):
                return self._stating(node)
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
        if term is not None and term.kind in ("function", "method", "called"):
            return term._replace(at=at)
        return term if at == 0 else None

    def ranged(self, over: Node) -> tuple[Term, ...]:
        """The types of the key and the element in a loop over a value."""
        of = self.of(over)
        if of is None:
            return ()
        number = self.number(of)
        return Term("index", of=number), Term("element", of=number)

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

    def _stating(self, node: Node) -> Term | None:
        """The type of an expression that says it: a literal, an assertion, a conversion.

        `F[T](x)` looks like the last and may be a call.
        """
        if node.type == "func_literal":
            body = node.child_by_field_name("body")
            end = body.start_byte if body else node.end_byte
            whole = self._data[node.start_byte : end].decode(errors="replace")
            return Term("stated", " ".join(whole.split()).replace(") ", ")"))
        type_ = node.child_by_field_name("type")
        if type_ is None or type_.type != "generic_type" or node.type == "composite_literal":
            return self.stated(type_) if type_ else None
        name, given = type_.child_by_field_name("type"), type_.child_by_field_name("type_arguments")
        stated = self.stated(given).name if given else ""
        package, _, own = self.text(name).rpartition(".") if name else ("", "", "")
        if not package:
            return Term("function", own, given=stated)
        return Term("method", own, self.number(Term("qualifier", package)), given=stated)

    def _called(self, node: Node, depth: int) -> Term | None:
        """The first result."""
        function = node.child_by_field_name("function")
        while function is not None and function.type == "parenthesized_expression":
            function = function.named_children[0] if function.named_children else None
        given = ""
        if function is not None and function.type == "index_expression":
            operand, index = (function.child_by_field_name(f) for f in ("operand", "index"))
            if operand is not None and index is not None and self._generic(operand):
                function, given = operand, f"[{self.stated(index).name}]"
        if function is None:
            return None
        if function.type == "selector_expression":
            of = self.of(function, depth + 1)
            return Term("method", of.name, of.of, given=given) if of else None
        if function.type not in ("identifier", "type_identifier"):
            value = self.of(function, depth + 1)
            return Term("called", of=self.number(value)) if value else None
        name = self.text(function)
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[:1] if arguments else []
        if name in self.local:
            local = self.local[name]
            return Term("called", of=self.number(local)) if local else None
        if name in ("new", "make") and first:
            return self.stated(first[0])
        if name == "append" and first:
            return self.of(first[0], depth + 1)
        return Term("function", name, given=given)

    def _generic(self, operand: Node) -> bool:
        """Whether `x[y](...)` can name a function of a package, and no element of a value."""
        if operand.type == "identifier":
            return self.text(operand) not in self.local
        package = operand.child_by_field_name("operand")
        known = package is None or self.text(package) in self.local
        return operand.type == "selector_expression" and not known
