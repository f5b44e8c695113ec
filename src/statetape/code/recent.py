"""What was found last for texts that come again: from other symbols, in other versions."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Found = TypeVar("_Found")


class Recent(Generic[_Key, _Found]):
    """The last values that were found, for at most `most` bytes of text, and always the last one.

    The oldest is forgotten first. What `find` needs beside the key is not kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._known: dict[_Key, tuple[int, _Found]] = {}

    def get(self, key: _Key, size: int, find: Callable[[], _Found]) -> _Found:
        """The value of a key of `size` bytes, found now where it is not known."""
        known = self._known.get(key)
        if known is not None:
            return known[1]
        found = find()
        while self._known and self._size + size > self._most:
            oldest, _ = self._known.pop(next(iter(self._known)))
            self._size -= oldest
        self._known[key] = size, found
        self._size += size
        return found

    def pop(self, key: _Key) -> _Found | None:
        """The value of a key, which is forgotten with it; None where it is not known."""
        size, found = self._known.pop(key, (0, None))
        self._size -= size
        return found
