"""The sizes of blocks in a model's own tokens: estimates, put right by what its provider reports.

Only what is new is estimated. A provider's report tells what all blocks together have, so errors
do not add up from request to request (5-cache: estimate only the delta).
"""

from collections.abc import Sequence

from statetape.economics.prices import Price

_SHELL = frozenset({"run", "search"})


def estimated(price: Price, tokens: int, kind: str) -> int:
    """The model's tokens for a block of `tokens` cl100k tokens; `kind` is that of its step."""
    ratio = price.tokens_shell if kind in _SHELL else price.tokens_prose
    return round(tokens * ratio) + price.tokens_block


def fitted(estimates: Sequence[int], loose: Sequence[bool], total: int) -> list[int]:
    """Sizes of new blocks that make `total` together (never below 0 each).

    What is missing goes to the loose ones, whose text nobody has (thinking, a system prompt), in
    proportion; to the first block where there is none. Where the estimates are too high, all
    shrink.
    """
    if not estimates:
        return []
    total = max(0, total)
    known = sum(estimates)
    if total < known:
        sizes = [estimate * total // known for estimate in estimates]
        sizes[-1] += total - sum(sizes)
        return sizes
    sizes = list(estimates)
    takers = [n for n, free in enumerate(loose) if free] or [0]
    weights = [estimates[n] for n in takers]
    whole, rest = sum(weights), total - known
    for n, weight in zip(takers, weights, strict=True):
        sizes[n] += rest * weight // whole if whole else 0
    sizes[takers[0]] += total - sum(sizes)
    return sizes
