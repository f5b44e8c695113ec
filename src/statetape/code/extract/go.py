"""Go: functions, methods under their receiver's type, and types."""

import re

from statetape.code import treesitter
from statetape.code.extract.go_repair import repaired
from statetape.code.extract.go_shape import Source, declared
from statetape.code.facts import Facts

_NAME = re.compile(r"[^\W\d]\w*")
_MODULE = re.compile(rb"^[ \t]*module[ \t]+[\"`]?([^\s\"`]+)", re.MULTILINE)


def facts(path: str, data: bytes) -> Facts:
    """The facts of a Go file. The detail is a `Source`.

    Cost: one parse and its top level; where the parser had to recover, the damaged text twice.
    """
    root = treesitter.tree(data, "tree_sitter_go", path=path).root_node
    broken = root.has_error
    places, shape = repaired(data) if broken else declared([(0, data, root)])
    outline = treesitter.outline(data, places)
    return Facts(
        path,
        "go",
        treesitter.digest(data),
        outline.definitions,
        used=frozenset(_NAME.findall(data.decode(errors="replace"))),
        detail=Source(shape, data, outline.blocks),
        broken=broken,
        layout=outline.layout,
    )


def module_facts(path: str, data: bytes) -> Facts:
    """The facts of a `go.mod` file: one symbol. The detail is the path of the module."""
    outline = treesitter.outline(data, ())
    found = _MODULE.search(data)
    module = found[1] if found else b""
    return Facts(
        path,
        "gomod",
        treesitter.digest(data),
        outline.definitions,
        detail=module.decode(errors="replace"),
        layout=outline.layout,
    )
