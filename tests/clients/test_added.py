"""Real clients whose results get code that they did not ask for: they work on as they did alone.

`make test-clients` names the harness (STATETAPE_HARNESS) and installs the clients; it needs root,
for a network of its own.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients import oracle
from tests.clients.driven import CLIENTS, EAGER, HERE, NEEDED, Request, driven

pytestmark = NEEDED
SCENARIOS = {"claude_main": "claude", "codex_main": "codex", "opencode_compat": "opencode"}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_brought_in_is_true_and_the_client_does_the_same(
    scenario: str, tmp_path: Path
) -> None:
    if not any(CLIENTS.rglob(SCENARIOS[scenario])):
        pytest.skip(f"needs {SCENARIOS[scenario]} of the harness")
    alone = driven(tmp_path / "a", scenario)
    run = driven(tmp_path / "b", scenario, f"{HERE / 'feeding.py'} {EAGER}")
    assert [text for judged in run.judged for text in judged["stale"]] == []
    assert not [result for result in results(run.front) if result.added]
    brought = {result.id: result.added for result in results(run.behind) if result.added}
    assert len(brought) > 1
    assert any(list(oracle.brought(added)) for added in brought.values())
    declared = {(name, text) for judged in run.judged for name, side, text in judged["declared"]
                if side == "added"}  # fmt: skip
    for name, added in brought.items():
        assert any(text.endswith(added) for other, text in declared if other == name)
    assert run.codes == alone.codes
    assert run.files == alone.files
    assert run.outputs == alone.outputs


def results(requests: list[Request]) -> Iterator[oracle.Shown]:
    """The results in all requests of a conversation."""
    for request in requests:
        if request.body and request.path.endswith(("/messages", "/responses", "/completions")):
            yield from oracle.results(json.loads(request.text))
