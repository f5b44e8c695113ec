"""Go: after any writes, the graph is the one that starts from the files as they are.

The repository has every way to depend on another file; words and lines of it change at random.
"""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import Write

REPOSITORY = {
    "go.mod": "module m\n\nreplace far => ./one\n",
    "go.work": "use .\nuse ./one\n",
    "one/go.mod": "module one\n",
    "one/store.go": """package one
import "m/io"
type Level int
const (
A Level = iota
B
_
C
)
var x, y = New(), B
var v io.Saver = New()
type Disk struct { Half; next *Disk; a, b Level }
func (d *Disk) Save(k string) error { return d.next.Save(k) }
func New() *Disk { return &Disk{a: C} }
func Wrap[T any](t T) Box[T] { return Box[T]{t} }
type Box[T any] struct { value T }
func (b Box[T]) Get() T { return b.value }
""",
    "one/half.go": """package one
type Half struct { Deep }
func (h Half) Name() Level { return A }
type Deep struct { level Level }
func (d Deep) Save(k string) error { return nil }
type Other struct { Half }
""",
    "io/io.go": """package io
type Saver interface { Named; Save(k string) error }
type Named interface { Name() Level }
type Level = string
""",
    "main.go": """package main
import "m/io"
import "far"
import o "one"
import . "one"
var table = map[Level]func() io.Saver{ B: pick }
func pick() io.Saver { return v }
func f(s io.Saver) { s.Save(""); s.Name(); table[C]().Save("") }
func g[T io.Named](t T) { t.Name(); Wrap[*Disk](nil).Get().next.Save("") }
func h() { var d o.Disk; d.Name(); d.level = d.a; one.New().Save(""); o.Wrap(x).Get() }
""",
}
WORD = re.compile(r"\w+|[*.\"'(){}\[\]]")
WORDS = sorted({each[0] for text in REPOSITORY.values() for each in WORD.finditer(text)})
LINES = sorted({line for text in REPOSITORY.values() for line in text.split("\n")})


@st.composite
def edited(draw: Any, text: str) -> str:
    """A text with another word, or with a line removed, moved, or from elsewhere."""
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(("word", "word", "remove", "move", "line"))):
        case "word":
            found = list(WORD.finditer(text))
            if found:
                word = draw(st.sampled_from(found))
                other: str = draw(st.sampled_from(["", *WORDS]))
                return text[: word.start()] + other + text[word.end() :]
        case "remove":
            del lines[at]
        case "move":
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
        case "line":
            lines.insert(at, draw(st.sampled_from(LINES)))
    return "\n".join(lines)


@settings(max_examples=50)
@given(data=st.data())
def test_writes_lead_where_a_new_graph_starts(data: Any) -> None:
    now = Memory({path: text.encode() for path, text in REPOSITORY.items()})
    graph = Graph(Memory(now))
    for _ in range(4):
        for symbol in list(graph.symbols()):
            graph.view(symbol)
        path = data.draw(st.sampled_from(sorted(REPOSITORY)))
        held = now.get(path)
        text = REPOSITORY[path] if held is None else held.decode()
        gone = held is not None and data.draw(st.integers(0, 9)) == 9
        after = None if gone else data.draw(edited(text)).encode()
        before = Memory(now)
        now.write(path, after)
        rebuilt = Graph(Memory(now))
        assert graph.apply(Write(path, held, after)) == drift(Graph(before), rebuilt)
        for symbol in list(rebuilt.symbols()):
            assert graph.edges(symbol) == rebuilt.edges(symbol), symbol
            assert graph.view(symbol) == rebuilt.view(symbol), symbol
