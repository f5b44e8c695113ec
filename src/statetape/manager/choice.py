"""What the heuristic manager does with what it knows: whom it lets go, whom it brings in."""

from collections.abc import Iterable, Iterator

from statetape.manager.finished import Result
from statetape.manager.wanted import Wanted
from statetape.manager.weights import Logistic

LATEST = 3
"""Turns whose results are never let go: the agent has hardly answered to them."""
OLD = 10
"""Turns after which output that shows nothing of files goes, as in observation masking."""
LEAST = 40
"""Tokens below which a result is not worth a stub."""
EXPECTED = 0.15
"""The share of what is let go that is asked for again when the weights are right."""
BUDGET = 2000
"""Tokens brought in at one request, at most."""

_OUTPUT = frozenset({"run", "search", "read"})


def caution(gone: int, regrets: int) -> float:
    """By what the odds that are taken are divided, after `regrets` of so many results let go.

    1 as long as no more are asked for again than expected; each one more counts: the guard learns
    within its session.
    """
    return 1 + max(0.0, regrets - EXPECTED * gone)


def finished(results: Iterable[Result], again: Logistic, cautious: float = 1.0) -> Iterator[Result]:
    """The results to let go; `cautious` as `caution` has it."""
    most = again.threshold / cautious
    for result in results:
        if result.turns < LATEST or result.record.tokens < LEAST:
            continue
        if result.features is None:
            old = result.turns >= OLD or result.repeated
            if old and result.record.kind in _OUTPUT:
                yield result
        elif again.probability(result.features) < most:
            yield result


def retrieved(offers: Iterable[tuple[Wanted, int]], following: Logistic) -> Iterator[Wanted]:
    """The offers to bring in, the likeliest first, as far as `BUDGET` goes; often none.

    Each offer comes with its tokens.
    """
    left = BUDGET
    rated = ((following.probability(each.features), size, each) for each, size in offers)
    likely = [each for each in rated if each[0] >= following.threshold]
    for _, size, each in sorted(likely, key=lambda one: -one[0]):
        if size <= left:
            left -= size
            yield each
