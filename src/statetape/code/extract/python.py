"""The facts of a Python file: functions, classes, and the names of modules and classes.

Decorators belong to the definition; lambdas to their owner. A statement that binds several names
stays in the text around it. What a text means is left to the resolver, which reads it on demand.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tree_sitter import Node

from statetape.code import repair, treesitter
from statetape.code.extract.python_bases import bases
from statetape.code.extract.words import Words
from statetape.code.facts import Facts
from statetape.code.recent import Recent
from statetape.code.treesitter import Block, Place

GRAMMAR = "tree_sitter_python"
VARIABLES = frozenset({"variable", "field", "type"})
"""The kinds of definitions that are one statement: their text is read where it stands."""

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
_BINDING = frozenset({"expression_statement", "type_alias_statement"})
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
_WORD = re.compile(r"[a-zA-Z_\x80-\U0010ffff][a-zA-Z0-9_\x80-\U0010ffff]*")
_NAME = re.compile(rb"[a-zA-Z_\x80-\xff][\w\x80-\xff]*")
# What a call may call or be given, and what may be given another name, by what follows it.
_HANDED = re.compile(rb"([a-zA-Z_\x80-\xff][\w\x80-\xff]*)[ \t\f\\]*(?=[(),;#\r\n\]}]|$)")
# An attribute that a statement may assign or fill, by what follows it.
_ASSIGNED = re.compile(
    rb"\.\s*([a-zA-Z_\x80-\xff][\w\x80-\xff]*)[\s\\]*"
    rb"(?=[=:,\[#)\]]|[-+*/%@&|^]+=|<<=|>>=|in\b|"
    rb"\.[\s\\]*(?:append|add|appendleft|insert|setdefault|update|extend)\b)"
)
_DECORATED = re.compile(rb"\s*@")
_found: Recent[tuple[re.Pattern[bytes], bytes], frozenset[bytes]] = Recent(1_000_000)
_BASES = frozenset({"identifier", "attribute", "subscript", "call"})


class Text:
    """What the resolver reads: the bytes of the file, and the places of each name in them."""

    def __init__(self, data: bytes, blocks: Mapping[str, Sequence[Block]]) -> None:
        self.data = data
        self.blocks = blocks
        self._own: dict[Block, str] = {}

    def own(self, block: Block) -> str:
        """The own text of one place, each nested function or class a stub on one line.

        The statements of nested variables stand in it as they are.
        """
        if block not in self._own:
            self._own[block] = self._stubbed(block)
        return self._own[block]

    def handing(self, word: str) -> Sequence[Block]:
        """The functions, classes and the residue that may call or hand on what goes by a word.

        In their order, also those that only look like it. The first question reads the file once.
        """
        return self._handing.get(word.encode(), ())

    def assigning(self, name: str) -> Sequence[Block]:
        """The functions, classes and the residue that may assign or fill such an attribute."""
        return self._assigning.get(name.encode(), ())

    @cached_property
    def _handing(self) -> Mapping[bytes, list[Block]]:
        return self._having(_HANDED)

    @cached_property
    def _assigning(self) -> Mapping[bytes, list[Block]]:
        return self._having(_ASSIGNED)

    def _having(self, pattern: re.Pattern[bytes]) -> Mapping[bytes, list[Block]]:
        found: defaultdict[bytes, list[Block]] = defaultdict(list)
        blocks = (block for blocks in self.blocks.values() for block in blocks)
        for block in sorted(blocks, key=lambda block: (block.span.start, -block.span.end)):
            if block.kind not in VARIABLES:
                for word in set().union(
                    *(_words(pattern, self.data[a:b]) for a, b in _runs(block))
                ):
                    found[word].append(block)
        return found

    def is_decorated(self, block: Block) -> bool:
        """Whether decorators stand on a function or class."""
        return _DECORATED.match(self.data, block.span.start) is not None

    def _stubbed(self, block: Block) -> str:
        own: list[bytes] = []
        at = block.span.start
        for child in block.children:
            own.append(self.data[at : child.span.start])
            own.append(_shown(self.data[child.span.start : child.span.end], child))
            at = child.span.end
        own.append(self.data[at : block.span.end])
        text = b"".join(own).decode(errors="replace").replace("\r\n", "\n")
        return "if 1:\n" + text if text.startswith((" ", "\t")) and block.name else text


def _words(pattern: re.Pattern[bytes], text: bytes) -> frozenset[bytes]:
    """What a pattern finds in a text. Most of a file is as it was in its last state."""
    return _found.get((pattern, text), len(text), lambda: frozenset(pattern.findall(text)))


def _runs(block: Block) -> Iterator[tuple[int, int]]:
    """The runs of a block's own text, its variables in it."""
    start = block.span.start
    for child in block.children:
        if child.kind not in VARIABLES:
            yield start, child.span.start
            start = child.span.end
    yield start, block.span.end


def facts(path: str, data: bytes) -> Facts:
    """The facts of a Python file; `detail` is its `Text`. Costs about 1.8 bare parses.

    Where the grammar finds an error, the definitions are those of the repaired text.
    """
    root = treesitter.tree(data, GRAMMAR, path=path).root_node
    read = _Reader()
    if root.has_error:
        places = repair.places(data, _parsed, read.places)
    else:
        places = read.places(data, root)
    outline = treesitter.outline(data, places)
    return Facts(
        path,
        "python",
        treesitter.digest(data),
        outline.definitions,
        used=Words(data, _WORD),
        detail=Text(data, outline.blocks),
        broken=root.has_error,
        layout=outline.layout,
        bases=bases(data, read.bases) if read.bases else (),
    )


def _shown(text: bytes, child: Block) -> bytes:
    """How a nested definition stands in the text around it."""
    blank = text[: len(text) - len(text.lstrip(b" \t"))]
    name = child.name.rpartition(".")[2].encode()
    match child.kind:
        case "variable" | "field":
            return text
        case "type":
            return b"%b%b =%b" % (blank, name, text.partition(b"=")[2])
        case "class":
            return b"%bclass %b: 0" % (blank, name)
    return b"%bdef %b(): 0" % (blank, name)


def _parsed(data: bytes) -> Node:
    return treesitter.parser(GRAMMAR).parse(data).root_node


class _Reader:
    """Reads the places of a tree, and the names of the bases that its classes state."""

    def __init__(self) -> None:
        self.bases: dict[str, list[str]] = {}

    def places(self, data: bytes, root: Node) -> list[Place]:
        """The places of the definitions and of the statements that bind one name."""
        found: list[Place] = []
        containers = [Place("", "file", 0, len(data))]
        decorated: dict[int, int] = {}  # where the definition starts -> where its decorators start
        for node in _binding_nodes(data, root):
            if node.type == "decorated_definition":
                definition = node.child_by_field_name("definition")
                if definition is not None:
                    decorated[definition.start_byte] = node.start_byte
                continue
            name = _name(node)
            if name is None or name.start_byte == name.end_byte:
                continue
            start, end = node.byte_range
            while len(containers) > 1 and start >= containers[-1].end:
                containers.pop()
            around = containers[-1]
            qualified = f"{around.name}.{treesitter.text(data, name)}".lstrip(".")
            kind = _kind(node.type, around.kind)
            place = Place(qualified, kind, decorated.get(start, start), end)
            if kind not in VARIABLES:
                containers.append(place)
            if kind == "class":
                self._note(qualified, data, node.child_by_field_name("superclasses"))
            found.append(place)
        return found

    def _note(self, name: str, data: bytes, stated: Node | None) -> None:
        for base in stated.named_children if stated is not None else ():
            if base.type in _BASES:
                dotted = treesitter.text(data, base).partition("[")[0].partition("(")[0]
                self.bases.setdefault(name, []).append(dotted.rpartition(".")[2].strip())


def _kind(statement: str, around: str) -> str:
    kind = _DEFINITIONS.get(statement, "type" if statement == "type_alias_statement" else "")
    if kind == "function" and around == "class":
        return "method"
    return kind or ("field" if around == "class" else "variable")


def _name(node: Node) -> Node | None:
    """The one name that a statement binds, None where it binds none or several."""
    if node.type in _DEFINITIONS:
        return node.child_by_field_name("name")
    bound = node.named_child(0) if node.named_child_count else None
    if node.type == "type_alias_statement":
        named = bound.named_child(0) if bound is not None else None
        if named is not None and named.type == "generic_type":
            named = named.named_child(0)
        return named if named is not None and named.type == "identifier" else None
    if bound is None or node.named_child_count != 1 or bound.type not in _ASSIGNMENTS:
        return None
    target = bound.child_by_field_name("left")
    value = bound.child_by_field_name("right")
    single = value is None or value.type != "assignment"
    return target if single and target is not None and target.type == "identifier" else None


def _binding_nodes(data: bytes, root: Node) -> list[Node]:
    """Definitions, their decorated wrappers and what may bind one name, in the order of the file.

    Of a function, its nested definitions only: its other names are its own affair. One that does
    not have their words in its text is not entered.
    """
    found = []
    functions = 0
    cursor = root.walk()
    while True:
        node = cursor.node
        kind = node.type if node is not None else ""
        if node is not None and kind in _BINDING:
            if not functions:
                found.append(node)
        elif node is not None and kind in _STATEMENTS:
            if kind in _DEFINITIONS or kind == "decorated_definition":
                found.append(node)
            entered = kind != "function_definition" or _may_nest(data, *node.byte_range)
            if entered and cursor.goto_first_child():
                functions += kind == "function_definition"
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            functions -= cursor.node is not None and cursor.node.type == "function_definition"


def _may_nest(data: bytes, start: int, end: int) -> bool:
    """Whether a function's text may state another definition; its own word is in it, too."""
    return data.count(b"def", start, end) > 1 or data.find(b"class", start, end) >= 0
