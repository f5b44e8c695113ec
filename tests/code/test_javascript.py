"""JavaScript and TypeScript files: their definitions and what others see, whole and damaged."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statetape.code import languages
from statetape.code.extract import javascript
from statetape.code.facts import Facts

JAVASCRIPT = b"""'use strict';
const lib = require('./lib');
const { a, b: c } = require('./parts');

function first() {
  const inner = () => lib.run();
  return inner();
}

const arrow = async (x) => x;
const api = {
  get() { return 1; },
  nested: { deep: function () {} },
  listed: first,
};
exports.direct = function () {};
Old.prototype.method = function () {};

class Base {
  #secret = 1;
  static make() { return new Base(); }
  get size() { return 1; }
  set size(value) { this.n = value; }
  handler = () => this.make();
}

describe('x', () => {
  const setup = () => new Base();
});
module.exports = { run: first, arrow, other() {}, ...require('./rest') };
"""
JAVASCRIPT_NAMES = [
    *("first", "first.inner", "arrow", "api", "api.get", "api.nested.deep", "direct"),
    *("Old.method", "Base", "Base.#secret", "Base.make", "Base.size", "Base.handler", "setup"),
    "other",
]
TYPESCRIPT = b"""import Def, { one, two as alias, type Kind } from "./names";
import * as space from "./space";
export { one as renamed } from "./names";
export * from "./star";
export * as bundle from "./bundle";

export interface Shape extends Kind {
  area(): number;
  owner: Service;
}

export type Id = string | number;
export enum Color { Red, Green }

@Injectable()
export class Service<T> extends space.Base<T> implements Shape {
  private db: Database;
  cache = new Cache();

  constructor(private readonly http: Http, plain: Plain) {
    super();
    this.kept = plain;
  }

  find(id: string): Shape;
  find(id: number): Shape;
  find(id: any): Shape {
    return this.db.query(id);
  }

  @Memo()
  async load(): Promise<Shape> {
    if (this.cache) {
      return null;
    }
    return undefined;
  }
}

export namespace Tools {
  export function help(): void {}
}

export default function () {
  return new Service();
}
"""
TYPESCRIPT_NAMES = [
    *("Shape", "Shape.area", "Shape.owner", "Id", "Color", "Service", "Service.db"),
    *("Service.cache", "Service.constructor", "Service.find", "Service.load", "Tools"),
    *("Tools.help", "default"),
]


def names(facts: Facts) -> list[str]:
    return [definition.name for definition in facts.definitions]


def digests(data: bytes) -> dict[str, bytes]:
    return {d.name: d.digest for d in javascript.typescript_facts("a.ts", data).definitions}


def test_javascript_definitions() -> None:
    facts = javascript.javascript_facts("a.js", JAVASCRIPT)
    assert names(facts) == ["", *JAVASCRIPT_NAMES]
    (size,) = [d for d in facts.definitions if d.name == "Base.size"]
    assert [JAVASCRIPT[s:e].split()[0] for s, e in size.spans] == [b"get", b"set"]
    assert {"lib", "run", "secret"} <= facts.used


def test_typescript_definitions() -> None:
    facts = javascript.typescript_facts("a.ts", TYPESCRIPT)
    assert names(facts) == ["", *TYPESCRIPT_NAMES]
    (find,) = [d for d in facts.definitions if d.name == "Service.find"]
    assert len(find.spans) == 3
    (load,) = [d for d in facts.definitions if d.name == "Service.load"]
    assert TYPESCRIPT[slice(*load.spans[0])].strip().startswith((b"@Memo()", b"async load"))


def test_jsx_is_read_in_javascript_and_tsx() -> None:
    source = b"export const App = () => <div>{items.map((i) => <Item key={i} />)}</div>;\n"
    for facts in (
        javascript.javascript_facts("a.jsx", source),
        javascript.tsx_facts("a.tsx", source),
    ):
        assert names(facts) == ["", "App"]
        assert not facts.broken


def test_what_other_files_see_of_javascript() -> None:
    shape = javascript.javascript_facts("a.js", JAVASCRIPT).detail.shape
    assert shape.imports == {
        "lib": ("./lib", "="),
        "a": ("./parts", "a"),
        "c": ("./parts", "b"),
    }
    assert shape.exports == {
        "direct": ("", "direct"),
        "run": ("", "first"),
        "arrow": ("", "arrow"),
        "other": ("", "other"),
    }
    assert shape.stars == ["./rest"]
    assert shape.kinds["api"] == "variable"
    assert shape.classes["Base"].getters == ("size",)
    assert shape.classes["Base"].assigned == {"n": ("Base.size",)}


def test_what_other_files_see_of_typescript() -> None:
    shape = javascript.typescript_facts("a.ts", TYPESCRIPT).detail.shape
    assert shape.imports == {
        "Def": ("./names", "default"),
        "one": ("./names", "one"),
        "alias": ("./names", "two"),
        "Kind": ("./names", "Kind"),
        "space": ("./space", "*"),
    }
    assert shape.exports["renamed"] == ("./names", "one")
    assert shape.exports["bundle"] == ("./bundle", "*")
    assert shape.exports["default"] == ("", "default")
    assert shape.exports["Service"] == ("", "Service")
    assert shape.stars == ["./star"]
    service = shape.classes["Service"]
    assert service.extends == ("space.Base<T>",)
    assert service.implements == ("Shape",)
    assert service.parameters == {"T": ""}
    assert service.fields == {"db": "Database", "http": "Http"}
    assert service.assigned == {"kept": ("Service.constructor",)}
    assert shape.returns["Service.load"] == "Promise<Shape>"


def test_others_see_the_declarations_by_name() -> None:
    def changed(data: bytes) -> set[str]:
        states = (javascript.typescript_facts("a.ts", each) for each in (TYPESCRIPT, data))
        return {name for name in languages.changed(*states) if not name.endswith((":", "()"))}

    assert changed(TYPESCRIPT.replace(b"return null", b"return this")) == set()
    assert changed(b"// more\n" + TYPESCRIPT) == set()
    assert changed(TYPESCRIPT.replace(b"db: Data", b"db: Base")) == {"Service"}
    assert changed(TYPESCRIPT + b"\nexport function more() {}\n") == {"more"}


def test_the_bases_of_a_class_go_by_the_names_that_they_have_in_their_file() -> None:
    source = b"""import { Base as B, Has } from "./lib";
class A extends B<T> implements Has, space.Other {}
interface I extends Has {}
class C extends Mixed(A) {}
"""
    bases = dict(javascript.typescript_facts("a.ts", source).bases)
    assert bases == {"A": ("Base", "Has", "Other"), "I": ("Has",), "C": ("Mixed", "A")}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("const a = 1;", ["a"]),
        ("export let a: K, b = 2;", ["a", "b"]),
        ("let a; a = 1;", ["a"]),
        ("let a; if (x) { a = 1; } else { a = 2; }", ["a"]),
        ("if (x) { const a = 1; var b = 1; }", ["b"]),
        ("const { a, b } = c; const [d] = c;", []),
        ("const a = require('./a');", []),
        ("const a = require('./a')();", ["a"]),
        ("exports.a = 1; module.exports.b = 2; C.d = 3;", ["a", "b", "C.d"]),
        ("module.exports = 1; this.a = 1; x[1] = 2;", []),
        ("namespace N { export const a = 1; }", ["N", "N.a"]),
        ("function f() { const a = 1; }", ["f"]),
        ("const a = (() => { function f() {} return f; })();", ["a", "a.f"]),
        ("class C { a = 1; static b; c = () => 1; }", ["C", "C.a", "C.b", "C.c"]),
        ("type A = { b: 1 }; enum E { F }", ["A", "E"]),
        ("use(function named() {}); use(function () {});", ["named"]),
    ],
)
def test_what_is_worth_a_symbol(text: str, names: list[str]) -> None:
    facts = javascript.typescript_facts("a.ts", text.encode())
    assert [each.name for each in facts.definitions[1:]] == names


def test_a_variable_is_one_symbol_with_all_places_that_bind_it() -> None:
    facts = javascript.typescript_facts("a.ts", b"let a;\nf();\nif (x) a = 1;\na = 2;\n")
    (variable,) = facts.definitions[1:]
    assert [place.first for place in variable.lines] == [1, 3, 4]
    assert facts.detail.shape.settled == {"a": 2}


def test_a_field_changes_with_its_class_and_a_constant_without_its_file() -> None:
    text = b"export const a = 1;\nclass C {\n  b = 1;\n  m() {}\n}\ninterface I { c: 1 }\n"
    changes = [(b"a = 1", {"a"}), (b"b = 1", {"C", "C.b"}), (b"c: 1", {"I", "I.c"})]
    for old, expected in changes:
        before, after = digests(text), digests(text.replace(old, old[:-1] + b"2"))
        assert {name for name in before if before[name] != after[name]} == expected


DAMAGES = [
    (b"return this.db.query(id);", b"return this.db.query(id;"),
    (b"return this.db.query(id);", b"return {"),
    (b"find(id: any): Shape {", b"find(id: any: Shape {"),
    (b"if (this.cache) {", b"if (this.cache {"),
    (b"if (this.cache) {", b"if (this.cache)) {{"),
    (b"    return undefined;\n  }\n", b"    return undefined;\n"),
    (b"    return null;", b"<<<<<<< ours\n    return null;\n=======\n  return 1;\n>>>>>>> theirs"),
    (b"implements Shape {", b"implements Shape< {"),
    (b"  cache = new Cache();", b"  cache = new Cache(;"),
    (b"area(): number;", b"area(: number;"),
    (b"help(): void {}", b"help(): void {"),
]


@pytest.mark.parametrize(("old", "new"), DAMAGES)
def test_a_damaged_line_loses_no_symbol(old: bytes, new: bytes) -> None:
    assert old in TYPESCRIPT
    facts = javascript.typescript_facts("a.ts", TYPESCRIPT.replace(old, new))
    assert facts.broken
    assert set(TYPESCRIPT_NAMES) - set(names(facts)) == set()


@pytest.mark.parametrize(
    ("old", "new", "symbol"),
    [
        (b"return this.db.query(id);", b"return this.db.query(id;", "Service.find"),
        (b"if (this.cache) {", b"if (this.cache {", "Service.load"),
        (b"find(id: any): Shape {", b"find(id: any: Shape {", "Service.find"),
    ],
)
def test_damage_changes_only_the_damaged_symbol(old: bytes, new: bytes, symbol: str) -> None:
    before, after = digests(TYPESCRIPT), digests(TYPESCRIPT.replace(old, new))
    assert {name for name in before if before[name] != after.get(name)} == {symbol}


def damaged() -> st.SearchStrategy[bytes]:
    texts = st.sampled_from([JAVASCRIPT, TYPESCRIPT])
    cut = st.tuples(texts, st.integers(0, 1300), st.integers(0, 60), st.binary(max_size=5))
    return cut.map(lambda c: c[0][: c[1]] + c[3] + c[0][c[1] + c[2] :])


@given(
    data=damaged() | st.binary(max_size=100) | st.text("class {}()=>`'\n const.x;@").map(str.encode)
)
def test_anything_gives_facts_with_spans_that_nest(data: bytes) -> None:
    for read in (javascript.javascript_facts, javascript.typescript_facts, javascript.tsx_facts):
        facts = read("a", data)
        spans = sorted((s for d in facts.definitions[1:] for s in d.spans), key=lambda s: s.start)
        for i, span in enumerate(spans):
            assert 0 <= span.start <= span.end <= len(data)
            for other in spans[i + 1 :]:
                assert other.start >= span.end or other.end <= span.end


@given(data=damaged())
@example(data=b"{'use strict';\nconst api = {\n  get() { return 1; },\n};\nfunction f() {}\n")
def test_digests_are_free_of_positions(data: bytes) -> None:
    before, after = digests(data), digests(b"// one more\n" + data)
    before.pop("")
    after.pop("")
    assert before == after


@pytest.mark.parametrize("read", [javascript.javascript_facts, javascript.typescript_facts])
def test_the_decorators_of_a_member_are_its_own_text(
    read: Callable[[str, bytes], Facts],
) -> None:
    text = b"class K {\n  x = 1;\n  @log\n  // why\n  @twice()\n  m(){}\n  n(){}\n}\n"
    before, after = (
        {d.name: d.digest for d in read("a", each).definitions}
        for each in (text, text.replace(b"twice()", b"twice(2)"))
    )
    assert {name for name in before if before[name] != after[name]} == {"K.m"}
    (method,) = [d for d in read("a", text).definitions if d.name == "K.m"]
    assert method.lines == ((3, 6),)


@pytest.mark.parametrize(
    "text",
    [
        "const o = {\n  %s,\n  %s\n};\n",
        "const o = { %s, %s };\n",
        "const o = {%s,%s};\n",
        "class o { %s %s }\n",
    ],
)
def test_a_member_that_only_moves_does_not_drift(text: str) -> None:
    members = ("a() { return 1; }", "b() { return 2; }")
    before, after = (digests((text % each).encode()) for each in (members, members[::-1]))
    assert {"o.a", "o.b"} <= before.keys()
    assert {name for name in before if name[2:] and before[name] != after[name]} == set()
