"""Real agents with the shim in between: what reaches the upstream is true of the repository.

An oracle stands between the shim and the upstream and compares each request with the disk. Run
with `make test-clients`, which names the harness (STATETAPE_HARNESS).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients import oracle
from tests.clients.driven import EAGER

HARNESS = Path(os.environ.get("STATETAPE_HARNESS", "/nonexistent"))
CLIENTS = Path(os.environ.get("HARNESS_WORK", "/tmp/agent-harness")) / "clients"  # noqa: S108
BETWEEN = Path(__file__).parent / "between.py"
NEEDS = {"mini": "venv-mini", "oh": "venv-oh"}
SCENARIOS = [
    "claude_main",
    "claude_main_haiku45",
    "claude_main_opus48",
    "claude_main_v197",
    "claude_readstate",
    "claude_readstate_v197",
    "claude_subagents",
    "codex_main",
    "codex_main_gpt55",
    "codex_main_gpt56sol",
    "opencode_anthropic",
    "opencode_compat",
    "opencode_openai",
    "mini_anthropic",
    "mini_chat",
    "mini_responses",
    "oh_anthropic",
    "oh_chat",
    "oh_responses",
]

pytestmark = pytest.mark.skipif(
    not (HARNESS / "drive.py").is_file() or os.geteuid() != 0,
    reason="needs the harness of real agents (STATETAPE_HARNESS) and root",
)


def told(scenario: str, folder: Path, options: str) -> list[list[str]]:
    """What the oracle says is false, for each request of a scenario."""
    client = NEEDS.get(scenario.partition("_")[0])
    if client and not (CLIENTS / client).is_dir():
        pytest.skip(f"needs {client} of the harness")
    work, out = folder / "work", folder / "oracle.jsonl"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "clients").symlink_to(CLIENTS)
    shim = f"{sys.executable} {BETWEEN} {{PORT}} {{UPSTREAM}} {{REPO}} {out} {options}"
    subprocess.run(
        [str(HARNESS / "drive.py"), str(HARNESS / "scripts" / f"{scenario}.py")],
        env={**os.environ, "HARNESS_WORK": str(work), "SHIM_CMD": shim},
        check=True,
        capture_output=True,
        timeout=600,
    )
    return [json.loads(line) for line in out.read_text().splitlines()]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nothing_stale_reaches_the_upstream(scenario: str, tmp_path: Path) -> None:
    requests = told(scenario, tmp_path, EAGER)
    assert len(requests) > 2
    assert not [found for request in requests for found in request]


def test_the_oracle_sees_what_is_stale(tmp_path: Path) -> None:
    """Without maintenance the same oracle finds plenty."""
    assert sum(map(len, told("claude_main", tmp_path, "--observe"))) > 20


def test_a_reference_to_an_evicted_read_becomes_the_text(tmp_path: Path) -> None:
    """Claude Code 2.1.197 answers a second read with a reference to the first one."""
    told("claude_readstate_v197", tmp_path, str(Path(__file__).parent / "evicting.py"))
    stubs, texts = 0, 0
    for file in sorted((tmp_path / "work").glob("raw/*/*/[0-9]*.json")):
        asks = json.loads(file.read_text()).get("body")
        for result in oracle.results(asks) if isinstance(asks, dict) else ():
            stubs += "file unchanged since your last Read" in result.text
            texts += "[evicted by a test]" in result.text
    assert texts > 5
    assert stubs == 0
