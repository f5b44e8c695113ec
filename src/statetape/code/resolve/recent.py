"""What was found last, for keys that come again in other versions of a file."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Found = TypeVar("_Found")


class Recent(Generic[_Key, _Found]):
    """The values of the last `most` keys that were asked for first, oldest forgotten first.

    Unlike with `lru_cache`, what `find` needs beside the key is not kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[_Key, _Found] = {}

    def get(self, key: _Key, find: Callable[[], _Found]) -> _Found:
        """The value of a key, found now where it is not known."""
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            found = self._known[key] = find()
        return found
