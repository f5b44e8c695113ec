"""Writes in the ten languages of the common resolver lead where a new graph starts.

Each has a small repository in which every way to depend on another file is in use; words and
lines of it are changed at random.
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

JAVA = {
    "a/A.java": """package a;
import b.B;
import b.*;
import static b.B.make;
import static b.K.*;
public class A<T extends I> extends B implements I {
    static final int LIMIT = K.TOP;
    B field = new B(1);
    var other = make();
    T bound;
    A() { super(LIMIT); }
    int m(B p) { B q = p; for (B r : all()) r.n(); return q.n().m(this) + field.n().k; }
    B n() { return super.n(); }
    class Inner { int x() { return m(null) + top() + bound.m(field); } }
    static B[] all() { return new B[0]; }
}
""",
    "a/I.java": """package a;
import b.B;
public interface I { default int m(B p) { return p.n().k; } }
interface J extends I { int k = 1; }
""",
    "b/B.java": """package b;
import a.*;
public class B {
    public int k = 1;
    public B(int p) { this.k = p; }
    public B n() { return this; }
    public static B make() { return new A(); }
}
class K { static final int TOP = 2; static int top() { return TOP; } }
""",
}
RUST = {
    "src/main.rs": """mod a;
mod b;
use a::{Thing, Shape as Form, nested::*};
use crate::b::load;
const LIMIT: i32 = b::LIMIT;
fn read(form: &dyn Form) -> i32 { load() + form.area() + LIMIT }
fn make() -> Thing { let t = Thing::new(); t.inner.go(); deep(); t }
fn each(all: Vec<Thing>) { for t in all { t.area(); } println!("{}", make().area()); }
impl Thing { fn more(&self) -> i32 { self.area() } }
""",
    "src/a/mod.rs": """pub mod nested;
pub use self::nested::Shape;
pub struct Thing { pub inner: Option<crate::b::Inner> }
impl Thing { pub fn new() -> Self { Thing { inner: None } } }
impl Shape for Thing {}
mod tests { use super::Thing; fn t() { Thing::new(); } }
""",
    "src/a/nested.rs": """use super::Thing;
pub trait Shape { fn area(&self) -> i32 { self.side() } fn side(&self) -> i32; }
pub fn deep() { let x: Thing = Thing::new(); x.area(); }
""",
    "src/b.rs": """pub const LIMIT: i32 = 1;
pub type Alias = Inner;
pub struct Inner;
impl Inner { pub fn go(&self) -> i32 { LIMIT } }
pub fn load() -> i32 { let a: Alias = Inner; a.go() }
impl crate::a::nested::Shape for Inner { fn side(&self) -> i32 { 2 } }
""",
}
C = {
    "a.h": """#include "inc/b.h"
#define LIMIT 1
typedef struct thing thing_t;
struct thing { int size; struct other *o; };
int load(thing_t *t);
extern int count;
enum kind { ONE, TWO };
""",
    "inc/b.h": """struct other { int (*call)(int); };
static inline int twice(int n) { return n * 2; }
typedef struct other alias;
""",
    "a.c": """#include "a.h"
int count = LIMIT;
static int hidden(void) { return count; }
int load(thing_t *t) { return t->size + hidden() + t->o->call(ONE); }
""",
    "main.c": """#include "a.h"
int hidden(void);
int use(thing_t *t) { alias *o = t->o; return load(t) + twice(LIMIT) + hidden(); }
int call(struct other *o) { return o->call(TWO); }
int other(void) { return count; }
""",
}
CPP = {
    "a.h": """#pragma once
#include "b.h"
namespace n {
class A : public B {
public:
  A(int k);
  virtual int m();
  B* other();
  int size;
  static A make();
};
enum class E { X, Y };
enum F { P, Q };
}
using Alias = n::A;
""",
    "b.h": """class B {
public:
  virtual int m() { return k(); }
  int k();
};
template <class T> T pick(T t) { return t; }
""",
    "a.cpp": """#include "a.h"
namespace n {
A::A(int k) : size(k) {}
int A::m() { return B::m() + size + P; }
B* A::other() { return new A(1); }
A A::make() { return A(2); }
}
int B::k() { return 1; }
""",
    "main.cpp": """#include "a.h"
using namespace n;
using n::A;
int use(B& b) { return b.m(); }
int f() { A a(1); auto o = a.other(); return o->m() + A::make().m() + static_cast<int>(E::X); }
int g() { auto p = std::make_unique<Alias>(1); return p->m() + pick(Q); }
struct C : A { int m() override { return 3; } };
""",
}
CSHARP = {
    "A.cs": """using App.More;
using static App.More.Tools;
using Short = App.More.Item;
namespace App {
  public interface IRun { int Run() { return 0; } }
  public partial class A : Item, IRun {
    const int Limit = Tools.Top;
    public Short Field { get; set; } = new Short();
    public A(int k) : base(k) { }
    public override int Go() { return base.Go() + Limit + Help(); }
    int Use(IRun r) { foreach (var i in All()) { i.Go(); } return r.Run() + Field.Go(); }
    Item[] All() { return null; }
  }
}
""",
    "B.cs": """namespace App {
  partial class A { int Extra() { return Go() + this.Field.Show(); } }
}
""",
    "C.cs": """namespace App.More;
public class Item { public Item(int k) { } public virtual int Go() { return 1; } }
public static class Tools {
  public const int Top = 1;
  public static int Help() { return Top; }
  public static int Show(this Item i) { return i.Go(); }
}
class Sub : Item { public override int Go() { return 2; } }
""",
    "Main.cs": """using App.More;
using App;
class Main { static int M() { var a = new A(1); Item i = a; return a.Go() + i.Show(); } }
""",
}
RUBY = {
    "a.rb": """require_relative "b"
module Out
  LIMIT = 1
  class A < B
    include Mix
    prepend Pre
    attr_reader :other
    def initialize(x); @other = B.new; super; end
    def m; @other.k + LIMIT + help; end
    def self.make; new(1); end
    alias_method :n, :m
  end
end
def use; a = Out::A.make; a.m; a.other.k; a = Out::B2.new; a.n; end
""",
    "b.rb": """class B
  def k; n; end
  def n; 1; end
end
module Mix
  def help; LIMIT; end
end
module Pre
  def m; super; end
end
""",
    "c.rb": """module Out
  class A
    def help; Mix; k; end
  end
  class B2 < A; end
  THING = A.new(2)
end
def other; Out::THING.m; use; end
""",
}
PHP = {
    "src/A.php": """<?php
namespace App;
use App\\More\\B;
use App\\More\\{C as D, Mix};
use function App\\More\\help;
class A extends B implements I {
  use Mix;
  const LIMIT = 1;
  private ?D $d = null;
  public function __construct(private B $b) { parent::__construct(); $this->x = new D(); }
  public function m(D $p): static { help(); $p->go(); $this->d->go(); return $this->x->go(); }
  public static function make() { return new static(self::LIMIT); }
}
interface I { function m(); }
""",
    "src/B.php": """<?php
namespace App\\More;
class B { function __construct() {} function go() { return $this->mixed(); } }
class C extends B { public function go() { return parent::go() + K; } }
trait Mix { function mixed() { return 1; } }
const K = 1;
function help() { return (new C())->go(); }
""",
    "main.php": """<?php
use App\\A;
use App\\More\\C as E;
function run() { $a = A::make(); $a->m(new E())->mixed(); return $a->go(); }
function each_of(A ...$all) { foreach ($all as $one) { $one->mixed(); } }
""",
}
KOTLIN = {
    "A.kt": """package a
import b.B
import b.show
import b.more.*
import b.make as build
const val LIMIT = 1
typealias Alias = A
open class A(val b: B, n: Int) : B(n), I {
  val other = build()
  override fun m(): Int = super.m() + b.k + LIMIT
  fun use(i: I) { i.d(); other.m(); b.show(); for (x in all()) { x.m() } }
  fun all(): List<B> = listOf()
  companion object {
    fun of() = A(B(1), 2)
  }
}
interface I { fun d() = 1 }
""",
    "B.kt": """package b
open class B(val k: Int) {
  open fun m(): Int = k
}
fun B.show() = m()
fun make(): B = B(2)
""",
    "C.kt": """package b.more
import a.A
fun B.more() = 1
class C : A(b.B(1), 1) {
  override fun m() = 2
  override fun d() = 3
}
fun help(a: A) = a.m() + A.of().use(a)
""",
    "Main.kt": """package a
fun main() {
  val a: Alias = A.of()
  a.m()
  a.other.m()
  help(a)
}
""",
}
SWIFT = {
    "A.swift": """let limit = 1
typealias Alias = A
class A: B, P {
  var other: B = B(k: 1)
  let made = make()
  init(k: Int) { super.init(k: k) }
  override func m() -> Int { return super.m() + limit + other.m() }
  func use(p: P) -> A { p.d(); made.m(); return self }
}
protocol P { func d() -> Int }
extension P { func d() -> Int { return limit } }
""",
    "B.swift": """class B {
  let k: Int
  init(k: Int) { self.k = k }
  func m() -> Int { return k }
  static func of() -> B { return B(k: 2) }
}
extension A { func extra() -> Int { return m() + d() } }
func make() -> A { return A(k: 1) }
""",
    "main.swift": """struct S: P { var a: Alias; func d() -> Int { return a.use(p: self).m() } }
func run(all: [A], p: P) {
  for x in all { x.extra() }
  if let y = all.first { y.m() }
  p.d()
  S(a: make()).d()
  B.of().m()
}
""",
}
BASH = {
    "a.sh": """. ./lib/b.sh
LIMIT=1
load() { local x=2; help "$LIMIT" "$x"; }
main() { load | other; trap clean EXIT; }
main
""",
    "lib/b.sh": """source "$DIR/c.sh"
help() { other; echo "$TOP"; }
clean() { help; }
""",
    "lib/c.sh": "TOP=1\nother() { echo; }\n",
}
REPOSITORIES = {
    "java": JAVA,
    "rust": RUST,
    "c": C,
    "cpp": CPP,
    "csharp": CSHARP,
    "ruby": RUBY,
    "php": PHP,
    "kotlin": KOTLIN,
    "swift": SWIFT,
    "bash": BASH,
}
WORD = re.compile(r"\w+|[@*.:\"'(){}<>&;]")


def parts(repository: dict[str, str], pattern: str) -> list[str]:
    found = (each[0] for text in repository.values() for each in re.finditer(pattern, text))
    return sorted(set(found))


@st.composite
def edited(draw: Any, repository: dict[str, str], text: str) -> str:
    """A text with another word, or with a line removed, moved, or from elsewhere."""
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(("word", "word", "word", "remove", "move", "line"))):
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
        case "line":
            lines.insert(at, draw(st.sampled_from(parts(repository, r".+"))))
    return "\n".join(lines)


@pytest.mark.parametrize("language", REPOSITORIES)
@settings(max_examples=10, deadline=None)
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


BODIES = {
    "java": ("b/B.java", "this.k = p", "k = p", "B.B"),
    "rust": ("src/a/nested.rs", "x.area();", "x.area(); x.side();", "deep"),
    "c": ("a.c", "t->size + hidden()", "hidden() + t->size", "load"),
    "cpp": ("a.cpp", "new A(1)", "new A(2)", "n.A.other"),
    "csharp": ("C.cs", "{ return Top; }", "{ return Top + 1; }", "Tools.Help"),
    "ruby": ("b.rb", "def k; n; end", "def k; n + 1; end", "B.k"),
    "php": ("src/B.php", "return 1;", "return 2;", "Mix.mixed"),
    "kotlin": ("B.kt", "B = B(2)", "B = B(3)", "make"),
    "swift": ("B.swift", "return k }", "return k + 1 }", "B.m"),
    "bash": ("lib/c.sh", "echo;", "echo x;", "other"),
}


@pytest.mark.parametrize("language", REPOSITORIES)
def test_another_body_resolves_little(language: str) -> None:
    """Of the symbols that are held: the one that changed, and who infers from its text."""
    files = Memory({path: text.encode() for path, text in REPOSITORIES[language].items()})
    graph = Graph(files)
    symbols = list(graph.symbols())
    for symbol in symbols:
        graph.view(symbol)
    path, old, new, name = BODIES[language]
    resolved = graph.symbols_resolved
    found = graph.apply(Write(path, files[path], files[path].replace(old.encode(), new.encode())))
    assert found.body == {SymbolId(path, name)}
    assert not found.dispatch
    assert graph.symbols_resolved - resolved <= 3
