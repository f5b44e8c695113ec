"""The terms of a symbol's own text, found by the section `uses` of its language's query file.

Captures: a `block` bounds local names; `bind` gives a `name` a `type` or a `value`, `each` an
element of a value, `assign` another value; `call`, `member` (of a `receiver`), `new`, `cast`,
`init`, `self`, `super`, `own` (a name that is a member of the own object), `through` (as good as
its `value`), `element`, `literal`, `return`, `result` (a return of the outermost node alone),
`attribute`; `parent`, the method that the own one overrides; `token`, a call in the tokens of a macro;
`mention`, the name of a type; `read` is any other name. What is named
`skip` is no read, nor is anything in a `barren` node.
"""

from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.dialects import Dialect
from statetape.code.extract.common_shape import Run, Shape
from statetape.code.extract.common_types import name_text, type_text
from statetape.code.recent import Recent
from statetape.code.resolve.common_terms import Term, Terms
from statetape.code.treesitter import text

_ROLES = (
    "call member new init cast self super parent own through element literal token return result "
    "attribute mention read block barren bind each assign"
).split()
_VALUES = frozenset(
    "call member new init cast self super parent own through element literal mention read".split()
)
_BINDINGS = frozenset(("bind", "each", "assign", "attribute"))
_SEVERAL = frozenset(("bind", "each", "assign", "attribute", "token"))
_INFERRED = frozenset(("var", "auto", "val", "let", "dynamic", "_"))
_Captures = Mapping[str, Sequence[Node]]
_known: Recent[tuple[str, bytes], Terms] = Recent(1_000_000)


def terms(dialect: Dialect, shape: Shape, name: str) -> Terms:
    """The terms of all places of a symbol, one after another; none where there is no such symbol.

    Cost: a query over its own text, remembered by that; a parse of the file unless it is recent.
    """
    found = [_of_place(dialect, shape.data, run) for run in shape.places.get(name, ())]
    if len(found) == 1:
        return found[0]
    joined = Terms(())
    for each in found:
        joined = _joined(joined, each)
    return joined


def _of_place(dialect: Dialect, data: bytes, run: Run) -> Terms:
    own = b"\0".join(data[start:end] for start, end in run.own)
    key = dialect.name, own
    return _known.get(key, len(own), lambda: _Reading(dialect, data, run).terms())


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


class _Scope(dict[str, int]):
    """The numbers of the variables of a block that are visible so far; where it ends."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end


class _Reading:
    """One reading of a text."""

    def __init__(self, dialect: Dialect, data: bytes, run: Run) -> None:
        self.dialect = dialect
        self.data = data
        self.start = run.span.start
        self.roles: dict[int, tuple[str, Node, _Captures]] = {}
        self.skipped: set[int] = set()
        self.locals: dict[int, int] = {}  # node of a read: its variable
        self.variables: list[list[tuple[str, Node | None, str]]] = []
        self.numbers: dict[int, int] = {}
        self.found: list[Term] = []
        self.items = self._items(run)

    def _items(self, run: Run) -> list[tuple[str, Node, _Captures]]:
        """What the query finds in the own text, in the order of the file."""
        root = treesitter.tree(self.data, *self.dialect.grammar).root_node
        query = self.dialect.query("uses")
        seen: dict[tuple[str, int, int], tuple[str, Node, _Captures]] = {}
        for start, end in run.own:
            if start == end:
                continue
            cursor = QueryCursor(query)
            cursor.set_byte_range(start, end)
            for _, captures in cursor.matches(root):
                self.skipped.update(node.id for node in captures.get("skip", ()))
                role = next((role for role in _ROLES if role in captures), "")
                for node in captures.get(role, ()):
                    if start <= node.start_byte < end and node.end_byte <= run.span.end:
                        name = captures["name"][0].id if "name" in captures else 0
                        key = role, node.id, name if role in _SEVERAL else 0
                        old = seen.get(key)
                        if old is None or len(old[2]) < len(captures):
                            seen[key] = role, node, captures
        found = sorted(seen.values(), key=lambda item: (item[1].start_byte, -item[1].end_byte))
        return _without_barren(found)

    def terms(self) -> Terms:
        for role, node, captures in self.items:
            if role in _VALUES:
                old = self.roles.get(node.id)
                if old is None or _ROLES.index(role) < _ROLES.index(old[0]):
                    self.roles[node.id] = role, node, captures
                self._skip_names(role, captures)
            elif role in _BINDINGS:
                self._skip_names(role, captures)
        self._bind()
        returns: list[int] = []
        attributes: dict[str, tuple[int, ...]] = {}
        for _, node, _ in sorted(
            self.roles.values(), key=lambda role: (role[1].end_byte, -role[1].start_byte)
        ):
            self._number(node)
        for role, node, captures in self.items:
            values = tuple(map(self._number, captures.get("value", ())))
            if role == "token":
                self._term(self._in_tokens(captures["name"][0]))
            elif role == "return" or (role == "result" and self._outermost(node)):
                returns += values
            elif role == "attribute":
                name = text(self.data, captures["name"][0])
                attributes[name] = attributes.get(name, ()) + values
        variables = tuple(tuple(map(self._given, each)) for each in self.variables)
        return Terms(tuple(self.found), variables, tuple(returns), attributes)

    def _outermost(self, node: Node) -> bool:
        return not self.data[self.start : node.start_byte].strip()

    def _skip_names(self, role: str, captures: _Captures) -> None:
        if role != "read":
            self.skipped.update(node.id for node in captures.get("name", ()))
            if role != "through":
                self.skipped.update(node.id for node in captures.get("type", ()))

    def _bind(self) -> None:
        """Finds the variable of each name that is local where it is read."""
        root = _Scope(len(self.data))
        scopes = [root]
        pending: list[tuple[int, _Scope, str, int]] = []
        for role, node, captures in self.items:
            at = node.start_byte
            while scopes[-1].end <= at and len(scopes) > 1:
                scopes.pop()
            for each in [each for each in pending if each[0] <= at]:
                each[1][each[2]] = each[3]
                pending.remove(each)
            if role == "block":
                scopes.append(_Scope(node.end_byte))
            elif role in ("bind", "each"):
                pending.append(self._bound(role, captures, scopes))
            elif role == "assign":
                name = text(self.data, captures["name"][0])
                known = _variable(scopes, name)
                value = captures["value"][0] if "value" in captures else None
                if known is not None:
                    self.variables[known].append(("value", value, ""))
                elif not self.dialect.declares:
                    self.variables.append([("value", value, "")])
                    last = (value or captures["name"][0]).end_byte
                    pending.append((last, root, name, len(self.variables) - 1))
                else:
                    self.skipped.discard(captures["name"][0].id)
            elif role in ("read", "call") and not captures.get("receiver"):
                read = captures["name"][0] if "name" in captures else node
                known = _variable(scopes, name_text(text(self.data, read)).partition(".")[0])
                if known is not None:
                    self.locals[node.id] = known

    def _bound(
        self, role: str, captures: _Captures, scopes: Sequence[_Scope]
    ) -> tuple[int, _Scope, str, int]:
        name = captures["name"][0]
        stated = type_text(self.data, captures["type"][0]) if "type" in captures else ""
        value = captures["value"][0] if "value" in captures else None
        given: list[tuple[str, Node | None, str]] = []
        if stated and stated not in _INFERRED:
            exact = value is not None and role == "bind" and self._made(value)
            given.append(("value", value, "") if exact else ("type", None, stated))
        else:
            given.append(("element" if role == "each" else "value", value, ""))
        self.variables.append(given)
        ends = [
            node.end_byte for each in ("name", "type", "value") for node in captures.get(each, ())
        ]
        scope = scopes[-1]
        return max(ends), scope, text(self.data, name), len(self.variables) - 1

    def _made(self, value: Node) -> bool:
        """Whether a value says its class itself, better than a stated type does."""
        role = self.roles.get(value.id)
        return role is not None and role[0] == "new"

    def _given(self, given: tuple[str, Node | None, str]) -> int:
        kind, node, stated = given
        if kind == "type":
            return self._term(Term("stated", stated))
        number = self._number(node) if node is not None else -1
        if kind == "element" and number >= 0:
            return self._term(Term("element", of=(number,)))
        return number

    def _term(self, term: Term) -> int:
        self.found.append(term)
        return len(self.found) - 1

    def _number(self, node: Node) -> int:
        """The number of the term of a node, -1 where it has none. Children come first."""
        known = self.numbers.get(node.id)
        if known is not None:
            return known
        self.numbers[node.id] = -1
        if node.id in self.roles and not (
            node.id in self.skipped and self.roles[node.id][0] == "read"
        ):
            term = self._made_of(*self.roles[node.id])
            if term is not None:
                self.numbers[node.id] = self._term(term)
        return self.numbers[node.id]

    def _made_of(self, role: str, node: Node, captures: _Captures) -> Term | None:
        receivers = tuple(map(self._number, captures.get("receiver", ())))
        if node.id in self.locals:
            # Of what a local function gives, nothing is known.
            return Term("local", at=self.locals[node.id]) if role == "read" else None
        match role:
            case "call" | "member":
                name = name_text(text(self.data, captures["name"][0]))
                return Term("call" if role == "call" else "member", name, receivers)
            case "own":
                self_ = self._term(Term("self"))
                return Term("member", text(self.data, node), (self_,))
            case "new" | "cast":
                stated = type_text(self.data, captures["type"][0]) if "type" in captures else ""
                return Term("new" if role == "new" else "stated", stated)
            case "init" | "element":
                return Term("init" if role == "init" else "element", of=receivers)
            case "through":
                return Term("through", of=tuple(map(self._number, captures["value"])))
            case "read":
                return Term("name", name_text(text(self.data, node)))
            case "mention":
                return Term("mention", name_text(text(self.data, node)))
            case "self":
                return Term("self")
            case "super":
                return Term("super")
            case "parent":
                return Term("parent")
        return Term("literal")

    def _in_tokens(self, name: Node) -> Term:
        """A call in the tokens of a macro: `f(`, `a::f(`, `x.y.f(`."""
        called = text(self.data, name)
        before: list[tuple[str, Node]] = []
        sign = name.prev_sibling
        while sign is not None and sign.type in (".", "::") and sign.prev_sibling is not None:
            before.insert(0, (sign.type, sign.prev_sibling))
            sign = sign.prev_sibling.prev_sibling
        if not before:
            return Term("call", called)
        if all(each == "::" for each, _ in before):
            return Term("call", ".".join([*(text(self.data, node) for _, node in before), called]))
        receiver = self._number(before[0][1])
        for _, node in before[1:]:
            known = receiver >= 0 and node.type == "identifier"
            receiver = (
                self._term(Term("member", text(self.data, node), (receiver,))) if known else -1
            )
        return Term("call", called, (receiver,))


def _without_barren(
    items: Sequence[tuple[str, Node, _Captures]],
) -> list[tuple[str, Node, _Captures]]:
    found = []
    end = 0
    for item in items:
        if item[1].start_byte < end:
            continue
        if item[0] == "barren":
            end = item[1].end_byte
        else:
            found.append(item)
    return found


def _variable(scopes: Sequence[_Scope], name: str) -> int | None:
    for scope in reversed(scopes):
        if name in scope:
            return scope[name]
    return None
