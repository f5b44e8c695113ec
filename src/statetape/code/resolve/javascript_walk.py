"""One walk over a JavaScript text, in its order: its expressions and what they refer to, as terms.

Local names hold what was last assigned to them where the walk is, or anything that they ever
hold where another function reads them.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from statetape.code.resolve.javascript_scopes import Binding, Scope, declared, taken_apart
from statetape.code.resolve.javascript_terms import Function, Kind, Term, Terms, Written
from statetape.code.treesitter import text

UNKNOWN = -1
_DEEPEST = 70
"""How deep the walk nests. What is below is walked later: its uses count, its value is unknown."""

Nested = tuple[int, int, str]
"""The half-open byte range of a definition nested in the text, and its qualified name."""


Visits = Mapping[str, Callable[["Walk", Node], int]]
"""What to do with a node, by its type; walk its children where there is nothing."""


class Walk:
    """The state of one walk.

    `nested` are the definitions that are left out. `silent`: a statement is read for nothing but
    the values that it gives. `owned`: the text is a function's, its first one. `whole`: it is all
    of a file, with what its variables hold from statement to statement.
    """

    def __init__(
        self,
        data: bytes,
        visits: Visits,
        nested: Sequence[Nested] = (),
        *,
        owned: bool = False,
        whole: bool = False,
    ) -> None:
        self.data = data
        self._visits = visits
        self.nested = nested
        self.listed: list[Term] = []
        self._numbers: dict[Term, int] = {}
        self.top = Scope(of_function=True)
        self.scope = self.top
        self.branch = 0
        self.depth = 0
        self.silent = False
        self.owned = owned
        self.whole = whole
        self.own = UNKNOWN
        self.function = UNKNOWN
        self.functions: list[Function] = []
        self.results: list[list[int]] = []
        self.bindings: list[Binding] = []
        self.later: list[tuple[Node, Scope, int]] = []
        self.calls: dict[int, None] = {}
        self.mentions: dict[int, None] = {}
        self.types: dict[str, None] = {}
        self.bounds: dict[str, str] = {}
        self.named: dict[str, dict[str, int]] = {}
        self.stated: dict[str, list[int]] = {}
        self.written: list[Written] = []

    def terms(self) -> Terms:
        """All that was found so far, and what was left for later."""
        while self.later:
            node, self.scope, self.function = self.later.pop()
            self.depth = 0
            self.value(node)
        functions = [
            f._replace(results=tuple(dict.fromkeys(r)))
            for f, r in zip(self.functions, self.results, strict=True)
        ]
        return Terms(
            tuple(self.listed),
            tuple(self.calls),
            tuple(self.mentions),
            tuple(functions),
            self.own,
            tuple(tuple(binding.ever) for binding in self.bindings),
            self.named,
            {name: tuple(values) for name, values in self.stated.items()},
            tuple(self.written),
            tuple(self.types),
        )

    def term(
        self, kind: Kind, name: str = "", of: tuple[int, ...] = (), keys: tuple[str, ...] = ()
    ) -> int:
        """The number of a term, made now where it is a new one."""
        made = Term(kind, name, of, keys)
        number = self._numbers.setdefault(made, len(self.listed))
        if number == len(self.listed):
            self.listed.append(made)
        return number

    def value(self, node: Node | None) -> int:
        """The number of what an expression is; `UNKNOWN` for others. Walks all that is below."""
        if node is None:
            return UNKNOWN
        if self.nested and self._is_nested(node):
            name = node.child_by_field_name("name") if node.type == "function_expression" else None
            return self.mention(self.term("nested", self.text(name))) if name else UNKNOWN
        visit = self._visits.get(node.type)
        if self.depth > _DEEPEST:
            self.later.append((node, self.scope, self.function))
            return UNKNOWN
        self.depth += 1
        found = visit(self, node) if visit else self.all(node.named_children)
        self.depth -= 1
        return found

    def all(self, nodes: Sequence[Node]) -> int:
        """Walks nodes one after another."""
        for node in nodes:
            self.value(node)
        return UNKNOWN

    def either(self, values: Sequence[int]) -> int:
        """Any of some values."""
        known = tuple(dict.fromkeys(each for each in values if each >= 0))
        if len(known) == 1:
            return known[0]
        return self.term("either", of=known) if known else UNKNOWN

    def mention(self, value: int) -> int:
        """Takes down that the text names a value."""
        if value >= 0 and not self.silent:
            self.mentions[value] = None
        return value

    def call(self, number: int) -> int:
        """Takes down a call."""
        if not self.silent:
            self.calls[number] = None
        return number

    def read(self, name: str) -> int:
        """What a name is here."""
        binding = self.scope.find(name)
        if binding is None:
            return self.term("free", name)
        if binding.of_file:
            inside = binding.function == self.function
            return self.term("variable", name, binding.now) if inside else self.term("free", name)
        if binding.function == self.function:
            return self.either(binding.now)
        return self.term("local", str(binding.number))

    def declare(self, name: str, scope: Scope | None = None) -> Binding:
        """The binding of a name in a scope, made now where there is none."""
        scope = self.scope if scope is None else scope
        if name not in scope:
            scope[name] = Binding(len(self.bindings), self.function, self.branch)
            scope[name].of_file = scope is self.top
            self.bindings.append(scope[name])
        return scope[name]

    def bind(self, pattern: Node, value: int, scope: Scope | None = None) -> None:
        """Declares the names of a pattern, which takes a value apart."""
        for name, path in taken_apart(self.data, pattern):
            binding = self.declare(name, scope)
            found = self.followed(value, path)
            binding.hold(self.mention(found) if path else found, self.branch)
        for node in pattern.named_children:
            if "pattern" in node.type:
                self.value(node.child_by_field_name("right"))

    def followed(self, value: int, path: Sequence[str]) -> int:
        """What the keys of a pattern lead to."""
        for name in path:
            if value < 0 or name == "...":
                return UNKNOWN
            value = self.term("member", name, (value,))
        return value

    def inside(self, nodes: Sequence[Node], block: Node | None = None) -> None:
        """Walks the statements of a block in a scope of their own."""
        outer = self.scope
        self.scope = Scope(outer)
        for name, defines in declared(self.data, block) if block is not None else ():
            binding = self.declare(name)
            if defines:
                binding.hold(self.term("nested", name), self.branch)
        self.all(nodes)
        self.scope = outer

    def text(self, node: Node | None) -> str:
        """The text of a node."""
        return text(self.data, node) if node else ""

    def typed(self, annotation: str) -> int:
        """Something of a stated type."""
        return self.term("typed", self.bounds.get(annotation, annotation))

    def _is_nested(self, node: Node) -> bool:
        """Whether it is a definition of its own; then what is in scope for it is taken down."""
        at = bisect_right(self.nested, (node.start_byte, len(self.data) + 1, "")) - 1
        if at < 0 or node.end_byte > self.nested[at][1]:
            return False
        names = self.named.setdefault(self.nested[at][2], {})
        for name, binding in self.scope.names():
            if not binding.of_file:
                names.setdefault(name, self.term("local", str(binding.number)))
        return True
