"""Dependencies by name: a write resolves again what can have moved, all of it, and little else."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write


class Grammar(NamedTuple):
    """Parts that files of a language are made of, so few that they meet; and lines of its bodies."""

    paths: tuple[str, ...]
    start: str
    parts: tuple[str, ...]
    lines: tuple[str, ...]


PYTHON = Grammar(
    paths=("a.py", "b.py", "pkg/__init__.py", "pkg/c.py"),
    start="",
    parts=(
        "from b import f, K",
        "from pkg import *",
        "from pkg.c import *",
        "from .c import K as L",
        "import a",
        "import pkg.c as c",
        '__all__ = ["f", "K"]',
        "def f():\n    return K()",
        "def f() -> L:\n    return h",
        "def f(x: K):\n    y = K()\n    def g():\n        return y.m()\n    return g",
        "def g():\n    return f().m()",
        "def g():\n    x = f()\n    return x.n().m()",
        "def g():\n    y = f()\n    def f():\n        return y\n    return f",
        "def g():\n    global x\n    x = K()\n    return x",
        "def h():\n    return c.K().n()",
        "def h():\n    return f()().m(), x.m()",
        "class K:\n    x = L()\n    def m(self):\n        return self.x.m()",
        "class K(L):\n    def __init__(self):\n        self.x = f()\n    def n(self) -> 'L':\n"
        "        return self.x.n()",
        "class K(L):\n    @property\n    def m(self):\n        return L()\n    class L: pass",
        "class L:\n    def m(self):\n        return self\n    def n(self):\n        return f()",
        "class L(a.K):\n    def __call__(self):\n        return super().m()",
        "x = f()",
        "x: 'K' = g()",
        "f = g",
        "if x:\n    def f():\n        return L()",
        "def f():\n    return (",
    ),
    lines=(
        "    return L()",
        "    x = g()",
        "        return f().x.m()",
        "    def n(self): return K()",
        "    x: K",
        "@property",
        "K = L",
        "(",
        "",
    ),
)
GO = Grammar(
    paths=("a.go", "b.go", "p/c.go", "p/d.go", "go.mod"),
    start="package a\n",
    parts=(
        "module example.org/a",
        "module example.org/b",
        "package p",
        'import "example.org/a/p"',
        'import . "example.org/a/p"',
        'import q "example.org/a/p"',
        "func F() K { return G() }",
        "func F() *p.K { return p.F() }",
        "func G() K { return F() }",
        "func G() (q.L, K) { return q.F().M() }",
        "func H() { x := F(); x.M(); v.M() }",
        "func H() { F().L.M(); F().x.M() }",
        "func H() { for _, k := range w { k.M(); p.v.M() } }",
        "type K struct { L }",
        "type K struct { *p.L; x K }",
        "type K = L",
        "type L struct { x K }",
        "type L interface { M() K }",
        "func (k K) M() L { return k.x.M() }",
        "func (l *L) M() K { l.N(); return F() }",
        "func (l L) N() { G() }",
        "var v = F()",
        "var v K",
        "var w []L = G()",
        "func F() { (",
    ),
    lines=("package p", "}", "x K", "func N() {", "type M struct {", "import (", ""),
)
TYPESCRIPT = Grammar(
    paths=("a.ts", "b.ts", "lib/index.ts", "lib/c.js", "tsconfig.json"),
    start="",
    parts=(
        'import { f, K } from "./b";',
        'import K from "./a";',
        'import * as c from "./lib";',
        'import { L, f as g } from "@/lib";',
        'export * from "./c";',
        'export * from "../a";',
        'export { f as default, K } from "./b";',
        'const { f, K } = require("./c");',
        "module.exports = { f, K };",
        "exports.f = function () { return g(); };",
        '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
        '{ "compilerOptions": { "baseUrl": "lib" } }',
        "export function f(): K { return g(); }",
        "export function f(): L { const x = new K(); function g() { return x.m(); } return g(); }",
        "export const g = () => f().m().n();",
        "export const g = { f() { return c.f(); }, x: f };",
        "function h() { const o = new c.K(); o.m(); x.m(); g.f(); }",
        "function h() { const f = () => { const K = g; K(); }; f(); }",
        "export class K extends L { x: L; m() { return this.x.n(); } }",
        "export class K { constructor(private x: K) {} m(): K { return this.x.m(); } }",
        "export default class L { get x(): K { return f(); } n() { this.x.m(); } }",
        "export class L extends c.K { n(): L { super.m(); return this; } }",
        "export interface K { m(): L }",
        "export type L = K;",
        "export const x = f();",
        "export const x: K[] = g();",
        "g.f = function () { return f(); };",
        "function f() { return (",
    ),
    lines=("}", "m() { f(); }", "x: L;", "const f = () => g();", "if (", "export", ""),
)
GRAMMARS = {"python": PYTHON, "go": GO, "typescript": TYPESCRIPT}


@st.composite
def edited(draw: Any, grammar: Grammar, text: str | None) -> str | None:
    """A file anew, or without a line, or with one more, or with one in the place of another."""
    kind = draw(st.sampled_from(("anew", "line", "part", "part", "absent")))
    if text is None or kind == "anew":
        parts = draw(st.lists(st.sampled_from(grammar.parts), min_size=1, max_size=6))
        return grammar.start + "\n".join(parts) + "\n"
    if kind == "absent":
        return None
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines)))
    new = draw(st.sampled_from(grammar.lines if kind == "line" else grammar.parts))
    lines[at : at + draw(st.integers(0, 1))] = draw(st.sampled_from(([new], [new], [])))
    return "\n".join(lines)


@pytest.mark.parametrize("name", GRAMMARS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_writes_lead_where_a_new_graph_starts(name: str, data: Any) -> None:
    grammar = GRAMMARS[name]
    now = Memory()
    for path in grammar.paths:
        text = data.draw(edited(grammar, None))
        now.write(path, text.encode())
    graph = Graph(Memory(now))
    for _ in range(4):
        for symbol in list(graph.symbols()):
            graph.view(symbol)
        path = data.draw(st.sampled_from(grammar.paths))
        held = now.get(path)
        text = data.draw(edited(grammar, held.decode() if held is not None else None))
        before, after = Memory(now), text.encode() if text is not None else None
        found = graph.apply(Write(path, held, after))
        now.write(path, after)
        rebuilt = Graph(Memory(now))
        assert found == drift(Graph(before), rebuilt)
        for symbol in list(rebuilt.symbols()):
            assert graph.view(symbol) == rebuilt.view(symbol), symbol
