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


def marks(text: str, name: str, others: Mapping[str, str] | None = None) -> dict[str, str]:
    files = {"m.py": text, **(others or {})}
    graph = Graph(Memory({path: each.encode() for path, each in files.items()}))
    found = graph.edges(SymbolId("m.py", name))
    return {str(symbol): mark for symbol, mark in found.items()}


HEIRS = """class A:
    def go(self): return self.step()
    def step(self): return 1
class B(A):
    def step(self): return 2
class C(B): pass
class D:
    def step(self): return 3
"""


def test_an_inexact_receiver_reaches_overrides() -> None:
    assert marks(HEIRS, "A.go") == {"m.py::A.step": "exact", "m.py::B.step": "virtual"}
    text = HEIRS + "def f(a: A): a.step()\ndef g(): A().step()\n"
    assert marks(text, "f")["m.py::B.step"] == "virtual"
    assert "m.py::B.step" not in marks(text, "g")


def test_overrides_are_found_in_other_files_under_other_names() -> None:
    heir = "from m import A as Base\nclass E(Base):\n    def step(self): return 4\n"
    assert marks(HEIRS, "A.go", {"e.py": heir})["e.py::E.step"] == "virtual"


GUESSED = "".join(
    f"class K{i}:\n    def odd(self): pass\n    def get(self): pass\n" for i in range(3)
)


def test_few_methods_of_a_name_are_guessed() -> None:
    text = GUESSED + "def f(a): a.odd()\ndef g(a): a.get()\ndef h():\n    import re\n    re.odd()\n"
    assert marks(text, "f") == {f"m.py::K{i}.odd": "guess" for i in range(3)}
    assert marks(text, "g") == marks(text, "h") == {}
    more = {"n.py": "class L:\n    def odd(self): pass\n"}
    assert marks(text, "f", more) == {}


READ = """import other
from other import SIZE as S, both
LOCAL = 1
PAIR, TWO = 1, 2
class K:
    field = LOCAL
    def m(self): return self.field
class L(K): pass
type_ = K
"""


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("LOCAL", {"m.py::LOCAL"}),
        ("S", {"other.py::SIZE"}),
        ("other.SIZE", {"other.py::SIZE"}),
        ("L.field", {"m.py::K.field"}),
        ("L().field", {"m.py::K.field"}),
        ("PAIR", set()),
        ("[LOCAL for LOCAL in ()]", set()),
        ("(lambda LOCAL: LOCAL)(1)", set()),
        ("both", set()),
        ("f'{LOCAL}'", {"m.py::LOCAL"}),
    ],
)
def test_what_is_read_and_not_called(body: str, used: set[str]) -> None:
    other = {"other.py": "SIZE = 1\nboth = size = 2\n"}
    found = marks(READ + f"def f():\n    return {body}\n", "f", other)
    assert {name for name, mark in found.items() if mark == "uses"} == used


def test_a_variable_has_the_edges_of_its_statement() -> None:
    text = "def f(): pass\nX = 1\nY = f(X)\nif X:\n    Y = f\nf()\n"
    assert marks(text, "Y") == {"m.py::f": "exact", "m.py::X": "uses"}
    assert marks(text, "") == {"m.py::f": "exact", "m.py::X": "uses"}
    assert marks(text, "X") == {}


VALUES = """def one(): return 1
def two(): return 2
def give(a): return a
def call(a, *rest, **named):
    a()
    rest[0]()
    named["k"]()
def main(): call(one, two, k=give)
class K:
    def __init__(self): self.parts = []
    def add(self): self.parts.append(one)
    def run(self):
        for part in self.parts: part()
    def __iter__(self): return self
    def __next__(self): return two
    def __getitem__(self, key): return one
    def __str__(self): return ""
def made():
    yield one
def wrap(function):
    def inner(): return function()
    return inner
@wrap
def wrapped(): pass
"""


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("call", {"one", "two", "give"}),
        ("K.run", {"one"}),
        ("wrap.inner", {"wrapped"}),
    ],
)
def test_what_is_handed_over_and_kept_is_called(name: str, reached: set[str]) -> None:
    assert edges(VALUES, name) == {f"m.py::{each}" for each in reached}


@pytest.mark.parametrize(
    ("body", "reached"),
    [
        ("give(one)()", {"give", "one"}),
        ("{'a': one, 'b': two}['a']()", {"one"}),
        ("{'a': one, 'b': two}[x]()", {"one", "two"}),
        ("d = {}; d['a'] = one; d['b'] = two; d['a']()", {"one"}),
        ("[one, two][-1]()", {"two"}),
        ("a, *b, c = one, two, two, give; c(1)", {"give"}),
        ("a, *b, c = one, two, two, give; b[0]()", {"two"}),
        ("x, y = one, two; x()", {"one"}),
        ("for each in made(): each()", {"made", "one"}),
        ("for each in K(): each()", {"K", "K.__init__", "K.__iter__", "K.__next__", "two"}),
        ("K()[0]()", {"K", "K.__init__", "K.__getitem__", "one"}),
        ("str(K())", {"K", "K.__init__", "K.__str__"}),
        ("f'{K()}'", {"K", "K.__init__", "K.__str__"}),
        ("map(one, [])", {"one"}),
        ("sorted([], key=two)", {"two"}),
        ("getattr(K(), 'run')()", {"K", "K.__init__", "K.run"}),
        ("getattr(K(), 'r' + 'un')()", {"K", "K.__init__"}),
        ("getattr(K(), f'ru{x}')()", {"K", "K.__init__", "K.run"}),
        ("dict(a=one)['a']()", {"one"}),
        ("[*enumerate([one])][0][1]()", {"one"}),
        ("(one if x else two)()", {"one", "two"}),
        ("x = u(); isinstance(x, K) and x.run()", {"K.run"}),
        ("from functools import partial; partial(one, 1)()", {"one"}),
    ],
)
def test_what_values_reach(body: str, reached: set[str]) -> None:
    found = edges(VALUES + f"def f():\n    {body}\n", "f")
    assert found == {f"m.py::{name}" for name in reached}
