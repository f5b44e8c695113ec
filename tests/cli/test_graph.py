"""`statetape graph` over a small repository."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli
from statetape.code import languages
from statetape.code.facts import Lookup
from statetape.types import Mark, SymbolId

Run = Callable[..., Result]

FILES = {
    "app/core.py": "def low():\n    return 1\n\n\ndef mid():\n    return low()\n",
    "app/shell.py": (
        "from app.core import mid\n\n\nclass Shell:\n    def run(self):\n        return mid()\n\n\n"
        "def run():\n    return Shell().run()\n\n\ndef mid_way():\n    return 1\n"
    ),
    "app/broken.py": "def half(:\n    pass\n\n\ndef whole():\n    return 2\n",
    "README.md": "# Title\n\ntext\n",
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return lambda *arguments: CliRunner().invoke(
        cli, ["graph", *arguments, "--repo", str(tmp_path)]
    )


def document(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_stats_count_files_symbols_and_edges(run: Run) -> None:
    stats = document(run("stats", "--json"))
    assert set(stats) == {
        "files", "files_by_language", "broken", "symbols", "symbols_by_kind",
        "symbols_by_language", "edges", "edges_by_language", "calls_by_language", "seconds",
    }  # fmt: skip
    assert stats["files"] == 4
    assert stats["broken"] == ["app/broken.py"]
    assert stats["symbols_by_kind"]["method"] == 1
    assert sum(stats["symbols_by_kind"].values()) == stats["symbols"]
    assert stats["edges"] >= 3
    assert stats["edges_by_language"] == {"python": {"exact": stats["edges"]}}
    assert stats["calls_by_language"] == {"python": {"resolved": 4}}
    assert "does not parse      app/broken.py" in run("stats").stdout


def test_callers_and_callees_follow_the_hops(run: Run) -> None:
    callers = document(run("callers", "low", "--hops", "3", "--json"))
    assert callers["symbol"] == "app/core.py::low"
    hops = {row["symbol"]: row["hops"] for row in callers["callers"]}
    assert hops == {
        "app/core.py::mid": 1,
        "app/shell.py::Shell.run": 2,
        "app/shell.py::run": 3,
    }
    callees = document(run("callees", "Shell.run", "--hops", "2", "--json"))
    assert [row["symbol"] for row in callees["callees"]] == ["app/core.py::mid", "app/core.py::low"]
    assert (
        run("callers", "low").stdout == "app/core.py::low: callers 1\n  app/core.py::mid  exact\n"
    )
    assert run("callees", "low").stdout == "app/core.py::low: callees none\n"


MARKED = """LIMIT = 3
class Base:
    def run(self): return self.step()
    def step(self): return LIMIT
class Child(Base):
    def step(self): return 2
    def odd_name(self): pass
def guessing(thing): thing.odd_name()
"""


def test_edges_have_their_marks_and_are_left_out_by_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "marked.py").write_text(MARKED)

    def marks(command: str, symbol: str, *wanted: str) -> dict[str, str]:
        options = [word for mark in wanted for word in ("--mark", mark)]
        rows = document(run(command, f"marked.py::{symbol}", *options, "--json"))[command]
        return {row["symbol"].removeprefix("marked.py::"): row["mark"] for row in rows}

    assert marks("callers", "LIMIT") == {"Base.step": "uses"}
    assert marks("callers", "LIMIT", "exact", "guess") == {}
    assert marks("callers", "Child.step") == {"Base.run": "virtual"}
    assert marks("callers", "Child.step", "virtual") == {"Base.run": "virtual"}
    assert marks("callers", "Child.odd_name") == {"guessing": "guess"}
    assert marks("callees", "Base.run") == {"Base.step": "exact", "Child.step": "virtual"}
    assert marks("callees", "Base.step") == {}
    assert marks("callees", "Base.step", "uses") == {"LIMIT": "uses"}
    shown = run("callers", "Child.step").stdout
    assert shown == "marked.py::Child.step: callers 1\n  marked.py::Base.run  virtual\n"
    assert run("callers", "low", "--mark", "sure").exit_code == 2


def test_what_is_indexed_is_looked_up(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = document(run("stats", "--json"))
    found = document(run("index", "--json"))
    assert found["kept"] == found["symbols"] == 11
    assert "symbols kept" in run("index").stdout
    asked: list[SymbolId] = []
    edges = languages.edges

    def noted(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
        asked.append(owner)
        return edges(owner, lookup)

    monkeypatch.setattr(languages, "edges", noted)
    assert document(run("stats", "--json")) | {"seconds": 0} == first | {"seconds": 0}
    assert (
        run("callers", "low").stdout == "app/core.py::low: callers 1\n  app/core.py::mid  exact\n"
    )
    assert {symbol.path for symbol in asked} <= {"README.md"}  # no language that resolves


@pytest.mark.parametrize(
    ("spelled", "symbol"),
    [
        ("app/core.py::mid", "app/core.py::mid"),
        ("./app/core.py::mid", "app/core.py::mid"),
        ("core.py::mid", "app/core.py::mid"),
        ("mid", "app/core.py::mid"),
        ("run", "app/shell.py::run"),
        ("Shell.run", "app/shell.py::Shell.run"),
        ("core.py::", "app/core.py::"),
    ],
)
def test_a_symbol_is_known_by_any_end_of_its_name(run: Run, spelled: str, symbol: str) -> None:
    assert document(run("source", spelled, "--json"))["symbol"] == symbol


def test_source_is_the_text_of_the_symbol(run: Run) -> None:
    assert run("source", "mid").stdout == "def mid():\n    return low()\n"


def test_symbols_are_those_of_all_files_of_a_folder_or_of_a_name(run: Run) -> None:
    def names(*arguments: str) -> list[str]:
        return [row["symbol"] for row in document(run("symbols", *arguments, "--json"))["symbols"]]

    assert "app/core.py::" not in names()
    assert {"app/core.py::low", "README.md::Title", "app/broken.py::whole"} <= set(names())
    assert names("app/core.py") == ["app/core.py::", "app/core.py::low", "app/core.py::mid"]
    assert names("run") == ["app/shell.py::Shell.run", "app/shell.py::run"]
    assert set(names("app")) == {name for name in names("app/") if name.startswith("app/")}
    assert set(names(".")) == set(names("./")) == {*names("app"), "README.md::Title", "README.md::"}


@pytest.mark.parametrize("command", ["symbols", "callers", "callees", "source"])
def test_an_unknown_symbol_is_one_line_with_what_is_close(run: Run, command: str) -> None:
    result = run(command, "mid_wey")
    assert (result.exit_code, result.stdout) == (2, "")
    what = "symbol, file or folder" if command == "symbols" else "symbol"
    assert result.stderr.startswith(f"statetape: no {what} 'mid_wey'; close to it: ")
    assert "app/shell.py::mid_way" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_ambiguous_symbol_is_one_line_with_at_most_five_of_those_it_fits(
    run: Run, tmp_path: Path
) -> None:
    for number in range(7):
        (tmp_path / f"many_{number}.py").write_text("def many():\n    pass\n")
    result = run("source", "many")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("statetape: 'many' fits 7 symbols: many_0.py::many, ")
    assert result.stderr.endswith("and 2 more\n")
    assert result.stderr.count("::many") == 5


def test_control_characters_of_a_file_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("def evil():\n\treturn '\x1b[2J\x07'\n")
    assert run("source", "evil").stdout == "def evil():\n\treturn '?[2J?'\n"
    (tmp_path / "\x1b[2J.py").write_text("def hidden():\n    pass\n")
    assert "\x1b" not in run("symbols").stdout


def test_a_repository_that_is_not_there_is_bad_use(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["graph", "stats", "--repo", str(tmp_path / "none")])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"statetape: {tmp_path}/none: not a folder\n"


def test_the_graph_wants_a_question() -> None:
    result = CliRunner().invoke(cli, ["graph"])
    assert result.exit_code == 2
    assert result.stderr == "statetape: Missing command; see `cli graph --help`\n"
