"""Callers among what is extracted already, at a bounded cost."""

import pytest

from statetape.code.graph import Graph
from statetape.code.nearby import callers_nearby
from statetape.files import Memory
from statetape.types import SymbolId

FILES = {
    "a.py": "def f():\n    return 1\n\n\ndef g():\n    return f()\n",
    "b.py": "from a import f\n\n\ndef far():\n    return f()\n\n\nf()\n",
    "c.py": "class C:\n    def __init__(self):\n        pass\n    def run(self):\n        f = 1\n",
    "d.py": "from c import C\n\n\ndef make():\n    return C()\n",
    "vendor/e.py": "from a import f\n\n\ndef theirs():\n    return f()\n",
}
F = SymbolId("a.py", "f")


@pytest.fixture
def graph() -> Graph:
    return Graph(Memory({path: text.encode() for path, text in FILES.items()}))


def names(found: object) -> set[str]:
    assert isinstance(found, dict)
    return {str(symbol) for symbol in found}


def test_only_files_that_were_looked_into_are_asked(graph: Graph) -> None:
    graph.facts("a.py")
    assert names(callers_nearby(F, graph, 9)) == {"a.py::g"}
    assert graph.files_extracted == 1
    graph.facts("b.py")
    assert names(callers_nearby(F, graph, 9)) == {"a.py::g", "b.py::far", "b.py::"}


def test_they_are_those_that_reach_it(graph: Graph) -> None:
    for path in FILES:
        graph.facts(path)
    found = callers_nearby(F, graph, 9)
    assert found == {k: v for k, v in graph.reaching(F).items() if "vendor" not in k.path}
    assert set(found.values()) == {"exact"}


def test_where_more_say_the_name_nothing_is_resolved(graph: Graph) -> None:
    for path in FILES:
        graph.facts(path)
    assert callers_nearby(F, graph, 3) == {}
    assert graph.symbols_resolved == 0


def test_a_constructor_is_called_by_the_name_of_its_class(graph: Graph) -> None:
    graph.facts("c.py")
    graph.facts("d.py")
    assert names(callers_nearby(SymbolId("c.py", "C.__init__"), graph, 9)) == {"d.py::make"}


def test_text_outside_definitions_has_no_name_to_call(graph: Graph) -> None:
    graph.facts("a.py")
    assert callers_nearby(SymbolId("a.py", ""), graph, 9) == {}
