"""Real clients under every policy and ablation: they work on as they did alone.

Changes are made at once and everywhere, so that each policy does all it would. Those that ask a
model are answered by a script on loopback, well or ill. STATETAPE_POLICIES names the policies to
run, if not all; for the rest see `test_claude_code.py`.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.clients.driven import CLIENTS, HERE, NEEDED, Driven, Request, driven
from tests.clients.forwarded import undeclared
from tests.clients.items import READS
from tests.clients.modelled import KEPT, KEY, MARK, VENDORS

pytestmark = NEEDED
SCENARIOS = {
    "claude_main": "claude",
    "codex_main": "codex",
    "codex_main_gpt55": "codex",
    "opencode_compat": "opencode",
}
UNSEEN = "codex_main"
"""Where the oracle does not see what shows the file that is kept: two commands in one script."""
TRUE = ("heuristic", "default")
"""Those under which nothing that the tape follows stays stale."""
OTHERS = ("masking", "supersede", "clearing", "corvus", "without-graph")
ASKING = {
    "summary": ("anthropic well", "openai ill"),
    "text": ("openai well", "anthropic ill"),
    "without-tape": ("anthropic well", "openai ill"),
    "model": ("openai well", "anthropic well behind", "anthropic ill", "openai ill"),
}
"""What the model of each policy speaks, how it answers, and whether requests wait for it."""
POLICIES = os.environ.get("STATETAPE_POLICIES", "").split() or [*TRUE, *OTHERS, *ASKING]
EVERYWHERE = "--maintain eager --edit-mode free"


class Alone(NamedTuple):
    scenario: str
    run: Driven


@pytest.fixture(scope="module", params=SCENARIOS)
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    client = SCENARIOS[request.param]
    if not any(CLIENTS.rglob(client)):
        pytest.skip(f"needs {client} of the harness")
    return Alone(request.param, driven(tmp_path_factory.mktemp("a") / "a", request.param))


@pytest.mark.parametrize("policy", [each for each in POLICIES if each not in ASKING])
def test_the_client_does_the_same_and_what_changes_is_declared(
    policy: str, alone: Alone, tmp_path: Path
) -> None:
    run = driven(tmp_path / "a", alone.scenario, f"--policy {policy} {EVERYWHERE}")
    assert_same(alone, run)
    if policy in TRUE:
        assert stale(run) == []


@pytest.mark.parametrize(
    ("policy", "model"), [(p, m) for p in POLICIES if p in ASKING for m in ASKING[p]]
)
def test_whatever_a_model_says_the_client_does_the_same(
    policy: str, model: str, alone: Alone, tmp_path: Path
) -> None:
    api, manner, *behind = model.split()
    options = f"{HERE / 'asking.py'} --policy {policy} {EVERYWHERE}"
    options += f" --manager-mode {'behind' if behind else 'inline'} {api} {manner} {{RUN}}"
    run = driven(tmp_path / "a", alone.scenario, options)
    assert_same(alone, run)
    assert {request.line for request in run.behind} <= {request.line for request in run.front}
    (place,) = (tmp_path / "a/run").glob("*/*")
    heard = json.loads((place / "heard.json").read_text())
    assert len(heard) > (1 if manner == "well" else 2)
    assert not [path for path, _, _ in heard if path.startswith("/stolen")]
    assert_keys_are_apart(run, heard, place)
    if manner == "well":
        assert any(request not in run.front for request in run.behind)
    if policy != "summary":
        assert MARK not in "".join(map(said, run.behind))
    if policy == "model":
        assert [text for text in stale(run) if manner == "ill" or KEPT not in text] == []
        if manner == "well" and not behind and alone.scenario != UNSEEN:
            assert stale(run), "it was asked to keep what is stale"


def assert_same(alone: Alone, run: Driven) -> None:
    """The agent ended, said and left the same as without a shim; what is changed is declared."""
    reads = None if alone.scenario.startswith("claude") else READS
    assert undeclared(run, reads) == []
    assert run.codes == alone.run.codes
    assert run.files == alone.run.files
    assert run.outputs == alone.run.outputs


def assert_keys_are_apart(run: Driven, heard: list[object], place: Path) -> None:
    """The agent's key went to its upstream alone, the manager's to its model, and into no file."""
    agents = {request.named("x-api-key") for request in run.front}
    agents |= {request.named("authorization").removeprefix("Bearer ") for request in run.front}
    agents.discard("")
    asked = json.dumps(heard)
    assert agents
    assert not [key for key in agents if key in asked]
    assert asked.count(KEY) == len(heard)
    assert VENDORS not in asked
    assert not [r for r in run.behind if KEY in said(r) or VENDORS in said(r)]
    written = [*place.glob("shim.*"), *(place / "shim-home").rglob("*")]
    kept = b"".join(file.read_bytes() for file in written if file.is_file())
    assert kept
    assert not [key for key in (KEY, VENDORS, *agents) if key.encode() in kept]


def said(request: Request) -> str:
    """All that a request says: headers and body."""
    return f"{request.headers}\n{request.text.decode(errors='replace')}"


def stale(run: Driven) -> list[str]:
    """What the oracle says of all requests."""
    return [text for judged in run.judged for text in judged["stale"]]
