"""The outgoing edges of a JavaScript or TypeScript symbol: every definition its text refers to.

Resolution is lexical: parameters and local names shadow, then come the enclosing functions, the
file, its imports (through barrels) and `require`. A receiver's value is that of its declaration,
annotation, `new`, or field; members are followed through what a class extends.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator

from tree_sitter import Node

from statetape.code.extract.javascript_places import JAVASCRIPT, TYPESCRIPT
from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Facts, Lookup
from statetape.code.resolve.javascript_expressions import Binding, Expressions, parsed
from statetape.code.resolve.javascript_scopes import FUNCTIONS, below, names
from statetape.code.resolve.javascript_values import Value, Values
from statetape.types import Span, SymbolId

_SCOPES = FUNCTIONS | {"statement_block", "for_statement", "for_in_statement", "catch_clause"}
_SCOPES |= {"switch_body"}
_WRAPPED = {True: (b"class _{", b"}"), False: (b"({", b"})")}


def edges(owner: SymbolId, lookup: Lookup) -> frozenset[SymbolId]:
    """The definitions a symbol refers to; types, interfaces and enums refer to none.

    Costs one parse of the symbol's own text, remembered, and one walk over it.
    """
    facts = lookup.facts(owner.path, ":")
    if facts is None or not isinstance(facts.detail, Source):
        return frozenset()
    values = Values(lookup, lambda path, text, depth: _evaluated(values, path, text, depth))
    found: set[SymbolId] = set()
    for data, root, nested in _texts(facts, facts.detail, owner.name):
        walk = _Walk(values, owner, data, nested)
        walk.at.scopes += _enclosing(facts, facts.detail, owner.name, values)
        found |= walk.found(root)
    return frozenset(found)


def _evaluated(values: Values, path: str, text: str, depth: int) -> Value | None:
    grammar = TYPESCRIPT if path.endswith(("ts", "tsx")) else JAVASCRIPT
    data = b"(" + text.encode() + b")"
    root = parsed(data, grammar)
    expression = root.named_children[0] if root.named_children else None
    return Expressions(values, path, data).value(expression, depth)


def _texts(
    facts: Facts, source: Source, name: str
) -> Iterator[tuple[bytes, Node, list[tuple[int, int]]]]:
    """(text, root, byte ranges of the definitions nested in it) for each place of a symbol."""
    spans = [span for d in facts.definitions[1:] if d.name != name for span in d.spans]
    for definition in facts.definitions:
        if definition.name != name or definition.kind in ("interface", "type", "enum"):
            continue
        for span in definition.spans:
            data, shift = _wrapped(source, span, definition.kind, name)
            inner = [s for s in spans if span.start <= s.start and s.end <= span.end and s != span]
            yield data, parsed(data, source.grammar), _outermost(inner, shift)


def _outermost(spans: list[Span], shift: int) -> list[tuple[int, int]]:
    """The spans that no other one holds, in order, moved to the front."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not found or start - shift >= found[-1][1]:
            found.append((start - shift, end - shift))
    return found


def _wrapped(source: Source, span: Span, kind: str, name: str) -> tuple[bytes, int]:
    """The text of a place as a whole file, and by how much it has moved to the front."""
    own = source.data[span.start : span.end]
    if kind != "method":
        return own, span.start
    before, after = _WRAPPED[name.rpartition(".")[0] in source.shape.classes]
    return before + own + after, span.start - len(before)


def _enclosing(
    facts: Facts, source: Source, owner: str, values: Values
) -> Iterator[tuple[bytes, dict[str, Binding]]]:
    """The local names of the functions around a symbol, outermost first."""
    parts = owner.split(".")
    for length in range(1, len(parts)):
        name = ".".join(parts[:length])
        kind = values.shape(facts.path, name).kinds.get(name)
        if kind not in ("function", "method"):
            continue
        values.shape(facts.path, f"{name}:")
        for data, root, _ in _texts(facts, source, name):
            function = next((node for node in below(root) if node.type in FUNCTIONS), None)
            body = function.child_by_field_name("body") if function else None
            scope: dict[str, Binding] = {}
            for node in (function, body):
                if node is not None:
                    scope.update(names(data, node, SymbolId(facts.path, name), values))
            yield data, scope


class _Walk:
    """One walk over a text with the scopes that are open; nested definitions are left out."""

    def __init__(
        self, values: Values, owner: SymbolId, data: bytes, nested: list[tuple[int, int]]
    ) -> None:
        self.values = values
        self.owner = owner
        self.at = Expressions(values, owner.path, data, self._this())
        self.nested = nested
        self.stack: list[Node | Callable[[], object]] = []
        self.edges: set[SymbolId] = set()

    def _this(self) -> Value | None:
        parts = self.owner.name.split(".")
        for length in range(len(parts), 0, -1):
            name = ".".join(parts[:length])
            if name in self.values.shape(self.owner.path, name).classes:
                return Value("instance", self.owner.path, name)
        around = self.owner.name.rpartition(".")[0]
        return Value("object", self.owner.path, around) if around else None

    def found(self, root: Node) -> set[SymbolId]:
        self.stack = list(reversed(root.named_children))
        while self.stack:
            item = self.stack.pop()
            if isinstance(item, Node):
                if not self._is_nested(item):
                    self._visit(item)
            else:
                item()
        return self.edges

    def _is_nested(self, node: Node) -> bool:
        at = bisect_right(self.nested, (node.start_byte, len(self.at.data))) - 1
        return at >= 0 and node.end_byte <= self.nested[at][1]

    def _visit(self, node: Node) -> None:
        match node.type:
            case "identifier" | "shorthand_property_identifier":
                if not _is_tag(node, self.at.text(node)):
                    self._add(self.at.value(node))
            case "member_expression":
                self._member(node)
                return
            case "new_expression":
                self._made(node)
            case "super":
                if node.parent and node.parent.type == "call_expression" and self.at.this:
                    self._add(self.values.inherited(self.at.this, "constructor"))
            case "import_statement" | "type_annotation" | "export_clause":
                return
            case "variable_declarator" | "required_parameter" | "optional_parameter":
                value = node.child_by_field_name("value")
                self.stack += [value] if value else []
                return
            case _:
                pass
        if node.type in _SCOPES:
            local = dict(names(self.at.data, node, self.owner, self.values))
            self.at.scopes.append((self.at.data, local))
            self.stack.append(self.at.scopes.pop)
        self.stack += reversed(node.named_children)

    def _add(self, value: Value | None) -> None:
        symbol = self.values.symbol(value)
        if symbol:
            self.edges.add(symbol)

    def _member(self, node: Node) -> None:
        object_, property_ = (node.child_by_field_name(f) for f in ("object", "property"))
        if object_ is None or property_ is None:
            return
        self.stack.append(object_)
        of = self.at.value(object_)
        if of is not None:
            inherited = object_.type == "super"
            find = self.values.inherited if inherited else self.values.member
            self._add(find(of, self.at.text(property_)))

    def _made(self, node: Node) -> None:
        made = self.at.value(node)
        if made is not None:
            self._add(self.values.member(made, "constructor"))


def _is_tag(node: Node, name: str) -> bool:
    """Whether an identifier is an HTML tag of JSX, or a name that is only declared."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type.startswith("jsx_"):
        return parent.type != "jsx_expression" and name[:1].islower()
    declared = parent.child_by_field_name("name")
    return parent.type in FUNCTIONS | {"class_declaration", "class"} and declared == node
