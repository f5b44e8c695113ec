"""`statetape bill` and `statetape prices`: dollars with their sign, in 80 columns."""

import csv
import io
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli
from statetape.cli.columns import cells
from statetape.cli.ledger import money
from statetape.economics.bill import Entry
from statetape.store.bills import Bills
from statetape.types import Usage

HOSTILE = "c\x1b[31m\n" + "個" * 60


@pytest.fixture(autouse=True)
def _in_one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as here:
        here.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "state" / "statetape"


@pytest.fixture
def kept(state: Path) -> Path:
    """Two sessions: one that saved and one that cost, of models with and without a price."""
    bills = Bills(state / "bills.sqlite")
    sent = Usage(input=3, cache_read=50_000, cache_write_5m=2_000)
    paid = Usage(input=3, cache_read=50_000, cache_write_5m=2_000, output=300)
    longer = Usage(input=3, cache_read=90_000, cache_write_5m=2_000)
    cold = Usage(input=3, cache_write_5m=52_000, output=300)
    rows = (
        Entry(conversation="first-1", number=1, at=86_400.0, model="claude-opus-4-6", paid=paid,
              planned=sent, unmodified=longer, sent=40_000, removed=39_000, added=20,
              latency=0.004, changes={"refresh": 2, "drop": 1}),
        Entry(conversation="first-1", number=2, at=86_460.0, model="claude-opus-4-6", paid=cold,
              planned=sent, unmodified=sent, harm=1_000, rewritten=77,
              nothing="it does not pay before 20 more requests"),
        Entry(conversation="first-2", number=1, at=172_800.0, model="who-knows", paid=paid),
        Entry(conversation=HOSTILE, number=1, at=1e300, model="\x1b[0mgpt-5.5", planned=sent,
              nothing="\x1b]0;title\x07" + "because " * 40),
    )  # fmt: skip
    for row in rows:
        bills.put(row)
    bills.close()
    return state


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="statetape")


@pytest.mark.usefixtures("kept")
def test_without_a_session_there_is_one_row_for_each() -> None:
    result = run("bill")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0].split() == ["last", "session", "reqs", "sent", "removed", "paid", "$",
                                "without", "saved"]  # fmt: skip
    assert lines[1].startswith("?           c")  # the time of a clock gone mad
    assert lines[2].split() == ["01-03", "00:00", "first-2", "1", "0", "0", "-", "-", "-"]
    assert lines[3].split() == ["01-02", "00:01", "first-1", "2", "40.0k", "39.0k", "0.3775",
                                "0.3925", "+0.0150"]  # fmt: skip
    assert "3 sessions" in lines[5]
    assert "1 of 2 cache reads as foreseen" in result.stdout
    assert "-0.2875 off" in result.stdout
    assert "1,000 tokens, $0.0050 taken off what we saved" in result.stdout
    assert "2 of models without a price: " in result.stdout


@pytest.mark.usefixtures("kept")
def test_with_a_session_there_is_one_row_for_each_request() -> None:
    lines = run("bill", "first-1").stdout.splitlines()
    assert lines[0] == "first-1 · claude-opus-4-6 · 1970-01-02"
    row = "    1 00:00:00   40.0k   39.0k   0.0450   0.0650   +0.0200  2 refresh, 1 drop"
    assert lines[2] == row
    assert lines[3].split()[:7] == ["2", "00:01:00", "0", "0", "0.3325", "0.3275", "-0.0050"]
    assert lines[3].endswith("it does not pay bef…")
    assert "simulator" in run("bill", "first-1").stdout


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("arguments", [(), ("first-1",), ("first-2",), ("c",)])
def test_it_fits_the_terminal_and_steers_nothing(arguments: tuple[str, ...]) -> None:
    result = run("bill", *arguments)
    assert result.exit_code == 0, result.output
    for line in result.stdout.splitlines():
        assert cells(line) <= 80, line
        assert line.isprintable(), line


@pytest.mark.usefixtures("kept")
def test_a_session_may_be_abbreviated() -> None:
    assert run("bill", "first-2").exit_code == 0
    several = run("bill", "first")
    assert several.exit_code == 2
    assert several.stderr == "statetape: 'first' fits 2 sessions: first-2, first-1\n"
    none = run("bill", "second")
    assert none.exit_code == 2
    assert none.stderr == "statetape: 'second': no such session; `statetape bill` lists them\n"


def test_a_session_may_be_named_without_its_agent(kept: Path) -> None:
    bills = Bills(kept / "bills.sqlite")
    for key in ("codex:0a1b2c3d-9e", "codex:0a1b2c3d-9e:77aa", "codex:0a1b2c3d-9e:77bb"):
        bills.put(Entry(conversation=key, number=1, at=90_000.0, model="who-knows"))
    bills.close()
    shown = run("bill").stdout
    assert " 0a1b2c3d-9e " in shown
    assert " 0a1b2c3d:77aa " in shown
    for words, key in (
        ("0a1", "codex:0a1b2c3d-9e"),
        ("codex:0a", "codex:0a1b2c3d-9e"),
        ("0a1b2c3d:77b", "codex:0a1b2c3d-9e:77bb"),
        ("0a1b2c3d-9e:77a", "codex:0a1b2c3d-9e:77aa"),
    ):
        assert run("bill", words).stdout.startswith(f"{key} ·"), words
    assert "fits 2 sessions" in run("bill", "0a1b2c3d:77").stderr


def test_an_empty_store_says_so_and_stays_absent(state: Path) -> None:
    result = run("bill")
    assert result.exit_code == 0
    assert result.stdout.startswith("nothing is billed yet")
    assert json.loads(run("bill", "--json").stdout)["sessions"] == []
    assert run("bill", "--csv").stdout == ""
    assert run("bill", "some").exit_code == 2
    assert not state.exists()


@pytest.mark.usefixtures("kept")
def test_json_has_the_figures_of_sessions_and_of_requests() -> None:
    document = json.loads(run("bill", "--json").stdout)
    assert [row["session"] for row in document["sessions"]][1:] == ["first-2", "first-1"]
    assert document["total"]["saved"] == pytest.approx(0.015)
    assert document["total"]["unpriced"] == 2
    one = json.loads(run("bill", "first-1", "--json").stdout)
    first, second = one["requests"]
    assert first["unmodified"] == pytest.approx(first["paid"] + first["saved"])
    assert first["usage"]["paid"]["cache_read"] == 50_000
    assert second["simulator_error"]["dollars"] == pytest.approx(-0.2875)
    assert one["total"]["simulator_error"]["requests_within_half_percent"] == 1
    assert one["total"]["tokens"]["harm"] == 1_000


@pytest.mark.usefixtures("kept")
def test_the_reference_names_every_field() -> None:
    text = (Path(__file__).parents[2] / "docs/reference/json.md").read_text("utf-8")
    text = text[text.index("## bill --json") :]
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", text))))
    for arguments in ((), ("first-1",)):
        assert fields(json.loads(run("bill", *arguments, "--json").stdout)) - named == set()


def fields(document: Any) -> set[str]:
    """The names of all fields; what is counted by its reason is none."""
    if isinstance(document, list):
        return {name for each in document for name in fields(each)}
    if not isinstance(document, dict):
        return set()
    below = (value for name, value in document.items() if name not in {"changes", "nothing_done"})
    return set(document) | {name for value in below for name in fields(value)}


@pytest.mark.usefixtures("kept")
def test_csv_has_the_same_columns_in_each_row() -> None:
    for arguments, rows in (((), 3), (("first-1",), 2)):
        found = list(csv.DictReader(io.StringIO(run("bill", *arguments, "--csv").stdout)))
        assert len(found) == rows
        assert all(None not in row and None not in row.values() for row in found)
    assert found[0]["saved"] == "0.02"
    assert found[0]["usage_paid_cache_read"] == "50000"
    assert found[0]["changes"] == "2 refresh, 1 drop"
    assert run("bill", "--csv", "--json").exit_code == 2


@pytest.mark.usefixtures("kept")
def test_prices_of_ones_own_count(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[model]]\nmodel = "who-knows"\ninput = 1\noutput = 1\n', "utf-8")
    bill = json.loads(run("bill", "first-2", "--json", "--prices", str(own)).stdout)
    assert bill["total"]["paid"] == pytest.approx(52_303 / 1e6)
    own.write_text('[[model]]\nmodel = "x"\ninput = "1"\n', "utf-8")
    bad = run("bill", "--prices", str(own))
    assert bad.exit_code == 2
    assert bad.stderr.endswith("own.toml: row 1 (x): input: Expected `float`, got `str`\n")


@pytest.mark.parametrize(
    ("figure", "width", "signed", "text"),
    [
        (0.00004, 8, False, "0.0000"),
        (0.00005001, 8, True, "+0.0001"),
        (-0.00004, 8, True, "+0.0000"),
        (-0.0123, 8, True, "-0.0123"),
        (0.0, 8, True, "+0.0000"),
        (1234.56789, 8, False, "1234.57"),
        (-12345678.9, 8, True, "-12345679"),
        (None, 8, True, "-"),
    ],
)
def test_dollars_go_to_a_hundredth_of_a_cent_as_far_as_they_fit(
    *, figure: float | None, width: int, signed: bool, text: str
) -> None:
    assert money(figure, width, signed=signed) == text


@pytest.mark.usefixtures("state")
def test_prices_are_shown_with_source_and_date() -> None:
    table = run("prices")
    assert table.exit_code == 0
    lines = table.stdout.splitlines()
    row = next(line for line in lines if line.startswith("claude-opus-5-5 "))
    assert row.split() == ["claude-opus-5-5", "4", "20", "5", "8", "0.2", "tail", "2026-11-30",
                           "[1]"]  # fmt: skip
    assert next(line for line in lines if line.startswith("[1] "))
    assert all(cells(line) <= 80 for line in lines)
    one = run("prices", "us.anthropic.claude-opus-5-5-v1:0").stdout
    assert one.startswith("claude-opus-5-5 · anthropic\n")
    assert "thinking is bound" in one
    assert "not compared with a bill" in " ".join(one.split())


@pytest.mark.usefixtures("state")
def test_prices_as_json_are_the_rows() -> None:
    rows = json.loads(run("prices", "--json").stdout)["prices"]
    (one,) = json.loads(run("prices", "claude-haiku-5.5", "--json").stdout)["prices"]
    assert one in rows
    assert one["tiers"][0]["above"] == 100_000
    assert (one["edit_mode"], one["verified"], one["date"]) == ("tail", False, "2026-11-30")


def test_an_unknown_model_is_bad_use(state: Path) -> None:
    result = run("prices", "claude-9")
    assert result.exit_code == 2
    place = state.parents[1] / "settings" / "statetape" / "prices.toml"
    assert result.stderr == (
        f"statetape: claude-9: its price is not known; state it in {place}, or with --prices\n"
    )
