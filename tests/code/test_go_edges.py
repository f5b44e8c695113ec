"""The outgoing edges of Go functions and methods."""

import pytest

from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

MODULE = {
    "go.mod": "module example.org/app\n\ngo 1.22\n",
    "store/store.go": """package store

type Base struct{}

func (b *Base) Close() error { return nil }

type Store struct {
	*Base
	cache *Cache
	items map[string]*Item
	list  []Item
}

type Item struct{ Owner *Owner }

type Owner struct{}

func (o *Owner) Name() string { return "" }

func (i Item) Show() string { return i.Owner.Name() }

type Alias = Store

func New() (*Store, error) { return &Store{}, nil }

var Default = newDefault()

func newDefault() *Store { s, _ := New(); return s }
""",
    "store/cache.go": """package store

type Cache struct{}

func (c *Cache) Get(k string) *Item { return lookup(k) }

func lookup(k string) *Item { return nil }
""",
    "store/other_test.go": "package store_test\n\nfunc lookup() {}\n",
    "app/main.go": "",
}


def edges(body: str, receiver: str = "", head: str = "") -> set[str]:
    """The edges of `func f` with that body in `app/main.go`, which imports `store`."""
    source = (
        'package main\n\nimport (\n\t"fmt"\n\tst "example.org/app/store"\n)\n\n'
        "type Local struct{ db *st.Store }\n\nfunc (l *Local) run() {}\n\nfunc helper() {}\n"
        f"{head}\nfunc {receiver}f(p *st.Store, names ...st.Item) {{\n{body}\n}}\n"
    )
    files = {path: text.encode() for path, text in (MODULE | {"app/main.go": source}).items()}
    graph = Graph(Memory(files))
    name = "Local.f" if receiver else "f"
    return {str(symbol) for symbol in graph.callees(SymbolId("app/main.go", name))}


STORE = "store/store.go::"
LOCAL_RUN = "app/main.go::Local.run"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("helper()", {"app/main.go::helper"}),
        ("run(helper)", {"app/main.go::helper"}),
        ("f(nil)", {"app/main.go::f"}),
        ("fmt.Println(1)", set()),
        ("st.New()", {STORE + "New"}),
        ("helper := 1; _ = helper", set()),
        ("{ helper := func() {}; helper() }; helper()", {"app/main.go::helper"}),
        ("func(helper int) { _ = helper }(1)", set()),
        ("st := other(); st.New()", set()),
        ("p.Close()", {STORE + "Base.Close"}),
        ("x, err := st.New(); x.Close()", {STORE + "New", STORE + "Base.Close"}),
        ("x := &st.Store{}; x.Close()", {STORE + "Store", STORE + "Base.Close"}),
        ("var x st.Alias; x.Close()", {STORE + "Base.Close"}),
        ("st.Default.Close()", {STORE + "Base.Close"}),
        ("for _, n := range names { n.Show() }", {STORE + "Item.Show"}),
        ("l := Local{}; l.run()", {"app/main.go::Local", "app/main.go::Local.run"}),
        ("l := new(Local); l.run()", {"app/main.go::Local.run"}),
        ("x.(*Local).run()", {"app/main.go::Local.run"}),
        (
            "switch v := x.(type) {\ncase *Local:\n\tv.run()\ncase int, st.Store:\n\tv.Close()\n}",
            {"app/main.go::Local.run"},
        ),
        ("_ = []st.Item{{Owner: nil}}", {STORE + "Item"}),
        ("_ = Local{helper: 1}", {"app/main.go::Local"}),
        ("go (*Local).run(nil)", {"app/main.go::Local", "app/main.go::Local.run"}),
        ("if x, err := st.New(); err != nil { x.Close() }", {STORE + "New", STORE + "Base.Close"}),
    ],
)
def test_edges_of_a_function(body: str, expected: set[str]) -> None:
    assert edges(body) == expected


def test_a_receiver_reaches_its_methods_and_those_of_its_fields() -> None:
    assert edges("l.run(); l.db.Close()", "(l *Local) ") == {
        "app/main.go::Local.run",
        STORE + "Base.Close",
    }


def test_edges_within_a_package_cross_files_but_no_other_package() -> None:
    graph = Graph(Memory({path: text.encode() for path, text in MODULE.items()}))
    assert graph.callees(SymbolId("store/cache.go", "Cache.Get")) == {
        SymbolId("store/cache.go", "lookup")
    }
    assert graph.callees(SymbolId("store/store.go", "Item.Show")) == {
        SymbolId("store/store.go", "Owner.Name")
    }
    assert graph.callees(SymbolId("store/store.go", "Default")) == {
        SymbolId("store/store.go", "newDefault")
    }


def test_fields_of_map_and_slice_types() -> None:
    head = "type Box struct {\n\tmany map[string][]*Local\n}\n"
    local = {"app/main.go::Local.run"}
    assert edges("var b Box\nb.many[`x`][0].run()", head=head) == local
    assert edges("var b Box\nfor _, v := range b.many { v[1].run() }", head=head) == local


def test_structs_that_embed_each_other_are_searched_once() -> None:
    embeds = "\n".join(f"\t*T{i}" for i in range(12))
    head = "".join(f"type T{i} struct {{\n{embeds}\n}}\n" for i in range(12))
    assert edges("var t T0; t.none(); t.run()", head=head) == set()


def test_a_nest_of_a_thousand_calls_is_resolved() -> None:
    assert edges("x := " + "helper(" * 3000 + ")" * 3000) == {"app/main.go::helper"}


def test_the_same_text_means_what_its_own_file_says() -> None:
    text = "\n\nfunc f() { helper() }\n\nfunc helper() {}\n"
    files = {f"{name}/f.go": f"package {name}{text}".encode() for name in "ab"}
    graph = Graph(Memory(files))
    for path in files:
        assert graph.callees(SymbolId(path, "f")) == {SymbolId(path, "helper")}


def test_a_text_that_stays_is_resolved_against_the_imports_of_now() -> None:
    def main(module: str) -> bytes:
        return f'package main\n\nimport p "m/{module}"\n\nfunc f() {{ p.Run() }}\n'.encode()

    files = {"go.mod": b"module m\n", "main.go": main("a")}
    files |= {f"{name}/p.go": f"package {name}\n\nfunc Run() {{}}\n".encode() for name in "ab"}
    graph = Graph(Memory(files))
    assert graph.callees(SymbolId("main.go", "f")) == {SymbolId("a/p.go", "Run")}
    drift = graph.apply(Write(path="main.go", before=main("a"), after=main("b")))
    assert SymbolId("main.go", "f") in drift.dispatch
    assert graph.callees(SymbolId("main.go", "f")) == {SymbolId("b/p.go", "Run")}


def test_a_function_beside_a_damaged_one_keeps_its_edges() -> None:
    source = b"package p\n\nfunc f() {\n\thelper()\n}\n\nfunc broken( {\n\nfunc helper() {}\n"
    graph = Graph(Memory({"p.go": source}))
    facts = graph.facts("p.go")
    assert facts is not None
    assert facts.broken
    assert graph.callees(SymbolId("p.go", "f")) == {SymbolId("p.go", "helper")}


@pytest.mark.parametrize("length", [10, 3000])
def test_a_chain_of_calls_is_resolved_or_not_known(length: int) -> None:
    head = "type Link struct{}\n\nfunc (l Link) next() Link { return l }\n"
    found = edges("Link{}" + ".next()" * length, head=head)
    assert found == {"app/main.go::Link", "app/main.go::Link.next"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("_, l := both(); l.run()", {"app/main.go::both", "app/main.go::Local.run"}),
        ("l, _ := both(); l.Close()", {"app/main.go::both", STORE + "Base.Close"}),
        ("l := both; l.run()", {"app/main.go::both"}),
        ("ls := append([]Local{}, x...); ls[0].run()", {"app/main.go::Local", LOCAL_RUN}),
        ("var c chan *Local; (<-c).run()", {LOCAL_RUN}),
        ("var c chan *Local; for l := range c { l.run() }", {LOCAL_RUN}),
        ("a, b := p, Local{}; b.run(); a.Close()", {
            "app/main.go::Local", LOCAL_RUN, STORE + "Base.Close"}),
        ("l := Local{}; { l := p; l.run() }; l.run()", {"app/main.go::Local", LOCAL_RUN}),
    ],
)  # fmt: skip
def test_types_of_local_names(body: str, expected: set[str]) -> None:
    head = "func both() (*st.Store, *Local) { return nil, nil }\n"
    assert edges(body, head=head) == expected
