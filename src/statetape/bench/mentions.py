"""The names that lines of a text call, import or build on, and where they stand."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from statetape.bench.definitions import parsed

_CALL = re.compile(r"\b([A-Za-z_$][\w$]*)(?:<[^<>()]*>)?\s*\(")
_LITERAL = re.compile(r"(?<![\w.])(?:&|\.\.\.)?(?:\w+\.)?([A-Z]\w*)\{")
_BASE = re.compile(r"\b(?:extends|implements|new)\s+([\w$.]+(?:\s*,\s*[\w$.]+)*)")
_ELEMENT = re.compile(r"<([A-Z][\w$]*)")
_IMPORTED = re.compile(r"\b(?:import|export)\s+(?:type\s+)?[^;'\"]*?\{([^}]*)\}")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NO_NAME = frozenset({
    "if", "for", "while", "switch", "catch", "return", "function", "func", "typeof", "await",
    "make", "len", "append", "new", "super", "this", "self", "require", "import",
})  # fmt: skip


class Mention(NamedTuple):
    """A name at a line (1-based) and a column (0-based, characters) of a text."""

    name: str
    line: int
    column: int


def built_on(tree: ast.Module, text: str, lines: AbstractSet[int]) -> tuple[Mention, ...]:
    """What some lines of a text of Python call, import, derive from or decorate with."""
    found = {m for node in ast.walk(tree) for m in _of(node, text.split("\n")) if m.line in lines}
    return tuple(sorted(found, key=lambda each: each[1:]))


def all_of(text: str, name: str, lines: AbstractSet[int]) -> tuple[Mention, ...]:
    """Every place in some lines of a text of Python where a name is used or imported.

    None where the text is broken.
    """
    return tuple(each for each in _names(text).get(name, ()) if each.line in lines)


def bases(tree: ast.Module, text: str, line: int) -> tuple[Mention, ...]:
    """The bases of the class of Python whose `class` stands at a line, or whose decorators do."""
    rows = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == line:
                return tuple(m for base in node.bases for m in _at_end(base, rows))
    return ()


def words(text: str) -> tuple[str, ...]:
    """The names that a text of another language calls, imports or derives from, each once."""
    found = [match[1] for match in _CALL.finditer(text)]
    found += [match[1] for match in _LITERAL.finditer(text)]
    found += [match[1] for match in _ELEMENT.finditer(text)]
    found += derived(text)
    for match in _IMPORTED.finditer(text):
        found += _WORD.findall(match[1])
    return tuple(dict.fromkeys(name for name in found if name not in _NO_NAME))


def derived(text: str) -> tuple[str, ...]:
    """The names that a text of another language extends, implements or makes anew."""
    found = [name for match in _BASE.finditer(text) for name in match[1].split(",")]
    return tuple(name.strip().rpartition(".")[2] for name in found)


@lru_cache(maxsize=128)
def _names(text: str) -> Mapping[str, Sequence[Mention]]:
    """Where each name of a text of Python stands. Kept: a burst asks for many names."""
    tree = parsed(text)
    rows = text.split("\n")
    found: dict[str, set[Mention]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        for each in _any(node, rows):
            found.setdefault(each.name, set()).add(each)
    return {name: sorted(every, key=lambda each: each[1:]) for name, every in found.items()}


def _of(node: ast.AST, rows: list[str]) -> Iterator[Mention]:
    match node:
        case ast.Call(func=func):
            yield from _at_end(func, rows)
        case ast.ImportFrom(names=names):
            yield from (_alias(alias, rows) for alias in names if alias.name != "*")
        case ast.ClassDef(bases=stated, decorator_list=decorators):
            for each in (*stated, *decorators):
                yield from _at_end(each, rows)
        case (
            ast.FunctionDef(decorator_list=decorators)
            | ast.AsyncFunctionDef(decorator_list=decorators)
        ):
            for each in decorators:
                yield from _at_end(each, rows)


def _any(node: ast.AST, rows: list[str]) -> Iterator[Mention]:
    match node:
        case ast.Name() | ast.Attribute():
            yield from _at_end(node, rows)
        case ast.ImportFrom(names=names):
            yield from (_alias(alias, rows) for alias in names)


def _at_end(node: ast.expr, rows: list[str]) -> Iterator[Mention]:
    """Where the last name of a dotted one stands."""
    match node:
        case ast.Name(id=name):
            yield Mention(name, node.lineno, _column(rows, node.lineno, node.col_offset))
        case ast.Attribute(attr=name) if node.end_lineno and node.end_col_offset:
            end = _column(rows, node.end_lineno, node.end_col_offset)
            yield Mention(name, node.end_lineno, end - len(name))
        case ast.Subscript(value=value):
            yield from _at_end(value, rows)


def _alias(alias: ast.alias, rows: list[str]) -> Mention:
    return Mention(alias.name, alias.lineno, _column(rows, alias.lineno, alias.col_offset))


def _column(rows: list[str], line: int, offset: int) -> int:
    """A column in characters, of one in bytes."""
    row = rows[line - 1] if line <= len(rows) else ""
    if row.isascii():
        return offset
    return len(row.encode("utf-8", "replace")[:offset].decode("utf-8", "replace"))
