"""What one request costs the simulated caches: its prompt is that of the one before, and three
blocks more; all blocks are new objects, as a decoder makes them.
"""

import time
from hashlib import sha256
from statistics import median
from typing import Any, Literal

import pytest

from statetape.economics.cache import Cache, cache_by
from statetape.economics.cache_rules import Rules
from statetape.economics.prompt import Block, Prompt

FIGURES: list[str] = []


def prompt(count: int) -> Prompt:
    """So many blocks, marked as Claude Code marks them."""
    row = (
        Block(sha256(b"%d" % n).digest(), 100, 300 if n in (1, 2, count - 1) else 0)
        for n in range(count)
    )
    return Prompt("model", count, tuple(row), system=3)


@pytest.mark.parametrize("blocks", [200, 2000])
@pytest.mark.parametrize("caching", ["explicit", "automatic"])
def test_a_request(caching: Literal["explicit", "automatic"], blocks: int, benchmark: Any) -> None:
    cache: Cache = cache_by(Rules(caching=caching))
    first = prompt(blocks)
    started = time.process_time()
    cache.answered(first)
    cold = time.process_time() - started
    sent = [prompt(blocks + 3 * n) for n in range(1, 51)]
    taken = []

    def all_three() -> None:
        for one in sent:
            began = time.process_time()
            cache.expected(one)
            cache.answered(one)
            cache.live(one)
            taken.append(time.process_time() - began)

    benchmark.pedantic(all_three, rounds=1)
    FIGURES.append(
        f"{caching}, {blocks} blocks: expected, answered and live {1e3 * median(taken):.2f} ms; "
        f"nothing known {1e3 * cold:.1f} ms"
    )
