"""Dependencies by name: a write resolves again what can have moved, all of it, and little else.

Each language has a small repository in which every way to depend on another file is in use; words
and lines of it are changed at random.
"""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

PYTHON = {
    "a.py": """from b import f, K
import pkg.c as c
from pkg import *
if x:
    from b import g
x = K()
y = f()
x = L()
def h():
    x.m().n()
    y().m()
    return c.K().n().m().x.m()
def i():
    g().m().n()
    K().x.n()
    return L.make().n()
f = i
""",
    "b.py": """from pkg.c import K as L
from pkg import *
def f():
    x = K()
    y = x.n()
    def g():
        return y
    return g
def g(a: L = 1) -> 'K':
    if a:
        return a
class K(L):
    x: L = f()
    def m(self):
        self.y = g()
        return self.y.n
    @property
    def n(self):
        return super().m()
""",
    "pkg/__init__.py": """from .c import *
from b import f
from .c import L as M
__all__ = ["L", "f", "M"]
""",
    "pkg/c.py": """import b
class L:
    def m(self): return self.n()
    def n(self) -> 'K': return K()
    @classmethod
    def make(cls): return cls()
class K(L):
    x = L()
    def n(self):
        global z
        z = b.f()
        return z().m()
z = L()
def f(): return z
""",
}
GO = {
    "a.go": """package a
import "example.org/a/p"
import q "example.org/a/q-go"
import . "example.org/a/dot"
func F() *K { return G() }
func G() (*K, p.L) { return nil, p.New() }
func H() {
F().M().N()
v.N()
w[0].M()
q.Do().L.N()
r.Do()
Dotted()
p.New().x.N()
}
""",
    "b.go": """package a
import "example.org/a/p"
import "example.org/a/q-go"
type K struct { p.L }
type M = K
var v = p.New()
var w []M = F()
func (k *K) N() { k.L.M().N() }
func I() { r.Do().N() }
""",
    "p/c.go": """package p
type L struct { x Base }
type Base struct { y Other }
func New() L { return L{} }
func (l L) M() Base { return l.x.y.M() }
""",
    "p/d.go": """package p
type Other interface { M() Base }
func (b Base) N() { New().M() }
""",
    "q-go/e.go": """package r
import "example.org/a/p"
type Q struct { *p.L }
func Do() Q { return Q{} }
""",
    "dot/f.go": "package dot\nfunc Dotted() {}\n",
    "go.mod": "module example.org/a\n",
}
TYPESCRIPT = {
    "a.ts": """import { f, K, x as o } from "./lib";
import D, { L } from "@/b";
import * as c from "./lib";
const { g } = require("./c");
export function h() {
  f().m().n();
  o.x.m();
  const i = () => { c.L; g(); y.k(); };
  new D().m().n();
  i();
  return new K().y.m();
}
export const y = { k() { return f(); }, z: { m() { return L; } } };
export const z = y.z.m();
function j() { z.m(); y.z.m(); c.deep.in.it(); new c.M().n(); }
y.j = function () { return h(); };
""",
    "b.ts": """import { K } from "./lib/d";
export { K as L } from "./lib/d";
export default class D extends K {
  constructor(private f: K) { super(); }
  m(): Has { return this.f.m(); }
  get x(): K { return this.y; }
}
export interface Has { n(): K; x: D }
export type M = Has;
""",
    "lib/index.ts": """export * from "./d";
export { default as M } from "../b";
export function f(): K {
  const k = new K();
  function g() { return k.m(); }
  return g();
}
import { K } from "./d";
export const deep = { in: { it() { f(); } } };
""",
    "lib/d.ts": """import { D, M } from "../b";
export class K extends L { x: K; y = make(); m(): M { return this.x.n(); } }
export class L { y: K; n(): this { return this.y; } }
export const x: K = make();
export function make(): K { return new K(); }
""",
    "c.js": """const other = require("./lib/d");
function g() { other.make(); }
module.exports = { g, K: other.K };
""",
    "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }\n',
}
REPOSITORIES = {"python": PYTHON, "go": GO, "typescript": TYPESCRIPT}
WORD = re.compile(r"\w+|[@*.\"'(){}]")


def parts(repository: dict[str, str], pattern: str) -> list[str]:
    found = (each[0] for text in repository.values() for each in re.finditer(pattern, text))
    return sorted(set(found))


@st.composite
def edited(draw: Any, repository: dict[str, str], text: str) -> str:
    """A text with another word, or with a line removed, moved, indented, or from elsewhere."""
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(("word", "word", "word", "remove", "move", "indent", "line"))):
        case "word":
            found = list(WORD.finditer(text))
            if not found:
                return text
            word = draw(st.sampled_from(found))
            other: str = draw(st.sampled_from(["", *parts(repository, WORD.pattern)]))
            return text[: word.start()] + other + text[word.end() :]
        case "remove":
            del lines[at]
        case "move":
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
        case "indent":
            spaces = draw(st.sampled_from(("", "    ", "        ")))
            lines[at] = spaces + lines[at].lstrip()
        case "line":
            lines.insert(at, draw(st.sampled_from(parts(repository, r".+"))))
    return "\n".join(lines)


@pytest.mark.parametrize("language", REPOSITORIES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_writes_lead_where_a_new_graph_starts(language: str, data: Any) -> None:
    repository = REPOSITORIES[language]
    now = Memory({path: text.encode() for path, text in repository.items()})
    graph = Graph(Memory(now))
    for _ in range(4):
        for symbol in list(graph.symbols()):
            graph.view(symbol)
        path = data.draw(st.sampled_from(sorted(repository)))
        held = now.get(path)
        text = repository[path] if held is None else held.decode()
        gone = held is not None and data.draw(st.integers(0, 9)) == 9
        after = None if gone else data.draw(edited(repository, text)).encode()
        before = Memory(now)
        now.write(path, after)
        rebuilt = Graph(Memory(now))
        assert graph.apply(Write(path, held, after)) == drift(Graph(before), rebuilt)
        for symbol in list(rebuilt.symbols()):
            assert graph.view(symbol) == rebuilt.view(symbol), symbol


TWO = "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\n"
TWO_IN_GO = "package p\ntype A int\nfunc (a A) M() {}\ntype B int\nfunc (b B) M() {}\n"
TWO_IN_JS = "export class A { m() {} }\nexport class B { m() {} }\n"
OTHERS = {"two.py": TWO, "two.go": TWO_IN_GO, "two.js": TWO_IN_JS, "go.mod": "module x\n"}
SEEN = {
    "which binding a value reads": (
        "from two import A as K\nx = K()\nfrom two import B as K\n",
        "from two import A as K\nfrom two import B as K\nx = K()\n",
        {"b.py": "from a import x\ndef h(): x.m()\n"},
    ),
    "a method that assigns": (
        "from two import *\nclass K: pass\n",
        "from two import *\nclass K:\n    def n(self): self.x = A()\n",
        {"b.py": "from a import K\ndef h(): K().x.m()\n"},
    ),
    "a nested function's variable": (
        "from two import *\ndef f():\n    x = A()\n    def h(): x.m()\n    h()\n",
        "from two import *\ndef f():\n    x = B()\n    def h(): x.m()\n    h()\n",
        {"a.py::f.h": ""},
    ),
    "how a nested definition is indented": (
        "from two import B as f\nif x:\n    0\n    def f(): pass\nf()\n",
        "from two import B as f\nif x:\n    0\ndef f(): pass\nf()\n",
        {"a.py::": ""},
    ),
    "a field of a type": (
        "package p\ntype K struct { x A }\n",
        "package p\ntype K struct { x B }\n",
        {"b.go": "package p\nfunc h(k K) { k.x.M() }\n"},
    ),
    "a variable's type": (
        "package p\nvar v A\n",
        "package p\nvar v B\n",
        {"b.go": "package p\nfunc h() { v.M() }\n"},
    ),
    "a local name around": (
        (
            "import { A, B } from './two';\nfunction f() { const x = new A();\n"
            "function h() { x.m(); }\n}\n"
        ),
        (
            "import { A, B } from './two';\nfunction f() { const x = new B();\n"
            "function h() { x.m(); }\n}\n"
        ),
        {"a.ts::f.h": ""},
    ),
    "a member that appears": (
        "const o = {};\nfunction h() { o.m(); }\n",
        "const o = {};\nfunction h() { o.m(); }\no.m = function () {};\n",
        {"a.ts::h": ""},
    ),
    "a declared result": (
        "import { A, B } from './two';\nexport function f(): A {}\n",
        "import { A, B } from './two';\nexport function f(): B {}\n",
        {"b.ts": "import { f } from './a';\nfunction h() { f().m(); }\n"},
    ),
    "a declared value": (
        "import { A, B } from './two';\nexport const v: A = x();\n",
        "import { A, B } from './two';\nexport const v: B = x();\n",
        {"b.ts": "import { v } from './a';\nfunction h() { v.m(); }\n"},
    ),
}


@pytest.mark.parametrize("case", SEEN)
def test_what_is_seen_of_a_file_moves_who_sees_it(case: str) -> None:
    before, after, others = SEEN[case]
    ((name, text),) = others.items()
    path, inside, inner = name.partition("::")
    owner = SymbolId(path, inner if inside else "h")
    written = "a." + path.partition(".")[2]
    files = {**OTHERS, **({} if inside else {path: text}), written: before}
    graph = Graph(Memory({each: text.encode() for each, text in files.items()}))
    graph.view(owner)
    found = graph.apply(Write(written, before.encode(), after.encode()))
    assert found.dispatch == {owner}


ADDED = {
    "python": ("b.py", "def added():\n    return f()\n"),
    "go": ("b.go", "func Added() { F() }\n"),
    "typescript": ("b.ts", "export function added() { new D(); }\n"),
}
BODIES = {
    "python": ("pkg/c.py", "global z", "global z; f()"),
    "go": ("b.go", "r.Do().N()", "F(); r.Do()"),
    "typescript": ("a.ts", "f().m().n();", "f().m(); c.f();"),
}


@pytest.mark.parametrize("language", REPOSITORIES)
def test_a_function_more_and_another_body_resolve_little(language: str) -> None:
    files = Memory({path: text.encode() for path, text in REPOSITORIES[language].items()})
    graph = Graph(files)
    symbols = list(graph.symbols())
    for symbol in symbols:
        graph.view(symbol)
    path, more = ADDED[language]
    longer = files[path] + more.encode()
    resolved = graph.symbols_resolved
    found = graph.apply(Write(path, files[path], longer))
    assert graph.symbols_resolved - resolved <= 1
    assert not found.dispatch
    path, old, new = BODIES[language]
    held = graph.read(path)
    assert held
    resolved = graph.symbols_resolved
    found = graph.apply(Write(path, held, held.replace(old.encode(), new.encode())))
    assert len(found.body) == 1
    assert graph.symbols_resolved - resolved <= 1
    assert SymbolId(path, "") not in found.body
