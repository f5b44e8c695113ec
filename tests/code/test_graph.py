"""The graph after any writes is the graph of the files they left, at a price per write."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, View, Write

PATHS = ("a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/sub/c.py", "notes.md")
NAMES = ("f", "g", "h")
IMPORTS = (
    "import a",
    "import pkg.a",
    "import pkg.a as m",
    "from a import f",
    "from b import g as f, h",
    "from pkg import f, g",
    "from pkg.sub.c import *",
    "from .a import f",
    "from ..a import K",
    "from . import a",
    "from b import *",
    '__all__ = ["f"]',
    "f = g",
    "g = K()",
)
BODIES = (
    "return f()",
    "return g().f()",
    "return K()",
    "return K().h()",
    "return self.f()",
    "return super().g()",
    "self.x = K()",
    "return self.x.h()",
    "return a.f()",
    "return m.g()",
    "return pkg.a.h()",
    "return f.g.h()",
    "from b import f\n    return f()",
    "def f():\n        return g()\n    return f()",
    "return [f(g) for g in h()]",
    "for h in [K()]:\n        h.f()",
    "with K() as k:\n        k.g()",
    "return (",
)
HEADERS = ("def {}():", "def {}(self):", "def {}(f) -> K:", "@g\ndef {}(x: K, y=f()):")
CLASSES = ("class K:", "class K(L):", "class L:", "class L(a.K):", "class K(M, L):", "class M(L):")


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


@st.composite
def functions(draw: Any) -> str:
    header = draw(st.sampled_from(HEADERS)).format(draw(st.sampled_from(NAMES)))
    return f"{header}\n    {draw(st.sampled_from(BODIES))}"


@st.composite
def classes(draw: Any) -> str:
    methods = [indented(each) for each in draw(st.lists(functions(), min_size=1, max_size=3))]
    return "\n".join([draw(st.sampled_from(CLASSES)), *methods])


texts = st.lists(st.sampled_from(IMPORTS) | functions() | classes(), max_size=5).map(
    lambda parts: "\n".join(parts) + "\n"
)
repositories = st.dictionaries(st.sampled_from(PATHS), texts, min_size=1).map(
    lambda files: Memory({path: text.encode() for path, text in files.items()})
)
writes = st.tuples(st.sampled_from(PATHS), st.none() | texts.map(str.encode))


def views(graph: Graph) -> dict[SymbolId, View | None]:
    return {symbol: graph.view(symbol) for symbol in list(graph.symbols())}


@settings(max_examples=200)
@given(repositories, st.lists(writes, min_size=1, max_size=4))
def test_writes_lead_where_a_new_graph_starts(
    files: Memory, changes: list[tuple[str, bytes | None]]
) -> None:
    now = Memory(files)
    graph = Graph(files)
    for path, after in changes:
        before = views(graph)
        found = graph.apply(Write(path, now.get(path), after))
        old = Graph(Memory(now))
        now.write(path, after)
        rebuilt = views(Graph(now))
        assert found == drift(old, Graph(now))
        assert views(graph) == rebuilt
        gone = {symbol for symbol in before if symbol not in rebuilt}
        assert gone <= found.body


@given(repositories, writes)
def test_a_reverted_write_restores_every_view(
    files: Memory, change: tuple[str, bytes | None]
) -> None:
    path, after = change
    graph = Graph(files)
    before = views(graph)
    graph.apply(Write(path, files.get(path), after))
    views(graph)
    graph.apply(Write(path, after, files.get(path)))
    assert views(graph) == before


MOVED = ["def f():\n    return g()", "def g():\n    return 1", "class K:\n    x = f()"]


@given(st.permutations(MOVED))
def test_moving_definitions_drifts_only_what_holds_them(parts: list[str]) -> None:
    graph = Graph(Memory({"a.py": "\n\n\n".join(MOVED).encode() + b"\n"}))
    views(graph)
    before, after = graph.read("a.py"), "\n\n\n".join(parts).encode() + b"\n"
    assert graph.apply(Write("a.py", before, after)).body <= {SymbolId("a.py", "")}


CORE = """class K:
    def __init__(self): pass
    def m(self): return f()


def f(): return 1
"""
API = """from core import K, f as go


def top():
    return K().m()


def side():
    return go()
"""
FAR = """from api import go


def call():
    return go()
"""
REPOSITORY = Memory({"core.py": CORE.encode(), "api.py": API.encode(), "far.py": FAR.encode()})


def symbols(*names: str) -> set[SymbolId]:
    return {SymbolId(*name.split("::")) for name in names}


def test_edges_in_both_directions() -> None:
    graph = Graph(REPOSITORY)
    top, f = SymbolId("api.py", "top"), SymbolId("core.py", "f")
    assert graph.callees(top) == symbols("core.py::K", "core.py::K.__init__", "core.py::K.m")
    assert graph.callers(f) == symbols("core.py::K.m", "api.py::side", "far.py::call")
    assert graph.callers(SymbolId("core.py", "K.__init__")) == {top}


def test_what_is_not_there_has_no_view() -> None:
    graph = Graph(REPOSITORY)
    for symbol in symbols("core.py::nothing", "nowhere.py::f"):
        assert graph.view(symbol) is None
        assert graph.source(symbol) is None
        assert graph.callees(symbol) == set()
    assert graph.facts("nowhere.py") is None
    assert list(graph.symbols("nowhere.py")) == []


def test_source_is_the_text_with_what_is_nested() -> None:
    graph = Graph(
        Memory({"a.py": b"@x\r\nclass K:\r\n    def m(self): pass\r\n\r\nif y:\r\n    K, L = 1, 2"})
    )
    assert graph.source(SymbolId("a.py", "K")) == "@x\nclass K:\n    def m(self): pass"


def test_symbols_are_those_of_every_file() -> None:
    graph = Graph(REPOSITORY)
    assert set(graph.paths()) == set(REPOSITORY)
    assert list(graph.symbols("far.py")) == [SymbolId("far.py", ""), SymbolId("far.py", "call")]
    assert len(list(graph.symbols())) == 10


@pytest.mark.parametrize("size", [10, 300])
def test_the_work_of_a_write_does_not_grow_with_the_repository(size: int) -> None:
    files = Memory({f"f{i}.py": b"def f():\n    return 1\n" for i in range(size)})
    files["a.py"] = (
        b"from f1 import f\n\n\ndef a():\n    return f()\n\n\ndef b():\n    return a()\n"
    )
    graph = Graph(files)
    assert graph.files_extracted == 0
    graph.view(SymbolId("a.py", "a"))
    graph.view(SymbolId("a.py", "b"))
    extracted, resolved = graph.files_extracted, graph.symbols_resolved
    assert (extracted, resolved) == (2, 2)
    graph.apply(Write("f1.py", files["f1.py"], b"def f():\n    return 2\n"))
    assert graph.files_extracted - extracted == 1
    assert graph.symbols_resolved - resolved <= 1
    graph.apply(Write("f9.py", files["f9.py"], b"def f():\n    return 2\n"))
    assert graph.files_extracted - extracted == 3  # both sides of a file never looked at
    assert graph.symbols_resolved - resolved <= 1


def test_files_that_move_along_are_seen_once() -> None:
    files = Memory({"a.py": b"def f():\n    return g()\n"})
    graph = Graph(files)
    owner = SymbolId("a.py", "f")
    graph.view(owner)
    files["a.py"] = b"def f():\n    return g()\n\n\ndef g(): pass\n"
    found = graph.apply(Write("a.py", b"def f():\n    return g()\n", files["a.py"]))
    assert found.dispatch == {owner}
    assert found.created == {SymbolId("a.py", "g")}
    assert found.body == {SymbolId("a.py", "")}
