"""Codex, opencode, mini-swe-agent and OpenHands in every scenario: alone, and with a shim between.

`make test-clients` names the harness (STATETAPE_HARNESS) and installs the clients; it needs root,
for a network of its own. STATETAPE_SCENARIOS names the scenarios to run, if not all.
"""

import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.clients.driven import CLIENTS, EAGER, NEEDED, Driven, Request, driven
from tests.clients.forwarded import undeclared
from tests.clients.items import READS

WRITING = [
    "codex_main",
    "codex_main_gpt55",
    "codex_main_gpt56luna",
    "codex_main_gpt56sol",
    "codex_main_unknown",
    "codex_rewrite_through",  # `codex_rewrite` has a proxy that passes the shim by
    "codex_spent",
    "codex_ws",
    "codex_ws_custom",
    "mini_anthropic",
    "mini_chat",
    "mini_responses",
    "mini_spent",
    "oh_anthropic",
    "oh_chat",
    "oh_responses",
    "opencode_anthropic",
    "opencode_compat",
    "opencode_openai",
    "opencode_spent",
]
OTHERS = [
    "codex_chatgpt",
    "codex_compact",
    "codex_delay",
    "codex_errors",
    "codex_probe",
    "codex_wsrefuse_403",
    "codex_wsrefuse_426",
    "codex_wsrefuse_501",
    "opencode_compact",
    "opencode_compact2",
    "opencode_errors",
]
SCENARIOS = os.environ.get("STATETAPE_SCENARIOS", "").split() or WRITING + OTHERS
PROGRAMS = {
    "codex": "npm/node_modules/.bin/codex",
    "opencode": "npm/node_modules/.bin/opencode",
    "mini": "venv-mini/bin/mini",
    "oh": "venv-oh/bin/python",
}
# Steps that the client itself ends one way or the other, alone too (docs/LOG.md has counts).
RACES = {"opencode_errors": {5}}  # of a stream that is cut the begun step is told twice, or once

pytestmark = NEEDED


class Alone(NamedTuple):
    """A scenario, and what it comes to without a shim."""

    scenario: str
    run: Driven


@pytest.fixture(scope="module", params=SCENARIOS)
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    program = PROGRAMS[request.param.partition("_")[0]]
    if not (CLIENTS / program).exists():
        pytest.skip(f"needs {program} of the harness")
    return Alone(request.param, driven(tmp_path_factory.mktemp("alone") / "w0", request.param))


@pytest.fixture
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("alone") / "w0"  # of the same length


def passed(requests: list[Request]) -> Counter[Request]:
    """Those that go on: a shim refuses websockets itself."""
    return Counter(r for r in requests if r.named("upgrade").lower() != "websocket")


def assert_same(alone: Alone, found: Driven) -> None:
    """The agent ended, said and left the same as without a shim."""
    races = RACES.get(alone.scenario, set())
    assert found.files == alone.run.files
    pairs = zip(found.codes, alone.run.codes, strict=True)
    assert not [n for n, (ours, theirs) in enumerate(pairs) if ours != theirs and n not in races]
    outputs = zip(found.outputs, alone.run.outputs, strict=True)
    for step, (ours, theirs) in enumerate(outputs):
        assert step in races or ours == theirs


def stale(found: Driven, *kinds: str) -> list[str]:
    """What the oracle says of all requests."""
    return [text for judged in found.judged for kind in kinds for text in judged[kind]]


def test_observed_every_request_goes_on_in_the_same_bytes(alone: Alone, work: Path) -> None:
    found = driven(work, alone.scenario, "--observe")
    assert len(found.front) > 1
    assert passed(found.behind) == passed(found.front)
    assert_same(alone, found)


def test_maintained_the_agent_does_the_same_and_nothing_stale_is_sent(
    alone: Alone, work: Path
) -> None:
    found = driven(work, alone.scenario, EAGER)
    assert stale(found, "stale") == []
    assert undeclared(found, READS) == []
    assert_same(alone, found)


def test_with_inputs_no_stale_edit_is_sent_either(alone: Alone, work: Path) -> None:
    if alone.scenario not in WRITING:
        pytest.skip("writes no file")
    found = driven(work, alone.scenario, f"{EAGER} --rewrite-inputs")
    assert stale(found, "stale", "inputs") == []
    assert undeclared(found, READS) == []
    assert_same(alone, found)


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        ("codex_main_gpt55", "stale"),
        ("codex_spent", "inputs"),
        ("mini_chat", "stale"),
        ("mini_spent", "inputs"),
        ("opencode_spent", "inputs"),
    ],
)
def test_the_oracle_sees_what_is_stale(scenario: str, kind: str, work: Path) -> None:
    """Without maintenance the same oracle finds plenty."""
    if scenario not in SCENARIOS:
        pytest.skip("not asked for")
    found = driven(work, scenario, "--observe")
    assert len(stale(found, kind)) > 2
    assert undeclared(found, READS) == []
