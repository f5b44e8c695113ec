"""Symbols vouch for lines: while none of their digests changes, the lines stand in the file."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code import languages

LINES = (
    "import os",
    "",
    "x = 1",
    "# note",
    "@mark",
    "def f():",
    "def g(a): return a",
    "class K:",
    "class K: pass  # note",
    "if x:",
    "else:",
    "    x = 1",
    "    def f(self):",
    "    def m(self): pass",
    "    @mark",
    "    # note",
    "        return 1",
    "        def inner():",
    "            return 2",
    "    async def n(self):",
    '    """open',
    "    foo(",
    "<<<<<<< ours",
    "x = [f for f in (",
)
MORE = (
    "function f() { return 1 }",
    "function g() {",
    "}",
    "const a = () => 1, b = () => 2;",
    "class C { m() { return 1 }",
    "  n() {}",
    "# Heading",
    "## Below",
    "key: 1",
    "  deep: 2",
    "[table]",
    "b = 3",
    '{"k": {"n": 1},',
    '"z": 2}',
    "func F() int { return 1 }",
)
PATHS = ("a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.md", "a.yaml", "a.toml", "a.json", "a.txt")


@st.composite
def edits(draw: Any, lines: tuple[str, ...] = LINES) -> tuple[list[str], list[str]]:
    """Lines of a file, and the same after insertions, removals and moves."""
    before = draw(st.lists(st.sampled_from(lines), min_size=1, max_size=14))
    after = list(before)
    for _ in range(draw(st.integers(1, 3))):
        at, size = draw(st.integers(0, len(after))), draw(st.integers(0, 3))
        taken = after[at : at + size]
        del after[at : at + size]
        put = draw(st.sampled_from(("nothing", "elsewhere", "new")))
        to = draw(st.integers(0, len(after)))
        if put == "elsewhere":
            after[to:to] = taken
        elif put == "new":
            after[to:to] = draw(st.lists(st.sampled_from(lines), min_size=1, max_size=3))
    return before, after


items: st.SearchStrategy[list[str]] = st.deferred(
    lambda: (
        st.sampled_from((["x = 1"], ["# note"], [""]))
        | st.builds(
            lambda name, body: [f"def {name}():", *indented(body)],
            st.sampled_from("fg"),
            st.sampled_from((["return 1"], ["return 2"])),
        )
        | st.builds(
            lambda name, parts: [f"class {name}:", *indented(list(chain.from_iterable(parts)))],
            st.sampled_from("KL"),
            st.lists(items, min_size=1, max_size=3),
        )
    )
)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


@st.composite
def structured_edits(draw: Any) -> tuple[list[str], list[str]]:
    """Well-formed definitions, nested and repeated; then one is put in or taken out anywhere."""
    before = list(chain(*draw(st.lists(items, min_size=1, max_size=4))))
    after = list(before)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(after)))
        del after[at : at + draw(st.integers(1, 3))]
    at = draw(st.integers(0, len(after)))
    depth = next((len(x) - len(x.lstrip()) for x in after[at:] if x), 0)
    put = draw(st.lists(items, max_size=1))
    after[at:at] = [" " * depth + line if line else "" for line in chain(*put)]
    return before, after


def vouched_lines_stand(path: str, before: list[str], after: list[str], newline: str) -> None:
    old = languages.facts(path, newline.join(before).encode())
    new = languages.facts(path, "\n".join(after).encode())
    unchanged = {definition.name: definition.digest for definition in old.definitions}.items() & {
        definition.name: definition.digest for definition in new.definitions
    }.items()
    names = {name for name, _ in unchanged}
    for first in range(1, len(before) + 1):
        for last in range(first, len(before) + 1):
            if names.issuperset(old.symbols_at(first, last)):
                shown = "\n".join(before[first - 1 : last])
                assert f"\n{shown}\n" in "\n" + "\n".join(after) + "\n\n", (first, last)


@settings(max_examples=400)
@given(structured_edits())
def test_lines_stand_whatever_is_put_between_definitions(
    change: tuple[list[str], list[str]],
) -> None:
    vouched_lines_stand("a.py", *change, "\n")


@given(edits(), st.sampled_from(("\n", "\r\n")))
def test_python_lines_stand_while_their_symbols_do(
    change: tuple[list[str], list[str]], newline: str
) -> None:
    vouched_lines_stand("a.py", *change, newline)


@given(edits(LINES + MORE), st.sampled_from(PATHS))
def test_lines_of_every_language_stand_while_their_symbols_do(
    change: tuple[list[str], list[str]], path: str
) -> None:
    vouched_lines_stand(path, *change, "\n")


def test_one_symbol_vouches_for_its_own_lines_alone() -> None:
    text = b"import os\n\n\nclass K:\n    def m(self):\n        return 1\n\n\n"
    text += b"def f():\n    return 2  # x\n"
    facts = languages.facts("a.py", text)
    assert facts.symbols_at(5, 6) == ("K.m",)
    assert facts.symbols_at(4, 4) == ("K",)
    assert facts.symbols_at(9, 10) == ("f",)
    assert facts.symbols_at(1, 2) == ("",)
    assert set(facts.symbols_at(6, 9)) == {"K.m", "K", "f", ""}
    assert facts.symbols_at(40, 50) == ("",)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode), st.sampled_from(PATHS))
def test_no_bytes_raise(data: bytes, path: str) -> None:
    facts = languages.facts(path, data)
    assert facts.definitions[0].name == ""
    assert all(0 <= start <= end <= len(data) for d in facts.definitions for start, end in d.spans)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("unit", ["(", "[", "{", "a.", "-", "if x:\n ", "def f():\n ", "lambda: "])
def test_deep_nesting_does_not_overflow(path: str, unit: str) -> None:
    assert languages.facts(path, unit.encode() * 3000).definitions


def test_line_ends_marks_and_the_last_newline_are_no_change() -> None:
    text = b"import os\n\n\ndef f():\n    return 1\n"
    variants = (text, text.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + text, text[:-1])
    digests = {tuple(d.digest for d in languages.facts("a.py", v).definitions) for v in variants}
    assert len(digests) == 1


def test_bytes_that_are_not_utf8_are_kept_apart() -> None:
    one, two = (
        languages.facts("a.py", b'def f():\n    return "%b"\n' % c) for c in (b"\xe9", b"\xe8")
    )
    assert [d.name for d in one.definitions] == [d.name for d in two.definitions] == ["", "f"]
    assert one.definitions[0] == two.definitions[0]
    assert one.definitions[1].digest != two.definitions[1].digest


def test_binary_and_huge_files_are_one_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(languages.facts("a.py", b"def f(): pass\n\0").definitions) == 1
    monkeypatch.setattr(languages, "PARSE_LIMIT", 5)
    assert len(languages.facts("a.py", b"def f(): pass\n").definitions) == 1


def test_every_container_on_the_way_out_vouches() -> None:
    text = b"class K:\n    class L:\n        def m(self): pass\ndef f(): pass\n"
    assert set(languages.facts("a.py", text).symbols_at(3, 4)) == {"K.L.m", "K.L", "K", "f", ""}


def test_a_base_that_was_imported_as_another_has_both_names() -> None:
    source = (
        b"from m import Base as B, Other  as\tO\nimport last as Last\nclass_as = 1\n"
        b"class A(B, pkg.O[int]): ...\nclass C(Last, D): ...\nclass E: ...\n"
    )
    assert dict(languages.facts("m.py", source).bases) == {
        "A": ("B", "O", "Base", "Other"),
        "C": ("Last", "D", "last"),
    }


def test_what_is_nested_in_a_function_is_found_whatever_its_form() -> None:
    source = (
        b"def f():\n    if 1:\n        class C: ...\n    return C\n"
        b"def g():\n    y = 'def'\n    async  def h(): ...\n    return h\n"
        b"def k(): return 1\n"
    )
    names = [each.name for each in languages.facts("m.py", source).definitions]
    assert names == ["", "f", "f.C", "g", "g.h", "k"]
