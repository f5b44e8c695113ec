"""Real clients under every policy that asks no model: they work on as they did alone.

Changes are made at once and everywhere, so that each policy does all it would. STATETAPE_POLICIES
names the policies to run, if not all; for the rest see `test_claude_code.py`.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.clients.driven import CLIENTS, NEEDED, Driven, driven
from tests.clients.forwarded import undeclared
from tests.clients.items import READS

pytestmark = NEEDED
SCENARIOS = {"claude_main": "claude", "codex_main": "codex", "opencode_compat": "opencode"}
TRUE = ("heuristic", "default")
"""Those under which nothing that the tape follows stays stale."""
OTHERS = ("masking", "supersede", "clearing", "corvus", "without-graph")
POLICIES = os.environ.get("STATETAPE_POLICIES", "").split() or [*TRUE, *OTHERS]


class Alone(NamedTuple):
    scenario: str
    run: Driven


@pytest.fixture(scope="module", params=SCENARIOS)
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    client = SCENARIOS[request.param]
    if not any(CLIENTS.rglob(client)):
        pytest.skip(f"needs {client} of the harness")
    return Alone(request.param, driven(tmp_path_factory.mktemp("a") / "a", request.param))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_client_does_the_same_and_what_changes_is_declared(
    policy: str, alone: Alone, tmp_path: Path
) -> None:
    options = f"--policy {policy} --maintain eager --edit-mode free"
    run = driven(tmp_path / "a", alone.scenario, options)
    reads = None if alone.scenario.startswith("claude") else READS
    assert undeclared(run, reads) == []
    if policy in TRUE:
        assert [text for judged in run.judged for text in judged["stale"]] == []
    assert run.codes == alone.run.codes
    assert run.files == alone.run.files
    assert run.outputs == alone.run.outputs
