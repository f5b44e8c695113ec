"""TOML: one symbol per key and table of the first two levels.

A deeper table is one more place of the two-level table above it: `[tool.ruff.lint]` is text of
`tool.ruff`.
"""

import re

from statetape.code.extract import keys
from statetape.code.facts import Facts
from statetape.code.treesitter import Place

_PART = rb"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)"""
_DOTTED = rb"(" + _PART + rb"(?:[ \t]*\.[ \t]*" + _PART + rb")*)"
_LINE = re.compile(
    rb"^[ \t]*+(?:\[\[?[ \t]*" + _DOTTED + rb"[ \t]*\]\]?|" + _DOTTED + rb"[ \t]*=)", re.MULTILINE
)
_PARTS = re.compile(_PART)
_VALUE = re.compile(
    rb'"""(?s:.*?)(?:"""|\Z)'
    rb"|'''(?s:.*?)(?:'''|\Z)"
    rb"""|"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*'?|\#[^\n]*|[\[{]|[\]}]|\n"""
)


def facts(path: str, data: bytes) -> Facts:
    """The facts of a TOML file: its keys and tables. What cannot be read is residue."""
    return keys.facts(path, "toml", data, places(data))


def places(data: bytes) -> list[Place]:
    """The keys with their values, and the tables with their text. Cost: one scan."""
    found: list[Place] = []
    table: tuple[str, ...] = ()
    opened = at = last = 0  # where the table starts, where to go on, where the last text ends
    while line := _LINE.search(data, at):
        start = line.end() - len(line[0].lstrip())
        if line[1] is not None:
            if table:
                found.append(keys.place(data, table, opened, last))
            table, opened, at, last = _names(line[1]), start, line.end(), line.end()
            continue
        at = _value_end(data, line.end())
        last = at
        if len(table) < keys.DEPTH:
            found.append(keys.place(data, (*table, *_names(line[2]))[: keys.DEPTH], start, at))
    if table:
        found.append(keys.place(data, table, opened, last))
    return found


def _names(dotted: bytes) -> tuple[str, ...]:
    return tuple(keys.plain(part) for part in _PARTS.findall(dotted))[: keys.DEPTH]


def _value_end(data: bytes, at: int) -> int:
    """The end of a value: the first line end, or comment, outside strings and brackets."""
    depth = 0
    while token := _VALUE.search(data, at):
        first = token[0][:1]
        if depth <= 0 and first in b"\n#":
            return token.start()
        at = token.end()
        depth += (first in b"[{") - (first in b"]}")
    return len(data)
