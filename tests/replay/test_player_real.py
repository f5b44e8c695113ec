"""The published sessions beside the checkout, replayed and checked, against independent counts."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statetape.replay.player import replayed
from statetape.replay.timeline import Replayed

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
INDEX = FOLDER / "index.json"
SESSIONS: list[dict[str, Any]] = json.loads(INDEX.read_bytes())["records"] if INDEX.exists() else []

# The index counts each file of a patch as an edit; a step is one call.
PATCHES_OF_SEVERAL_FILES = {
    "git-sync__019d7739-95cb-79e3-": 5,
    "git-sync__019e260b-71e8-73a1-": 1,
    "gatomia-vscode__ses_2200dec98ffeAAG": 7,
}
# Scripts of Codex's code mode: a step may read several files, and the index counts by command.
CODE_MODE = frozenset({"cyspbot__019f5129-58cd-7e23-", "entire-graph__019f8af9-3076-71f2-"})
SMALLEST = sorted(SESSIONS, key=lambda session: session["bytes"])[:8]

pytestmark = pytest.mark.skipif(not SESSIONS, reason=f"the recorded sessions are not at {FOLDER}")


@cache
def played(file: str) -> Replayed:
    return replayed(FOLDER / file, check=True)


@pytest.mark.parametrize("session", SESSIONS, ids=[session["id"] for session in SESSIONS])
def test_a_session_is_sound_and_counted_as_others_count_it(session: dict[str, Any]) -> None:
    found = played(session["file"])
    assert found.check is not None
    assert found.check.misses == 0
    assert found.check.over_nominations == 0
    assert found.check.writes == len(found.writes)
    assert found.tokens.stale_sent_policy == 0
    assert all(moment.stale == 0 for moment in found.moments)
    parts = [m.fresh + m.finished + m.stale + m.ours for m in found.moments]
    assert sum(parts) == found.tokens.sent_policy
    kinds, counted = Counter(step.kind for step in found.steps), session["steps_by_type"]
    several = PATCHES_OF_SEVERAL_FILES.get(session["id"], 0)
    assert kinds["edit"] + several == counted["edit"]
    if session["id"] not in CODE_MODE:
        assert kinds["read"] == pytest.approx(counted["read"], rel=0.02)


@pytest.mark.parametrize("session", SMALLEST, ids=[session["id"] for session in SMALLEST])
def test_with_inputs_rewritten_nothing_stale_is_sent_at_all(session: dict[str, Any]) -> None:
    found = replayed(FOLDER / session["file"], rewrite_inputs=True)
    assert found.tokens.stale_inputs_sent == 0
    assert found.tokens.stale_sent_policy == 0
