"""`statetape doctor`: what would go wrong."""

import json
import ssl
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from statetape.cli import checks, cli
from statetape.cli.found import found
from statetape.shim.wiring import Found

CLOUD = "CLAUDE_CODE_USE_VERTEX"


def words(findings: Any, kind: str) -> list[str]:
    return [each.words for each in findings if each.kind == kind]


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_all_is_well_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "claude", "echo 9.9 made up")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ANTHROPIC_BASE_URL", "STATETAPE_CACHE", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    arguments = ["doctor", "--store", str(tmp_path / "state" / "changes"), "--json"]
    ended = CliRunner().invoke(cli, arguments, prog_name="statetape")
    assert ended.exit_code == 0, ended.output
    findings = json.loads(ended.stdout)["findings"]
    by_topic = {each["topic"]: each["words"] for each in findings}
    assert by_topic["round trip"].startswith("unaltered, ")
    assert by_topic["claude"].startswith("wired by ANTHROPIC_BASE_URL=http://127.0.0.1:PORT")
    assert any(each["words"].startswith("9.9 made up (") for each in findings)
    assert {each["kind"] for each in findings} <= {"ok", "note"}
    assert [path.name for path in tmp_path.rglob("*")] == ["claude"]  # nothing was changed


def test_what_is_bad_is_marked_and_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [checks.Finding("bad", "round trip", "altered\x1b[31m")]
    monkeypatch.setattr("statetape.cli.doctor.roundtrip", lambda: bad)
    ended = CliRunner().invoke(cli, ["doctor", "--store", str(tmp_path / "x")])
    assert ended.exit_code == 1
    assert ended.stdout.splitlines()[-1] == "BAD  round trip   altered?[31m"


def test_a_missing_grammar_is_named_with_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_spec", lambda name: None if name.endswith("go") else True)
    assert words(checks.grammars(), "note") == [
        "tree_sitter_go is not installed: .go files are one symbol"
    ]


def test_a_python_without_certificates_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = SimpleNamespace(cert_store_stats=lambda: {"x509_ca": 0})
    monkeypatch.setattr(ssl, "create_default_context", lambda: empty)
    nowhere = SimpleNamespace(cafile=None, capath=None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nowhere)
    assert words(checks.certificates(), "bad") == ["this Python trusts nobody; set SSL_CERT_FILE"]


def test_a_store_that_others_can_read_or_nobody_can_write_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "changes"
    store.touch(0o644)
    assert words(checks.store(store), "note") == [f"{store} can be read by others; chmod 600 it"]
    monkeypatch.setattr("os.access", lambda *_: False)
    (bad,) = words(checks.store(tmp_path / "a" / "b"), "bad")
    assert bad.startswith(f"{tmp_path} cannot be written")


def test_settings_of_claude_code_that_go_before_ours_are_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "claude", "exit 3")
    monkeypatch.setenv("PATH", str(tmp_path))
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"env": {"ANTHROPIC_BASE_URL": "http://x", CLOUD: "1"}}))
    environment = {"HOME": str(tmp_path), "CLAUDE_CODE_USE_BEDROCK": "1"}
    findings = list(checks.agents(environment, tmp_path / "repo", Found()))
    assert words(findings, "bad") == [
        "CLAUDE_CODE_USE_BEDROCK is set: it does not speak the API that is maintained",
        f"{settings} sets {CLOUD}: it does not speak the API that is maintained",
    ]
    assert words(findings, "note") == [
        f"{settings} names a server: `run` goes on to it, but with --settings it cannot"
    ]
    assert words(findings, "ok")[0].startswith("does not say its version (")


def test_no_agent_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert words(checks.agents({}, tmp_path, Found()), "note")[0].startswith("none on the path")


def test_configurations_are_found_where_the_agents_look(tmp_path: Path) -> None:
    for path, text in (
        (".claude/settings.json", '{"env": {"A": 1, "B": 1}}'),
        ("repo/.claude/settings.json", '{"env": 3}'),
        ("repo/.claude/settings.local.json", '{"env": {"B": 2}}'),
        ("codex/config.toml", 'model_provider = "x"'),
        ("config/opencode/opencode.json", '{"provider": {"openai": {"a": 1}, "b": {}}}'),
        ("repo/opencode.json", '{"provider": {"openai": {"a": 2}}}'),
    ):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    environment = {
        "HOME": str(tmp_path),
        "CODEX_HOME": str(tmp_path / "codex"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    assert found(environment, tmp_path / "repo") == (
        {"A": 1, "B": 2},
        {"model_provider": "x"},
        {"provider": {"openai": {"a": 2}, "b": {}}},
    )


@pytest.mark.parametrize("text", [b"", b"\xff", b"{", b"[1", b"// a comment\n{}", b"[" * 10_000])
def test_a_broken_configuration_is_none(tmp_path: Path, text: bytes) -> None:
    for name in ("config.toml", "opencode.json"):
        (tmp_path / name).write_bytes(text)
    environment = {"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path)}
    told = found(environment, tmp_path)
    assert told.opencode == {"provider": {}}
    assert not told.codex
