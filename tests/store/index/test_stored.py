"""The index of a folder: what the graph finds with it is what it finds without."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from statetape.code import languages
from statetape.code.facts import Facts, Interface
from statetape.code.graph import Graph
from statetape.files import Folder, Memory
from statetape.store.index import stored, version, worker
from statetape.store.index.cache import Cache
from statetape.store.index.place import cache_folder
from statetape.store.index.stored import StoredIndex
from statetape.types import SymbolId, Write

FILES = {
    "a.py": "class Base:\n    def run(self): pass\ndef f(): return Base().run()\n",
    "b.py": "from a import f as g, Base\nclass Kid(Base):\n    x = 1\ndef h(): g(); Kid().run()\n",
    "c.ts": "export class Base { run() {} }\nexport const f = () => new Base();\n",
    "d.go": "package d\ntype Base struct{}\nfunc F() { G() }\nfunc G() {}\n",
    "e.md": "# Title\n\ntext\n\n## Other\n",
    "f.bin": "\0\0",
    "g.py": "def half(:\n    pass\ndef run(): pass\n",
    "h.unknown": "words\n",
    "i_pb2.py": "def run(): pass\n",
    "node_modules/j.js": "function run() {}\n",
    "empty.py": "",
}


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    found = Cache(tmp_path / "cache")
    yield found
    found.close()


def memory(files: dict[str, str]) -> Memory:
    return Memory({path: text.encode() for path, text in files.items()})


def seen(graph: Graph) -> dict[str, Any]:
    """Everything that can be asked of a graph without looking into one file first."""
    symbols = sorted(graph.symbols())
    return {
        "named": {name: graph.named(name) for name in ("run", "Base", "f", "G", "Title", "no")},
        "heirs": graph.heirs("Base"),
        "definitions": {symbol: graph.definition(symbol) for symbol in symbols},
        "callers": {symbol: graph.callers(symbol) for symbol in symbols},
        "broken": {path for path, each in graph.interfaces().items() if each.broken},
        "views": {symbol: graph.view(symbol) for symbol in symbols},
    }


def extractions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that this process extracts from now on."""
    calls: list[str] = []
    facts = languages.facts

    def noted(path: str, data: bytes) -> Facts:
        calls.append(path)
        return facts(path, data)

    monkeypatch.setattr(languages, "facts", noted)
    return calls


def interfaces(graph: Graph) -> dict[str, Interface]:
    """By path; of a file in no known language the index says no digest, for it is not read."""
    return {
        path: replace(each, digest=b"") if each.language == "text" else each
        for path, each in graph.interfaces().items()
    }


def test_a_known_repository_is_not_extracted_again(cache: Cache) -> None:
    files = memory(FILES)
    plain, first = seen(Graph(files)), seen(Graph(files, StoredIndex(cache)))
    assert first == plain
    graph = Graph(files, StoredIndex(cache))
    assert graph.named("run") == plain["named"]["run"]
    assert {symbol: graph.definition(symbol) for symbol in graph.symbols()} == plain["definitions"]
    assert graph.files_extracted == 0
    assert seen(graph) == plain


def test_nothing_is_kept_where_nothing_can_be() -> None:
    files = memory(FILES)
    assert seen(Graph(files, StoredIndex(Cache(None)))) == seen(Graph(files))


def test_a_new_extractor_finds_everything_again(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = memory(FILES)
    Graph(files, StoredIndex(cache)).interfaces()
    calls = extractions(monkeypatch)
    Graph(files, StoredIndex(cache)).interfaces()
    assert calls == []
    for module in (stored, worker):
        monkeypatch.setattr(module, "extractors", lambda: b"another version.")
    Graph(files, StoredIndex(cache)).interfaces()
    assert "a.py" in calls
    assert "h.unknown" not in calls


def test_the_version_is_that_of_the_sources_and_the_grammars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = version.extractors.__wrapped__()
    assert version.extractors.__wrapped__() == now
    monkeypatch.setattr(version, "version", lambda _: "9.9")
    newer = version.extractors.__wrapped__()
    monkeypatch.setattr(version, "_sources", lambda _: iter([("code/x.py", b"")]))
    assert len({now, newer, version.extractors.__wrapped__()}) == 3


@pytest.mark.parametrize("table", ["interfaces", "definitions", "words"])
def test_a_damaged_row_is_found_again(cache: Cache, table: str) -> None:
    files = memory(FILES)
    Graph(files, StoredIndex(cache)).interfaces()
    assert cache._connection is not None
    for damage in ("substr(blob, 1, length(blob) - 1) || 'x'", "17", "NULL", "'text'"):
        cache._connection.execute(f"UPDATE {table} SET blob = {damage}")  # noqa: S608
        assert seen(Graph(files, StoredIndex(cache))) == seen(Graph(files))


TEXTS = st.sampled_from([None, *FILES.values()])


@settings(max_examples=40)
@given(
    files=st.dictionaries(st.sampled_from(sorted(FILES)), st.sampled_from([*FILES.values()])),
    writes=st.lists(st.tuples(st.sampled_from([*FILES, "k.py", "k.ts"]), TEXTS), max_size=4),
    asked=st.sets(st.integers(0, 4)),
)
def test_writes_lead_where_a_new_graph_starts(
    cache: Cache,
    files: dict[str, str],
    writes: list[tuple[str, str | None]],
    asked: set[int],
) -> None:
    now = memory(files)
    graph = Graph(Memory(now), StoredIndex(cache))
    for turn, (path, text) in enumerate(writes):
        if turn in asked:
            seen(graph)
        after = None if text is None else text.encode()
        plain = Graph(Memory(now))
        write = Write(path, now.get(path), after)
        assert graph.apply(write).body == plain.apply(write).body
        now.write(path, after)
    assert seen(graph) == seen(Graph(now))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


def test_a_second_process_takes_half(
    folder: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "WORTH_A_PROCESS", 2)
    steps: list[str] = []

    class Bar:
        def __enter__(self) -> Any:
            return lambda: steps.append(".")

        def __exit__(self, *_: object) -> None:
            pass

    index = StoredIndex(cache, folder, lambda *_: Bar())
    calls = extractions(monkeypatch)
    found = interfaces(Graph(Folder(folder), index))
    monkeypatch.undo()
    assert found == interfaces(Graph(memory(FILES)))
    assert len(calls) == len(steps) // 2
    assert len(steps) == sum(languages.knows(p) and not p.startswith("node") for p in FILES)


def test_what_a_second_process_leaves_undone_is_done_here(
    folder: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "WORTH_A_PROCESS", 2)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    found = interfaces(Graph(Folder(folder), StoredIndex(cache, folder)))
    assert found == interfaces(Graph(memory(FILES)))


def test_a_second_process_that_fails_is_no_error(
    folder: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "WORTH_A_PROCESS", 2)
    started = subprocess.Popen

    def failing(command: list[str], **options: Any) -> Any:
        return started([command[0], "-c", "raise SystemExit(1)"], **options)

    monkeypatch.setattr(subprocess, "Popen", failing)
    found = interfaces(Graph(memory(FILES), StoredIndex(cache, folder)))
    assert found == interfaces(Graph(memory(FILES)))


def test_a_file_that_changes_between_two_looks_is_seen_as_it_is(cache: Cache) -> None:
    files = memory(FILES)
    Graph(files, StoredIndex(cache)).interfaces()
    graph = Graph(files, StoredIndex(cache))
    graph.interfaces()
    files["a.py"] = b"def other(): pass\n"
    assert graph.definition(SymbolId("a.py", "other"))
    facts = graph.facts("a.py")
    assert facts is not None
    assert [each.name for each in facts.definitions] == ["", "other"]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"STATETAPE_CACHE": "/x"}, Path("/x")),
        ({"STATETAPE_CACHE": ""}, None),
        ({"XDG_CACHE_HOME": "/y"}, Path("/y/statetape")),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, Path("/h/.cache/statetape")),
        ({"HOME": "/h"}, Path("/h/.cache/statetape")),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the paths are those of Linux")
def test_the_cache_is_where_the_user_keeps_caches(
    variables: dict[str, str], expected: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STATETAPE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == expected
