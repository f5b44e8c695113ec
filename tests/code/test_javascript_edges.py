"""The outgoing edges of JavaScript and TypeScript symbols."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write


def callees(files: dict[str, str], symbol: str) -> set[str]:
    path, _, name = symbol.partition("::")
    graph = Graph(Memory({path: text.encode() for path, text in files.items()}))
    return {str(to) for to, mark in graph.edges(SymbolId(path, name)).items() if mark == "exact"}


def marks(files: dict[str, str], symbol: str) -> dict[str, str]:
    path, _, name = symbol.partition("::")
    graph = Graph(Memory({path: text.encode() for path, text in files.items()}))
    return {str(to): mark for to, mark in graph.edges(SymbolId(path, name)).items()}


LIBRARY = {
    "lib/base.ts": """export class Base {
  static make() { return new Base(); }
  constructor() {}
  shared() { return this.hook(); }
  hook() {}
}
export interface Has { base: Base; list: Base[] }
export type Maybe = Base | null;
""",
    "lib/child.ts": """import { Base } from "./base";
export class Child extends Base {
  private inner: Base | undefined;
  made = new Base();
  constructor(private readonly given: Base) { super(); this.late = new Base(); }
  hook() { return super.hook(); }
  viaField() { return this.inner.shared(); }
  viaMade() { return this.made.shared(); }
  viaGiven() { return this.given.shared(); }
  viaLate() { return this.late.shared(); }
  arrow = () => this.shared();
  get size() { return 1; }
  reads() { return this.size; }
}
export default function build(): Child { return new Child(null); }
export const load = async (): Promise<Child> => null;
""",
    "lib/index.ts": """export * from "./base";
export { Child as Renamed, default as build } from "./child";
export * as child from "./child";
""",
    "lib/api.js": """function get() {}
const api = { get, post() { return this.get(); }, ref: get };
module.exports = api;
""",
    "lib/named.js": """exports.one = function () {};
exports.two = helper;
function helper() {}
exports.Klass = class Klass { run() {} };
""",
    "tsconfig.json": """{ // paths
  "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["lib/*"], }, },
}""",
}
BASE = "lib/base.ts::Base"
CHILD = "lib/child.ts::Child"


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ('import { Base } from "./lib/base";', "new Base()", {BASE, BASE + ".constructor"}),
        ('import { Base as B } from "./lib/base.js";', "B.make()", {BASE, BASE + ".make"}),
        ('import make from "./lib/child";', "make()", {"lib/child.ts::build"}),
        ('import * as all from "./lib/child";', "all.load()", {"lib/child.ts::load"}),
        ('import { Renamed } from "./lib";', "Renamed", {CHILD}),
        ('import { build } from "./lib/index";', "build().arrow()", {
            "lib/child.ts::build", CHILD + ".arrow"}),
        ('import { Base } from "./lib";', "Base.make()", {BASE, BASE + ".make"}),
        ('import { child } from "./lib";', "child.load()", {"lib/child.ts::load"}),
        ('import { Base } from "@/base";', "Base", {BASE}),
        ('import { Base } from "lib/base";', "Base", {BASE}),
        ('import { Base } from "elsewhere";', "new Base().shared()", set()),
        ('import { Base } from "../../out";', "Base", set()),
        ('import { Base } from "./lib/base";', "const Base = 1; Base.make()", set()),
        ('import { Base } from "./lib/base";', "{ const Base = 1; } Base", {BASE}),
        ('import { Base } from "./lib/base";', "[1].map(Base => Base.make())", set()),
        ('import { Base } from "./lib/base";', "[1].map(({ Base }) => Base.make())", set()),
        ('import { Base } from "./lib/base";', "try {} catch (Base) { Base.make() }", set()),
        ('import { Base } from "./lib/base";', "for (const Base of x) { Base.make() }", set()),
        ('import { Base } from "./lib/base";', "const b = new Base(); b.shared()", {
            BASE, BASE + ".constructor", BASE + ".shared"}),
        ('import type { Base } from "./lib/base";', "let b: Base; b?.shared()", {
            BASE + ".shared"}),
        ('import type { Has } from "./lib/base";', "let h: Has; h.base.shared()", {
            BASE + ".shared"}),
        ('import type { Has } from "./lib/base";', "let h: Has; h.list[0].shared()", {
            BASE + ".shared"}),
        ('import type { Has } from "./lib/base";',
            "let h: Has; for (const b of h.list) b.shared();", {BASE + ".shared"}),
        ('import type { Has } from "./lib/base";', "let h: Has; const { base } = h; base.hook()", {
            BASE + ".hook"}),
        ('import type { Maybe } from "./lib/base";', "let m: Maybe; m.shared()", {
            BASE + ".shared"}),
        ('import { load } from "./lib/child";', "const c = await load(); c.hook()", {
            "lib/child.ts::load", CHILD + ".hook"}),
        ('import { load } from "./lib/child";', "const c = await load(); c.shared()", {
            "lib/child.ts::load", BASE + ".shared"}),
        ('import { Base as B } from "./lib/base";',
            "const b: B = x(); const y = b; [1].map(B => y.shared()); [1].map(b => y.hook())", {
            BASE + ".shared", BASE + ".hook"}),
        ('import { Base as B } from "./lib/base";',
            "const b = new B(); [1].map(B => b.shared())", {
            BASE, BASE + ".constructor", BASE + ".shared"}),
        ("function local() {}", "local()", {"app.ts::local"}),
        ("function local() {}", "run(local)", {"app.ts::local"}),
        ("", "f(1)", {"app.ts::f"}),
        ("", "const local = () => 1; local()", {"app.ts::f.local"}),
        ("", "function local() {} return local", {"app.ts::f.local"}),
        ("const o = { m() {}, n: { k: () => 1 } };", "o.m(); o.n.k()", {
            "app.ts::o.m", "app.ts::o.n.k"}),
        ("namespace NS { export function g() {} }", "NS.g()", {
            "app.ts::NS", "app.ts::NS.g"}),
        ('const api = require("./lib/api");', "api.post(); api.ref()", {
            "lib/api.js::api.post", "lib/api.js::get"}),
        ('const { one, two: b } = require("./lib/named");', "one(); b()", {
            "lib/named.js::one", "lib/named.js::helper"}),
        ('const named = require("./lib/named");', "new named.Klass().run()", {
            "lib/named.js::Klass", "lib/named.js::Klass.run"}),
        ("", 'const named = require("./lib/named"); named.one()', {"lib/named.js::one"}),
        ("let shared: Base;\nimport { Base } from './lib/base';", "shared.hook()", {
            BASE + ".hook"}),
    ],
)  # fmt: skip
def test_edges_of_a_function(head: str, body: str, expected: set[str]) -> None:
    source = f"{head}\nexport async function f(x) {{\n  {body};\n}}\n"
    assert callees(LIBRARY | {"app.ts": source}, "app.ts::f") == expected


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("hook", {BASE + ".hook"}),
        ("viaField", {BASE + ".shared"}),
        ("viaMade", {BASE + ".shared"}),
        ("viaGiven", {BASE + ".shared"}),
        ("viaLate", {BASE + ".shared"}),
        ("arrow", {BASE + ".shared"}),
        ("reads", {CHILD + ".size"}),
        ("constructor", {BASE + ".constructor", BASE}),
    ],
)
def test_this_and_super(method: str, expected: set[str]) -> None:
    assert callees(LIBRARY, f"{CHILD}.{method}") == expected


def test_a_nested_function_sees_the_names_around_it() -> None:
    source = """import { load, other } from "./lib";
function outer(load) {
  const other = 1;
  const sibling = () => 1;
  const inner = () => { load(); other(); return sibling(); };
}
"""
    library = {"lib.ts": "export function load() {}\nexport function other() {}\n"}
    edges = callees(library | {"app.ts": source}, "app.ts::outer.inner")
    assert edges == {"app.ts::outer.sibling"}


def test_an_element_of_jsx_is_a_use_and_a_tag_is_not() -> None:
    source = """import { Item } from "./item";
function div() {}
export const App = () => <div><Item a={helper()} /><Item></Item></div>;
function helper() {}
"""
    files = {"app.tsx": source, "item.tsx": "export const Item = () => null;\n"}
    assert callees(files, "app.tsx::App") == {"item.tsx::Item", "app.tsx::helper"}


def test_the_residue_has_the_edges_of_top_level_code_alone() -> None:
    source = """import { load } from "./lib";
load();
describe("x", () => { const setup = () => load2(); setup(); });
function load2() { load3(); }
function load3() {}
"""
    library = {"lib.ts": "export function load() {}\n"}
    edges = callees(library | {"app.ts": source}, "app.ts::")
    assert edges == {"lib.ts::load", "app.ts::setup"}


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_definition_that_ends_the_file_is_not_the_residue(indent: str, end: str) -> None:
    source = f"const y = {{ k: 1 }};\n{indent}y.j = function () {{ return 2; }};{end}"
    assert marks({"a.ts": source}, "a.ts::") == {}


def test_barrels_and_classes_in_a_circle_end() -> None:
    files = {
        "a.ts": 'export * from "./b";\nexport class A extends B {}\nimport { B } from "./b";\n',
        "b.ts": 'export * from "./a";\nexport class B extends A {}\nimport { A } from "./a";\n',
        "app.ts": 'import { A, gone } from "./a";\nfunction f() { new A().none(); gone(); }\n',
    }
    assert callees(files, "app.ts::f") == {"a.ts::A"}


def test_values_in_a_circle_end() -> None:
    source = """let a = b.c, b = a.c;
class C extends D { x = this.y; y = this.x; m() { return this.x.y.z(); } }
class D extends C { get p(): typeof q { return a; } }
let q = new C().p;
function f() { a.c(); b(); q.p.p(); new C().m(); const x = x.y; x.z(); }
"""
    expected = {"app.ts::C", "app.ts::C.m", "app.ts::D.p"}
    assert callees({"app.ts": source}, "app.ts::f") <= expected


def test_many_barrels_that_export_each_other_are_searched_once() -> None:
    stars = "".join(f'export * from "./b{i}";\n' for i in range(12))
    files = {f"b{i}.ts": stars for i in range(12)}
    files["b11.ts"] += "export function load() {}\n"
    files["app.ts"] = 'import { load, gone } from "./b0";\nfunction f() { load(); gone(); }\n'
    assert callees(files, "app.ts::f") == {"b11.ts::load"}


def test_a_nest_of_a_thousand_calls_is_resolved() -> None:
    source = "function g() {}\nfunction f() { " + "g(" * 2000 + ")" * 2000 + "; }\n"
    assert callees({"app.js": source}, "app.js::f") == {"app.js::g"}


def test_the_same_text_means_what_its_own_file_says() -> None:
    text = "function f() { const g = () => h(); g(); }\nfunction h() {}\n"
    files = {"a.ts": text, "b.ts": text, "c.js": text.replace("h() {}", "k() {}")}
    for path in ("a.ts", "b.ts"):
        assert callees(files, f"{path}::f") == {f"{path}::f.g"}
        assert callees(files, f"{path}::f.g") == {f"{path}::h"}
    assert callees(files, "c.js::f.g") == set()


def test_a_text_that_stays_is_resolved_against_the_imports_of_now() -> None:
    def app(module: str) -> bytes:
        return f'import {{ load }} from "./{module}";\nfunction f() {{ load(); }}\n'.encode()

    lib = b"export function load() {}\n"
    graph = Graph(Memory({"app.ts": app("a"), "a.ts": lib, "b.ts": lib}))
    assert graph.callees(SymbolId("app.ts", "f")) == {SymbolId("a.ts", "load")}
    drift = graph.apply(Write(path="app.ts", before=app("a"), after=app("b")))
    assert SymbolId("app.ts", "f") in drift.dispatch
    assert graph.callees(SymbolId("app.ts", "f")) == {SymbolId("b.ts", "load")}


def test_a_method_beside_a_damaged_one_keeps_its_edges() -> None:
    source = "class C {\n  f() { this.g(); h(); }\n  g() {}\n  bad( { return\n}\nfunction h() {}\n"
    assert callees({"app.ts": source}, "app.ts::C.f") == {"app.ts::C.g", "app.ts::h"}


def test_a_damaged_function_is_read_on_its_own() -> None:
    source = "function bad() {\n  if (x {\n\nexport function f() { g(); }\n\nfunction g() {}\n"
    assert callees({"app.ts": source}, "app.ts::bad") == set()
    assert callees({"app.ts": source}, "app.ts::f") == {"app.ts::g"}


@pytest.mark.parametrize("length", [10, 3000])
def test_a_chain_of_calls_is_resolved_or_not_known(length: int) -> None:
    chain = "new C()" + ".next()" * length
    source = f"class C {{ next(): C {{ return this; }} }}\nfunction f() {{ {chain}; }}\n"
    assert callees({"app.ts": source}, "app.ts::f") == {"app.ts::C", "app.ts::C.next"}


def test_names_that_are_declared_by_each_other_end() -> None:
    source = "function g() {}\nfunction f() { const a = b.c, b = a.c; a.d(); b(); g(); }\n"
    assert callees({"app.js": source}, "app.js::f") == {"app.js::g"}


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("const a = 1;", "return a", {"a": "uses"}),
        ("let a; a = g; function g() {}", "a()", {"a": "uses", "g": "exact"}),
        ("let a; function g() {} function h() { a = g; }", "a()", {"a": "uses", "g": "exact"}),
        ("const a = [g, h]; function g() {} function h() {}", "a[1]()", {"h": "exact"}),
        ("const a = [g, h]; function g() {} function h() {}", "for (const b of a) b()", {
            "a": "uses", "g": "exact", "h": "exact"}),
        ("const a = { g, h: { g } }; function g() {}", "a.h.g(); a.g", {"g": "exact"}),
        ("const a = { g: 1 };", "return a.g", {"a": "uses"}),
        ("const { g } = a; const a = { g: h }; function h() {}", "g()", {"h": "exact"}),
        ("class C { static a = 1; b = 2; }", "C.a + new C().b", {
            "C": "exact", "C.a": "uses", "C.b": "uses"}),
        ("enum E { A } type T = E;", "let t: T = E.A", {"E": "uses", "T": "uses"}),
        ("interface I { a: J } interface J { m(): void }", "let i: I; i.a.m()", {
            "I.a": "uses", "J.m": "exact"}),
        ("function g(h) { return h; } function k() {}", "g(k)()", {"g": "exact", "k": "exact"}),
        ("function g(h) { return () => h; } function k() {}", "g(k)()()", {
            "g": "exact", "k": "exact"}),
        ("function* g() { yield k; } function k() {}", "for (const h of g()) h()", {
            "g": "exact", "k": "exact"}),
        ("class C { m() {} } function g(c: (c: C) => void) {}", "g((c) => c.m())", {
            "g": "exact", "C.m": "exact"}),
        ("class C { m() {} } let cs: C[];", "cs.filter((c) => c.m()).map((c) => c.m())", {
            "cs": "uses", "C.m": "exact"}),
        ("class C { m() {} } let cs: Map<string, C>;", "cs.get('a').m()", {
            "cs": "uses", "C.m": "exact"}),
        ("function g() {}", "let h = x; h = g; h()", {"g": "exact"}),
        ("function g() {} function k() {}", "let h = g; if (x) h = k; h()", {
            "g": "exact", "k": "exact"}),
        ("function g() {} function k() {}", "let h = g; h = k; h()", {"g": "exact", "k": "exact"}),
        ("function g() {}", "const o = {}; o.h = g; o.h()", {"g": "exact"}),
        ("function g() {}", "g.call(null); g.bind(null)()", {"g": "exact"}),
        ("function g() {}", "setTimeout(g)", {"g": "exact"}),
        ("class C { m() { return this; } } class D extends C { n() {} }", "new D().m().n()", {
            "D": "exact", "C.m": "exact", "D.n": "exact"}),
        ("class C { #a() {} b() {} }", "x.b()", {"C.b": "guess"}),
        ("class C { get() {} push() {} }", "x.get(); x.push()", {}),
        ("class A { b() {} } class C { b() {} } class D { b() {} } class E { b() {} }",
            "x.b()", {}),
        ("class C { b() {} } import c from 'elsewhere';", "c.b(); Math.b()", {}),
        ("class C { m() {} } class D extends C { m() {} }", "let c: C; c.m(); new C().m()", {
            "C": "exact", "C.m": "exact", "D.m": "virtual"}),
        ("class C { m() {} } class D extends C {} class E extends D { m() {} }",
            "let c: C; c.m()", {"C.m": "exact", "E.m": "virtual"}),
        ("const m = (B) => class extends B { n() {} }; class C { k() {} } class D extends m(C) {}",
            "new D().n(); new D().k()", {"D": "exact", "m.n": "exact", "C.k": "exact"}),
        ("class C { m() { n(); } n() {} } function n() {}", "1", {}),
        ("function deco(x) {} @deco class C { @deco m() {} }", "1", {}),
    ],
)  # fmt: skip
def test_how_a_function_reaches_what(head: str, body: str, expected: dict[str, str]) -> None:
    source = f"{head}\nfunction f(x) {{ {body}; }}\n"
    found = marks({"app.ts": source}, "app.ts::f")
    assert found == {f"app.ts::{name}": mark for name, mark in expected.items()}


@pytest.mark.parametrize(
    ("source", "symbol", "expected"),
    [
        ("class C { m() { n(); } n() {} } function n() {}", "C.m", {"n": "exact"}),
        ("function d(x) {} class C { @d m() {} }", "C.m", {"d": "exact"}),
        ("function d(x) {} @d() class C { m() {} }", "C", {"d": "exact"}),
        ("const a = 1; class C { b = a; }", "C.b", {"a": "uses"}),
        ("function g() {} const a = g();", "a", {"g": "exact"}),
        ("class C { a = (b) => this.m(b); m() {} }", "C.a", {"C.m": "exact"}),
        ("class C { constructor() { this.a = g; } m() { this.a(); } } function g() {}", "C.m", {
            "g": "exact"}),
        ("function C() { this.a = g; } C.prototype.m = function () { this.a(); }; function g() {}",
            "C.m", {"g": "exact", "C": "exact"}),
        ("const o = (() => { function a() { b(); } function b() {} return { a }; })();", "o.a", {
            "o.b": "exact"}),
        ("type A = B; type B = 1;", "A", {"B": "uses"}),
        ("function g() {} let a: K = g(), b = { c: g() };", "a", {"g": "exact"}),
        ("function g() {} let a: K = g(), b = { c: g() };", "b", {"g": "exact"}),
        ("module.exports = { a: g(), b: 1 }; function g() {} function h() { module.exports.b; }",
            "a", {"g": "exact"}),
        ("module.exports = { a: g(), b: 1 }; function g() {} function h() { module.exports.b; }",
            "h", {"b": "uses"}),
        ("const a = 1; export default { b: a, c() {} };", "default", {"a": "uses"}),
        ("const a = 1; enum E { A = a }", "E", {"a": "uses"}),
        ("class A { m() {} } class C<T extends A> { m(t: T) { t.m(); } }", "C.m", {
            "A.m": "exact"}),
        ("class A { m() {} } class C<T> { m(t: T) { t.n(); } }", "C.m", {}),
        ("class A { m() {} } function f<T extends A>(t: T) { t.m(); }", "f", {"A.m": "exact"}),
    ],
)  # fmt: skip
def test_what_other_symbols_reach(source: str, symbol: str, expected: dict[str, str]) -> None:
    found = marks({"app.ts": source}, f"app.ts::{symbol}")
    assert found == {f"app.ts::{name}": mark for name, mark in expected.items()}


MODULES = {
    "package.json": '{ "workspaces": ["packages/*"] }',
    "packages/app/package.json": '{ "name": "app", "dependencies": { "@s/far": "workspace:*" } }',
    "packages/app/src/own.ts": "export function f() {}\n",
    "packages/data/package.json": '{ "name": "data", "main": "./dist/main.js" }',
    "packages/data/src/main.ts": "export function f() {}\n",
    "packages/data/src/deep/inner.ts": "export function f() {}\n",
    "elsewhere/package.json": """{ "name": "@s/far",
        "exports": { ".": { "import": "./a.mjs", "types": "./b.ts" }, "./x/*": "./lib/*.ts" } }""",
    "elsewhere/b.ts": "export function f() {}\n",
    "elsewhere/src/y.ts": "export function f() {}\n",
}


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("data", "packages/data/src/main.ts"),
        ("data/deep/inner", "packages/data/src/deep/inner.ts"),
        ("data/dist/deep/inner.js", "packages/data/src/deep/inner.ts"),
        ("@s/far", "elsewhere/b.ts"),
        ("@s/far/x/y", "elsewhere/src/y.ts"),
        ("app/src/own", "packages/app/src/own.ts"),
        ("react", None),
        ("node:fs", None),
        ("#own", None),
        ("", None),
    ],
)
def test_modules_of_a_workspace(module: str, path: str | None) -> None:
    source = f'import {{ f }} from "{module}";\nexport function main() {{ f(); }}\n'
    found = callees(MODULES | {"packages/app/main.ts": source}, "packages/app/main.ts::main")
    assert found == ({f"{path}::f"} if path else set())


def test_a_package_from_elsewhere_reads_nothing_but_configurations() -> None:
    files = {f"lib/{i}.ts": "export class A { m() {} }\n" for i in range(20)}
    files["app.ts"] = "import r from 'react';\nfunction f() { r.m(); r.n.m(); new r().m(); }\n"
    graph = Graph(Memory({path: text.encode() for path, text in files.items()}))
    graph.view(SymbolId("app.ts", "f"))
    assert graph.files_extracted == 1


@given(
    text=st.lists(
        st.sampled_from(
            [
                "class",
                "function",
                "f",
                "g",
                "(",
                ")",
                "{",
                "}",
                "[",
                "]",
                "=",
                "=>",
                ".",
                ",",
                ";",
                ":",
                "?",
                "new",
                "this",
                "extends",
                "A",
                "B",
                "const",
                "let",
                "return",
                "import",
                "export",
                "default",
                "from",
                "'a'",
                "await",
                "yield",
                "*",
                "...",
                "super",
                "if",
                "else",
                "for",
                "of",
                "x",
                "<",
                ">",
                "|",
                "@",
                "`",
            ]
        ),
        max_size=60,
    ).map(" ".join)
)
def test_anything_is_resolved(text: str) -> None:
    for path in ("a.js", "a.ts", "a.tsx"):
        graph = Graph(Memory({path: text.encode()}))
        for symbol in list(graph.symbols()):
            graph.edges(symbol)
