"""The definitions of a file and their lines, as nobody else here finds them.

Python by the standard library's `ast`, what that cannot read and other languages by a plain walk
over a tree-sitter tree. The code graph, which is what a benchmark measures, has no part in it.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from tree_sitter import Language, Node, Parser

Kind = Literal["function", "class", "value"]


class Definition(NamedTuple):
    """A named part of a file: its lines (1-based, inclusive), decorators with it.

    `head` is the last line of a class that comes before its methods, the first of them taken in
    if it is the constructor; `last` of anything else.
    """

    name: str
    kind: Kind
    first: int
    last: int
    head: int

    @property
    def own(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The name of what it is defined in; empty at the top of the file."""
        return self.name.rpartition(".")[0]


_GRAMMARS = {
    "py": ("tree_sitter_python", "language"),
    "pyi": ("tree_sitter_python", "language"),
    "go": ("tree_sitter_go", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "cjs": ("tree_sitter_javascript", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "mts": ("tree_sitter_typescript", "language_typescript"),
    "cts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "sh": ("tree_sitter_bash", "language"),
    "bash": ("tree_sitter_bash", "language"),
}
_FUNCTIONS = frozenset({
    "function_declaration", "function_definition", "method_declaration", "method_definition",
    "generator_function_declaration", "method_elem", "method_signature", "function_signature",
    "abstract_method_signature",
})  # fmt: skip
_CLASSES = frozenset({
    "class_declaration", "class_definition", "abstract_class_declaration",
    "interface_declaration", "enum_declaration", "type_alias_declaration", "type_spec",
    "type_alias", "internal_module",
})  # fmt: skip
# Of these the methods have bodies; of others they are what there is to be read.
_BODIES = frozenset({"class_declaration", "class_definition", "abstract_class_declaration"})
_VALUES = frozenset({"variable_declarator", "const_spec", "var_spec", "public_field_definition"})
_LAMBDAS = frozenset({"arrow_function", "function_expression", "function"})
# What stands around one definition only, and belongs to it.
_WRAPPERS = frozenset({
    "export_statement", "decorated_definition", "lexical_declaration", "variable_declaration",
    "type_declaration", "const_declaration", "var_declaration",
})  # fmt: skip
_CONSTRUCTORS = frozenset({"__init__", "constructor"})


def is_python(path: str) -> bool:
    """Whether a file is of Python, by its name."""
    return path.endswith((".py", ".pyi"))


def speaks(path: str) -> bool:
    """Whether the definitions of such a file can be told."""
    return PurePosixPath(path).suffix[1:] in _GRAMMARS


@lru_cache(maxsize=512)
def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """The definitions of a text, outer ones before those within them; none of other languages.

    A name that is defined twice is there twice.
    """
    grammar = _GRAMMARS.get(PurePosixPath(path).suffix[1:])
    if grammar is None:
        return ()
    if is_python(path):
        tree = parsed(text)
        if tree is not None:
            return _sorted(_of_python(tree, ""))
    root = _parser(*grammar).parse(text.encode("utf-8", "replace")).root_node
    return _sorted(_of_tree(root, ""))


def _sorted(found: Iterator[Definition]) -> tuple[Definition, ...]:
    return tuple(sorted(found, key=lambda each: (each.first, -each.last, each.name)))


def enclosing(found: Sequence[Definition], first: int, last: int) -> Definition | None:
    """The innermost definition that has all these lines; None: they are outside of any."""
    around = [each for each in found if each.first <= first and last <= each.last]
    return min(around, key=lambda each: (each.last - each.first, -each.first), default=None)


def parsed(text: str) -> ast.Module | None:
    """The tree of a text of Python; None where it is broken."""
    import warnings  # noqa: PLC0415 (a text's own escapes are none of ours)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _of_python(node: ast.AST, owner: str) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                kind: Kind = "class" if isinstance(child, ast.ClassDef) else "function"
                inner = list(_of_python(child, f"{owner}{child.name}."))
                last = child.end_lineno or child.lineno
                yield _made(f"{owner}{child.name}", kind, first, last, inner)
                yield from inner
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not owner:
                    last = child.end_lineno or child.lineno
                    yield _made(name, "value", child.lineno, last, ())
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.ExceptHandler():
                yield from _of_python(child, owner)


def _of_tree(node: Node, owner: str) -> Iterator[Definition]:
    """By a walk without recursion over what is no definition: trees may be deep."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        for child in reversed(at.named_children):
            kind = _kind(child)
            name = _name(child) if kind else ""
            if kind is None or not name:
                waiting.append(child)
                continue
            outer = _wrapped(child)
            full = f"{owner}{name}"
            inner = list(_of_tree(child, f"{full}.")) if kind != "value" else []
            first, last = outer.start_point[0] + 1, outer.end_point[0] + 1
            last -= outer.end_point[1] == 0 and last > first
            yield _made(full, kind, first, last, inner if child.type in _BODIES else ())
            yield from inner


def _kind(node: Node) -> Kind | None:
    if node.type in _FUNCTIONS:
        return "function"
    if node.type in _CLASSES:
        return "class"
    if node.type not in _VALUES:
        return None
    value = node.child_by_field_name("value")
    if value is not None and value.type in _LAMBDAS:
        return "function"
    return "value" if node.type == "public_field_definition" or _at_the_top(node) else None


def _at_the_top(node: Node) -> bool:
    """Whether a declaration is of the whole file, and not of a function's body."""
    above = node.parent
    while above is not None:
        if above.type in _FUNCTIONS | _LAMBDAS or above.type == "statement_block":
            return False
        above = above.parent
    return True


def _wrapped(node: Node) -> Node:
    above = node.parent
    while above is not None and above.type in _WRAPPERS:
        named = [each for each in above.named_children if each.type != "decorator"]
        if len(named) > 1:
            break
        node, above = above, above.parent
    return node


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    name = _said(named)
    receiver = _said(node.child_by_field_name("receiver"))
    if receiver:
        kind = receiver.strip("()").replace("*", " ").split("[")[0].split()
        return f"{kind[-1]}.{name}" if kind else name
    return name if name.replace("#", "").isidentifier() else ""


def _said(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _made(name: str, kind: Kind, first: int, last: int, inner: Sequence[Definition]) -> Definition:
    methods = [each for each in inner if each.kind == "function" and each.owner == name]
    if kind != "class" or not methods:
        return Definition(name, kind, first, last, last)
    begins = min(methods, key=lambda each: each.first)
    head = begins.last if begins.own in _CONSTRUCTORS else begins.first - 1
    return Definition(name, kind, first, last, max(first, head))


@cache
def _parser(module: str, function: str) -> Parser:
    return Parser(Language(getattr(import_module(module), function)()))
