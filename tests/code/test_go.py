"""Go files: their definitions, whole and damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code import languages
from statetape.code.extract import go
from statetape.code.extract.go_shape import Function, Value
from statetape.code.facts import Facts

SOURCE = b"""// Package store keeps things.
package store

import (
	"fmt"
	alias "example.org/x/other"
	. "example.org/x/dot"
)

var shared, second = New(), 2

// Store keeps.
type Store[K comparable, V any] struct {
	Base
	*alias.Extra
	name, label string
	next  *Store[K, V]
}

type (
	Getter interface {
		Get(key string) (*Item, error)
	}
	Item  struct{ id int }
	Same  = Item
)

func New() (*Store[string, int], error) {
	helper := func() int { return 1 }
	return &Store[string, int]{}, fmt.Errorf("%d", helper())
}

func (s *Store[K, V]) Get(key K) *Item {
	return nil
}

func (Item) Empty() {}
"""
NAMES = [
    *("Store", "Store.next", "Getter", "Getter.Get", "Item", "Item.id", "Same", "New"),
    *("Store.Get", "Item.Empty"),
]


def names(facts: Facts) -> list[str]:
    return [definition.name for definition in facts.definitions]


def digests(data: bytes) -> dict[str, bytes]:
    return {d.name: d.digest for d in go.facts("a.go", data).definitions}


def test_functions_methods_and_types() -> None:
    facts = go.facts("store/a.go", SOURCE)
    assert names(facts) == ["", *NAMES]
    kinds = {d.name: d.kind for d in facts.definitions}
    assert kinds["Store"] == "struct"
    assert kinds["Getter"] == "interface"
    assert kinds["Store.Get"] == "method"
    assert not facts.broken
    assert {"Errorf", "alias", "helper"} <= facts.used


def test_the_shape_is_what_other_files_see() -> None:
    shape = go.facts("store/a.go", SOURCE).detail.shape
    assert shape.package == "store"
    assert shape.imports == (
        *(("", "fmt"), ("alias", "example.org/x/other"), (".", "example.org/x/dot")),
    )
    assert shape.functions["New"].results == ("*Store[string,int]", "error")
    assert shape.functions["Store.Get"] == Function(("K",), ("*Item",), ("K", "V"))
    assert shape.types["Store"].embeds == ("Base", "alias.Extra")
    assert shape.types["Store"].fields["label"] == "string"
    assert shape.types["Store"].together == {"name", "label"}
    assert shape.types["Getter"].methods == {"Get": Function(("string",), ("*Item", "error"))}
    assert shape.types["Same"].alias
    assert shape.values == {
        "shared": Value(expression="New()", own=False),
        "second": Value(expression="2", own=False),
    }


def test_others_see_the_declarations_by_name() -> None:
    def changed(data: bytes) -> set[str]:
        return languages.changed(go.facts("a.go", SOURCE), go.facts("a.go", data))

    body = SOURCE.replace(b"return nil", b"return &Item{}")
    moved = SOURCE.replace(b"// Store keeps.", b"// Store keeps.\n//\n// More.")
    assert changed(body) == changed(moved) == set()
    assert changed(SOURCE.replace(b"K) *Item", b"K) *Same")) == {"Store.Get"}
    assert changed(SOURCE.replace(b'"fmt"', b'"os"')) == {'"fmt', '"os', "?"}
    assert changed(SOURCE + b"\nfunc more() {}\n") == {"more"}


DAMAGES = [
    (b"key K) *Item {", b"key K *Item {"),
    (b"\treturn nil\n", b"\tif x {\n\treturn nil\n"),
    (b"\treturn nil\n", b"\treturn foo(\n"),
    (b"\treturn nil\n", b'\treturn "foo\n'),
    (b"\treturn nil\n", b"<<<<<<< ours\n\treturn nil\n=======\n\treturn 2\n>>>>>>> theirs\n"),
    (b"id int }", b"id int "),
    (b"label string", b"label strin[g"),
    (b"func() int { return 1 }", b"func() int { return 1 "),
    (b")\n\nvar", b"\n\nvar"),
]


@pytest.mark.parametrize(("old", "new"), DAMAGES)
def test_a_damaged_line_loses_no_symbol(old: bytes, new: bytes) -> None:
    assert old in SOURCE
    damaged = SOURCE.replace(old, new)
    kept = set(names(go.facts("a.go", damaged)))
    lost = set(NAMES) - kept
    assert lost <= ({"Item", "Item.id"} if old == b"id int }" else set())


def test_damage_changes_only_the_damaged_symbol() -> None:
    before, after = digests(SOURCE), digests(SOURCE.replace(b"\treturn nil\n", b"\tif x {\n"))
    assert {name for name in before if before[name] != after.get(name)} == {"Store.Get"}


def test_a_damaged_constant_costs_itself_and_no_number_of_the_others() -> None:
    block = b"package p\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n"
    before, after = digests(block), digests(block.replace(b"\tB\n", b"\tB = (\n"))
    assert {name for name in before if name and before[name] != after.get(name)} == {"B"}


def test_a_comment_in_front_moves_everything_and_changes_the_residue_alone() -> None:
    before, after = digests(SOURCE), digests(b"// one more\n" + SOURCE)
    assert {name for name in before if before[name] != after.get(name)} == {""}


def test_declarations_may_stand_at_any_column() -> None:
    text = b"package p\n\nfunc f() {\nvar x = 1\ntype t int\ng(x)\n}\n\n  func g(int) {}\n"
    facts = go.facts("a.go", text)
    assert names(facts) == ["", "f", "g"]
    assert not facts.broken


def test_a_text_with_declarations_in_it_is_one_part() -> None:
    text = b"package p\n\nvar s = `\nfunc f() {\n`\n\n/*\nfunc g() {\n*/\nvar t = '\\''\n"
    assert names(go.facts("a.go", text)) == ["", "s", "t"]


def damaged() -> st.SearchStrategy[bytes]:
    cut = st.tuples(st.integers(0, 900), st.integers(0, 60), st.binary(max_size=5))
    return cut.map(lambda c: SOURCE[: c[0]] + c[2] + SOURCE[c[0] + c[1] :])


@given(data=damaged() | st.binary(max_size=100) | st.text('func(){}type x*.[]`"\n').map(str.encode))
def test_anything_gives_facts_with_spans_that_nest(data: bytes) -> None:
    facts = go.facts("a.go", data)
    spans = sorted((s for d in facts.definitions[1:] for s in d.spans), key=lambda s: s.start)
    for i, span in enumerate(spans):
        assert 0 <= span.start <= span.end <= len(data)
        for other in spans[i + 1 :]:
            assert other.start >= span.end or other.end <= span.end


@given(data=damaged())
def test_digests_are_free_of_positions(data: bytes) -> None:
    before, after = digests(data), digests(b"// one more\n" + data)
    before.pop("")
    after.pop("")
    assert before == after
