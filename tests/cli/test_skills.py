"""`statetape skills` and `statetape skill`, on the bundled session."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from statetape.cli import cli
from statetape.cli.columns import WIDTH, cells
from statetape.skills import SKILLS

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "config-loader.jsonl")
ASKED = {
    "nominations": ["--policy", "control"],
    "drift": ["since=0"],
    "callers": ["symbol=load_config", "hops=2"],
    "callees": ["symbol=start_server", "hops=2"],
    "falsified": ["symbol=load_config"],
    "held": [],
    "text": ["slot=toolu_01809045cafbc851d182656a:result"],
    "source": ["symbol=load_config"],
    "importers": ["path=config_loader/loader.py"],
    "overrides": ["symbol=Server"],
    "bases": ["symbol=Server"],
    "focus": [],
}


def asked(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="statetape")


def document(*arguments: str) -> dict[str, Any]:
    found = asked(*arguments, "--json")
    assert found.exit_code == 0, found.output
    read: dict[str, Any] = json.loads(found.stdout)
    return read


def test_the_list_has_every_skill_with_what_it_takes() -> None:
    lines = asked("skills").stdout.split("\n")
    assert [line for line in lines if line and not line.startswith(" ")] == list(SKILLS)
    assert max(map(cells, lines)) <= WIDTH
    found = document("skills")["skills"]
    assert [each["name"] for each in found] == list(SKILLS)
    for each in found:
        assert each["parameters"]["type"] == "object"
        assert each["parameters"]["additionalProperties"] is False
        for name, stated in each["parameters"]["properties"].items():
            assert stated["type"] in {"string", "integer"}
            assert stated["description"]
            assert f"    {name}" in asked("skills").stdout


@pytest.mark.parametrize("name", SKILLS)
def test_each_skill_answers_within_80_columns(name: str) -> None:
    found = asked("skill", name, EXAMPLE, *ASKED[name])
    assert found.exit_code == 0, found.output
    texts = name in {"source", "text", "nominations"}  # lines of files are as long as they are
    assert texts or max(map(cells, found.stdout.split("\n"))) <= WIDTH
    read = document("skill", name, EXAMPLE, *ASKED[name])
    assert read["skill"] == name
    assert read["step"] == 59
    assert bool(read["rows"]) == (found.stdout != "none\n")


def test_the_page_of_skills_names_every_field() -> None:
    page = (Path(EXAMPLE).parents[1] / "docs" / "reference" / "skills.md").read_text("utf-8")
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", page))))
    rows = [row for n in SKILLS for row in document("skill", n, EXAMPLE, *ASKED[n])["rows"]]
    assert {field for row in rows for field in row} - named == set()
    assert set(SKILLS) - named == set()


def test_a_session_stands_as_after_the_step() -> None:
    def slots(step: int) -> list[str]:
        rows = document("skill", "held", EXAMPLE, "--step", str(step), "most=500")["rows"]
        return [row["slot"] for row in rows]

    assert slots(0) == slots(1)[: len(slots(0))]
    assert len(slots(3)) < len(slots(20))
    assert "toolu_01809045cafbc851d182656a:result" in slots(3)
    assert "toolu_01809045cafbc851d182656a:result" not in slots(2)
    # Step 4 was called for at the same time as step 3: its call is held, and has no result yet.
    rows = document("skill", "held", EXAMPLE, "--step", "3", "most=500")["rows"]
    assert {row["slot"].rpartition(":")[2] for row in rows if row["step"] == 4} == {"input"}


def test_writes_of_later_steps_have_not_happened() -> None:
    early = document("skill", "drift", EXAMPLE, "since=0", "--step", "14")["rows"]
    late = document("skill", "drift", EXAMPLE, "since=0")["rows"]
    assert 0 < len(early) < len(late)
    assert late[-len(early) :] == early
    before = document("skill", "source", EXAMPLE, "symbol=load_config", "--step", "3")
    after = document("skill", "source", EXAMPLE, "symbol=load_config")
    assert "_read_json" in before["rows"][0]["text"]
    assert "_read_json" not in after["rows"][0]["text"]


def test_a_policy_has_changed_what_it_changes() -> None:
    rows = document("skill", "held", EXAMPLE, "most=500")["rows"]
    assert {row["change"] for row in rows} >= {"refresh", "drop", None}
    left, all_ = (
        {row["slot"].rpartition(":")[2] for row in document(*asked_for)["rows"]}
        for asked_for in (
            ("skill", "nominations", EXAMPLE),
            ("skill", "nominations", EXAMPLE, "--policy", "control"),
        )
    )
    assert left == {"input"}
    assert all_ == {"input", "result"}


def test_a_repository_has_what_the_session_does_not_show(tmp_path: Path) -> None:
    (tmp_path / "unseen.py").write_text("def unseen():\n    return 1\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "start"], check=True)
    asked_for = "skill", "source", EXAMPLE, "symbol=unseen"
    assert document(*asked_for, "--repo", str(tmp_path))["rows"][0]["path"] == "unseen.py"
    assert asked(*asked_for).exit_code == 2


def test_what_was_left_out_is_said() -> None:
    assert asked("skill", "held", EXAMPLE, "most=1").stdout.endswith("left out\n")
    assert document("skill", "held", EXAMPLE, "most=1")["left_out"] > 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verdict", EXAMPLE], "no skill 'verdict'; there are nominations"),
        (["held", EXAMPLE, "most"], "'most' is not NAME=VALUE"),
        (["held", EXAMPLE, "=1"], "'=1' is not NAME=VALUE"),
        (["held", EXAMPLE, "most=few"], "held: Expected `int`"),
        (["held", EXAMPLE, "most=1", "most=2"], "most is given twice"),
        (["callers", EXAMPLE], "missing required field `symbol`"),
        (["callers", EXAMPLE, "symbol=\x1b[31m"], "no symbol"),
        (["held", EXAMPLE, "--step", "60"], "no step 60; the session has steps 0 to 59"),
        (["held", EXAMPLE, "--step", "-1"], "no step -1"),
        (["held", EXAMPLE, "--base", "HEAD"], "needs --repo"),
        (["held", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_bad_use_is_one_line(arguments: list[str], words: str) -> None:
    found = asked("skill", *arguments)
    assert found.exit_code == 2
    assert words in found.stderr
    assert found.stderr.count("\n") == 1
    assert "\x1b" not in found.stderr
