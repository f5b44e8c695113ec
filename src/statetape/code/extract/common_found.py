"""What the `definitions` section of a query file finds, gathered by node.

Captures: a `definition.KIND` with its `name` and, where it has them, `type` (stated type), `base`,
`mixin` and `prepended` (bases that come before the others), `prefix` (the type a name is filed
under), `receiver` (the type an extension method extends), `generic` with its `bound`; the same
without a name to say more `of` a definition; `import`; `package`, in a `package.block` where one
encloses what is in it; `attribute`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from tree_sitter import Node

_ROLES = frozenset(("import", "package", "package.block", "attribute"))
_KEPT = frozenset(("name", "package", "type", "base", "mixin", "prepended", "prefix", "receiver"))
Captures = Mapping[str, Sequence[Node]]


class Found:
    """A node and what was captured with it.

    `kind` is that of a definition, or the role of anything else; empty while nothing says so.
    `generics` are type parameters with their bounds.
    """

    __slots__ = ("_captured", "generics", "kind", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kind = ""
        self.generics: dict[int, tuple[Node, Node | None]] = {}
        self._captured: dict[str, dict[int, Node]] = {}

    def captured(self, role: str) -> Sequence[Node]:
        """The nodes captured as `role`, each once, in order of capture."""
        kept = self._captured.get(role)
        return tuple(kept.values()) if kept else ()

    def note(self, captures: Captures) -> None:
        """Takes what one match says."""
        for role, nodes in captures.items():
            if role in _KEPT:
                kept = self._captured.setdefault(role, {})
                for node in nodes:
                    kept[node.id] = node
        if "generic" in captures:
            bounds = captures.get("bound", ())
            for node in captures["generic"]:
                if bounds or node.id not in self.generics:
                    self.generics[node.id] = node, bounds[0] if bounds else None


def found(matches: Iterable[Captures]) -> list[Found]:
    """What the matches say of each node, in the order of the file, outer nodes first."""
    known: dict[tuple[int, str], Found] = {}
    for captures in matches:
        for role, nodes in captures.items():
            group, kind = _meaning(role)
            if not group or (role == "package" and "package.block" in captures):
                continue
            for node in nodes:
                key = node.id, group
                each = known.get(key)
                if each is None:
                    each = known[key] = Found(node)
                each.kind = kind or each.kind
                each.note(captures)
    stated = [each for each in known.values() if each.kind]
    return sorted(stated, key=lambda each: (each.node.start_byte, -each.node.end_byte))


@cache
def _meaning(role: str) -> tuple[str, str]:
    """What a capture is about, empty for a part of something else; and the kind it states."""
    if role.startswith("definition."):
        return "definition", role.removeprefix("definition.")
    if role == "of":
        return "definition", ""
    return (role, role) if role in _ROLES else ("", "")
