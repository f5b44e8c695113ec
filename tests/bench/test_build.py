"""`statetape bench build`: its files, which are the same each time, and what it says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.bench.sessions import Told
from tests.bench.test_judge import answer
from tests.llm.scripted import serving

from statetape.bench.labels import Labelled, Manifest
from statetape.cli import cli
from statetape.cli.columns import WIDTH, cells

LIB = "def parse(text):\n    return text\n"
USE = "from lib import parse\n\n\ndef use(text):\n    return parse(text)\n"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    told = Told(tmp_path, {"lib.py": LIB, "use.py": USE, "unread.py": LIB})
    told.read("lib.py")
    told.read("use.py")
    told.edit("lib.py", "def parse(text):", "def parse(text, strict):")
    told.bash("pytest -q", "1 failed", failed=True)
    told.edit("use.py", "return parse(text)", "return parse(text, 2)")
    return told.saved()


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["bench", "build", *map(str, words)])


def built(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_manifest_says_what_it_was_built_from(session: Path, tmp_path: Path) -> None:
    import msgspec

    assert run(session, "--out", tmp_path / "out", "--seed", 3).exit_code == 0
    found = msgspec.json.decode((tmp_path / "out/manifest.json").read_bytes(), type=Manifest)
    assert (found.tokenizer, found.labels, found.seed) == ("cl100k_base", "rules", 3)
    assert (found.prompt_version, found.judge) == (None, None)
    assert found.engine.startswith("jedi ")
    (source,) = found.sessions
    assert source.sha256 == sha256(session.read_bytes()).hexdigest()
    assert (source.id, source.file, source.repo, source.base) == (
        "session", str(session), None, None,
    )  # fmt: skip
    labels = (tmp_path / "out/sessions/session.json").read_bytes()
    points = msgspec.json.decode(labels, type=Labelled).points
    assert [point.family for point in points] == ["P", "P", "T", "F"]
    assert [point.index for point in points] == [0, 1, 2, 3]


def test_the_same_input_gives_the_same_bytes(session: Path, tmp_path: Path) -> None:
    for seed, folder in (("1", "one"), ("2", "two")):
        words = ["bench", "build", str(session), "--out", str(tmp_path / folder)]
        subprocess.run(
            [sys.executable, "-c", "from statetape.cli import main; main()", *words],
            check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
    assert built(tmp_path / "one") == built(tmp_path / "two")
    assert run(session, "--out", tmp_path / "one").exit_code == 0
    assert built(tmp_path / "one") == built(tmp_path / "two")


def test_a_report_fits_a_terminal(session: Path, tmp_path: Path) -> None:
    found = run(session, "--out", tmp_path / "out")
    assert found.exit_code == 0
    assert all(cells(row) <= WIDTH for row in found.output.split("\n"))
    assert "2 points before edits" in found.output
    assert "G1 edit site" in found.output


def test_json_has_the_two_blocks(session: Path, tmp_path: Path) -> None:
    found = json.loads(run(session, "--out", tmp_path / "out", "--json").output)
    assert found["decision_points"] == {"P": 2, "T": 1, "F": 1, "strict": 2, "skipped": 0}
    points = json.loads((tmp_path / "out/sessions/session.json").read_bytes())["points"]
    before = [point for point in points if point["family"] == "P"]
    assert sum(found["held"].values()) == sum(r["n"] for p in before for r in p["held"])
    gold = sum(rule["tokens"] for rule in found["needed"].values())
    assert gold == sum(each["tokens"] for point in before for each in point["needed"]) > 0
    missing = sum(rule["missing"] for rule in found["needed"].values())
    assert missing == sum(point["missing"] for point in before)


def test_the_reference_names_every_field(session: Path, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/json.md").read_text("utf-8")
    part = page.partition("## bench build --json")[2].partition("## bench report --json")[0]
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", part))))
    told = json.loads(run(session, "--out", tmp_path / "out", "--json").output)
    files = [json.loads(data) for data in built(tmp_path / "out").values()]
    assert set(fields([told, *files])) - named == set()


def fields(document: Any) -> Iterator[str]:
    if isinstance(document, list):
        for each in document:
            yield from fields(each)
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from fields(value)


def test_a_repository_has_the_files_that_were_never_shown(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    told = Told(tmp_path, {"lib.py": LIB, "use.py": USE})
    for path, text in told.files.items():
        (repo / path).write_text(text, "utf-8")
    git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    told.read("use.py")
    told.edit("use.py", "return parse(text)", "return parse(text + '')")
    session = told.saved()

    def missing(*more: object) -> Any:
        out = tmp_path / "out"
        return json.loads(run(session, "--out", out, "--json", *more).output)["needed"]["G2"]

    assert missing()["missing"] == 0
    assert missing("--repo", repo)["missing"] > 0
    manifest = json.loads((tmp_path / "out/manifest.json").read_bytes())
    assert len(manifest["sessions"][0]["base"]) == 40


def test_what_is_left_of_another_benchmark_goes(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    other = tmp_path / "other.jsonl"
    other.write_bytes(session.read_bytes())
    assert run(session, other, "--out", out, "--jobs", 1).exit_code == 0
    assert sorted(each.name for each in (out / "sessions").iterdir()) == [
        "other.json", "session.json",
    ]  # fmt: skip
    assert run(session, "--out", out).exit_code == 0
    assert [each.name for each in (out / "sessions").iterdir()] == ["session.json"]


def test_a_build_that_comes_to_nothing_leaves_the_benchmark_that_was_there(
    session: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run(session, "--out", out).exit_code == 0
    before = built(out)
    assert run(tmp_path / "none.jsonl", "--out", out).exit_code == 2
    assert built(out) == before
    (out / "building").mkdir()  # broken off
    (out / "building" / "left.json").write_text("", "utf-8")
    assert run(session, "--out", out).exit_code == 0
    assert built(out) == before


def test_a_build_that_comes_to_nothing_leaves_nothing(tmp_path: Path) -> None:
    assert run(tmp_path / "none.jsonl", "--out", tmp_path / "out").exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_sessions_of_one_name_are_told_apart(session: Path, tmp_path: Path) -> None:
    other = tmp_path / "deeper" / session.name
    other.parent.mkdir()
    other.write_bytes(session.read_bytes())
    assert run(session, other, "--out", tmp_path / "out", "--jobs", 1).exit_code == 0
    manifest = json.loads((tmp_path / "out/manifest.json").read_bytes())
    assert [each["id"] for each in manifest["sessions"]] == ["session", "session~2"]


@pytest.mark.parametrize(("words", "why"), [
    (["--labels", "judge"], "needs --judge-model NAME"),
    (["--judge-model", "m"], "--labels judge only"),
    (["--base", "HEAD"], "needs --repo"),
    (["--patch", "none.diff"], "none.diff"),
    (["--bases", "none.json"], "none.json"),
])  # fmt: skip
def test_bad_use_is_one_line(session: Path, tmp_path: Path, words: Sequence[str], why: str) -> None:
    found = CliRunner().invoke(cli, ["bench", "build", str(session), "--out",
                                      str(tmp_path / "out"), *words])  # fmt: skip
    assert found.exit_code == 2
    assert why in found.output
    assert found.output.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_of_bases_that_names_no_session_is_a_mistake(session: Path, tmp_path: Path) -> None:
    file = tmp_path / "bases.json"
    file.write_text('{"another": {"repo": "."}}', "utf-8")
    for command in (["build", session, "--out", tmp_path / "out"], ["lookahead", session]):
        words = [str(word) for word in ("bench", *command, "--bases", file)]
        found = CliRunner().invoke(cli, words)
        assert found.exit_code == 2
        assert "names none of these sessions; the first would be 'session'" in found.output
        assert found.output.count("\n") == 1


def test_a_folder_of_other_things_is_left_alone(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine", "utf-8")
    found = run(session, "--out", out)
    assert found.exit_code == 2
    assert "no benchmark" in found.output
    assert (out / "thesis.txt").read_text("utf-8") == "mine"


def test_a_session_that_cannot_be_read_is_named_and_the_others_go_on(
    session: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("", "utf-8")
    found = run(broken, session, "--out", tmp_path / "out", "--jobs", 1)
    assert found.exit_code == 2
    assert "broken.jsonl" in found.output
    manifest = json.loads((tmp_path / "out/manifest.json").read_bytes())
    assert [each["id"] for each in manifest["sessions"]] == ["session"]


def said(_: str, body: dict[str, Any]) -> tuple[int, bytes]:
    """A chat server that answers as the scripted judge does."""
    from statetape.context.asking import Ask, Message

    text = body["messages"][-1]["content"]
    for purpose in ("bench-held", "bench-needed"):
        if ("The records:" in text) == (purpose == "bench-held"):
            told = answer(Ask(purpose, (Message("user", text),)))
            break
    message = {"role": "assistant", "content": told}
    document = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
    return 200, json.dumps(document).encode()


def test_a_judge_is_asked_once_and_then_found_in_the_cache(session: Path, tmp_path: Path) -> None:
    judge = ["--labels", "judge", "--judge-model", "m", "--judge-cache", tmp_path / "cache"]
    with serving(said) as server:
        url = ["--judge-url", f"openai={server.url}"]
        filled = run(session, "--out", tmp_path / "one", *judge, *url, "--judge-fill")
        assert filled.exit_code == 0, filled.output
        asked = len(server.heard)
        assert asked > 3
    again = run(
        session, "--out", tmp_path / "two", *judge, "--judge-url", "openai=http://127.0.0.1:1"
    )
    assert again.exit_code == 0, again.output
    assert built(tmp_path / "one") == built(tmp_path / "two")
    manifest = json.loads((tmp_path / "one/manifest.json").read_bytes())
    assert (manifest["labels"], manifest["judge"], manifest["prompt_version"]) == (
        "judge",
        "m",
        "1",
    )
    other = run(session, "--out", tmp_path / "three", *judge, "--seed", 1,
                "--judge-url", "openai=http://127.0.0.1:1")  # fmt: skip
    assert other.exit_code == 2
    assert "--judge-fill asks for it" in other.output
