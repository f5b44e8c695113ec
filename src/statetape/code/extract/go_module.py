"""Go modules and workspaces: `go.mod` and `go.work`."""

import re

from msgspec import Struct

from statetape.code import treesitter
from statetape.code.facts import Facts

_WORD = r"[\"`]?([^\s\"`()]+)[\"`]?"
_COMMENT = re.compile(r"//[^\n]*")
_MODULE = re.compile(rf"^[ \t]*module[ \t]+{_WORD}", re.MULTILINE)
_REPLACED = re.compile(
    rf"(?<![^\s\"`]){_WORD}(?:[ \t]+v[^\s]+)?[ \t]*=>[ \t]*[\"`]?(\.{{1,2}}(?:/[^\s\"`]*)?)"
)
_BLOCK = re.compile(r"^[ \t]*use[ \t]*\(([^)]*)\)|^[ \t]*use[ \t]+([^\s(]+)", re.MULTILINE)


class Module(Struct, frozen=True):
    """A module by its import path, or a workspace.

    `replaced` are import paths with the folders that stand in for them, `used` the folders of a
    workspace's modules; folders are relative to the file's.
    """

    name: str = ""
    replaced: tuple[tuple[str, str], ...] = ()
    used: tuple[str, ...] = ()


def facts(path: str, data: bytes) -> Facts:
    """The facts of a `go.mod` or `go.work` file: one symbol. The detail is a `Module`."""
    outline = treesitter.outline(data, ())
    text = _COMMENT.sub("", data.decode(errors="replace"))
    found = _MODULE.search(text)
    used = (word for block in _BLOCK.findall(text) for each in block for word in each.split())
    return Facts(
        path,
        "gomod",
        treesitter.digest(data),
        outline.definitions,
        detail=Module(
            found[1] if found else "",
            tuple((match[1], match[2]) for match in _REPLACED.finditer(text)),
            tuple(word.strip('"`') for word in used),
        ),
        layout=outline.layout,
    )
