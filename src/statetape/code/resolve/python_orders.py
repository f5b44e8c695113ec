"""The order in which Python looks through a class and its bases."""

from collections.abc import Iterator

from statetape.types import SymbolId


def merged(orders: list[tuple[SymbolId, ...]], bases: list[SymbolId]) -> Iterator[SymbolId]:
    """The merge of the C3 linearisation; where it fails, the first base goes on."""
    sequences = [list(order) for order in (*orders, tuple(bases)) if order]
    seen: set[SymbolId] = set()
    while sequences:
        heads = [sequence[0] for sequence in sequences]
        later = {symbol for sequence in sequences for symbol in sequence[1:]}
        head = next((each for each in heads if each not in later), heads[0])
        if head not in seen:
            seen.add(head)
            yield head
        sequences = [[s for s in sequence if s != head] for sequence in sequences]
        sequences = [sequence for sequence in sequences if sequence]
