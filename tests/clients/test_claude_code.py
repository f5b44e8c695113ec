"""Claude Code, both versions, in every scenario of the harness: alone, and with a shim in between.

`make test-clients` names the harness (STATETAPE_HARNESS) and installs the clients; it needs root,
for a network of its own. STATETAPE_SCENARIOS names the scenarios to run, if not all.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.clients import oracle
from tests.clients.driven import EAGER, HERE, NEEDED, Driven, Request, driven
from tests.clients.forwarded import undeclared

WRITING = [
    "claude_main",
    "claude_main_haiku45",
    "claude_main_opus48",
    "claude_main_sonnet5",
    "claude_main_v197",
    "claude_main_v197_haiku45",
    "claude_main_v197_opus48",
    "claude_readstate",
    "claude_readstate_haiku45",
    "claude_readstate_v197",
    "claude_rewrite_through",
    "claude_rewrite_through_v197",
    "claude_subagents",
    "claude_subagents_spaced",
    "claude_told",
    "claude_told_haiku45",
    "claude_told_v197",
    "claude_tools2",
    "claude_tools2_opus55",
    "claude_tui",
    "claude_compact",
    "claude_compact2",
    "claude_compact_told",
]
OTHERS = ["claude_compact3", "claude_config", "claude_delay", "claude_errors", "claude_probe"]
OTHERS += ["claude_telemetry"]  # `claude_rewrite` has a proxy that passes the shim by
SCENARIOS = os.environ.get("STATETAPE_SCENARIOS", "").split() or WRITING + OTHERS
# Steps whose output the client itself makes one or the other, alone too (docs/LOG.md has counts).
RACES = {
    "claude_errors": {13, 14},  # of a stream that is cut it keeps what it has read by then, or none
    "claude_subagents": {0},  # agents that edit one file at once; `_spaced` is without the race
    "claude_tui": {0},  # a screen that is drawn anew by the clock
}
# How much is stale, over all requests, without maintenance.
PLENTY = {
    "claude_compact_told": 3,
    "claude_main": 20,
    "claude_told": 40,
    "claude_told_haiku45": 40,
    "claude_told_v197": 40,
}
# How a request ends that asks for a summary: it goes on as it came, and so with what is stale.
SUMMARY = "CRITICAL: Respond with TEXT ONLY"
# What `claude_config` asks for where its environment names us as a proxy for other servers:
# the shim is none, and refuses (tests/shim/test_security.py).
TUNNEL = "CONNECT "
STUB = "file unchanged since your last Read"

pytestmark = NEEDED


class Alone(NamedTuple):
    """A scenario, and what it comes to without a shim."""

    scenario: str
    run: Driven


@pytest.fixture(scope="module", params=SCENARIOS)
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    folder = tmp_path_factory.mktemp("alone") / "w0"
    return Alone(request.param, driven(folder, request.param))


@pytest.fixture
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("alone") / "w0"  # of the same length


def assert_same(alone: Alone, run: Driven) -> None:
    """The agent ended, said and left the same as without a shim."""
    races = RACES.get(alone.scenario, set())
    assert run.codes == alone.run.codes
    assert run.files == alone.run.files
    for step, (ours, theirs) in enumerate(zip(run.outputs, alone.run.outputs, strict=True)):
        assert step in races or ours == theirs


def stale(alone: Alone, run: Driven, *kinds: str) -> list[str]:
    """What the oracle says of all requests; nothing where files are written while it reads."""
    if alone.scenario == "claude_subagents":
        return []
    return [text for judged in run.judged for kind in kinds for text in judged[kind]]


def maintained(work: Path, scenario: str, options: str) -> Driven:
    """A run, without the requests that no proxy maintains."""
    run = driven(work, scenario, options)
    kept = [(r, j) for r, j in zip(run.behind, run.judged, strict=True) if not is_summary(r)]
    return run._replace(
        front=[request for request in run.front if not is_summary(request)],
        behind=[request for request, _ in kept],
        judged=[judged for _, judged in kept],
    )


def is_summary(request: Request) -> bool:
    """Whether a request asks for a summary of the conversation."""
    if not request.path.endswith("/messages") or not request.body:
        return False
    return SUMMARY in json.dumps(json.loads(request.body)["messages"][-1:])


def test_observed_every_request_goes_on_in_the_same_bytes(alone: Alone, work: Path) -> None:
    run = driven(work, alone.scenario, "--observe")
    asked = [request for request in run.front if not request.line.startswith(TUNNEL)]
    assert len(asked) > 1
    assert Counter(run.behind) == Counter(asked)
    found = len(stale(alone, run, "stale"))
    assert found >= PLENTY.get(alone.scenario, 0)  # the oracle sees what is stale
    assert_same(alone, run)


def test_maintained_the_agent_does_the_same_and_nothing_stale_is_sent(
    alone: Alone, work: Path
) -> None:
    run = maintained(work, alone.scenario, EAGER)
    assert stale(alone, run, "stale") == []
    assert undeclared(run) == []
    assert_same(alone, run)


def test_with_inputs_no_stale_edit_is_sent_either(alone: Alone, work: Path) -> None:
    if alone.scenario not in WRITING:
        pytest.skip("writes no file")
    run = maintained(work, alone.scenario, f"{EAGER} --rewrite-inputs")
    assert stale(alone, run, "stale", "inputs") == []
    assert undeclared(run) == []
    assert_same(alone, run)


@pytest.mark.parametrize("alone", ["claude_main", "claude_main_v197"], indirect=True)
def test_where_changes_have_to_pay_what_goes_on_changes_as_declared(
    alone: Alone, work: Path
) -> None:
    run = maintained(work, alone.scenario, "--policy default")
    assert undeclared(run) == []
    assert_same(alone, run)


@pytest.mark.parametrize(
    "scenario",
    ["claude_readstate_v197", "claude_rewrite_through_v197", "claude_rewrite_through"],
)
def test_a_reference_to_an_evicted_read_becomes_the_text(scenario: str, work: Path) -> None:
    """Claude Code 2.1.197 answers a second read with a reference to the first one."""
    run = driven(work, scenario, f"{HERE / 'evicting.py'} {EAGER}")
    references = [text for text in results(run.front) if STUB in text]
    assert bool(references) == scenario.endswith("v197")
    texts = list(results(run.behind))
    assert any("[evicted by a test]" in text for text in texts)
    assert not [text for text in texts if STUB in text]


def results(requests: list[Request]) -> Iterator[str]:
    """The texts of all results in requests."""
    for request in requests:
        if request.path.endswith("/messages"):
            yield from (result.text for result in oracle.results(json.loads(request.body)))
