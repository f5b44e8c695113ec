"""The names that a text mentions."""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property


class Words(AbstractSet[str]):
    """The names in a text, as a pattern finds them; read when somebody asks for the first time.

    Bytes that are not UTF-8 are U+FFFD.
    """

    def __init__(self, data: bytes, name: re.Pattern[str]) -> None:
        self._data = data
        self._name = name

    @classmethod
    def _from_iterable(cls, it: Iterable[str]) -> AbstractSet[str]:  # type: ignore[override]
        return frozenset(it)

    @cached_property
    def _found(self) -> frozenset[str]:
        return frozenset(self._name.findall(self._data.decode(errors="replace")))

    def __contains__(self, word: object) -> bool:
        return word in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
