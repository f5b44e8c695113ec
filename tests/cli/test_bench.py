"""`statetape bench cost`, and what `statetape replay` says of costs, on the example session."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli
from statetape.cli.columns import cells

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "config-loader.jsonl"
OPUS = ("--price", "claude-opus-4-5")
FIELDS = {
    "model", "ttl", "maintain", "sessions", "cost_ratio_total", "cost_ratio_max",
    "request_ratio_max", "tokens_ratio_total",
}  # fmt: skip


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), terminal_width=78)


@pytest.fixture
def untold(tmp_path: Path) -> Path:
    """The example, without the provider's figures."""
    lines = map(json.loads, EXAMPLE.read_text("utf-8").splitlines())
    file = tmp_path / "untold.jsonl"
    rows = []
    for line in lines:
        line.get("message", {}).pop("usage", None)
        rows.append(json.dumps(line))
    file.write_text("\n".join(rows), "utf-8")
    return file


def test_bench_prints_the_document_of_the_issue() -> None:
    done = run("bench", "cost", EXAMPLE, *OPUS, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert set(document) == {"rows", "simulator_error"}
    assert set(document["simulator_error"]) == {
        "requests_within_half_percent", "session_median", "session_p90"
    }  # fmt: skip
    assert all(row.keys() >= FIELDS for row in document["rows"])
    assert {row["model"] for row in document["rows"]} == {"claude-opus-4-5"}
    assert {row["sessions"] for row in document["rows"]} == {1}


def test_bench_prints_a_table_of_80_columns_and_the_error_under_it() -> None:
    done = run("bench", "cost", EXAMPLE, EXAMPLE, *OPUS)
    lines = done.stdout.splitlines()
    assert max(map(cells, lines)) <= 80
    assert "simulator           100.0% of cache reads" in done.stdout
    assert any("paying" in line and line.startswith("claude-opus-4-5") for line in lines)


def test_another_policy_comes_to_something_else() -> None:
    def total(policy: str) -> dict[str, float]:
        done = run("bench", "cost", EXAMPLE, *OPUS, "--json", "--policy", policy)
        rows = json.loads(done.stdout)["rows"]
        own = [row for row in rows if (row["ttl"], row["edits"]) == ("own", "free")]
        return {row["maintain"]: row["tokens_ratio_total"] for row in own}

    masking, control = total("masking"), total("control")
    assert {control[kept] for kept in ("never", "eager", "paying")} == {1.0}
    assert masking["eager"] < 0.95


def test_a_session_without_figures_is_named_and_left_out(untold: Path) -> None:
    done = run("bench", "cost", EXAMPLE, untold, *OPUS, "--json", "--jobs", 1)
    assert done.exit_code == 0
    assert f"{untold}: left out: no figures of a provider" in done.stderr
    assert {row["sessions"] for row in json.loads(done.stdout)["rows"]} == {1}
    alone = run("bench", "cost", untold, *OPUS)
    assert (alone.exit_code, alone.stdout) == (1, "")


def test_a_file_that_is_no_session_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("{}", "utf-8")
    done = run("bench", "cost", tmp_path / "none.jsonl", EXAMPLE, *OPUS, "--json", "--jobs", 1)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["rows"]


def test_a_price_that_is_not_known_is_bad_use() -> None:
    for command in (["bench", "cost"], ["replay"]):
        done = run(*command, EXAMPLE, "--price", "no-such-model")
        assert done.exit_code == 2
        assert done.stderr.startswith("statetape: --price no-such-model: its price is not known")


def cost(*arguments: object) -> dict[str, object]:
    document = json.loads(run("replay", EXAMPLE, "--json", *arguments).stdout)
    found: dict[str, object] = document["sessions"][0]["cost"]
    assert document["total"]["cost"] == found
    return found


def test_a_replay_says_what_it_cost() -> None:
    own = cost()
    assert own["model"] == "claude-sonnet-4-5"
    assert own.keys() >= {"reported", "simulated_control", "simulated_policy", "simulator_error"}
    lines = run("replay", EXAMPLE, "--policy", "default").stdout.splitlines()
    line = next(x for x in lines if "  cost " in x)
    assert line == "  cost                $0.33 -> $0.48 (+46.0%); paid $0.33, simulator -0.1%"


def test_terms_and_prices_change_what_it_costs() -> None:
    own, paying, never = cost(), cost("--maintain", "paying"), cost("--maintain", "never")
    assert never["simulated_policy"] == never["simulated_control"] == own["simulated_control"]
    assert paying["simulated_policy"] < own["simulated_policy"]  # type: ignore[operator]
    hour = cost("--ttl", "1h", *OPUS)
    assert hour["simulated_control"] > own["simulated_control"]  # type: ignore[operator]
    assert hour["simulator_error"] is None


def test_by_every_price_there_is_a_table() -> None:
    document = json.loads(run("replay", EXAMPLE, "--price", "all", "--json").stdout)
    prices = json.loads(run("prices", "--json").stdout)["prices"]
    found = [each["model"] for each in document["sessions"][0]["costs"]]
    assert found == [price["model"] for price in prices]
    lines = run("replay", EXAMPLE, "--price", "all").stdout.splitlines()
    assert max(map(cells, lines)) <= 80
    assert sum(line.startswith(("claude-", "gpt-")) for line in lines) > 30


def test_without_a_price_there_are_tokens_only(tmp_path: Path) -> None:
    file = tmp_path / "unknown.jsonl"
    text = EXAMPLE.read_text("utf-8").replace("claude-sonnet-4-5-20250929", "my-own-model")
    file.write_text(text, "utf-8")
    assert "  cost                not known: no price for its model" in run("replay", file).stdout
    document = json.loads(run("replay", file, "--json").stdout)
    assert document["sessions"][0]["cost"] is None
    assert document["total"]["cost"] is None
    prices = tmp_path / "prices.toml"
    prices.write_text('[[model]]\nmodel = "my-own-model"\nlike = "claude-opus-4-5"\n', "utf-8")
    known = json.loads(run("replay", file, "--json", "--prices", prices).stdout)
    assert known["sessions"][0]["cost"]["model"] == "my-own-model"
    both = json.loads(run("replay", file, EXAMPLE, "--json", "--jobs", 1).stdout)
    assert both["total"]["cost"] == both["sessions"][1]["cost"]


def test_without_figures_a_cost_is_by_the_texts_alone(untold: Path) -> None:
    found = json.loads(run("replay", untold, "--json").stdout)["sessions"][0]["cost"]
    assert found["reported"] is None
    assert found["simulator_error"] is None
    assert found["simulated_control"] > 0
    assert "by the texts alone" in " ".join(run("replay", untold).stdout.split())
