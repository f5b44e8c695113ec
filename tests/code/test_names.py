"""The index of names: what every file together states, whatever the writes before."""

from hypothesis import given
from hypothesis import strategies as st

from statetape.code.facts import Facts
from statetape.code.graph import Graph
from statetape.code.names import NameIndex, defining, inheriting
from statetape.files import Memory
from statetape.types import Definition, SymbolId, Write

NAMES = st.sampled_from(["run", "Base.run", "Base", "Other.run", "Other"])
BASES = st.lists(st.tuples(st.just("Other"), st.just(("Base", "Mixin"))), max_size=1)


@st.composite
def facts(draw: st.DrawFn) -> Facts | None:
    if draw(st.booleans()) and draw(st.booleans()):
        return None
    names = ["", *draw(st.lists(NAMES, unique=True))]
    stated = tuple(Definition(name, "method", (), (), b"") for name in names)
    return Facts("", "python", b"", stated, bases=tuple(draw(BASES)))


@given(st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), facts()), max_size=8))
def test_notes_leave_the_index_of_the_last_states(writes: list[tuple[str, Facts | None]]) -> None:
    index = NameIndex([])
    last: dict[str, Facts | None] = {}
    for path, after in writes:
        keys = ["run", "Base", "Other", "<Base", "<Mixin", "<Other"]
        seen = {key: index.under(key) for key in keys}
        changed = index.note(path, after.interface() if after else None)
        assert {key for key in keys if index.under(key) != seen[key]} == changed
        last[path] = after
    rebuilt = NameIndex((path, stated.interface()) for path, stated in last.items() if stated)
    assert all(index.under(key) == rebuilt.under(key) for key in keys) if writes else True


def test_the_graph_answers_for_all_files_as_they_are_now() -> None:
    graph = Graph(Memory({"a.py": b"class A:\n    def run(self): 0\n", "b.py": b"x = 1\n"}))
    assert graph.named("run") == (SymbolId("a.py", "A.run"),)
    graph.apply(Write("b.py", b"x = 1\n", b"def run(): 0\n"))
    assert graph.named("run") == (SymbolId("a.py", "A.run"), SymbolId("b.py", "run"))
    graph.apply(Write("a.py", b"class A:\n    def run(self): 0\n", None))
    assert graph.named("run") == (SymbolId("b.py", "run"),)
    assert graph.heirs("A") == ()
    assert (defining("A"), inheriting("A")) == ("A", "<A")
