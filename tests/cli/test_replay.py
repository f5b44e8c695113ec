"""`statetape replay`, with the player replaced by hand-made replays."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli
from statetape.cli.columns import cells
from statetape.errors import BadInput, StatetapeError
from statetape.replay.timeline import Check, Replayed

NUMBERS = ("writes", "external_writes", "shell_writes", "requests", "records", "nominations")
SHAPE = {
    "steps": {"read", "edit", "edit_failed", "run", "search", "say", "other"},
    "actions": {"refresh", "drop", "rerun", "keep", "evict", "mask", "retrieve", "summarise"},
    "tokens": {
        "held_peak",
        "sent_control",
        "sent_policy",
        "stale_sent_control",
        "stale_sent_policy",
        "stale_inputs_sent",
    },
    "check": {"writes", "held_reads", "misses", "over_nominations"},
}
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, small: Callable[..., Replayed]) -> Run:
    """Runs the command line; a session file's name decides what its replay is."""

    def replayed(file: Path, **options: Any) -> Replayed:
        if "broken" in file.name:
            raise BadInput(f"{file}: no session of a known agent\n(second line)")
        if "failing" in file.name:
            raise StatetapeError(f"{file}: failed")
        check = Check(2, 3, int("missed" in file.name), 0) if options["check"] else None
        return small(id=file.stem, file=str(file), policy=options["policy"], check=check)

    player = SimpleNamespace(replayed=replayed)
    monkeypatch.setitem(sys.modules, "statetape.replay.player", player)
    return lambda *arguments: CliRunner().invoke(cli, list(map(str, arguments)))


def assert_figures(figures: dict[str, Any]) -> None:
    for part, names in SHAPE.items():
        if part in figures or part != "check":
            assert set(figures[part]) == names
            assert all(type(value) is int for value in figures[part].values())
    assert all(type(figures[name]) is int for name in NUMBERS)
    assert isinstance(figures["problems"], list)


def test_json_is_one_document_of_the_promised_shape(run: Run) -> None:
    result = run("replay", "one.jsonl", "two.jsonl", "--jobs", 1, "--check", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (0, "")
    assert set(document) == {"sessions", "total"}
    for figures in (*document["sessions"], document["total"]):
        assert_figures(figures)
    assert [session["id"] for session in document["sessions"]] == ["one", "two"]
    first = document["sessions"][0]
    assert (first["writes"], first["external_writes"], first["shell_writes"]) == (2, 1, 0)
    assert list(first["steps"].values()) == [2, 1, 0, 1, 0, 1, 0]
    assert (first["requests"], first["records"], first["stale_reads"]) == (5, 5, 1)


def test_total_sums_everything_but_the_peak(run: Run) -> None:
    result = run("replay", "one.jsonl", "two.jsonl", "--jobs", 1, "--check", "--json")
    total = json.loads(result.stdout)["total"]
    assert total["sessions"] == 2
    assert (total["writes"], total["nominations"]) == (4, 4)
    assert total["steps"]["read"] == 4
    assert total["tokens"]["sent_control"] == 2 * 5280
    assert total["tokens"]["held_peak"] == 1582
    assert total["check"]["held_reads"] == 6
    assert total["problems"] == [f"{name}.jsonl: line 7: not JSON" for name in ("one", "two")]


def test_there_is_no_check_without_the_flag(run: Run) -> None:
    document = json.loads(run("replay", "one.jsonl", "--json").stdout)
    assert "check" not in document["sessions"][0]
    assert "check" not in document["total"]


def test_a_missed_stale_read_fails_the_run(run: Run) -> None:
    result = run("replay", "missed.jsonl", "--check")
    assert result.exit_code == 1
    assert result.stderr == "statetape: the tape missed 1 stale reads\n"


def test_an_unreadable_file_among_several_is_one_line_and_the_others_replay(run: Run) -> None:
    result = run("replay", "one.jsonl", "broken.jsonl", "two.jsonl", "--jobs", 1, "--json")
    assert result.exit_code == 2
    sessions = json.loads(result.stdout)["sessions"]
    assert [session["id"] for session in sessions] == ["one", "two"]
    expected = "statetape: broken.jsonl: no session of a known agent (second line)\n"
    assert result.stderr == expected


def test_a_failed_run_exits_with_1(run: Run) -> None:
    result = run("replay", "failing.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "statetape: failing.jsonl: failed\n"


@pytest.mark.parametrize("files", [("one.jsonl",), ("one.jsonl", "two.jsonl", "three.jsonl")])
def test_human_text_is_plain_and_fits_80_columns(run: Run, files: tuple[str, ...]) -> None:
    result = run("replay", *files, "--jobs", 1, "--check")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert max(map(cells, result.stdout.splitlines())) <= 80
    assert "5,280 -> 4,770 (-9.7%)" in result.stdout
    assert "1,050 -> 0 (-100.0%)" in result.stdout
    assert ("3 sessions" in result.stdout) == (len(files) == 3)


def test_session_text_cannot_steer_the_terminal(run: Run, hostile: str) -> None:
    result = run("replay", f"{hostile.replace('/', '')}.jsonl")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay",),
        ("replay", "one.jsonl", "--policy", "magic"),
        ("replay", "one.jsonl", "--jobs", "0"),
        ("replay", "one.jsonl", "--base", "HEAD"),
        ("replay", "one.jsonl", "--base", ""),
        ("replay", "one.jsonl", "--base", "", "--repo", "."),
        ("replay", "one.jsonl", "--repo", "no/such/folder"),
        ("replay", "one.jsonl", "--repo", ""),
        ("replay", "one.jsonl", "--html", ""),
        ("replay", ""),
        ("show", ""),
        ("show", "one.jsonl", "--base", ""),
        ("drift", "", ""),
        ("graph", "stats", "--repo", ""),
        ("replay", "one.jsonl", "--html", "no/such/folder/page.html"),
        ("replay", "one.jsonl", "--html", "one.jsonl"),
        ("replay", "--nonsense"),
        ("nonsense",),
        ("--nonsense",),
    ],
)
def test_bad_use_is_one_line_and_exits_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("statetape: ")
    assert result.stderr.count("\n") == 1
    if "" in arguments:
        assert "the name is empty" in result.stderr


def test_a_file_given_twice_is_replayed_once(run: Run, tmp_path: Path) -> None:
    session, other = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    session.write_text("{}")
    (tmp_path / "link.jsonl").symlink_to(session)
    given = (session, other, tmp_path / "." / "one.jsonl", tmp_path / "link.jsonl", session)
    result = run("replay", *given, "--jobs", 1, "--json")
    document = json.loads(result.stdout)
    assert [figures["file"] for figures in document["sessions"]] == [str(session), str(other)]
    assert document["total"]["sessions"] == 2


def test_an_unknown_base_commit_is_one_line_however_many_files(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    result = run("replay", "a.jsonl", "b.jsonl", "--repo", tmp_path, "--base", "feedbeef")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "feedbeef" in result.stderr


def test_the_page_is_written_beside_the_text(run: Run, tmp_path: Path) -> None:
    result = run("replay", "one.jsonl", "two.jsonl", "--jobs", 1, "--html", tmp_path / "a.html")
    assert result.exit_code == 0
    assert "tokens sent" in result.stdout
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page.count('class="session"') == 2


def test_a_page_that_cannot_be_written_fails_the_run(run: Run) -> None:
    result = run("replay", "one.jsonl", "--html", "/dev/full")
    assert result.exit_code == 1
    assert result.stderr == "statetape: --html /dev/full: No space left on device\n"
