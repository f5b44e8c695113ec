"""`statetape show`, with the player replaced by hand-made replays."""

import json
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from click import unstyle
from click.testing import CliRunner, Result
from msgspec.structs import replace

from statetape.cli import cli
from statetape.cli.columns import cells
from statetape.replay.timeline import Passage, Replayed, WriteRow

Run = Callable[..., Result]
Make = Callable[..., Replayed]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, small: Make) -> Run:
    return runner(monkeypatch, small())


def runner(monkeypatch: pytest.MonkeyPatch, replay: Replayed) -> Run:
    def replayed(*_: Any, **__: Any) -> Replayed:
        return replay

    player = SimpleNamespace(replayed=replayed)
    monkeypatch.setitem(sys.modules, "statetape.replay.player", player)
    return lambda *arguments, **settings: CliRunner().invoke(cli, ["show", *arguments], **settings)


def test_the_timeline_says_what_drifted_and_what_went_stale(run: Run) -> None:
    lines = [line.strip() for line in run("s1.jsonl").stdout.splitlines()]
    assert lines[0] == "s1 · claude-code · policy default"
    assert lines[2].split() == ["1", "read", "app/parser.py", "900"]
    assert lines[lines.index("writes app/parser.py") :] == [
        "writes app/parser.py",
        "body      (outside definitions), ::Parser.parse",
        "dispatch  app/cli.py::main",
        "created   ::Parser._peek",
        "stale     step 1: read app/parser.py, refreshed",
        "step 3: pytest -q, rerun",
        "writes app/lock.json by another hand: seen in a later read",
    ]


def test_at_a_step_each_record_is_shown_with_its_state_then(run: Run) -> None:
    before = run("s1.jsonl", "--at", "3").stdout.splitlines()
    assert [line for line in before if "since" in line or "refreshed" in line] == []
    assert before[-1].split() == ["in", "all", "4", "records", "1,462"]
    after = [line.strip() for line in run("s1.jsonl", "--at", "4").stdout.splitlines()]
    assert "refreshed at step 4 because of app/parser.py::Parser.parse" in after
    assert "to be run again since step 4" in after
    assert after[-1].split() == ["in", "all", "5", "records", "546"]


KEPT = (
    Passage(4, "stale"),
    Passage(4, "kept", ("its tests load 2 files",)),
    Passage(5, "stale"),
    Passage(6, "kept", ("its tests load 3 files",)),
)


@pytest.mark.parametrize(
    ("life", "shown", "at"),
    [
        (KEPT[:2], ["step 3: pytest -q, kept", "its tests load 2 files"],
         "kept at step 4: its tests load 2 files"),
        (KEPT[:3], ["stale     step 3: pytest -q"], "stale since step 5"),
        (KEPT, ["kept      step 3: pytest -q", "its tests load 3 files"],
         "kept at step 6: its tests load 3 files"),
    ],
)  # fmt: skip
def test_of_what_is_kept_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch,
    small: Make,
    life: tuple[Passage, ...],
    shown: list[str],
    at: str,
) -> None:
    made = small()
    tests = replace(made.records[3], life=(Passage(3, "fresh"), *life), now=None)
    last = replace(made.records[4], id="f", step=6)
    records = (*made.records[:3], tests, made.records[4], last)
    more = tuple(replace(made.steps[4], index=n, kind="say") for n in (5, 6))
    run = runner(monkeypatch, replace(made, records=records, steps=(*made.steps, *more)))
    lines = [line.strip() for line in run("s1.jsonl").stdout.splitlines()]
    first = lines.index(shown[0])
    assert lines[first : first + len(shown)] == shown
    held = run("s1.jsonl", "--at", "6").stdout
    assert at in [line.strip() for line in held.splitlines()]
    changes = [change for step in json.loads(run("s1.jsonl", "--json").stdout)["steps"]
               for change in step["changes"] if change["record"] == "d"]  # fmt: skip
    assert (changes[0]["then"], changes[0]["why"]) == ("kept", "its tests load 2 files")


@pytest.mark.parametrize("step", ["5", "-1", "999999999999999999999"])
def test_a_step_that_is_not_there_is_bad_use(run: Run, step: str) -> None:
    result = run("s1.jsonl", "--at", step)
    assert (result.exit_code, result.stdout) == (2, "")
    expected = f"statetape: sessions/s1.jsonl: no step {step}; the session has steps 0 to 4\n"
    assert result.stderr == expected


def test_json_gives_each_write_the_records_it_made_stale(run: Run) -> None:
    document = json.loads(run("s1.jsonl", "--json").stdout)
    assert set(document) == {"session", "steps"}
    step = document["steps"][4]
    assert [write["stale"] for write in step["writes"]] == [["b", "d"], []]
    changes = [(change["state"], change["then"]) for change in step["changes"]]
    assert changes == [("stale", "refreshed"), ("stale", "rerun")]
    assert document["steps"][0]["writes"] == document["steps"][0]["changes"] == []


def test_json_at_a_step_sums_the_tokens_by_state(run: Run) -> None:
    document = json.loads(run("s1.jsonl", "--at", "4", "--json").stdout)
    assert document["tokens"] == {"fresh": 532, "refreshed": 11, "rerun": 3}
    record = document["records"][1]
    assert (record["id"], record["state"], record["since"]) == ("b", "refreshed", 4)
    assert record["because"] == ["app/parser.py::Parser.parse"]


def test_text_is_plain_where_no_terminal_is(run: Run) -> None:
    assert "\x1b" not in run("s1.jsonl").stdout


def test_text_is_coloured_on_a_terminal_and_obeys_no_color(run: Run) -> None:
    assert "\x1b[31mstale" in run("s1.jsonl", color=True).stdout
    assert "\x1b" not in run("s1.jsonl", color=True, env={"NO_COLOR": "1"}).stdout


@pytest.mark.parametrize("at", [(), ("--at", "299")])
def test_every_line_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, large: Make, at: tuple[str, ...]
) -> None:
    result = runner(monkeypatch, large(records=300, tokens=40))("s1.jsonl", *at)
    assert result.exit_code == 0
    assert max(cells(unstyle(line)) for line in result.stdout.splitlines()) <= 80


def test_many_and_long_and_wide_names_fit_80_columns(
    monkeypatch: pytest.MonkeyPatch, small: Make, hostile: str
) -> None:
    names = ("日本語" * 40, "deep/" * 40 + "x.py::f", hostile, *(f"a.py::f{n}" for n in range(500)))
    writes = [WriteRow(n, 4, name, "external", name, names, names[n:], ()) for n, name in
              enumerate(names[:3])]  # fmt: skip
    result = runner(monkeypatch, small(writes=tuple(writes), id=hostile * 3))("s1.jsonl")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert max(map(cells, result.stdout.splitlines())) <= 80
    assert "and 501 more" in result.stdout


def test_a_step_between_the_numbered_ones_still_shows_its_writes(
    monkeypatch: pytest.MonkeyPatch, small: Make
) -> None:
    stray = WriteRow(9, 77, "late.py", "external", "unexplained", (), (), ())
    result = runner(monkeypatch, small(writes=(stray,)))("s1.jsonl")
    assert "writes late.py by another hand: unexplained" in result.stdout


def test_a_session_without_records_has_no_step_to_show(
    monkeypatch: pytest.MonkeyPatch, small: Make
) -> None:
    empty = runner(monkeypatch, small(steps=(), writes=(), records=(), moments=()))
    assert empty("s1.jsonl").exit_code == 0
    assert "no records" in empty("s1.jsonl", "--at", "0").stderr
