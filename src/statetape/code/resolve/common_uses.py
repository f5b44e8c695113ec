"""The terms of a symbol's own text, made of what its language's query finds there."""

from collections.abc import Iterable

from tree_sitter import Node

from statetape.code.dialects import Dialect
from statetape.code.extract.common_shape import Shape
from statetape.code.extract.common_types import name_text, type_text
from statetape.code.recent import Recent
from statetape.code.resolve.common_items import VALUES, Item, Run, items, run
from statetape.code.resolve.common_locals import Given, local_names
from statetape.code.resolve.common_terms import Term, Terms
from statetape.code.treesitter import text

_known: Recent[tuple[str, bytes], Terms] = Recent(1_000_000)


def terms(dialect: Dialect, shape: Shape, name: str) -> Terms:
    """The terms of all places of a symbol, one after another; none where there is no such symbol.

    Cost: a query over its own text, remembered by that; a parse of the file unless it is recent.
    """
    joined = Terms(())
    for block in shape.blocks.get(name, ()):
        found = _of_place(dialect, shape.data, run(block))
        joined = _joined(joined, found) if joined.terms else found
    return joined


def _of_place(dialect: Dialect, data: bytes, place: Run) -> Terms:
    own = b"\0".join(data[start:end] for start, end in place.own)
    return _known.get((dialect.name, own), len(own), lambda: _Reading(dialect, data, place).terms())


def _joined(one: Terms, two: Terms) -> Terms:
    """Two texts as one, the numbers of the second behind those of the first."""
    terms_, variables = len(one.terms), len(one.variables)

    def moved(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(number + terms_ if number >= 0 else number for number in numbers)

    more = (
        term._replace(of=moved(term.of), at=term.at + variables if term.at >= 0 else -1)
        for term in two.terms
    )
    attributes = dict(one.attributes)
    for name, numbers in two.attributes.items():
        attributes[name] = attributes.get(name, ()) + moved(numbers)
    return Terms(
        (*one.terms, *more),
        one.variables + tuple(map(moved, two.variables)),
        one.returns + moved(two.returns),
        attributes,
    )


class _Reading:
    """One reading of a text."""

    def __init__(self, dialect: Dialect, data: bytes, place: Run) -> None:
        self._data = data
        self._start = place.span.start
        found = items(dialect, data, place)
        self._items = found.items
        self._locals = local_names(dialect, data, found)
        self._skipped = found.skipped - self._locals.fields
        self._roles: dict[int, Item] = {}
        for item in self._items:
            old = self._roles.get(item.node.id)
            if item.role in VALUES and (old is None or _rank(item) < _rank(old)):
                self._roles[item.node.id] = item
        self._numbers: dict[int, int] = {}
        self._found: list[Term] = []

    def terms(self) -> Terms:
        """The terms, those that others build on first."""
        inner = sorted(
            self._roles.values(), key=lambda item: (item.node.end_byte, -item.node.start_byte)
        )
        for item in inner:
            self._number(item.node)
        returns: list[int] = []
        attributes: dict[str, tuple[int, ...]] = {}
        for role, node, captures in self._items:
            values = tuple(map(self._number, captures.get("value", ())))
            if role == "token":
                self._term(self._in_tokens(captures["name"][0]))
            elif role == "return" or (role == "result" and self._outermost(node)):
                returns += values
            elif role == "attribute" and "name" in captures:
                name = text(self._data, captures["name"][0])
                attributes[name] = attributes.get(name, ()) + values
        variables = tuple(tuple(map(self._given, each)) for each in self._locals.variables)
        return Terms(tuple(self._found), variables, tuple(returns), attributes)

    def _outermost(self, node: Node) -> bool:
        return not self._data[self._start : node.start_byte].strip()

    def _given(self, given: Given) -> int:
        if given.type:
            return self._term(Term("stated", given.type))
        number = self._number(given.value) if given.value else -1
        return self._term(Term("element", of=(number,))) if given.element else number

    def _term(self, term: Term) -> int:
        self._found.append(term)
        return len(self._found) - 1

    def _number(self, node: Node) -> int:
        """The number of the term of a node, -1 where it has none."""
        known = self._numbers.get(node.id)
        if known is None:
            self._numbers[node.id] = -1
            term = self._made(self._roles[node.id]) if node.id in self._roles else None
            known = self._numbers[node.id] = self._term(term) if term is not None else -1
        return known

    def _made(self, item: Item) -> Term | None:
        role, node, captures = item
        if role in ("read", "member") and node.id in self._skipped:
            return None
        if node.id in self._locals.read and role in ("read", "call"):
            # Of what a local function gives, nothing is known.
            return Term("local", at=self._locals.read[node.id]) if role == "read" else None
        receivers = tuple(map(self._number, captures.get("receiver", ())))
        match role:
            case "call" | "member":
                name = name_text(text(self._data, captures["name"][0]))
                return Term("call" if role == "call" else "member", name, receivers)
            case "new" | "cast":
                type_ = item.first("type")
                stated = type_text(self._data, type_) if type_ else ""
                return Term("new" if role == "new" else "stated", stated)
            case "own":
                own = self._term(Term("self"))
                return Term("member", text(self._data, node), (own,))
            case "through":
                return Term("through", of=tuple(map(self._number, captures["value"])))
        return self._plain(role, node, receivers)

    def _plain(self, role: str, node: Node, receivers: tuple[int, ...]) -> Term:
        match role:
            case "init":
                return Term("init", of=receivers)
            case "element":
                return Term("element", of=receivers)
            case "self":
                return Term("self")
            case "super":
                return Term("super")
            case "parent":
                return Term("parent")
            case "mention":
                return Term("mention", name_text(text(self._data, node)))
            case "read":
                return Term("name", name_text(text(self._data, node)))
        return Term("literal")

    def _in_tokens(self, name: Node) -> Term:
        """A call in the tokens of a macro: `f(`, `a::f(`, `x.y.f(`."""
        called = text(self._data, name)
        before: list[tuple[str, Node]] = []
        sign = name.prev_sibling
        while sign is not None and sign.type in (".", "::") and sign.prev_sibling is not None:
            before.insert(0, (sign.type, sign.prev_sibling))
            sign = sign.prev_sibling.prev_sibling
        if all(each == "::" for each, _ in before):
            return Term("call", ".".join([*(text(self._data, node) for _, node in before), called]))
        receiver = self._number(before[0][1])
        for _, node in before[1:]:
            if receiver >= 0 and node.type == "identifier":
                receiver = self._term(Term("member", text(self._data, node), (receiver,)))
            else:
                receiver = -1
        return Term("call", called, (receiver,))


def _rank(item: Item) -> int:
    return VALUES.index(item.role)
