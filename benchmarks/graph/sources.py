"""The Python files under a folder, and what they define and call, read with Python's own parser."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


_CALLED = ("__init__", "__new__", "__call__")
_PROPERTIES = ("property", "cached_property", "setter", "deleter")


class Site(NamedTuple):
    """A call in the code of `owner`: the position of the last name that is called, and that name.

    Lines are 1-based, columns 0-based characters.
    """

    owner: str
    name: str
    line: int
    column: int


class Source(NamedTuple):
    """One file: its module's dotted name, its functions and classes by dotted name, its calls.

    `implicit` are the functions that syntax runs without calling them by name: properties and
    special methods. `lines` leads from the line of a definition's name to its dotted name.
    """

    path: Path
    module: str
    functions: frozenset[str]
    classes: frozenset[str]
    implicit: frozenset[str]
    lines: dict[int, str]
    sites: tuple[Site, ...]


@cache
def sources(root: Path) -> tuple[Source, ...]:
    """The readable Python files under `root`."""
    found = []
    for path in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError:
            continue
        found.append(_source(path, module_name(path.relative_to(root).as_posix()), tree))
    return tuple(found)


def module_name(path: str) -> str:
    """The dotted name of a file, a package's for its `__init__.py`."""
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


def functions(root: Path) -> frozenset[str]:
    """The dotted names of all functions and methods under `root`."""
    return frozenset(name for source in sources(root) for name in source.functions)


def implicit(root: Path) -> frozenset[str]:
    """The dotted names of the functions under `root` that syntax runs."""
    return frozenset(name for source in sources(root) for name in source.implicit)


def _source(path: Path, module: str, tree: ast.Module) -> Source:
    functions, classes, implicit = set(), set(), set()
    lines: dict[int, str] = {}
    sites: list[Site] = []
    for node, owner in _owned(tree, module):
        if isinstance(node, DEFINITIONS):
            name = f"{owner}.{node.name}".lstrip(".")
            (classes if isinstance(node, ast.ClassDef) else functions).add(name)
            lines[node.lineno] = name
            if _is_implicit(node):
                implicit.add(name)
        elif isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                line, column = called.end_lineno or 0, (called.end_col_offset or 0)
                sites.append(Site(owner, called.attr, line, column - len(called.attr)))
            elif isinstance(called, ast.Name):
                sites.append(Site(owner, called.id, called.lineno, called.col_offset))
    named = (frozenset(each) for each in (functions, classes, implicit))
    return Source(path, module, *named, lines, tuple(sites))


def _is_implicit(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    marks = {
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
        for each in node.decorator_list
    }
    special = node.name.startswith("__") and node.name.endswith("__")
    return (special and node.name not in _CALLED) or not marks.isdisjoint(_PROPERTIES)


def _owned(tree: ast.Module, module: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node with the dotted name of the definition whose code it is.

    Decorators, defaults and bases are code of what is around a definition.
    """
    stack: list[tuple[ast.AST, str]] = [(tree, module)]
    while stack:
        node, owner = stack.pop()
        yield node, owner
        inside = f"{owner}.{node.name}".lstrip(".") if isinstance(node, DEFINITIONS) else owner
        body = set(map(id, node.body)) if isinstance(node, DEFINITIONS) else set()
        stack += [
            (child, inside if id(child) in body else owner) for child in ast.iter_child_nodes(node)
        ]
