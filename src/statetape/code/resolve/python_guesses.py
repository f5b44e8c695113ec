"""The methods that a call on an unknown receiver may reach in Python. Rule 15."""

from collections.abc import Iterator

from statetape.code.resolve.python_places import Places
from statetape.code.resolve.python_questions import Questions
from statetape.types import Mark, SymbolId

_SUFFIXES = (".py", ".pyi")
_MOST = 3
_BUILTIN = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, frozenset, bytearray)
    for name in dir(kind)
)
_COMMON = _BUILTIN | frozenset(
    (
        *("read", "write", "close", "open", "flush", "readline", "readlines", "seek", "group"),
        *("acquire", "release", "debug", "info", "warning", "error", "exception", "wait", "put"),
        *("cursor", "execute", "commit", "fetchone", "fetchall", "dump", "dumps", "loads"),
    )
)
"""Names that many classes outside of a repository have: a guess would be wrong too often."""


def guesses(name: str, questions: Questions, places: Places) -> Iterator[tuple[SymbolId, Mark]]:
    """All methods of that name, where there are few and the name is not a common one."""
    if name not in _COMMON:
        none: tuple[SymbolId, ...] = ()
        found = questions.answer(("methods", name), none, _methods, name, questions, places)
        if len(found) <= _MOST:
            yield from ((symbol, "guess") for symbol in found)


def _methods(name: str, questions: Questions, places: Places) -> tuple[SymbolId, ...]:
    return tuple(
        symbol
        for symbol in questions.named(name)
        if symbol.path.endswith(_SUFFIXES) and places.kind(symbol) == "method"
    )
