"""Identity and own text of definitions in the ten languages of the common extractor."""

import pytest

from statetape.code import languages
from statetape.code.dialects import DIALECTS
from statetape.code.extract.common_shape import Shape

NAMED = {
    "A.java": (
        (
            "class A { int f; int a, b; A() {} int m() { Runnable r = new Runnable() {"
            " public void run() {} }; return 1; }\n"
            " interface I { int K = 1; default int d() { return 1; } }\n"
            " enum E { P, Q { int z() { return 1; } } } record R(int x) {} }\n"
        ),
        "A A.f A.A A.m A.I A.I.K A.I.d A.E A.E.P A.E.Q A.E.Q.z A.R A.R.x",
    ),
    "a.rs": (
        (
            "struct S { f: i32 }\nimpl S { fn new() -> S { S { f: 1 } }"
            " }\nimpl T for S { fn t(&self) {} }\n"
            "trait T { const C: i32; fn t(&self); }\nmod m { pub fn f()"
            " {} }\nenum E { P, Q(i32) }\n"
            "macro_rules! mac { () => {} }\nimpl other::U { fn u() {} }\n"
        ),
        "S S.f S.new S.t T T.C T.t m m.f E E.P E.Q mac other.U other.U.u",
    ),
    "a.c": (
        (
            "#define M 1\n#define F(x) x\nstruct s { int a; int *b, c;"
            " };\ntypedef struct { int d; } t;\n"
            "typedef int (*fn)(int);\nenum e { P };\nint"
            " proto(void);\nextern int e;\nstatic int g = 1;\n"
            "int *f(void) { int local = 1; return 0; }\n"
        ),
        "M F s s.a t t.d fn e e.P g f",
    ),
    "a.h": ("int proto(void);\nextern int e;\n#define ONLY\n", "proto e"),
    "a.cpp": (
        (
            "namespace n { class A : B { public: A(); ~A(); virtual int m() = 0; int f; }; }\n"
            "int n::A::k() const { return 1; }\nnamespace { int hidden() { return 1; } }\n"
            "class EXPORT Final : public n::A { int operator+(int x) { return x; } };\n"
            "using T = n::A;\nenum class E { P };\ntemplate <class X> X pick(X x) { return x; }\n"
        ),
        "n n.A n.A.A n.A.~A n.A.m n.A.f n.A.k hidden Final Final.operator+ T E E.P pick",
    ),
    "a.cs": (
        (
            "namespace N.M { public class C<T> { int f; int a, b; C() {} int P { get; set; }\n"
            "int M() { int L() => 1; return L(); } enum E { A } delegate int D(int x); } }\n"
        ),
        "C C.f C.C C.P C.M C.M.L C.E C.E.A C.D",
    ),
    "a.rb": (
        (
            "module A\n  X = 1\n  class B\n    attr_reader :z\n    attr_reader :p, :q\n"
            "    def m?; end\n    def self.s; end\n    private def h;"
            " end\n    alias n m?\n  end\nend\n"
            "class A::B\n  def more; end\nend\nP = Struct.new(:x) do\n "
            " def d; end\nend\ndef top; end\n"
        ),
        "A A.X A.B A.B.z A.B.m? A.B.s A.B.h A.B.n A.B.more P P.d top",
    ),
    "a.php": (
        (
            "<?php\nnamespace A\\B;\nconst K = 1;\nabstract class X {"
            " use T; const Q = 1; private ?Y $b;\n"
            "function __construct(private Z $p) {} function m() { return"
            " new class { function z() {} }; } }\n"
            "interface I { function i(); }\ntrait T { function t() {}"
            " }\nenum E { case A; }\nfunction f() {}\n"
        ),
        "K X X.Q X.b X.__construct X.p X.m I I.i T T.t E E.A f",
    ),
    "a.kt": (
        (
            "package a\nconst val K = 1\ntypealias T = A\nclass C(val"
            " p: A, q: Int) {\n  val f = 1\n"
            "  constructor(a: Int) : this(a, 1) {}\n  fun m() {\n    fun inner() {}\n  }\n"
            "  companion object {\n    fun s() = 1\n  }\n}\nobject O {\n  fun o() {}\n}\n"
            "enum class E { A }\nfun C.ext() = 1\n"
        ),
        "K T C C.p C.f C.constructor C.m C.m.inner C.s O O.o E E.A C.ext",
    ),
    "a.swift": (
        (
            "let k = 1\ntypealias T = A\nclass C {\n  var f: A\n  init(a: A) {}\n  func m() {}\n}\n"
            "extension C {\n  func e() {}\n}\nextension String {\n  func s() {}\n}\n"
            "protocol P {\n  func d()\n}\nenum E {\n  case a\n}\n"
        ),
        "k T C C.f C.init C.m C.e String String.s P P.d E E.a",
    ),
    "a.sh": (
        "X=1\nreadonly Y=2\nfunction f { local a=1; B=2; }\ng() { f; }\nA=1 g\n",
        "X Y f g",
    ),
}


@pytest.mark.parametrize("path", NAMED)
def test_definitions_are_named_by_where_they_are(path: str) -> None:
    text, names = NAMED[path]
    found = languages.facts(path, text.encode())
    assert not found.broken
    assert {d.name for d in found.definitions} == {"", *names.split()}


def digests(path: str, text: str) -> dict[str, bytes]:
    return {d.name: d.digest for d in languages.facts(path, text.encode()).definitions}


CHANGED = {
    "a method's body is its own": (
        "A.java",
        "class A { int m() { return 1; }\n int n() { return 1; } }",
        "class A { int m() { return 2; }\n int n() { return 1; } }",
        {"A.m"},
    ),
    "a method more is the text of its class": (
        "a.rs",
        "struct S;\nimpl S {\n    fn a() {}\n}\n",
        "struct S;\nimpl S {\n    fn a() {}\n    fn b() {}\n}\n",
        {"S"},
    ),
    "a field has a text of its own": (
        "a.cs",
        "class C {\n  int f = 1;\n  int g = 1;\n}\n",
        "class C {\n  int f = 2;\n  int g = 1;\n}\n",
        {"C.f"},
    ),
    "several names in one statement are the text of their class": (
        "a.cpp",
        "class C {\n  int f, g;\n};\n",
        "class C {\n  long f, g;\n};\n",
        {"C"},
    ),
    "two definitions under a condition are one symbol": (
        "a.c",
        "#if X\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
        "#if X\nint f(void) { return 1; }\n#else\nint f(void) { return 3; }\n#endif\n",
        {"f"},
    ),
    "a class that is opened twice is one symbol": (
        "a.rb",
        "class A\n  def m; 1; end\nend\nclass A\n  X = 1\nend\n",
        "class A\n  def m; 1; end\nend\nclass A\n  include B\n  X = 1\nend\n",
        {"A"},
    ),
    "a comment behind a definition is its own": (
        "a.swift",
        "func f() {} // one\nfunc g() {}\n",
        "func f() {} // two\nfunc g() {}\n",
        {"f"},
    ),
    "an import is nobody's but the file's": (
        "a.kt",
        "import a.b\n\nfun f() = b()\n",
        "import a.c.b\n\nfun f() = b()\n",
        {""},
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_own_text(case: str) -> None:
    path, before, after, changed = CHANGED[case]
    old, new = digests(path, before), digests(path, after)
    assert {name for name in old if old[name] != new.get(name)} == changed


@pytest.mark.parametrize("path", NAMED)
def test_line_endings_are_no_text(path: str) -> None:
    text, _ = NAMED[path]
    assert digests(path, text) == digests(path, text.replace("\n", "\r\n"))


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("section", ["definitions", "uses"])
def test_every_query_fits_the_grammar_that_is_installed(dialect: object, section: str) -> None:
    assert dialect.query(section).pattern_count > 0  # type: ignore[attr-defined]


IMPORTS = {
    "A.java": ("import static a.B.c;\nimport d.*;\n", {("c", "a.B.c"), ("*", "d")}),
    "a.rs": (
        "use a::{self, b::{c as d, e::*}};\npub(crate) use super::f;\n",
        {("a", "a"), ("d", "a.b.c"), ("*", "a.b.e"), ("f", "super.f")},
    ),
    "a.c": ('#include "x/y.h"\n#include <z.h>\n', {("", "x/y.h"), ("", "z.h")}),
    "a.cpp": (
        "using namespace a::b;\nusing c::d;\nnamespace e = a::f;\n",
        {("*", "a.b"), ("d", "c.d"), ("e", "a.f")},
    ),
    "a.cs": (
        "using A.B;\nusing static C.D;\nusing E = F.G;\n",
        {("*", "A.B"), ("*", "C.D"), ("E", "F.G")},
    ),
    "a.rb": ("require_relative 'x/y'\nrequire \"z\"\n", {("", "x/y"), ("", "z")}),
    "a.php": (
        "<?php\nuse A\\B;\nuse C\\{D, E as F};\nuse function G\\h;\nrequire __DIR__ . '/x.php';\n",
        {("B", "A.B"), ("D", "C.D"), ("F", "C.E"), ("h", "G.h"), ("", "x.php")},
    ),
    "a.kt": (
        "import a.b\nimport c.*\nimport d.e as f\n",
        {("b", "a.b"), ("*", "c"), ("f", "d.e")},
    ),
    "a.sh": (
        '. ./a.sh\nsource "$DIR/b.sh"\n. "$(cd "$(dirname "$0")" && pwd)/c/d.sh"\n',
        {("", "./a.sh"), ("", "b.sh"), ("", "c/d.sh")},
    ),
}


@pytest.mark.parametrize("path", IMPORTS)
def test_imports_bind_names(path: str) -> None:
    text, expected = IMPORTS[path]
    shape = languages.facts(path, text.encode()).detail
    assert isinstance(shape, Shape)
    assert {(each.name, each.path) for each in shape.imports} == expected


def test_bases_are_stated() -> None:
    found = languages.facts("a.rb", b"class A < B::C\n  include D\n  prepend E\nend\n")
    assert found.bases == (("A", ("E", "D", "C")),)
