"""`statetape drift` over folders and revisions."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli

BEFORE = {
    "a.py": "def low():\n    return 1\n\n\ndef gone():\n    return 2\n",
    "b.py": "from a import low\n\n\ndef use():\n    return low()\n",
}
AFTER = {
    "a.py": "def low():\n    return 3\n\n\ndef new():\n    return 4\n",
    "b.py": "from c import low\n\n\ndef use():\n    return low()\n",
    "c.py": "def low():\n    return 5\n",
}
DRIFT = {
    "body": ["a.py::", "a.py::gone", "a.py::low", "b.py::"],
    "dispatch": ["b.py::use"],
    "created": ["a.py::new", "c.py::", "c.py::low"],
}


def filled(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")
    return folder


def drift(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["drift", *map(str, arguments)])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits, `before` and `after`."""
    identity = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")}  # fmt: skip
    for name, files in (("before", BEFORE), ("after", AFTER)):
        filled(tmp_path, files)
        for line in ("init -q", "add .", f"commit -qm {name}", f"tag {name}"):
            subprocess.run(["git", "-C", str(tmp_path), *line.split()], check=True,
                           env={**os.environ, **identity})  # fmt: skip
    return tmp_path


def test_two_folders(tmp_path: Path) -> None:
    result = drift(filled(tmp_path / "1", BEFORE), filled(tmp_path / "2", AFTER), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == DRIFT


def test_two_revisions(repository: Path) -> None:
    result = drift("before", "after", "--repo", repository, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == DRIFT


def test_human_text_names_the_part_on_every_line(tmp_path: Path) -> None:
    lines = drift(filled(tmp_path / "1", BEFORE), filled(tmp_path / "2", AFTER)).stdout.splitlines()
    assert [line.split() for line in lines] == [
        [part, symbol] for part, symbols in DRIFT.items() for symbol in symbols
    ]


def test_no_drift_is_said(tmp_path: Path) -> None:
    folder = filled(tmp_path / "1", BEFORE)
    assert drift(folder, folder).stdout == "no drift\n"
    empty: dict[str, list[str]] = {"body": [], "dispatch": [], "created": []}
    assert json.loads(drift(folder, folder, "--json").stdout) == empty


@pytest.mark.parametrize(
    "arguments",
    [
        ("no/such", "no/such"),
        ("HEAD", "HEAD", "--repo", "no/such"),
        ("HEAD",),
        (),
    ],
)
def test_bad_use_is_one_line_and_exits_with_2(arguments: tuple[str, ...]) -> None:
    result = drift(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("revision", ["nothing", "--help", "-x", "", "a\0b", "before^{tree}"])
def test_an_unknown_revision_is_one_line_and_exits_with_2(repository: Path, revision: str) -> None:
    result = drift("--repo", repository, "--json", "--", revision, "after")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
