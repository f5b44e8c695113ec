"""Go: functions, methods, types with their fields, package-level variables and constants."""

from statetape.code import treesitter
from statetape.code.extract.go_parts import whole
from statetape.code.extract.go_shape import Source
from statetape.code.facts import Facts


def facts(path: str, data: bytes) -> Facts:
    """The facts of a Go file. The detail is a `Source`.

    Cost: a parse of the declarations that are not remembered from other states of the file.
    """
    found = whole(data)
    outline = treesitter.outline(data, found.places)
    return Facts(
        path,
        "go",
        treesitter.digest(data),
        outline.definitions,
        used=found.used,
        detail=Source(found.shape, data, outline.blocks, found.loose),
        broken=found.damaged,
        layout=outline.layout,
        bases=found.bases,
    )
