"""Which definitions of a window of writes have only moved: to another file, or with their file."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from statetape.types import Lines, SymbolId


class Moved(NamedTuple):
    """Where a definition is that went away elsewhere, and its first lines there at that time."""

    to: SymbolId
    lines: Lines


def moves(
    removed: Mapping[SymbolId, bytes], created: Mapping[SymbolId, bytes]
) -> dict[SymbolId, SymbolId]:
    """The new symbol of each removed one that has the same own text, by digest, as no other has.

    Of several with the same text, one counts that has the same qualified name, and before that one
    in a file of the same name. Where that leaves two on either side, neither is said to have
    moved. Linear.
    """
    found: dict[SymbolId, SymbolId] = {}
    for key in (_file_and_name, _name, _text):
        olds = _alone({s: key(s, d) for s, d in removed.items() if s not in found})
        taken = set(found.values())
        news = _alone({s: key(s, d) for s, d in created.items() if s not in taken})
        found.update((old, news[each]) for each, old in olds.items() if each in news)
    return found


def _alone(keys: Mapping[SymbolId, Hashable]) -> dict[Hashable, SymbolId]:
    """The symbols by their keys, without those that share one."""
    times = Counter(keys.values())
    return {key: symbol for symbol, key in keys.items() if times[key] == 1}


def _file_and_name(symbol: SymbolId, digest: bytes) -> Hashable:
    return symbol.path.rpartition("/")[2], symbol.name, digest


def _name(symbol: SymbolId, digest: bytes) -> Hashable:
    return symbol.name, digest


def _text(symbol: SymbolId, digest: bytes) -> Hashable:
    """What is outside all definitions of a file stays that."""
    return bool(symbol.name), digest
