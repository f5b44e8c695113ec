"""What Go symbols use, and what a call through an interface may reach."""

import pytest

from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

FILES = {
    "go.mod": "module m\n",
    "kinds/kinds.go": """package kinds

type Level int

const (
	Debug Level = iota
	Info
	_
	Warn
)

const (
	first = 1 << iota
	second
)

var Names = map[Level]string{Debug: "debug", Info: name()}

var a, b = pair()

type Alias = Level

type Handler func(s string) (*Item, error)

var Default Handler = pick

func name() string { return "" }

func pair() (int, *Item) { return 0, nil }

func pick(s string) (*Item, error) { return nil, nil }

type Item struct {
	size  int
	x, y  int
	do    func() *Item
	inner Inner
}

type Inner struct{ deep int }

func (i *Item) Show() string { return "" }

type Box[T any] struct {
	value T
	all   map[string][]T
}

func (b *Box[E]) Get() E { return b.value }

func Wrap[T any](t T) *Box[T] { return &Box[T]{value: t} }

type Pair[K comparable, V any] struct{ Box[V] }
""",
    "kinds/use.go": "",
}
KINDS = "kinds/kinds.go::"


def marks(source: str, name: str = "f") -> dict[str, str]:
    files = {**FILES, "kinds/use.go": f"package kinds\n\n{source}\n"}
    graph = Graph(Memory({path: text.encode() for path, text in files.items()}))
    found = graph.edges(SymbolId("kinds/use.go", name))
    return {str(target).removeprefix(KINDS): mark for target, mark in found.items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return Warn", {"Warn": "uses"}),
        ("Debug := 1; return Debug", {}),
        ("return Names[Info]", {"Names": "uses", "Info": "uses"}),
        ("return Level(3)", {"Level": "uses"}),
        ("var l Level; return l", {"Level": "uses"}),
        ("return map[Level]int{Debug: 1}", {"Level": "uses", "Debug": "uses"}),
        ("return [...]int{Info: 1}", {"Info": "uses"}),
        ("return Item{size: 1, x: 2}", {"Item": "exact", "Item.size": "uses"}),
        ("return []Item{{size: 1}, {x: 2}}", {"Item": "exact", "Item.size": "uses"}),
        (
            "return map[Level]*Item{Info: {size: second}}",
            {"Item": "exact", "Level": "uses", "Info": "uses", "Item.size": "uses"}
            | {"second": "uses"},
        ),
        (
            "return Item{inner: Inner{deep: 1}}",
            {"Item": "exact", "Inner": "exact", "Item.inner": "uses", "Inner.deep": "uses"},
        ),
        ("return b.Show()", {"Item.Show": "exact"}),
        ("i, _ := pick(``); i.size = 1", {"pick": "exact", "Item.size": "uses"}),
        ("i, _ := Default(``); i.Show()", {"Default": "uses", "Item.Show": "exact"}),
        ("var i Item; return i.x", {"Item": "uses"}),
        ("var i Item; i.do().Show()", {"Item.do": "uses", "Item.Show": "exact"}),
        ("g := func() (int, *Item) { return pair() }; _, i := g(); i.Show()", {
            "pair": "exact", "Item.Show": "exact"}),
        ("show := (*Item).Show; show(nil)", {"Item": "exact", "Item.Show": "exact"}),
        ("x := new(Box[*Item]); x.Get().Show()", {"Box.Get": "exact", "Item.Show": "exact"}),
        ("var x Box[Item]; x.value.Show()", {"Box.value": "uses", "Item.Show": "exact"}),
        ("var x Box[Item]; for _, is := range x.all { is[0].Show() }", {
            "Box.all": "uses", "Item.Show": "exact"}),
        ("var p Pair[int, *Item]; p.Get().Show()", {"Box.Get": "exact", "Item.Show": "exact"}),
        ("Wrap[*Item](nil).Get().Show()", {
            "Wrap": "exact", "Box.Get": "exact", "Item.Show": "exact"}),
        ("for l := range map[*Item]int{} { l.Show() }", {"Item.Show": "exact"}),
        ("for l := range Names { l.none() }", {"Names": "uses"}),
    ],
)  # fmt: skip
def test_what_a_function_uses(body: str, expected: dict[str, str]) -> None:
    assert marks(f"func f() {{\n{body}\n}}") == expected


def test_what_variables_and_constants_use() -> None:
    assert marks("var f = pick") == {"pick": "exact"}
    assert marks("var (\n\tf Level = Warn\n)") == {"Level": "uses", "Warn": "uses"}
    assert marks("const (\n\tg Level = Info * iota\n\tf\n)") == {"Level": "uses", "Info": "uses"}
    assert marks("var g, f = pair()\nvar _ = name()", "") == {"pair": "exact", "name": "exact"}


def test_a_type_parameter_is_what_it_has_to_be() -> None:
    source = "type Shower interface{ Show() string }\n"
    generic = source + "func f[T Shower](t T, all []T) { t.Show(); all[0].Show() }"
    assert marks(generic) == {"kinds/use.go::Shower.Show": "exact", "Item.Show": "virtual"}
    assert marks(source + "func f[Level any](l Level) { var m Level }") == {}


def test_the_value_of_a_constant_depends_on_its_place() -> None:
    def digests(text: str) -> dict[str, bytes]:
        graph = Graph(Memory({"a.go": text.encode()}))
        facts = graph.facts("a.go")
        assert facts
        return {d.name: d.digest for d in facts.definitions}

    def moved(before: str, after: str) -> set[str]:
        old, new = digests(before), digests(after)
        return {name for name in old if name and old[name] != new.get(name)}

    block = "package p\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n"
    assert moved(block, block.replace("\tB\n", "\tX\n\tB\n")) == {"B", "C"}
    assert moved(block, block.replace("\tB\n", "\t_\n\tB\n")) == {"B", "C"}
    assert moved(block, block.replace("iota", "iota + 1")) == {"A", "B", "C"}
    assert moved(block, block.replace("\tC\n", "\tC\n\tD\n")) == set()
    assert moved(block, block.replace("\tB\n", "\t// note\n\n\tB\n")) == set()
    plain = block.replace("iota", "1").replace("\tC\n", "\tC = 2\n")
    assert moved(plain, plain.replace("\tB\n", "\tX\n\tB\n")) == set()
    assert moved(plain, plain.replace("\tB\n", "\tX = 5\n\tB\n")) == {"B"}


def test_a_constant_that_moves_drifts_who_reads_it() -> None:
    old = FILES["kinds/kinds.go"].encode()
    files = {path: text.encode() for path, text in FILES.items()}
    files["kinds/use.go"] = b"package kinds\n\nfunc f() Level { return Warn }\nfunc g() {}\n"
    graph = Graph(Memory(files))
    for symbol in list(graph.symbols()):
        graph.view(symbol)
    found = graph.apply(Write("kinds/kinds.go", old, old.replace(b"\tInfo\n", b"\tMore\n\tInfo\n")))
    assert SymbolId("kinds/use.go", "f") in found.dispatch
    assert SymbolId("kinds/use.go", "g") not in found.dispatch
    assert {s.name for s in found.body} >= {"Info", "Warn"}


INTERFACES = {
    "go.mod": "module m\n",
    "io/io.go": """package io

type Saver interface {
	Named
	Save(key string, n int) error
}

type Named interface{ Name() string }

type Secret interface{ hide() }
""",
    "disk/disk.go": """package disk

type Disk struct{ base }

func (d *Disk) Save(key string, n int) error { return nil }

type base struct{}

func (base) Name() string { return "" }

type Half struct{}

func (Half) Save(key string, n int) error { return nil }

type Whole struct{ *Half }

func (Whole) Name() string { return "" }

type Other struct{}

func (Other) Save(key string) error { return nil }
func (Other) Name() string          { return "" }
func (Other) hide()                 {}
""",
    "main.go": """package main

import "m/io"

type holder struct{ io.Saver }

func f(s io.Saver) { s.Save("", 1) }

func g(h holder) { h.Save("", 1); h.Saver.Name() }

func h(s io.Secret) { s.hide() }
""",
}


def reached(graph: Graph, name: str) -> dict[str, str]:
    return {str(s): mark for s, mark in graph.edges(SymbolId("main.go", name)).items()}


def test_a_call_through_an_interface_reaches_what_implements_it() -> None:
    graph = Graph(Memory({path: text.encode() for path, text in INTERFACES.items()}))
    assert reached(graph, "f") == {
        "io/io.go::Saver.Save": "exact",
        "disk/disk.go::Disk.Save": "virtual",
        "disk/disk.go::Half.Save": "virtual",
    }
    assert reached(graph, "g") == reached(graph, "f") | {
        "io/io.go::Named.Name": "exact",
        "disk/disk.go::base.Name": "virtual",
        "disk/disk.go::Whole.Name": "virtual",
    }
    assert reached(graph, "h") == {"io/io.go::Secret.hide": "exact"}


HALF = "type Half struct{}"
MORE = "\n\ntype New struct{ Other }\n\nfunc (New) Save(key string, n int) error { return nil }"
SAVE = "func (d *Disk) Save(key string, n int)"
WRITES = {
    "a method more": ("disk/disk.go", HALF, HALF + "\n\nfunc (Half) Name() string { }", False),
    "an implementation more": ("disk/disk.go", HALF, HALF + MORE, True),
    "a parameter less": ("disk/disk.go", SAVE, SAVE.replace(", n int", ""), True),
    "no longer embedded": ("disk/disk.go", "struct{ *Half }", "struct{ h *Half }", True),
    "the interface asks for more": ("io/io.go", "Name() string }", "Name() string; hide() }", True),
}


@pytest.mark.parametrize("case", WRITES)
def test_an_implementation_that_comes_or_goes_moves_the_caller(case: str) -> None:
    path, old, new, moves = WRITES[case]
    files = {each: text.encode() for each, text in INTERFACES.items()}
    graph = Graph(Memory(files))
    caller = SymbolId("main.go", "f")
    graph.view(caller)
    after = files[path].replace(old.encode(), new.encode())
    assert after != files[path]
    found = graph.apply(Write(path, files[path], after))
    assert (caller in found.dispatch) == moves


def test_names_of_a_package_imported_with_a_dot() -> None:
    files = {path: text.encode() for path, text in FILES.items()}
    files["main.go"] = b"""package main

import . "m/kinds"

func f(i *Item) { i.Show(); Wrap[*Item](i).Get().Show(); _ = []Level{Debug} }
"""
    graph = Graph(Memory(files))
    found = {s.name: mark for s, mark in graph.edges(SymbolId("main.go", "f")).items()}
    exact = dict.fromkeys(("Item.Show", "Wrap", "Box.Get"), "exact")
    assert found == exact | {"Level": "uses", "Debug": "uses"}
