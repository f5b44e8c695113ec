"""Go modules: import paths, workspaces, replaced modules, packages of several names and builds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code.extract import go_module
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

TEXT = b"""// the module
module "example.org/x" // its name

go 1.22

require example.org/lib v1.2.3

replace example.org/lib v1.2.3 => ../lib
replace (
	example.org/far => example.org/fork v1.0.0
	example.org/near => ./near/it
)
"""


def test_a_module_and_what_stands_in_for_others() -> None:
    assert go_module.facts("go.mod", TEXT).detail == go_module.Module(
        "example.org/x", (("example.org/lib", "../lib"), ("example.org/near", "./near/it"))
    )
    assert go_module.facts("go.mod", b"\xff").detail == go_module.Module()


def test_a_workspace_and_its_modules() -> None:
    text = b'go 1.22\n\nuse ./one // first\nuse (\n\t./two\n\t"./three"\n)\n'
    assert go_module.facts("go.work", text).detail.used == ("./one", "./two", "./three")


@given(st.binary() | st.text('use replace module =>.()\n"/').map(str.encode))
def test_any_text_is_some_module(data: bytes) -> None:
    assert isinstance(go_module.facts("go.mod", data).detail, go_module.Module)


LIB = "package lib\n\nfunc Do() {}\n"
MAIN = 'package main\n\nimport "example.org/lib/in"\n\nfunc f() { lib.Do() }\n'
CASES = {
    "the same module": {"go.mod": "module example.org/lib\n", "in/l.go": LIB, "m/m.go": MAIN},
    "a module within": {
        "go.mod": "module example.org/lib\n",
        "in/go.mod": "module example.org/lib/in\n",
        "in/l.go": LIB,
        "m/m.go": MAIN,
    },
    "a replaced module": {
        "m/go.mod": "module m\n\nreplace example.org/lib => ../deep/lib\n",
        "deep/lib/in/l.go": LIB,
        "m/m.go": MAIN,
    },
    "a workspace": {
        "go.work": "use (\n\t./m\n\t./other\n)\n",
        "m/go.mod": "module m\n",
        "other/go.mod": "module example.org/lib\n",
        "other/in/l.go": LIB,
        "m/m.go": MAIN,
    },
}


def graph_of(files: dict[str, str]) -> Graph:
    return Graph(Memory({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize("case", CASES)
def test_an_import_path_finds_its_package(case: str) -> None:
    files = CASES[case]
    (lib,) = (path for path, text in files.items() if text == LIB)
    assert graph_of(files).callees(SymbolId("m/m.go", "f")) == {SymbolId(lib, "Do")}


def test_another_module_is_outside_and_above_the_root_is_nothing() -> None:
    files = {**CASES["a workspace"], "go.work": "use ./m\n"}
    assert not graph_of(files).callees(SymbolId("m/m.go", "f"))
    files = {**files, "m/go.mod": "module m\n\nreplace example.org/lib => ../../../lib\n"}
    assert not graph_of(files).callees(SymbolId("m/m.go", "f"))


def test_a_module_that_joins_the_workspace_moves_who_imports_it() -> None:
    files = {**CASES["a workspace"], "go.work": "use ./m\n"}
    graph = graph_of(files)
    caller = SymbolId("m/m.go", "f")
    graph.view(caller)
    found = graph.apply(Write("go.work", b"use ./m\n", b"use ./m\nuse ./other\n"))
    assert found.dispatch == {caller}


def test_what_several_builds_define_counts_all() -> None:
    files = {
        "a.go": "package p\n\nfunc f() { open() }\n",
        "open_linux.go": "//go:build linux\n\npackage p\n\nfunc open() {}\n",
        "open_windows.go": "package p\n\nfunc open() {}\n",
        "gen.go": "//go:build ignore\n\npackage main\n\nfunc open() {}\n",
    }
    assert graph_of(files).callees(SymbolId("a.go", "f")) == {
        SymbolId("open_linux.go", "open"),
        SymbolId("open_windows.go", "open"),
    }


def test_an_external_test_package_is_another_one() -> None:
    files = {
        "go.mod": "module m\n",
        "p/a.go": "package p\n\nfunc Do() {}\n\nfunc f() { Do() }\n",
        "p/a_test.go": (
            'package p_test\n\nimport "m/p"\n\nfunc Do() {}\n\nfunc TestIt() { Do(); p.Do() }\n'
        ),
        "p/b_test.go": "package p\n\nfunc TestIn() { Do() }\n",
        "q/q.go": 'package q\n\nimport "m/p"\n\nfunc g() { p.TestIn(); p.Do() }\n',
    }
    graph = graph_of(files)
    do = SymbolId("p/a.go", "Do")
    assert graph.callees(SymbolId("p/a.go", "f")) == {do}
    assert graph.callees(SymbolId("p/b_test.go", "TestIn")) == {do}
    assert graph.callees(SymbolId("p/a_test.go", "TestIt")) == {do, SymbolId("p/a_test.go", "Do")}
    assert graph.callees(SymbolId("q/q.go", "g")) == {do}
