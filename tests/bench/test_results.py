"""Cells in a file: what is there already, and of what."""

import re
import sqlite3
from pathlib import Path

import pytest

from statetape.bench.decisions import Asker
from statetape.bench.folder import code_digest
from statetape.bench.results import NAME, Results
from statetape.bench.score import Score
from statetape.bench.scored import Cell, Scored
from statetape.errors import BadInput
from statetape.store.state import StoreError, opened

ONE, OTHER = Asker("default", "recorded"), Asker("default", "rolling")
CELL = Cell((Scored(0, "P", "both", 2, Score(points=1), Score(points=1)),), sent=5, sent_control=9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_text("{}")
    return tmp_path


def test_a_cell_is_there_for_its_labels_and_its_code_alone(folder: Path) -> None:
    results = Results(folder)
    results.put("a", {ONE: CELL}, "labels", "code")
    assert results.missing("a", [ONE, OTHER], "labels", "code") == (OTHER,)
    for session, labels, code in (
        ("b", "labels", "code"),
        ("a", "other", "code"),
        ("a", "labels", "other"),
    ):
        assert results.missing(session, [ONE], labels, code) == (ONE,)
    results.close()


def test_a_cell_is_read_back_for_the_labels_that_are_there(folder: Path) -> None:
    results = Results(folder)
    results.put("b", {ONE: CELL}, "x", "code")
    results.put("a", {ONE: CELL, OTHER: CELL}, "x", "code")
    results.put("a", {ONE: Cell(())}, "y", "new")
    assert results.askers() == [ONE, OTHER]
    assert list(results.cells(ONE, {"a": "y", "b": "x"})) == [
        ("a", "new", Cell(())),
        ("b", "code", CELL),
    ]
    assert list(results.cells(ONE, {"a": "x"})) == []
    results.close()


def test_the_cells_of_a_session_are_found_without_a_look_at_all_others(folder: Path) -> None:
    results = Results(folder)
    asked: list[str] = []
    results._connection.set_trace_callback(asked.append)
    results.missing("a", [ONE], "labels", "code")
    (plan,) = results._connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}").fetchall()
    assert plan[-1].startswith("SEARCH cells USING COVERING INDEX")
    results.close()


def test_a_file_of_before_is_read_on(folder: Path) -> None:
    from statetape.bench import results as module

    opened(folder / NAME, module._MIGRATIONS[:1]).close()
    results = Results(folder)
    results.put("a", {ONE: CELL}, "x", "code")
    assert results.missing("a", [ONE], "x", "code") == ()
    results.close()


def test_a_broken_cell_is_a_fault_of_the_file(folder: Path) -> None:
    results = Results(folder)
    results.put("a", {ONE: CELL}, "x", "code")
    with sqlite3.connect(folder / NAME) as connection:
        connection.execute("UPDATE cells SET cell = x'6e6f'")
    connection.close()
    with pytest.raises(StoreError, match=NAME):
        list(results.cells(ONE, {"a": "x"}))
    results.close()


def test_a_folder_that_is_no_benchmark_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="bench build"):
        Results(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_code_has_one_digest_and_other_code_another(monkeypatch: pytest.MonkeyPatch) -> None:
    found = code_digest()
    assert re.fullmatch("[0-9a-f]{64}", found)
    monkeypatch.setattr("statetape.bench.folder.files", lambda _: Path(__file__).parent)
    assert code_digest() not in (found, "")
