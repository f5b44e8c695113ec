"""Whatever the bytes: the ten languages of the common extractor never raise, nor empty a file."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.code import languages
from statetape.code.dialects import DIALECTS
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId

DRIFT = Path(__file__).parents[1] / "drift"
FENCE = re.compile(r"^```before (\S+)\n((?:.*\n)*?)```$", re.MULTILINE)
SUFFIX = {"csharp": "cs", "ruby": "rb", "rust": "rs", "kotlin": "kt", "bash": "sh"}


def suffix(language: str) -> str:
    return SUFFIX.get(language, language)


def files(language: str) -> dict[str, bytes]:
    """The files of the drift specification of a language."""
    text = (DRIFT / f"{language}.md").read_text()
    return {path: content.encode() for path, content in FENCE.findall(text)}


def resolved(memory: Memory) -> int:
    graph = Graph(memory)
    return sum(len(graph.edges(symbol)) for symbol in list(graph.symbols()))


@pytest.mark.parametrize("language", DIALECTS)
@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=60) | st.text("ab:{}()<>;.,#\"'$@=&*\n ", max_size=60))
def test_any_bytes_have_facts_and_edges(language: str, data: bytes | str) -> None:
    path = f"a.{suffix(language)}"
    resolved(Memory({path: data.encode() if isinstance(data, str) else data}))


@pytest.mark.parametrize("language", DIALECTS)
@settings(max_examples=15, deadline=None)
@given(draw=st.data())
def test_a_damaged_file_has_facts_and_edges(language: str, draw: Any) -> None:
    memory = Memory(files(language))
    path = draw.draw(st.sampled_from(sorted(memory)))
    data = memory[path]
    for _ in range(draw.draw(st.integers(1, 3))):
        start = draw.draw(st.integers(0, len(data)))
        end = draw.draw(st.integers(start, min(start + 12, len(data))))
        put = draw.draw(st.binary(max_size=3) | st.sampled_from([b"{", b"(", b'"', b"}", b"end "]))
        data = data[:start] + put + data[end:]
    memory[path] = data
    resolved(memory)


NESTED = {
    "java": ("class A { Object f() { return ", "a.b(", "1", ")", "; } }"),
    "rust": ("fn f() { ", "(", "x", ")", "; }"),
    "c": ("int f(void) { return ", "g(", "1", ")", "; }"),
    "cpp": ("int f() { return ", "(*p).", "q", "", "; }"),
    "csharp": ("class A { int F() { return ", "(", "1", ")", "; } }"),
    "ruby": ("def f\n x", ".a", "", "", "\nend\n"),
    "php": ("<?php function f() { return $x", "->a()", "", "", "; }"),
    "kotlin": ("fun f() = x", ".a()", "", "", "\n"),
    "swift": ("func f() { return x", ".a()", "", "", " }\n"),
    "bash": ("f() {\n", "if g; then ", "h", "; fi", "\n}\n"),
}


@pytest.mark.parametrize("language", DIALECTS)
def test_endless_nesting_is_no_error(language: str) -> None:
    head, opening, middle, closing, end = NESTED[language]
    text = head + opening * 800 + middle + closing * 800 + end
    resolved(Memory({f"a.{suffix(language)}": text.encode()}))


@pytest.mark.parametrize("language", DIALECTS)
def test_one_broken_line_keeps_most_symbols(language: str) -> None:
    """The line is the last of the first definition in a file of several."""
    for path, data in files(language).items():
        whole = languages.facts(path, data)
        if len(whole.definitions) < 4:
            continue
        broken = languages.facts(path, data + b"\n(((\n")
        kept = {d.name for d in whole.definitions} & {d.name for d in broken.definitions}
        assert len(kept) >= len(whole.definitions) - 1, path


@pytest.mark.parametrize("language", DIALECTS)
def test_a_missing_grammar_degrades_to_whole_files(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, DIALECTS[language].grammar[0], None)
    for cached in (languages._extractor, languages._resolver, languages._compared):
        cached.cache_clear()
    try:
        path = f"a.{suffix(language)}"
        graph = Graph(Memory({path: next(iter(files(language).values()))}))
        assert [s for s in graph.symbols() if s.path == path] == [SymbolId(path, "")]
    finally:
        for cached in (languages._extractor, languages._resolver, languages._compared):
            cached.cache_clear()
