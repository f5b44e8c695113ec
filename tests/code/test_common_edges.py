"""The outgoing edges of symbols in the ten languages of the common resolver."""

import pytest

from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId

CASES: dict[str, tuple[dict[str, str], str, dict[str, str]]] = {
    "java: an inexact receiver reaches what heirs have": (
        {
            "a/A.java": "package a;\npublic class A { public int go() { return 1; } }\n",
            "b/B.java": "package b;\nclass B extends a.A { public int go() { return 2; } }\n",
            "c/C.java": "package c;\nimport a.A;\nclass C { int use(A a) { return a.go(); } }\n",
        },
        "c/C.java::C.use",
        {"a/A.java::A.go": "exact", "b/B.java::B.go": "virtual"},
    ),
    "java: a final or private method is not overridden": (
        {
            "A.java": (
                "class A { final int go() { return own(); }\nprivate int own() { return 1; } }\n"
            ),
            "B.java": "class B extends A { int own() { return 2; } }\n",
        },
        "A.java::A.go",
        {"A.java::A.own": "exact"},
    ),
    "java: what is read is used": (
        {
            "A.java": "class A { static final int X = 1; int f; int m() { return X + this.f; } }\n",
        },
        "A.java::A.m",
        {"A.java::A.X": "uses", "A.java::A.f": "uses"},
    ),
    "java: a method of an unknown receiver is guessed": (
        {
            "A.java": "class A { int special() { return 1; } }\n",
            "B.java": "class B { int m() { return unknown().special(); } }\n",
        },
        "B.java::B.m",
        {"A.java::A.special": "guess"},
    ),
    "java: a common name and an unknown class are not guessed": (
        {
            "A.java": "class A { int get() { return 1; } int special() { return 1; } }\n",
            "B.java": "class B { int m() { return unknown().get() + Elsewhere.special(); } }\n",
        },
        "B.java::B.m",
        {},
    ),
    "java: what a loop gives, a lambda and a reference": (
        {
            "A.java": "class A { int go() { return 1; } static int of() { return 1; } }\n",
            "B.java": (
                "class B { java.util.List<A> all;\n"
                "int m() { for (var a : all) { a.go(); } run(A::of); return 1; }\n"
                "void run(Object o) {} }\n"
            ),
        },
        "B.java::B.m",
        {
            "A.java::A.go": "exact",
            "A.java::A.of": "exact",
            "B.java::B.all": "uses",
            "B.java::B.run": "exact",
        },
    ),
    "rust: a path, an associated function and a macro's arguments": (
        {
            "src/lib.rs": (
                'mod a;\nfn f() { a::b::g(); let t = a::T::new(); println!("{}", t.h()); m!(); }\n'
                "macro_rules! m { () => {} }\n"
            ),
            "src/a/mod.rs": (
                "pub mod b;\npub struct T;\n"
                "impl T { pub fn new() -> Self { T } pub fn h(&self) {} }\n"
            ),
            "src/a/b.rs": "pub fn g() {}\n",
        },
        "src/lib.rs::f",
        {
            "src/a/b.rs::g": "exact",
            "src/a/mod.rs::T.new": "exact",
            "src/a/mod.rs::T.h": "exact",
            "src/lib.rs::m": "exact",
        },
    ),
    "rust: an impl in another file": (
        {
            "src/main.rs": "mod a;\nmod b;\nfn f(t: a::T) { t.more(); }\n",
            "src/a.rs": "pub struct T;\n",
            "src/b.rs": "use crate::a::T;\nimpl T { pub fn more(&self) {} }\n",
        },
        "src/main.rs::f",
        {"src/b.rs::T.more": "exact"},
    ),
    "rust: a crate beside this one": (
        {
            "crates/app/src/main.rs": "use my_lib::load;\nfn f() { load(); }\n",
            "crates/my-lib/src/lib.rs": "mod inner;\npub use inner::load;\n",
            "crates/my-lib/src/inner.rs": "pub fn load() {}\n",
        },
        "crates/app/src/main.rs::f",
        {"crates/my-lib/src/inner.rs::load": "exact"},
    ),
    "c: a function is what defines it, not what declares it": (
        {
            "inc/a.h": "int load(int);\n#define TWICE(x) ((x) * 2)\n",
            "a.c": '#include "inc/a.h"\nint load(int n) { return TWICE(n); }\n',
            "b.c": "static int load(int n) { return 3; }\n",
            "main.c": '#include "inc/a.h"\nint f(void) { return load(1); }\n',
        },
        "main.c::f",
        {"a.c::load": "exact"},
    ),
    "c: a declaration that nothing defines": (
        {
            "a.h": "int load(int);\n",
            "main.c": '#include "a.h"\nint f(void) { return load(1); }\n',
        },
        "main.c::f",
        {"a.h::load": "exact"},
    ),
    "cpp: a class behind an export macro, and a stack object": (
        {
            "a.h": "class EXPORT A {\npublic:\n  A();\n  virtual int go();\n};\n",
            "a.cpp": '#include "a.h"\nA::A() {}\nint A::go() { return 1; }\n',
            "main.cpp": '#include "a.h"\nint f() { A a; return a.go(); }\n',
        },
        "main.cpp::f",
        {"a.h::A": "exact", "a.cpp::A.A": "exact", "a.cpp::A.go": "exact"},
    ),
    "csharp: partial parts, a property and an extension": (
        {
            "A.cs": "namespace N { partial class A { public B P { get; set; } } }\n",
            "A2.cs": "namespace N { partial class A { public int M() { return P.Go(); } } }\n",
            "B.cs": (
                "namespace N { class B { public int Go() { return this.Ext(); } }\n"
                "static class X { public static int Ext(this B b) { return 1; } } }\n"
            ),
            "C.cs": "using N;\nclass C { int M(A a) { return a.M() + a.P.Ext(); } }\n",
        },
        "C.cs::C.M",
        {"A2.cs::A.M": "exact", "A.cs::A.P": "uses", "B.cs::X.Ext": "exact"},
    ),
    "ruby: a mixin's method, and super out of it": (
        {
            "a.rb": "class B\n  def go; 1; end\nend\nclass A < B\n  include M\nend\n",
            "m.rb": "module M\n  def go; super; end\nend\n",
        },
        "m.rb::M.go",
        {"a.rb::B.go": "exact"},
    ),
    "ruby: a class method and what new gives": (
        {
            "a.rb": (
                "module Out\n  class A\n    def self.make; new(1); end\n"
                "    def initialize(x); @x = x; end\n    def go; 1; end\n  end\nend\n"
            ),
            "b.rb": "def f\n  Out::A.make.go\nend\n",
        },
        "b.rb::f",
        {"a.rb::Out.A.make": "exact", "a.rb::Out.A.go": "exact"},
    ),
    "php: new static, parent and a trait": (
        {
            "a.php": (
                "<?php\nnamespace A;\nclass B { use T;\n"
                "public static function make() { return new static(); } }\n"
                "trait T { public function go() { return $this->own(); } }\n"
                "class C extends B { public function own() { return 1; } }\n"
            ),
            "b.php": "<?php\nuse A\\C;\nfunction f() { return C::make()->go(); }\n",
        },
        "b.php::f",
        {"a.php::B.make": "exact", "a.php::T.go": "exact"},
    ),
    "kotlin: a companion, an object and an inferred result": (
        {
            "a.kt": (
                "package a\nclass A {\n  fun go() = 1\n"
                "  companion object {\n    fun of() = A()\n  }\n}\n"
                "object Single {\n  fun one() = A.of()\n}\n"
            ),
            "b.kt": "package b\nimport a.Single\nfun f() = Single.one().go()\n",
        },
        "b.kt::f",
        {"a.kt::Single.one": "exact", "a.kt::A.go": "exact"},
    ),
    "swift: what a protocol's extension gives": (
        {
            "a.swift": "protocol P {}\nextension P {\n  func go() ->"
            " Int { 1 }\n}\nstruct S: P {}\n",
            "b.swift": (
                "func f(s: S?) -> Int {\n  guard let s = s else { return 0 }\n  return s.go()\n}\n"
            ),
        },
        "b.swift::f",
        {"a.swift::P.go": "exact"},
    ),
    "bash: a sourced function, its variable and a trap": (
        {
            "lib.sh": "LIMIT=1\nclean() { :; }\nload() { echo $LIMIT; }\n",
            "run.sh": (
                'source "$(dirname "$0")/lib.sh"\nrun() { trap clean EXIT; load "$LIMIT"; ls; }\n'
            ),
        },
        "run.sh::run",
        {"lib.sh::clean": "exact", "lib.sh::load": "exact", "lib.sh::LIMIT": "uses"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_edges(case: str) -> None:
    files, owner, expected = CASES[case]
    path, _, name = owner.partition("::")
    graph = Graph(Memory({each: text.encode() for each, text in files.items()}))
    assert {str(to): mark for to, mark in graph.edges(SymbolId(path, name)).items()} == expected


def test_a_constructor_is_no_name() -> None:
    """Inside its class, too, the name of the class means the class."""
    text = b"class A { A(int n) {} A other; static A make() { return new A(1); } }\n"
    graph = Graph(Memory({"A.java": text}))
    assert set(graph.edges(SymbolId("A.java", "A.make"))) == {
        SymbolId("A.java", "A"),
        SymbolId("A.java", "A.A"),
    }


def test_callers_of_a_method_are_found_in_other_files() -> None:
    files, owner, _ = CASES["java: an inexact receiver reaches what heirs have"]
    graph = Graph(Memory({each: text.encode() for each, text in files.items()}))
    callers = graph.callers(SymbolId("b/B.java", "B.go"))
    assert {str(each) for each in callers} == {owner}
