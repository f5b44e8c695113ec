"""Callers, callees, bases, overrides and importers, in Python and TypeScript, and what they cut."""

from typing import Any

import pytest
from tests.skills.story import Story

from statetape.errors import BadInput
from statetape.skills import answered
from statetape.skills.reach import reached
from statetape.types import Mark, SymbolId


def rows(story: Story, name: str, *fields: str, **arguments: object) -> list[tuple[Any, ...]]:
    answer = answered(name, story.situation, arguments)
    return [tuple(getattr(row, field) for field in fields) for row in answer.rows]


def test_callers_come_with_distance_mark_and_the_symbol_between() -> None:
    fields = "symbol", "direction", "hops", "mark", "through"
    assert rows(Story(), "callers", *fields, symbol="run", hops=2) == [
        ("shop/main.py::start", "caller", 1, "exact", "shop/main.py::run"),
        ("shop/main.py::main", "caller", 2, "exact", "shop/main.py::start"),
    ]


def test_an_inexact_receiver_calls_the_overrides_too() -> None:
    found = rows(Story(), "callees", "symbol", "direction", "mark", symbol="Store.save")
    assert found == [
        ("shop/base.py::Store.load", "callee", "exact"),
        ("shop/disk.py::Disk.load", "callee", "virtual"),
        ("shop/disk.py::Fast.load", "callee", "virtual"),
    ]


def test_a_constant_is_reached_by_who_reads_it() -> None:
    found = rows(Story(), "callers", "symbol", "mark", symbol="shop/base.py::LIMIT")
    assert found == [("shop/base.py::Store.load", "uses")]


def test_typescript_has_callers_too() -> None:
    found = rows(Story(), "callers", "symbol", "mark", symbol="get")
    assert found == [("web/api.ts::Api.fetch", "exact"), ("web/page.ts::Page.fetch", "exact")]


def test_edges_are_those_after_the_last_write() -> None:
    story = Story()
    story.edit("shop/main.py", "return run(Disk())", "return 1")
    assert rows(story, "callers", "symbol", symbol="run") == []


def test_what_is_beyond_the_most_is_counted() -> None:
    answer = answered("callees", Story().situation, {"symbol": "Store.save", "most": 1})
    assert len(answer.rows) == 1
    assert answer.left_out == 2


def test_of_a_border_the_first_are_gone_on_from() -> None:
    a, b, c, d = (SymbolId("f", name) for name in "abcd")
    edges: dict[SymbolId, dict[SymbolId, Mark]] = {a: {b: "virtual", c: "exact"}, c: {d: "uses"}}
    seen = []

    def step(symbol: SymbolId) -> dict[SymbolId, Mark]:
        seen.append(symbol)
        return edges.get(symbol, {})

    assert list(reached(a, step, 2, 1)) == [c, b, d]
    assert seen == [a, c]


def test_the_strongest_mark_of_the_last_hop_counts() -> None:
    a, b, c, d = (SymbolId("f", name) for name in "abcd")
    edges: dict[SymbolId, dict[SymbolId, Mark]] = {
        a: {b: "exact", c: "exact"},
        b: {d: "guess", a: "exact"},
        c: {d: "virtual"},
    }
    found = reached(a, lambda symbol: edges.get(symbol, {}), 2, 9)
    assert found[d] == (2, "virtual", c)
    assert a not in found


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("Store", [("shop/disk.py::Disk", 1), ("shop/disk.py::Fast", 2)]),
        ("Store.load", [("shop/disk.py::Disk.load", 1), ("shop/disk.py::Fast.load", 2)]),
        ("Store.save", []),
        ("Source", [("web/api.ts::Api", 1), ("web/page.ts::Page", 2)]),
        ("Source.fetch", [("web/api.ts::Api.fetch", 1), ("web/page.ts::Page.fetch", 2)]),
    ],
)
def test_what_derives_and_overrides(symbol: str, expected: list[tuple[str, int]]) -> None:
    assert rows(Story(), "overrides", "symbol", "hops", symbol=symbol) == expected


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("Fast", [("shop/disk.py::Disk", 1), ("shop/base.py::Store", 2)]),
        ("Fast.load", [("shop/disk.py::Disk.load", 1), ("shop/base.py::Store.load", 2)]),
        ("Page", [("web/api.ts::Api", 1), ("web/api.ts::Source", 2)]),
        ("Page.fetch", [("web/api.ts::Api.fetch", 1), ("web/api.ts::Source.fetch", 2)]),
        ("show", []),
    ],
)
def test_bases_and_what_is_overridden(symbol: str, expected: list[tuple[str, int]]) -> None:
    assert rows(Story(), "bases", "symbol", "hops", symbol=symbol) == expected


def test_a_namesake_is_no_base() -> None:
    story = Story({"a.py": "class B: pass\n", "b.py": "class B: pass\nclass C(B): pass\n"})
    assert rows(story, "overrides", "symbol", symbol="a.py::B") == []
    assert rows(story, "overrides", "symbol", symbol="b.py::B") == [("b.py::C",)]


def test_classes_in_a_circle_end() -> None:
    story = Story({"a.py": "class A(B): pass\nclass B(A): pass\n"})
    assert rows(story, "overrides", "symbol", symbol="A") == [("a.py::B",)]
    assert rows(story, "bases", "symbol", symbol="A") == [("a.py::B",)]


def test_go_types_implement_without_a_word() -> None:
    files = {
        "go.mod": "module ex.com/m\n",
        "a/a.go": "package a\n\ntype T interface{ M() int }\n\ntype B struct{}\n\n"
        "func (b *B) M() int { return 1 }\n",
        "c/c.go": 'package c\n\nimport "ex.com/m/a"\n\ntype D struct{ a.B }\n\n'
        "func (d *D) M() int { return 2 }\n",
    }
    story = Story(files)
    found = rows(story, "overrides", "symbol", symbol="a/a.go::T.M")
    assert found == [("a/a.go::B.M",), ("c/c.go::D.M",)]
    assert rows(story, "bases", "symbol", symbol="D") == [("a/a.go::B",)]
    assert rows(story, "importers", "path", "states", path="a/a.go") == [("c/c.go", "ex.com/m/a")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "shop/base.py",
            [
                ("shop/disk.py", "from shop.base import Store as Base"),
                ("shop/main.py", "from . import base"),
            ],
        ),
        ("disk.py", [("shop/main.py", "from shop.disk import ( Disk, Fast, )")]),
        ("web/api.ts", [("web/page.ts", "./api")]),
        ("web/page.ts", []),
        ("shop/__init__.py", [("shop/main.py", "from . import base")]),
    ],
)
def test_importers(path: str, expected: list[tuple[str, str]]) -> None:
    assert rows(Story(), "importers", "path", "states", path=path) == expected


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (
            {"index.js": "export * from './lib'\n", "lib/index.js": "// './b'\n", "b.js": ""},
            "lib/index.js",
            [("index.js", "./lib")],
        ),
        (
            {"a.js": "/* import './b' */\n// require('./b')\n", "b.js": "", "c.js": "import './b'"},
            "b.js",
            [("c.js", "./b")],
        ),
        (
            {"p/A.java": "package p;\nclass A {}\n", "B.java": "import p.A;\nclass B {}\n"},
            "p/A.java",
            [("B.java", "p.A")],
        ),
        ({"a.h": "int f();\n", "a.c": '#include "a.h"\n'}, "a.h", [("a.c", "a.h")]),
        (
            {"src/lib.rs": "mod b;\nuse b::X;\n", "src/b.rs": "pub struct X;\n"},
            "src/b.rs",
            [("src/lib.rs", "b.X")],
        ),
        ({"a.py": "x = 'import b'\n# import b\n", "b.py": ""}, "b.py", []),
    ],
)
def test_importers_elsewhere(
    files: dict[str, str], path: str, expected: list[tuple[str, str]]
) -> None:
    assert rows(Story(files), "importers", "path", "states", path=path) == expected


def test_names_are_ends_of_spellings() -> None:
    story = Story()
    for name in ("Disk.load", "disk.py::Disk.load", "shop/disk.py::Disk.load"):
        found = answered("source", story.situation, {"symbol": name})
        assert found.rows[0].path == "shop/disk.py"
    assert answered("source", story.situation, {"symbol": "base.py::"}).rows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"symbol": "load"}, "'load' fits 3 symbols: shop/base.py::Store.load, shop/disk.py::"),
        (
            {"symbol": "shop/base.py::Stor"},
            "no symbol 'shop/base.py::Stor'; close to it: shop/base",
        ),
        ({"symbol": "shop/base.py::Store\nload"}, "no symbol 'shop/base.py::Store load'"),
        ({}, "callers: Object missing required field `symbol`; it takes symbol, hops, most"),
        ({"symbol": "run", "hops": 3}, "Expected `int` <= 2 - at `$.hops`"),
        ({"symbol": "run", "depth": 3}, "unknown field `depth`"),
        ({"symbol": 7}, "Expected `str`, got `int`"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput) as fault:
        answered("callers", Story().situation, arguments)
    assert words in str(fault.value)
    assert "\n" not in str(fault.value)
