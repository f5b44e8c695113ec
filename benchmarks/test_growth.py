"""What a drift costs as a file grows: 8 times the definitions should cost about 8 times as much."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory

_MANY: dict[str, Callable[[int], str]] = {
    "a.js": lambda n: "\n".join(f"function f{i}(a){{return f{i - 1}(a)}}" for i in range(n)),
    "m.js": lambda n: "class A {" + "\n".join(f"f{i}(){{this.f{i - 1}()}}" for i in range(n)) + "}",
    "a.ts": lambda n: "\n".join(f"function f{i}(a){{return f{i - 1}(a)}}" for i in range(n)),
    "a.go": lambda n: "package a\n" + "\n".join(f"func f{i}() {{f{i - 1}()}}" for i in range(n)),
    "a.py": lambda n: "\n".join(f"def f{i}():\n    f{i - 1}()" for i in range(n)),
}


@pytest.mark.parametrize("path", _MANY)
def test_many_definitions(benchmark: Any, path: str) -> None:
    small = _seconds(path, 500)
    large = benchmark.pedantic(_seconds, args=(path, 4000), rounds=1, iterations=1)
    print(f"\n{path}: 8 times the definitions, {large / small:.1f} times the cost")  # noqa: T201


def _seconds(path: str, count: int) -> float:
    """The processor time of a drift in which every symbol is resolved."""
    text = _MANY[path](count)
    before, after = (Memory({path: each.encode()}) for each in (text, text + "\n"))
    began = time.process_time()
    drift(Graph(before), Graph(after))
    return time.process_time() - began
