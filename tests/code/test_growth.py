"""Growth: what a drift costs as a file grows, and how deep a file may be nested."""

import pytest

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("function f(){f();", "}"), ("class A{m(){", "}}"), ("{let a=f();", "}"), ("f(x=>", ")")],
)
def test_deep_nesting_comes_to_an_end(opening: str, closing: str) -> None:
    before, after = (opening * 1500 + body + closing * 1500 for body in ("", "g()"))
    found = drift(Graph(Memory({"a.js": before.encode()})), Graph(Memory({"a.js": after.encode()})))
    assert len(found.body) == 1


def test_what_is_nested_too_deep_is_text_of_the_definition_around_it() -> None:
    before, after = ("function f(){" * 60 + body + "}" * 60 for body in ("", "g()"))
    found = drift(Graph(Memory({"a.js": before.encode()})), Graph(Memory({"a.js": after.encode()})))
    assert found.body == {SymbolId("a.js", ".".join("f" * 50))}
    assert not found.created
