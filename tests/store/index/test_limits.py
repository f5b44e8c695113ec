"""The limits of the index are what the environment states."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from statetape.cli import cli
from statetape.code import languages
from statetape.errors import BadInput
from statetape.store.index import limits, version
from statetape.store.index.cache import SIZE, Cache


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "PARSE_LIMIT", languages.PARSE_LIMIT)
    for variable in (limits.PARSE_LIMIT, limits.CACHE_SIZE):
        monkeypatch.delenv(variable, raising=False)


def symbols(folder: Path) -> str:
    return CliRunner().invoke(cli, ["graph", "symbols", "m.py", "--repo", str(folder)]).stdout


def test_a_file_above_the_limit_is_one_symbol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.py").write_text("def f(): pass\n" * 10)
    assert "m.py::f" in symbols(tmp_path)
    version.extractors.cache_clear()
    monkeypatch.setenv(limits.PARSE_LIMIT, "0.0001")
    assert "m.py::f" not in symbols(tmp_path)
    assert languages.PARSE_LIMIT == 100
    version.extractors.cache_clear()


def test_what_was_found_under_another_limit_is_found_again() -> None:
    before = version.extractors.__wrapped__()
    languages.limit_parsing(100)
    assert version.extractors.__wrapped__() != before


def test_the_cache_may_have_what_is_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Cache(tmp_path)._size == SIZE
    monkeypatch.setenv(limits.CACHE_SIZE, "2.5")
    assert Cache(tmp_path)._size == 2_500_000
    assert Cache(tmp_path, 7)._size == 7


@pytest.mark.parametrize("text", ["five", "-1", "nan", "inf", "1e12"])
def test_what_is_no_size_is_bad_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for variable in (limits.PARSE_LIMIT, limits.CACHE_SIZE):
        with monkeypatch.context() as stated:
            stated.setenv(variable, text)
            result = CliRunner().invoke(cli, ["graph", "stats", "--repo", str(tmp_path)])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"statetape: {variable}={text}: not a size in megabytes\n"


def test_nothing_stated_changes_nothing() -> None:
    limits.heed()
    assert languages.PARSE_LIMIT == 5_000_000
    with pytest.MonkeyPatch.context() as stated:
        stated.setenv(limits.PARSE_LIMIT, "x")
        with pytest.raises(BadInput):
            limits.heed()
