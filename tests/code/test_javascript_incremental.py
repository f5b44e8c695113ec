"""JavaScript and TypeScript: a graph that writes have changed says what a new one says.

A small repository in which every way to depend on another text is in use: constants, fields,
parameters handed over, members set in methods, overrides, interfaces, workspaces, configurations.
Words and lines of it are changed at random.
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
    "app/a.ts": """import { A, Shape, LIMIT, make as build } from "@x/lib";
import { B } from "~/b";
import type { Maybe } from "../lib";
const api = { get: (cb) => cb(), a: LIMIT, put() { return this.get(run); } };
let now = build();
if (LIMIT) now = new B();
function run(x = now, ...rest) { x.area(); return x; }
function call(f, g = run) { f(); g(api.a); return f; }
function set(v: Maybe) { now = v; now.only(); }
export function main(s: Shape) {
  const { get, put } = api;
  call(run, set)().area();
  s.area(); put(); get(() => run(s.size));
  for (const each of s.list) each.area();
  const local = { m: call };
  local.m(main);
  now.area();
}
""",
    "app/b.ts": """import { A, type Shape } from "@x/lib/deep";
export class B extends A<B> implements Shape {
  size = 1; list: B[] = [];
  static all = new B();
  constructor(private f = main) { super(f); this.late = new A(f); }
  area() { return this.held.area(); }
  only() { this.late.area(); B.all.only(); this.f(); }
}
function main() { return B.all; }
""",
    "lib/package.json": """{ "name": "@x/lib", "main": "dist/index.js",
  "exports": { ".": "./index.js", "./deep": "./deep.js" } }
""",
    "lib/index.ts": """export * from "./deep";
export { make } from "./c";
export const LIMIT = 1;
""",
    "lib/deep.ts": """import { LIMIT } from ".";
export interface Shape { area(): Shape; size: number; list: A<Shape>[] }
export class A<T extends Shape = Shape> {
  held: T;
  constructor(on) { this.on = on; on(LIMIT); }
  area(): T { return this.held; }
  get limit() { return LIMIT; }
  only() { this.on(); this.area().area(); return this.limit; }
}
export type Maybe = A<Shape> | null;
export enum Kind { One = LIMIT }
""",
    "lib/c.js": """const { A } = require("./deep");
function make(kind) { return kind ? new A(make) : new Old(); }
function Old() { this.area = make; }
Old.prototype.only = function () { this.area().limit; };
exports.make = make;
exports.LIMIT = A.LIMIT;
""",
    "app/package.json": '{ "name": "@x/app", "dependencies": { "@x/lib": "workspace:*" } }\n',
    "app/tsconfig.json": '{ "extends": "../tsconfig.base" }\n',
    "tsconfig.base.json": '{ "compilerOptions": { "paths": { "~/*": ["./app/*"] } } }\n',
    "package.json": '{ "workspaces": ["app", "lib"] }\n',
}
WORD = re.compile(r"\w+|[@*.\"'(){}=,;:<>]")
WORDS = sorted({word for text in REPOSITORY.values() for word in WORD.findall(text)})
LINES = sorted({line for text in REPOSITORY.values() for line in text.split("\n")})


@st.composite
def edited(draw: Any, text: str) -> str:
    """A text with another word, or with a line removed, moved, or from elsewhere."""
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(("word", "word", "word", "remove", "move", "line"))):
        case "word":
            found = list(WORD.finditer(text))
            if not found:
                return text
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


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_writes_lead_where_a_new_graph_starts(data: Any) -> None:
    now = Memory({path: text.encode() for path, text in REPOSITORY.items()})
    graph = Graph(Memory(now))
    for _ in range(3):
        for symbol in list(graph.symbols()):
            graph.view(symbol)
        path = data.draw(st.sampled_from(sorted(REPOSITORY)))
        held = now.get(path)
        gone = held is not None and data.draw(st.integers(0, 9)) == 9
        text = REPOSITORY[path] if held is None else held.decode()
        after = None if gone else data.draw(edited(text)).encode()
        before = Memory(now)
        now.write(path, after)
        rebuilt = Graph(Memory(now))
        assert graph.apply(Write(path, held, after)) == drift(Graph(before), rebuilt)
        for symbol in list(rebuilt.symbols()):
            assert graph.edges(symbol) == rebuilt.edges(symbol), symbol
