"""Tool inputs, read without trust: whatever a model sends, a value of the right type or None."""

from collections.abc import Mapping
from typing import Any

from statetape.agents.paths import glob_under, relative
from statetape.types import Call, Read, Result, Search

_REFUSALS = (
    "<tool_use_error>",
    "The user doesn't want to",
    "[Request interrupted by user",
    "Tool execution aborted",
)


class Inputs:
    """The argument object of one call."""

    def __init__(self, call: Call, root: str, cwd: str) -> None:
        self.raw = call.input if isinstance(call.input, str) else ""
        self._given: Mapping[str, Any] = call.input if isinstance(call.input, Mapping) else {}
        self._root = root
        self._cwd = cwd

    def text(self, *names: str) -> str | None:
        """The first of these arguments that is a string."""
        found = (self._given.get(name) for name in names)
        return next((value for value in found if isinstance(value, str)), None)

    def number(self, name: str) -> int | None:
        """An argument that is a whole number, or a string of one."""
        value = self._given.get(name)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """Whether an argument is true, or the string `true`."""
        return self._given.get(name) in (True, "true")

    def items(self, name: str) -> list[Any]:
        """An argument that is a list."""
        value = self._given.get(name)
        return list(value) if isinstance(value, list | tuple) else []

    def path(self, *names: str) -> str | None:
        """The repository path that one of these arguments states."""
        text = self.text(*names)
        return relative(text, self._root, self._cwd) if text else None

    def read(self, path: str) -> Read:
        """A read of a file, from line `offset` on, of `limit` lines."""
        offset, limit = self.number("offset"), self.number("limit")
        first = None if offset is None and limit is None else max(offset or 1, 1)
        last = None if first is None or limit is None or limit < 1 else first + limit - 1
        return Read(path, first, last)

    def search(
        self,
        pattern: str | None,
        folder: str | None,
        glob: str | None,
        *,
        ignore_case: bool = False,
    ) -> Search:
        """A search in a folder as spelled (None: the working directory), below it by a glob."""
        place = relative(folder or "", self._root, self._cwd)
        if glob is not None:
            glob = glob_under(place, glob, self._root)
        return Search(pattern, (place,) if place else (), glob, ignore_case=ignore_case)


def refused(result: Result | None) -> bool:
    """Whether a tool did not run at all: a malformed call, or one that the user declined."""
    return result is not None and result.text.startswith(_REFUSALS)
