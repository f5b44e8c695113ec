"""The facts of a Python file: functions, methods and classes, nested ones included.

Decorators belong to the definition; lambdas to their owner; module variables to the residue.
What the text of a definition means is left to the resolver, which reads it on demand.
"""

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from statetape.code import repair, treesitter
from statetape.code.facts import Facts
from statetape.code.treesitter import Block, Place

GRAMMAR = "tree_sitter_python"
_DEFINITIONS = {"function_definition": "function", "class_definition": "class"}
# Definitions are statements: no other node can hold one.
_STATEMENTS = frozenset(_DEFINITIONS) | {
    "module",
    "block",
    "decorated_definition",
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "while_statement",
    "try_statement",
    "except_clause",
    "finally_clause",
    "with_statement",
    "match_statement",
    "case_clause",
    "ERROR",
}
_NAME = re.compile(rb"[a-zA-Z_\x80-\xff][\w\x80-\xff]*")


class Text:
    """What the resolver reads: the bytes of the file, and the places of each name in them."""

    def __init__(self, data: bytes, blocks: Mapping[str, Sequence[Block]]) -> None:
        self.data = data
        self.blocks = blocks
        self._own: dict[Block, str] = {}

    def own(self, block: Block) -> str:
        """The own text of one place, each nested definition a stub on one line."""
        if block not in self._own:
            self._own[block] = self._stubbed(block)
        return self._own[block]

    def _stubbed(self, block: Block) -> str:
        own: list[bytes] = []
        at = block.span.start
        for child in block.children:
            own.append(self.data[at : child.span.start])
            head = self.data[child.span.start : child.span.end]
            own.append(head[: len(head) - len(head.lstrip(b" \t"))])
            name = child.name.rpartition(".")[2].encode()
            own.append(b"class %b: 0" % name if child.kind == "class" else b"def %b(): 0" % name)
            at = child.span.end
        own.append(self.data[at : block.span.end])
        text = b"".join(own).decode(errors="replace").replace("\r\n", "\n")
        return "if 1:\n" + text if text.startswith((" ", "\t")) and block.name else text


def facts(path: str, data: bytes) -> Facts:
    """The facts of a Python file; `detail` is its `Text`. Costs about 1.6 bare parses.

    Where the grammar finds an error, the definitions are those of the repaired text.
    """
    root = treesitter.tree(data, GRAMMAR, path=path).root_node
    places = repair.places(data, _parsed, _places) if root.has_error else _places(data, root)
    outline = treesitter.outline(data, places)
    return Facts(
        path,
        "python",
        treesitter.digest(data),
        outline.definitions,
        used=frozenset(name.decode(errors="replace") for name in set(_NAME.findall(data))),
        detail=Text(data, outline.blocks),
        broken=root.has_error,
        layout=outline.layout,
    )


def _parsed(data: bytes) -> Node:
    return treesitter.parser(GRAMMAR).parse(data).root_node


def _places(data: bytes, root: Node) -> list[Place]:
    found: list[Place] = []
    containers: list[Place] = []
    decorated: dict[int, int] = {}  # where the definition starts -> where its decorators start
    for node in _definition_nodes(root):
        if node.type == "decorated_definition":
            definition = node.child_by_field_name("definition")
            if definition is not None:
                decorated[definition.start_byte] = node.start_byte
            continue
        name = node.child_by_field_name("name")
        if name is None or name.start_byte == name.end_byte:
            continue
        start, end = node.byte_range
        while containers and start >= containers[-1].end:
            containers.pop()
        kind = _DEFINITIONS[node.type]
        qualified = treesitter.text(data, name)
        if containers:
            qualified = f"{containers[-1].name}.{qualified}"
            if kind == "function" and containers[-1].kind == "class":
                kind = "method"
        place = Place(qualified, kind, decorated.get(start, start), end)
        containers.append(place)
        found.append(place)
    return found


def _definition_nodes(root: Node) -> list[Node]:
    """Definitions and their decorated wrappers, in the order of the file."""
    found = []
    cursor = root.walk()
    while True:
        node = cursor.node
        kind = node.type if node is not None else ""
        if kind in _STATEMENTS:
            if node is not None and (kind in _DEFINITIONS or kind == "decorated_definition"):
                found.append(node)
            if cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
