"""What the `uses` section of a query file finds in the own text of a symbol.

Captures: a `block` bounds local names; `bind` gives a `name` a `type` or a `value`, `each` an
element of a value, `assign` another value; `call` and `member` (of a `receiver`), `new`, `cast`,
`init` (a constructor of the own class or its base), `self`, `super`, `parent` (the method that the
own one overrides), `own` (a name that is a member of the own object), `through` (as good as its
`value`), `element`, `literal`, `token` (a call in the tokens of a macro), `mention` (the name of a
type), `return`, `result` (a return of the outermost node alone), `attribute`; `read` is any other
name. What is named `skip` is no read, nor is anything in a `barren` node.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.dialects import Dialect
from statetape.code.treesitter import Block
from statetape.types import Span

VALUES = (
    *("new", "cast", "call", "member", "init", "self", "super", "parent", "own", "through"),
    *("element", "literal", "mention", "read"),
)
"""The roles of nodes that have a value; where a node has several, the first one counts."""
BINDINGS = ("bind", "each", "assign", "attribute")
_ROLES = (*VALUES, *BINDINGS, "token", "return", "result", "block", "barren")
_SEVERAL = (*BINDINGS, "token")


class Run(NamedTuple):
    """One place of a symbol: its span, and what of that is its own, not that of nested ones."""

    span: Span
    own: tuple[Span, ...]


class Item(NamedTuple):
    """A node in a role, with what was captured with it."""

    role: str
    node: Node
    captures: Mapping[str, Sequence[Node]]

    def first(self, name: str) -> Node | None:
        """The first node captured as `name`."""
        nodes = self.captures.get(name)
        return nodes[0] if nodes else None


class Items(NamedTuple):
    """The items in the order of the file, outer ones first, and the ids of nodes that name them."""

    items: tuple[Item, ...]
    skipped: frozenset[int]


def run(block: Block) -> Run:
    """The own text of a place."""
    edges = [block.span.start]
    for child in block.children:
        edges += child.span
    edges.append(block.span.end)
    return Run(block.span, tuple(Span(*edges[i : i + 2]) for i in range(0, len(edges), 2)))


def items(dialect: Dialect, data: bytes, place: Run) -> Items:
    """What stands in the own text of one place of a symbol.

    Cost: a query over that text; a parse of the file unless it is recent.
    """
    root = treesitter.tree(data, *dialect.grammar).root_node
    query = dialect.query("uses")
    seen: dict[tuple[str, int, int], Item] = {}
    skipped: set[int] = set()
    for start, end in place.own:
        cursor = QueryCursor(query)
        cursor.set_byte_range(start, end)
        for _, captures in cursor.matches(root) if start < end else ():
            skipped.update(node.id for node in captures.get("skip", ()))
            role = next((role for role in _ROLES if role in captures), "")
            for node in captures.get(role, ()):
                if start <= node.start_byte < end and node.end_byte <= place.span.end:
                    item = Item(role, node, captures)
                    name = item.first("name") if role in _SEVERAL else None
                    key = role, node.id, name.id if name else 0
                    if key not in seen or len(seen[key].captures) < len(captures):
                        seen[key] = item
    order = sorted(seen.values(), key=lambda item: (item.node.start_byte, -item.node.end_byte))
    kept = tuple(_without_barren(order))
    for item in kept:
        skipped.update(_names(item))
    return Items(kept, frozenset(skipped))


def _names(item: Item) -> list[int]:
    """The nodes that belong to an item and are no reads."""
    if item.role == "read" or (item.role not in VALUES and item.role not in BINDINGS):
        return []
    roles = ("name",) if item.role == "through" else ("name", "type")
    return [node.id for role in roles for node in item.captures.get(role, ())]


def _without_barren(order: Sequence[Item]) -> list[Item]:
    found = []
    end = 0
    for item in order:
        if item.node.start_byte < end:
            continue
        if item.role == "barren":
            end = item.node.end_byte
        else:
            found.append(item)
    return found
