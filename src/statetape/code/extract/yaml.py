"""YAML: one symbol per mapping key of the first two levels, by indentation.

Several documents in one file share their names.
"""

import re

from statetape.code.extract import keys
from statetape.code.facts import Facts
from statetape.code.treesitter import Place

_LINE = re.compile(
    rb"""^(?P<indent>[ ]*+)(?:
    (?P<key>"(?:[^"\\\n]|\\.)*"[ ]*+|'[^'\n]*'[ ]*+|[^\s"'\#{\[}\],-][^\n\#]*?|-[^\s\#][^\n\#]*?)
    :(?=[ \t\r\n]|\Z)[ \t]*(?:[&!]\S*+[ \t]*)*+(?P<value>[^\n]*)
    | (?P<rest>[^\n]+))""",
    re.MULTILINE | re.VERBOSE,
)


def facts(path: str, data: bytes) -> Facts:
    """The facts of a YAML file: its keys. What cannot be read is residue."""
    return keys.facts(path, "yaml", data, places(data))


def places(data: bytes) -> list[Place]:
    """The keys with their values, without comments and blank lines behind. Cost: one scan."""
    scan = _Scan(data)
    for line in _LINE.finditer(data):
        rest = (line["rest"] or b"").strip()
        if line["key"] is None and (not rest or rest.startswith(b"#")):
            continue
        if not line["indent"]:
            scan.outer(line, rest)
        elif scan.names and scan.mapping:
            scan.inner(line, rest)
        scan.last = line.end()
    scan.close(0)
    return scan.found


class _Scan:
    """The open keys while the lines go by."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found: list[Place] = []
        self.names: list[str] = []
        self.starts: list[int] = []
        self.mapping = False  # whether the outer key's value may be a mapping on its own lines
        self.indent = 0  # of the second level; 0: not known yet
        self.last = 0  # where the last line with content ends

    def close(self, level: int) -> None:
        """Closes the keys down to `level` open ones, at the last line with content."""
        while len(self.names) > level:
            start = self.starts.pop()
            self.found.append(keys.place(self.data, self.names, start, max(start, self.last)))
            self.names.pop()

    def outer(self, line: re.Match[bytes], rest: bytes) -> None:
        """A line without indentation: a key, an item of the key above, or something between."""
        if line["key"] is not None:
            self.close(0)
            self._open(line)
            self.mapping = line["value"].strip()[:1] in (b"", b"#")
            self.indent = 0
        elif rest == b"-" or rest.startswith((b"- ", b"}", b"]")):
            self.close(1)
            self.mapping = False
        else:
            self.close(0)

    def inner(self, line: re.Match[bytes], rest: bytes) -> None:
        """An indented line: a key where it stands at the second level, else text of one."""
        width = len(line["indent"])
        self.indent = self.indent or width
        if width > self.indent or rest == b"-" or rest.startswith(b"- "):
            return
        self.close(1)
        if line["key"] is not None:
            self._open(line)

    def _open(self, line: re.Match[bytes]) -> None:
        self.names.append(keys.plain(line["key"].rstrip()))
        self.starts.append(line.start() + len(line["indent"]))
