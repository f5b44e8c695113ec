"""JavaScript, TypeScript and their JSX dialects: functions, classes, members, variables, types."""

import re

from msgspec.structs import replace

from statetape.code import treesitter
from statetape.code.extract.javascript_modules import add_modules
from statetape.code.extract.javascript_places import (
    JAVASCRIPT,
    TSX,
    TYPESCRIPT,
    Grammar,
    definitions,
)
from statetape.code.extract.javascript_repair import mended
from statetape.code.extract.javascript_shape import (
    Shape,
    Source,
    add_assigned,
    add_definitions,
    bases,
)
from statetape.code.extract.words import Words
from statetape.code.facts import Facts
from statetape.types import Definition

_NAME = re.compile(r"[A-Za-z_$\x80-\U0010ffff][\w$]*")


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
    """Cost: one parse, one query; where the parser had to recover, the damaged parts again.

    Of a file that was read before, only what differs is parsed.
    """
    root, text = treesitter.tree(data, *grammar, path=path).root_node, data
    broken = root.has_error
    if broken:
        text = mended(data, grammar)
        root = treesitter.tree(text, *grammar, path=f"{path}\0mended").root_node
    shape = Shape()
    found = definitions(text, root, grammar)
    add_definitions(shape, text, found)
    add_modules(shape, text, root)
    outline = treesitter.outline(data, [place for place, _ in found])
    add_assigned(shape, data, outline.blocks)
    return Facts(
        path,
        language,
        treesitter.digest(data),
        _with_fields(outline.definitions, shape),
        used=Words(data, _NAME),
        detail=Source(shape, data, grammar, outline.blocks),
        broken=broken,
        layout=outline.layout,
        bases=bases(shape),
    )


def _with_fields(definitions: tuple[Definition, ...], shape: Shape) -> tuple[Definition, ...]:
    """The definitions; a class states its fields: their own text is part of its own, too."""
    fields: dict[str, list[bytes]] = {}
    for each in definitions:
        outer = each.name.rpartition(".")[0]
        if each.kind == "field" or shape.kinds.get(outer) == "interface":
            fields.setdefault(outer, [shape.kinds[outer].encode()]).append(each.digest)
    return tuple(
        replace(each, digest=treesitter.digest(b"".join([each.digest, *fields[each.name]])))
        if each.name in fields
        else each
        for each in definitions
    )
