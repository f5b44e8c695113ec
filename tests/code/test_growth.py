"""The cost of a drift grows with the size of a file, not with its square."""

import time
from collections.abc import Callable

import pytest

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId

_MANY: dict[str, Callable[[int], str]] = {
    "a.js": lambda n: "\n".join(f"function f{i}(a){{return f{i - 1}(a)}}" for i in range(n)),
    "m.js": lambda n: "class A {" + "\n".join(f"f{i}(){{this.f{i - 1}()}}" for i in range(n)) + "}",
    "a.ts": lambda n: "\n".join(f"function f{i}(a){{return f{i - 1}(a)}}" for i in range(n)),
    "a.go": lambda n: "package a\n" + "\n".join(f"func f{i}() {{f{i - 1}()}}" for i in range(n)),
    "a.py": lambda n: "\n".join(f"def f{i}():\n    f{i - 1}()" for i in range(n)),
}


@pytest.mark.parametrize("path", _MANY)
def test_many_definitions_cost_what_they_are(path: str) -> None:
    small, large = (_seconds(path, _MANY[path](count)) for count in (500, 4000))
    assert large < 30 * max(small, 0.03)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("function f(){f();", "}"), ("class A{m(){", "}}"), ("{let a=f();", "}"), ("f(x=>", ")")],
)
def test_deep_nesting_costs_what_it_is(opening: str, closing: str) -> None:
    assert _seconds("a.js", opening * 1500 + closing * 1500) < 5


def test_what_is_nested_too_deep_is_text_of_the_definition_around_it() -> None:
    before, after = ("function f(){" * 60 + body + "}" * 60 for body in ("", "g()"))
    found = drift(Graph(Memory({"a.js": before.encode()})), Graph(Memory({"a.js": after.encode()})))
    assert found.body == {SymbolId("a.js", ".".join("f" * 50))}
    assert not found.created


def _seconds(path: str, text: str) -> float:
    """The processor time of a drift in which every symbol is resolved."""
    before, after = (Memory({path: each.encode()}) for each in (text, text + "\n"))
    began = time.process_time()
    drift(Graph(before), Graph(after))
    return time.process_time() - began
