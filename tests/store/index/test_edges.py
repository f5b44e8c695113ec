"""Edges that are kept: who reaches a symbol is what resolving every symbol anew would find."""

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.code import test_common_incremental, test_graph_names

from statetape.code.graph import Graph
from statetape.files import Folder, Memory
from statetape.store.index import blobs, edges, resolving
from statetape.store.index.cache import Cache
from statetape.store.index.edges import Edges
from statetape.store.index.stored import StoredIndex
from statetape.types import Mark, SymbolId, Write

REPOSITORIES = {
    **test_graph_names.REPOSITORIES,
    **{name: test_common_incremental.REPOSITORIES[name] for name in ("java", "rust", "c", "ruby")},
}
FILES = {path: text.encode() for path, text in test_graph_names.PYTHON.items()}


@contextmanager
def kept(folder: str | Path) -> Iterator[Edges]:
    found = Edges(Path(folder), Path("/repository"))
    try:
        yield found
    finally:
        found.close()


def reaching(graph: Graph) -> dict[SymbolId, dict[SymbolId, Mark]]:
    """Who reaches whom, by a resolution of every symbol."""
    found: dict[SymbolId, dict[SymbolId, Mark]] = {each: {} for each in graph.symbols()}
    for owner in list(found):
        for target, mark in graph.edges(owner).items():
            found.setdefault(target, {})[owner] = mark
    return found


def agrees(graph: Graph, files: Memory) -> None:
    for symbol, expected in reaching(Graph(Memory(files))).items():
        assert graph.reaching(symbol) == expected, symbol


@pytest.mark.parametrize("language", REPOSITORIES)
@settings(max_examples=10, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_kept_edges_are_those_of_a_new_graph(language: str, data: Any) -> None:
    repository = REPOSITORIES[language]
    now = Memory({path: text.encode() for path, text in repository.items()})
    with tempfile.TemporaryDirectory() as folder, kept(folder) as store:
        graph = Graph(Memory(now), kept=store)
        resolving.resolve(graph, store)
        assert graph.unresolved().open == {}
        for _ in range(3):
            if data.draw(st.booleans()):  # by another process, or while nobody looked
                graph = Graph(Memory(now), kept=store)
            for _ in range(data.draw(st.integers(0, 2))):
                path = data.draw(st.sampled_from(sorted(repository)))
                held = now.get(path)
                text = repository[path] if held is None else held.decode()
                gone = held is not None and data.draw(st.integers(0, 9)) == 9
                after = (
                    None if gone else data.draw(test_graph_names.edited(repository, text)).encode()
                )
                graph.apply(Write(path, held, after))
                now.write(path, after)
            agrees(graph, now)
            if data.draw(st.booleans()):
                resolving.resolve(graph, store)
                assert not graph.unresolved().moved
                agrees(graph, now)


def test_what_is_kept_is_not_resolved_again(tmp_path: Path) -> None:
    with kept(tmp_path) as store:
        resolving.resolve(Graph(Memory(FILES), kept=store), store)
    with kept(tmp_path) as store:
        graph = Graph(Memory(FILES), kept=store)
        agrees(graph, Memory(FILES))
        assert graph.symbols_resolved == 0
        body = FILES["b.py"].replace(b"return self.y.n", b"self.n; return self.y.n")
        graph.apply(Write("b.py", FILES["b.py"], body))
        assert graph.unresolved().moved == {SymbolId("b.py", "K.m")}
        assert graph.unresolved().open == {}


GO = {
    "go.mod": b"module x\n",
    "a.go": b"package a\nfunc F() { G(); H() }\nfunc I() {}\nfunc H() {}\n",
}
CHANGES = {
    "another text": ("a.go", GO["a.go"].replace(b"G(); H()", b"I()")),
    "a file more in the folder": ("b.go", b"package a\nfunc G() {}\n"),
    "a file that is gone": ("a.go", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_moves_who_rests_on_it(tmp_path: Path, change: str) -> None:
    path, data = CHANGES[change]
    now = Memory(GO)
    with kept(tmp_path) as store:
        resolving.resolve(Graph(Memory(GO), kept=store), store)
        now.write(path, data)
        agrees(Graph(Memory(now), kept=store), now)
        assert reaching(Graph(Memory(now))) != reaching(Graph(Memory(GO)))


def test_a_phase_that_was_stopped_goes_on(tmp_path: Path) -> None:
    with kept(tmp_path) as store:
        graph = Graph(Memory(FILES), kept=store)
        resolving.resolve(graph, store)
        files = FILES | {"new.py": b"from b import f\ndef g(): f()\n", "more.py": b"x = 1\n"}
        graph = Graph(Memory(files), kept=store)
        left = graph.unresolved()
        store.move(resolving._files(graph, store), [], set(left.moved), anew=False)
        assert {*graph.unresolved().open} == {"new.py", "more.py"}
        assert not graph.unresolved().moved
        for _ in resolving.kept(["new.py"], graph, store):
            pass
    with kept(tmp_path) as store:
        graph = Graph(Memory(files), kept=store)
        assert {*graph.unresolved().open} == {"more.py"}
        agrees(graph, Memory(files))
        assert not graph.unresolved().moved


def test_edges_of_another_state_are_not_kept(tmp_path: Path) -> None:
    with kept(tmp_path) as store, kept(tmp_path) as other:
        graph = Graph(Memory(FILES), kept=store)
        resolving.resolve(graph, store)
        old = store.generation()
        files = FILES | {"b.py": FILES["b.py"] + b"def more(): f()\n"}
        resolving.resolve(Graph(Memory(files), kept=other), other)
        assert other.generation() != old
        row = edges.Row("a.py", b"", None, {}, {})
        assert not store.save(old, [row])
        agrees(graph, Memory(FILES))
        agrees(Graph(Memory(files), kept=other), Memory(files))


@pytest.mark.parametrize("seed", range(6))
def test_damaged_rows_are_resolved_again(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 -- the same damage each time
    with kept(tmp_path) as store:
        resolving.resolve(Graph(Memory(FILES), kept=store), store)
        store.tried(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        for table in ("state", "prints", "grounds", "edges")[seed % 4 :]:
            for id_, blob in store.tried(partial(_rows, table)) or ():
                if chance.random() < 0.5:
                    at = chance.randrange(len(blob))
                    bad = blob[:at] + bytes([blob[at] ^ 1 << chance.randrange(8)]) + blob[at + 1 :]
                    store.tried(partial(_put, table, id_, bad))
    with kept(tmp_path) as store:
        files = Memory(FILES)
        graph = Graph(Memory(files), kept=store)
        found, expected = _callers(graph), reaching(Graph(Memory(files)))
        assert all(found[each].items() <= expected[each].items() for each in found)
        text = files["b.py"].replace(b"return self.y.n", b"return self.y")
        graph.apply(Write("b.py", files["b.py"], text))
        files.write("b.py", text)
        resolving.resolve(graph, store)
        agrees(graph, files)
        agrees(Graph(Memory(files), kept=store), files)


def _rows(table: str, db: sqlite3.Connection) -> list[tuple[int, bytes]]:
    return db.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608


def _put(table: str, id_: int, blob: bytes, db: sqlite3.Connection) -> None:
    db.execute(f"UPDATE {table} SET blob = ? WHERE id = ?", [blob, id_])  # noqa: S608


def _callers(graph: Graph) -> dict[SymbolId, dict[SymbolId, Mark]]:
    return {each: dict(graph.reaching(each)) for each in list(graph.symbols())}


def test_another_version_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with kept(tmp_path) as store:
        resolving.resolve(Graph(Memory(FILES), kept=store), store)
        assert store.state()
    monkeypatch.setattr(edges, "resolvers", lambda: b"another version.")
    with kept(tmp_path) as store:
        assert store.state() == {}
        assert _callers(Graph(Memory(FILES), kept=store)) == _callers(Graph(Memory(FILES)))


def test_where_nothing_can_be_kept_callers_are_found_all_the_same() -> None:
    store = Edges(None, Path("/repository"))
    graph = Graph(Memory(FILES), kept=store)
    resolving.resolve(graph, store)
    assert _callers(graph) == _callers(Graph(Memory(FILES)))


def test_the_edges_of_other_repositories_go_where_there_is_no_room(tmp_path: Path) -> None:
    for name, when in (("edges-1-old.sqlite", 1), ("edges-1-new.sqlite", 2)):
        (tmp_path / name).write_bytes(b"\0" * 1000)
        os.utime(tmp_path / name, (when, when))
    with kept(tmp_path) as store:
        resolving.resolve(Graph(Memory(FILES), kept=store), store)
        own = (tmp_path / store.name).stat().st_size
        store.trim(own + 2000)
        assert len(list(tmp_path.glob("edges-*.sqlite"))) == 3
        store.trim(own + 1999)
        assert {each.name for each in tmp_path.glob("edges-*.sqlite")} == {
            "edges-1-new.sqlite",
            store.name,
        }
        store.trim(0)
        assert [each.name for each in tmp_path.glob("edges-*.sqlite")] == [store.name]
        agrees(Graph(Memory(FILES), kept=store), Memory(FILES))


def test_a_second_process_takes_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving, "WORTH_A_PROCESS", 2)
    root, folder = tmp_path / "root", tmp_path / "cache"
    files = Memory(FILES | {f"p{n}.py": b"from b import f\ndef g(): f()\n" for n in range(5)})
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    cache, store = Cache(folder), Edges(folder, root)
    graph = Graph(Folder(root), StoredIndex(cache), kept=store)
    resolving.resolve(graph, store, folder, root)
    assert graph.unresolved().open == {}
    agrees(graph, files)
    assert graph.symbols_resolved == 0
    store.close()
    cache.close()


@given(st.binary(max_size=60))
def test_what_nobody_has_written_is_nothing(blob: bytes) -> None:
    own = blobs.key(b"version", "a.py", b"stamp")
    assert blobs.state(own, blob) is None
    assert blobs.prints(own, blob) is None
    assert blobs.grounds(own, blob) is None
    assert blobs.whole(own, blob) is None
