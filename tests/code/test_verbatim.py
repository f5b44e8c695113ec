"""In a file that the parser lost its way in, what stands keeps its identity, and nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code import languages, wholefile
from statetape.code.facts import Facts
from statetape.code.graph import Graph
from statetape.code.verbatim import standing, touched
from statetape.files import Memory
from statetape.types import SymbolId, Write

pytest.importorskip("tree_sitter_java", reason="needs the grammars of the extra `languages`")

JAVA = """package a;

import b.Other;

class App extends Base {
    int size = 1;

    int first() {
        return second();
    }

    // between
    int second() {
        return Other.third();
    }

    class Inner { int one() { return 1; } int two() { return 2; } }
}

class Last {
    int end() {
        return 1;
    }
}
"""
PYTHON = """x = 1
class K:
    y = 2
    def m(self):
        return 1

    def n(self): pass
def f():
    def g():
        pass
    return g
"""
GO = """package a

// F does.
func F() {
	G()
}

type T struct {
	x int
}

func G() {}
"""
TEXTS = {
    "App.java": JAVA,
    "a.py": PYTHON,
    "a.go": GO,
}


def facts_of(path: str, text: str) -> Facts:
    return languages.facts(path, text.encode())


def lost(path: str, text: str) -> Facts:
    """What the worst of parsers makes of a text."""
    return wholefile.facts(path, text.encode())


def after(path: str, before: Facts, old: str, new: str, *, worst: bool = False) -> Facts:
    read = lost if worst else facts_of
    return standing(before, old.encode(), read(path, new), new.encode())


def digests(facts: Facts) -> dict[str, bytes]:
    return {d.name: d.digest for d in facts.definitions}


def moved(old: str, new: str, *, worst: bool) -> set[str]:
    before = facts_of("App.java", old)
    was, now = digests(before), digests(after("App.java", before, old, new, worst=worst))
    return {name for name in was if was[name] != now.get(name)}


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return second();", "return second((;", {"App.first"}),
        ("    int second() {", "    int second() (", {"App.second"}),
        ("return second();\n    }\n", "return second();\n    }\n    ((\n", {"App"}),
        ("    // between\n", "    // between {\n    /*\n", {"App"}),
        ("class App extends Base {", "class App extends Base", {"App"}),
        ("import b.Other;", "import b.Other {", {""}),
        ("    int first() {\n        return second();\n    }\n", "    int {\n", {"App.first"}),
        ("return 1;\n    }\n}\n", "return 1;\n    }\n", {"Last"}),
        ("\nclass Last {", "\n{{{\nclass Last {", {""}),
    ],
)
def test_a_damaged_line_costs_the_symbol_it_stands_in(
    old: str, new: str, expected: set[str], *, worst: bool
) -> None:
    assert old in JAVA
    found = moved(JAVA, JAVA.replace(old, new, 1), worst=worst)
    assert found == expected


def test_what_is_removed_whole_is_gone_and_what_is_torn_has_changed() -> None:
    before = facts_of("App.java", JAVA)
    method = JAVA[JAVA.index("    // between") : JAVA.index("    class Inner")]
    names = digests(after("App.java", before, JAVA, JAVA.replace(method, "((\n"), worst=True))
    assert "App.second" not in names
    assert "App.first" in names
    torn = JAVA.replace("return Other.third();", "return (")
    names = digests(after("App.java", before, JAVA, torn, worst=True))
    assert names["App.second"] != digests(before)["App.second"]


def test_symbols_are_found_in_their_new_places() -> None:
    before = facts_of("App.java", JAVA)
    new = JAVA.replace("    int size = 1;\n", "    int size = (\n    more\n    lines\n")
    found = {d.name: d for d in after("App.java", before, JAVA, new, worst=True).definitions}
    data = new.encode()
    start, end = found["App.second"].spans[0]
    assert data[start:end].decode().strip().startswith("int second() {")
    assert data[start:end].endswith(b"}")
    first, last = found["App.second"].lines[0]
    assert new.split("\n")[first - 1].strip() == "int second() {"
    assert new.split("\n")[last - 1].strip() == "}"
    assert data[slice(*found["App"].spans[0])].rstrip().endswith(b"}")


def test_a_symbol_that_is_new_is_there_if_the_parser_finds_it_on_new_lines() -> None:
    before = facts_of("App.java", JAVA)
    new = JAVA.replace("\nclass Last {", "\nclass More { int x() { return 1; } }\n((\nclass Last {")
    assert "More.x" in digests(after("App.java", before, JAVA, new))
    assert "More.x" not in digests(after("App.java", before, JAVA, new, worst=True))


@st.composite
def edited(draw: Any, text: str) -> str:
    lines = text.split("\n")
    start = draw(st.integers(0, len(lines)))
    end = draw(st.integers(start, min(len(lines), start + 6)))
    piece = st.sampled_from(["", "(", "    /* {", "}", "def x(", "    }", "x = 1", *lines])
    return "\n".join([*lines[:start], *draw(st.lists(piece, max_size=4)), *lines[end:]])


@given(data=st.data())
def test_text_whose_symbols_do_not_move_stands_in_one_run(data: Any) -> None:
    """Whatever the parser makes of it: no record is kept whose lines are not there any more."""
    path = data.draw(st.sampled_from(sorted(TEXTS)))
    text = TEXTS[path]
    facts = facts_of(path, text)
    shown: list[tuple[dict[str, bytes], list[str]]] = []
    for _ in range(data.draw(st.integers(1, 5))):
        lines = text.split("\n")
        first = data.draw(st.integers(1, len(lines)))
        last = data.draw(st.integers(first, len(lines)))
        held = digests(facts)
        symbols = {name: held[name] for name in facts.symbols_at(first, last)}
        shown.append((symbols, lines[first - 1 : last]))
        new = data.draw(edited(text))
        if new == text:
            continue
        facts = after(path, facts, text, new, worst=data.draw(st.booleans()))
        text = new
        for definition in facts.definitions:
            assert all(0 <= start <= end <= len(text.encode()) for start, end in definition.spans)
        now, lines = digests(facts), text.split("\n")
        for symbols, run in shown:
            if all(now.get(name) == digest for name, digest in symbols.items()):
                places = range(len(lines) - len(run) + 1)
                assert any(lines[i : i + len(run)] == run for i in places), symbols


def test_a_symbol_that_comes_and_goes_while_the_file_is_broken_is_not_what_it_was() -> None:
    """Only the parser says where its text ends: that it is the old one is not believed."""
    whole = "x = 1\nclass K:\n    y = 2\n"
    facts = facts_of("a.py", whole)
    held = digests(facts)["x"]
    text = whole
    for new in (whole[6:], whole, whole[6:]):
        facts = after("a.py", facts, text, new)
        text = new
    assert digests(facts).get("x") != held


@given(data=st.data())
def test_what_a_whole_file_owns_is_what_a_write_touches(data: Any) -> None:
    """Where the parser does not lose its way, both say the same of what stays."""
    path = data.draw(st.sampled_from(sorted(TEXTS)))
    text = TEXTS[path]
    new = data.draw(edited(text))
    before, now = facts_of(path, text), facts_of(path, new)
    if now.broken or new == text:
        return
    untouched = digests(before).keys() - touched(before, text.encode(), new.encode())
    again = standing(before, text.encode(), now, new.encode())
    assert all(digests(again)[name] == digests(before)[name] for name in untouched)


MAIN = b"package a;\n\nclass Main {\n    int f(App a) { return a.second(); }\n}\n"


def test_a_graph_that_lasts_moves_nobody_else_and_is_pure_again_with_the_whole_file() -> None:
    whole = JAVA.encode()
    broken = JAVA.replace("return second();", "return second((;\n((").encode()
    more = broken.replace(b"return Other.third();", b"return 3;")
    fixed = more.replace(b"second((;\n((", b"second();")
    files = {"App.java": whole, "Main.java": MAIN}
    graph, pure = (Graph(Memory(files), lasting=lasts) for lasts in (True, False))
    caller = SymbolId("Main.java", "Main.f")
    for each in (graph, pure):
        for symbol in list(each.symbols()):
            each.view(symbol)
    first = Write("App.java", whole, broken)
    found = graph.apply(first)
    assert found.body == {SymbolId("App.java", "App.first")}
    assert not found.dispatch
    assert graph.apply(Write("App.java", broken, more)).body == {SymbolId("App.java", "App.second")}
    for symbol in list(graph.symbols()):
        graph.view(symbol)
    assert graph.edges(caller) == pure.edges(caller)
    graph.apply(Write("App.java", more, fixed))
    rebuilt = Graph(Memory({**files, "App.java": fixed}))
    assert list(graph.symbols()) == list(rebuilt.symbols())
    for symbol in list(rebuilt.symbols()):
        assert graph.view(symbol) == rebuilt.view(symbol)
    pure.apply(first)
    broken_anew = Graph(Memory({**files, "App.java": broken}))
    assert list(pure.symbols()) == list(broken_anew.symbols())


def test_a_file_that_nobody_looked_at_lasts_all_the_same() -> None:
    graph = Graph(Memory({"App.java": JAVA.encode()}), lasting=True)
    broken = JAVA.replace("return second();", "return second((;\n((").encode()
    found = graph.apply(Write("App.java", JAVA.encode(), broken))
    assert found.body == {SymbolId("App.java", "App.first")}
    assert graph.apply(Write("App.java", broken, None)).body
    assert graph.apply(Write("App.java", None, broken)).created


def test_a_write_that_starts_from_another_text_is_taken_at_its_word() -> None:
    graph = Graph(Memory({"App.java": b"class Old {\n    int gone() {\n}\n"}), lasting=True)
    assert list(graph.symbols("App.java"))
    broken = JAVA.replace("return second();", "return second((;\n((").encode()
    graph.apply(Write("App.java", JAVA.encode(), broken))
    assert {symbol.name for symbol in graph.symbols("App.java")} == digests(
        facts_of("App.java", JAVA)
    ).keys()
