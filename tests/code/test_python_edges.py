"""Edges of Python symbols that no two states show: robustness, and what calls reach."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId

UNITS = ("a.", "(", "-", "f(", "[", "lambda: ", "not ", "a if b else ", "x = ", "if x:\n ")
WORDS = (
    *("def f():\n", "class K(K):\n", "    ", "return ", "f", "(", ")", ".", "=", "self", "K", "["),
    *("from a import *\n", "from . import b\n", "import a\n", "]", ",", ":", "\n", "*", "'", "@"),
    *(
        " in ",
        "with ",
        " as ",
        "super()",
        "\\",
        "\t",
        "é",
        "async ",
        "yield ",
        "global f\n",
        "for ",
    ),
)


def edges(text: str, name: str, others: Mapping[str, str] | None = None) -> set[str]:
    files = {"m.py": text, **(others or {})}
    graph = Graph(Memory({path: each.encode() for path, each in files.items()}))
    return {str(symbol) for symbol in graph.callees(SymbolId("m.py", name))}


@pytest.mark.parametrize("unit", UNITS)
def test_deep_nesting_does_not_overflow(unit: str) -> None:
    assert edges(f"def f():\n    {unit * 3000}f\n", "f") <= {"m.py::f"}
    assert edges(unit * 3000 + "\ndef f(): f()\n", "") <= {"m.py::f"}


def test_long_chains_of_classes_end() -> None:
    chain = "class C0: pass\n" + "".join(f"class C{i}(C{i - 1}): pass\n" for i in range(1, 1500))
    assert edges(f"{chain}def f(): return C1499().g()\n", "f") == {"m.py::C1499"}


@given(st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
def test_no_text_raises(text: str) -> None:
    graph = Graph(Memory({"m.py": text.encode(), "a.py": b"from m import *\n"}))
    assert all(graph.view(symbol) for symbol in list(graph.symbols()))


ANNOTATIONS = ("tuple[()]", "'tuple[()]'", "K | " * 900 + "K", "list[" * 90 + "]" * 90)


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_odd_annotations_mean_what_they_can(annotation: str) -> None:
    text = f"class K:\n    def m(self): pass\n\n\ndef f(a: {annotation}): a.m()\n"
    assert edges(text, "f") <= {"m.py::K.m"}


CLASSES = """class A:
    def go(self): return 1
    def again(self) -> "A": return self
class B(A):
    def __init__(self, part: A): self.part = part
    def __call__(self): return A()
    @classmethod
    def new(cls): return cls(A())
    @property
    def first(self): return A()
"""


@pytest.mark.parametrize(
    ("body", "reached"),
    [
        ("A().go()", {"A", "A.go"}),
        ("B(1).go()", {"B", "B.__init__", "A.go"}),
        ("B(1).part.go()", {"B", "B.__init__", "A.go"}),
        ("B(1)().go()", {"B", "B.__init__", "B.__call__", "A.go"}),
        ("B.new().go()", {"B.new", "A.go"}),
        ("B(1).first.go()", {"B", "B.__init__", "B.first", "A.go"}),
        ("for a in [A(), A()]: a.go()", {"A", "A.go"}),
        ("x, y = A(), B(1); x.again().go()", {"A", "B", "B.__init__", "A.again", "A.go"}),
        ("[a.go() for a in (A(),)]", {"A", "A.go"}),
        ("x = A() if y else B(1); x.go()", {"A", "B", "B.__init__", "A.go"}),
        ("raise A", {"A"}),
        ("print(len(open('x')))", set()),
        ("(lambda A: A())(1)", set()),
        ("y = A\n    z = y\n    z().go()", {"A", "A.go"}),
        ("if (n := A()): n.go()", {"A", "A.go"}),
        ("A().missing()", {"A"}),
    ],
)
def test_what_calls_reach(body: str, reached: set[str]) -> None:
    found = edges(f"{CLASSES}def f():\n    {body}\n", "f")
    assert found == {f"m.py::{name}" for name in reached}


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("import pkg.a", "pkg.a.f()"),
        ("import pkg.a as q", "q.f()"),
        ("from pkg import a", "a.f()"),
        ("from pkg.a import f as g", "g()"),
        ("from pkg.a import *", "f()"),
        ("from pkg import f", "f()"),
        ("import pkg", "pkg.f()"),
        ("from .pkg.a import f", "f()"),
    ],
)
def test_forms_of_import(statement: str, call: str) -> None:
    text = f"{statement}\n\n\ndef h():\n    return {call}\n"
    package = {"pkg/__init__.py": "from .a import f\n", "pkg/a.py": "def f(): pass\n"}
    assert edges(text, "h", package) == {"pkg/a.py::f"}
