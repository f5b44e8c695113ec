"""JSON (and JSON with comments): one symbol per key of the first two levels."""

import re

import msgspec

from statetape.code.extract import javascript_config, keys
from statetape.code.facts import Facts
from statetape.code.treesitter import Place

_TOKEN = re.compile(
    rb"""(?P<string>"(?:[^"\\\n]++|\\.)*+"?) | (?P<open>[{\[]) | (?P<close>[}\]])
    | (?P<colon>:) | (?P<comma>,) | //[^\n]* | /\*(?s:.*?)(?:\*/|\Z)""",
    re.VERBOSE,
)
_BRACKET = re.compile(
    rb"""(?:[^"/{}\[\]]++ | "(?:[^"\\\n]++|\\.)*+"? | //[^\n]*+ | /\*(?s:.*?)(?:\*/|\Z) | /)*+
    ([{}\[\]])""",
    re.VERBOSE,
)
"""Runs over everything up to the next bracket in one step, so that deep values cost little."""


def facts(path: str, data: bytes) -> Facts:
    """The facts of a JSON file: its keys. What cannot be read is residue.

    A `tsconfig.json` has its `PathOptions` as detail, a `package.json` its `Package`: imports
    depend on them. A package goes by its name as a class by that of its base.
    """
    facts = keys.facts(path, "json", data, places(data))
    detail = javascript_config.detail(path.rpartition("/")[2], data)
    if detail is None:
        return facts
    name = detail.name if isinstance(detail, javascript_config.Package) else ""
    bases = (("", (name,)),) if name else ()
    return msgspec.structs.replace(facts, detail=detail, bases=bases)


def places(data: bytes) -> list[Place]:
    """The keys with their values. Cost: one scan; one step per bracket below the second level."""
    scan = _Scan(data)
    at = 0
    while token := _TOKEN.search(data, at):
        at = scan.behind(token)
    scan.close_all()
    return scan.found


class _Scan:
    """The open keys while a text is read; an object is only opened where its keys are symbols."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found: list[Place] = []
        self.names: list[str] = []
        self.starts: list[int] = []
        self.objects = 0
        self.string: re.Match[bytes] | None = None
        self.value_end = 0

    def behind(self, token: re.Match[bytes]) -> int:
        """Takes one token in and says where to go on."""
        kind = token.lastgroup
        if kind == "open":
            return self._open(token)
        if kind == "string":
            self.string = token
            self.value_end = token.end()
        elif kind == "colon" and self.string and len(self.names) == self.objects - 1:
            self.names.append(keys.plain(self.string[0]))
            self.starts.append(self.string.start())
        elif kind in ("comma", "close"):
            self._close(token.start())
        if kind == "close":
            self.objects = max(0, self.objects - 1)
            self.value_end = token.end()
        if kind != "string":
            self.string = None
        return token.end()

    def _open(self, token: re.Match[bytes]) -> int:
        if token[0] == b"{" and len(self.names) == self.objects < keys.DEPTH:
            self.objects += 1
            return token.end()
        self.value_end = _behind_closing(self.data, token.end())
        return self.value_end

    def _close(self, end: int) -> None:
        if self.names and len(self.names) == self.objects:
            start = self.starts.pop()
            self.found.append(keys.place(self.data, self.names, start, max(start, end)))
            self.names.pop()

    def close_all(self) -> None:
        """Closes what a damaged text leaves open, at the last value."""
        while self.names:
            self.objects = len(self.names)
            self._close(self.value_end)


def _behind_closing(data: bytes, at: int) -> int:
    """Behind the bracket that closes the one before `at`; the end where nothing closes it."""
    depth = 1
    while depth and (run := _BRACKET.match(data, at)):
        at = run.end()
        depth += 1 if run[1] in b"{[" else -1
    return len(data) if depth else at
