"""JavaScript and TypeScript files that are read again: what was kept of earlier states is no news.

And the two searches that do not go through a text from its start: for names, for assignments.
And what damage does to the one around it.
"""

import re
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code import languages, treesitter
from statetape.code.drift import drift
from statetape.code.extract import javascript_repair
from statetape.code.extract.javascript_shape import Shape, add_assigned
from statetape.code.extract.words import Words
from statetape.code.facts import Facts
from statetape.code.graph import Graph
from statetape.code.recent import Recent
from statetape.code.treesitter import Block, Place
from statetape.files import Memory
from statetape.types import Span, SymbolId, Write

TEXT = """import { B } from "./b";
export class A extends B {
  held = 1;
  @log()
  first(x) {
    if (x) { this.held = x; }
    return `${x}`;
  }
  second = () => this.first(2);
}
let count = 0;
function bump() {
  count ??= 1;
  return () => { count = 2; };
}
export namespace N {
  export const one = () => bump();
}
"""
_FORWARD = re.compile(rb"(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:\?\?|\|\|)?=(?![=>])")


@st.composite
def states(draw: st.DrawFn) -> list[bytes]:
    """Texts, each made of the one before by cutting a few characters or putting some in."""
    texts = [TEXT]
    for _ in range(draw(st.integers(1, 6))):
        text = texts[-1] if draw(st.integers(0, 4)) else TEXT
        at = draw(st.integers(0, len(text)))
        end = draw(st.integers(at, min(at + 30, len(text))))
        put = draw(st.sampled_from(("", "{", "}", "(", "`", "x", "\n", "function g) {}\n")))
        texts.append(text[:at] + put + text[end:])
    return [text.encode() for text in texts]


def _alone(data: bytes) -> Facts:
    treesitter._trees.cache_clear()
    with patch.object(javascript_repair, "_healthy", Recent(1)):
        return languages.facts("a.ts", data)


def _stated(facts: Facts) -> tuple[object, ...]:
    shape = facts.detail.shape
    return facts.definitions, facts.layout, facts.broken, facts.bases, set(facts.used), shape


@settings(deadline=None)
@given(texts=states())
def test_facts_do_not_depend_on_the_states_before(texts: list[bytes]) -> None:
    alone = [_stated(_alone(text)) for text in texts]
    treesitter._trees.cache_clear()
    assert [_stated(languages.facts("a.ts", text)) for text in texts] == alone


@given(
    parts=st.lists(
        st.tuples(
            st.sampled_from(("a", "$b", "1a", "x.a", "x . a", "aa", "(a)", "this.a")),
            st.sampled_from(("", " ", "\n")),
            st.sampled_from(("=", "==", "=>", "??=", "||=", "?? =", "?=", "<=", "")),
            st.sampled_from(("", " ", "=", ">")),
        ),
        max_size=3,
    )
)
def test_functions_that_set_a_variable_are_those_with_an_assignment(
    parts: list[tuple[str, ...]],
) -> None:
    data = "".join(["let a; ", *("".join(each) + ";" for each in parts)]).encode()
    shape = Shape(kinds={"a": "variable", "$b": "variable"})
    block = Block(Place("f", "function", 0, len(data)), Span(0, len(data)))
    add_assigned(shape, data, {"f": [block]})
    found = dict.fromkeys(name.decode() for name in _FORWARD.findall(data))
    assert list(shape.assigned.items()) == [(n, ("f",)) for n in found if n in shape.kinds]


@given(data=st.binary() | st.text().map(str.encode))
def test_words_are_the_names_in_a_text(data: bytes) -> None:
    name = re.compile(r"[^\W\d]\w*")
    words = Words(data, name)
    found = set(name.findall(data.decode(errors="replace")))
    assert set(words) == found
    assert len(words) == len(found)
    assert words | {"another one"} == found | {"another one"}
    assert frozenset({"another one"}) | words == found | {"another one"}


def test_damage_to_a_nested_function_drifts_what_calls_it() -> None:
    before = b"function f() {\n  function g() { return 1; }\n  return g();\n}\n"
    after = before.replace(b"g() {", b"g) {")
    graph, rebuilt = (Graph(Memory({"a.ts": text})) for text in (before, after))
    for symbol in list(graph.symbols()):
        graph.view(symbol)
    changed = graph.apply(Write("a.ts", before, after))
    assert changed == drift(Graph(Memory({"a.ts": before})), rebuilt)
    assert SymbolId("a.ts", "f") in changed.dispatch
