"""What the `definitions` section of a query file finds, gathered by node.

Captures: a `definition.KIND` with its `name` and, where it has them, `type` (stated type), `base`,
`mixin` and `prepended` (bases that come before the others), `prefix` (the type a name is filed
under), `receiver` (the type an extension method extends), `generic` with its `bound`; the same
without a name to say more `of` a definition; `import`; `package`, in a `package.block` where one
encloses what is in it; `attribute`.
"""

from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node

_ROLES = ("import", "package", "package.block", "attribute")
_LISTS = {
    "name": "names",
    "package": "names",
    "type": "types",
    "base": "bases",
    "mixin": "mixins",
    "prepended": "prepended",
    "prefix": "prefixes",
    "receiver": "receivers",
}
Captures = Mapping[str, Sequence[Node]]


class Found:
    """A node and what was captured with it. Nodes are kept by their ids, in order of capture.

    `kind` is that of a definition, or the role of anything else; empty while nothing says so.
    """

    __slots__ = ("generics", "kind", "node", *dict.fromkeys(_LISTS.values()))

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kind = ""
        self.names: dict[int, Node] = {}
        self.types: dict[int, Node] = {}
        self.bases: dict[int, Node] = {}
        self.mixins: dict[int, Node] = {}
        self.prepended: dict[int, Node] = {}
        self.prefixes: dict[int, Node] = {}
        self.receivers: dict[int, Node] = {}
        self.generics: dict[int, tuple[Node, Node | None]] = {}

    def note(self, captures: Captures) -> None:
        """Takes what one match says."""
        for role, nodes in captures.items():
            if role in _LISTS:
                kept: dict[int, Node] = getattr(self, _LISTS[role])
                for node in nodes:
                    kept[node.id] = node
        bounds = captures.get("bound", ())
        for node in captures.get("generic", ()):
            if bounds or node.id not in self.generics:
                self.generics[node.id] = node, bounds[0] if bounds else None


def found(matches: Iterable[Captures]) -> list[Found]:
    """What the matches say of each node, in the order of the file, outer nodes first."""
    known: dict[tuple[int, str], Found] = {}
    for captures in matches:
        for role, nodes in captures.items():
            kind = role.removeprefix("definition.") if role.startswith("definition.") else ""
            group = "definition" if kind or role == "of" else role
            if group != "definition" and role not in _ROLES:
                continue
            if role == "package" and "package.block" in captures:
                continue
            for node in nodes:
                key = node.id, group
                each = known.get(key)
                if each is None:
                    each = known[key] = Found(node)
                if kind or group == role:
                    each.kind = kind or role
                each.note(captures)
    stated = [each for each in known.values() if each.kind]
    return sorted(stated, key=lambda each: (each.node.start_byte, -each.node.end_byte))
