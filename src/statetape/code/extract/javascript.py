"""JavaScript, TypeScript and their JSX dialects: functions, classes, methods and types."""

import re

from statetape.code import treesitter
from statetape.code.extract.javascript_modules import add_modules
from statetape.code.extract.javascript_places import (
    JAVASCRIPT,
    TSX,
    TYPESCRIPT,
    Grammar,
    definitions,
    parsed,
)
from statetape.code.extract.javascript_repair import mended
from statetape.code.extract.javascript_shape import Shape, Source, add_definitions, add_holders
from statetape.code.facts import Facts

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def javascript_facts(path: str, data: bytes) -> Facts:
    """The facts of a JavaScript file, JSX included. The detail is a `Source`."""
    return _facts(path, data, "javascript", JAVASCRIPT)


def typescript_facts(path: str, data: bytes) -> Facts:
    """The facts of a TypeScript file. The detail is a `Source`."""
    return _facts(path, data, "typescript", TYPESCRIPT)


def tsx_facts(path: str, data: bytes) -> Facts:
    """The facts of a TypeScript file with JSX. The detail is a `Source`."""
    return _facts(path, data, "tsx", TSX)


def _facts(path: str, data: bytes, language: str, grammar: Grammar) -> Facts:
    """Cost: one parse, one query; where the parser had to recover, the damaged parts again."""
    root, text = treesitter.tree(data, *grammar, path=path).root_node, data
    broken = root.has_error
    if broken:
        text = mended(data, grammar)
        root = parsed(text, grammar)
    shape = Shape()
    found = definitions(text, root, grammar)
    add_definitions(shape, text, found)
    add_modules(shape, text, root)
    add_holders(shape)
    outline = treesitter.outline(data, [place for place, _ in found])
    return Facts(
        path,
        language,
        treesitter.digest(data),
        outline.definitions,
        used=frozenset(_NAME.findall(data.decode(errors="replace"))),
        detail=Source(shape, data, grammar, outline.blocks),
        broken=broken,
        layout=outline.layout,
    )
