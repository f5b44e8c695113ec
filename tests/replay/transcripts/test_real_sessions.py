"""The published sessions beside the checkout, against counts made by an independent script."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from statetape.replay.recording import Evidence, Happened, Part, Recording, Sent, Whole
from statetape.replay.transcripts import recording
from statetape.types import Call, Result, Slot

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "transcripts"
INDEX = FOLDER / "index.json"
SESSIONS: list[dict[str, Any]] = json.loads(INDEX.read_bytes())["records"] if INDEX.exists() else []
EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write", "apply_patch"})

# Steps that ran a sub-agent by command and asked no model: the index counts their messages.
MESSAGES_WITHOUT_REQUEST = {"nimbus__ses_30bfbb6f4ffeJ29": 6}

pytestmark = pytest.mark.skipif(not SESSIONS, reason=f"the recorded sessions are not at {FOLDER}")


@pytest.fixture(scope="module")
def found() -> dict[str, Recording]:
    return {session["id"]: recording(FOLDER / session["file"]) for session in SESSIONS}


def happened(session: Recording) -> list[Happened]:
    return [event for event in session.events if isinstance(event, Happened)]


def tools(session: Recording) -> dict[str, str]:
    calls = (event.block for event in happened(session))
    return {call.slot.id: call.tool for call in calls if isinstance(call, Call)}


def results(session: Recording) -> list[tuple[str, Result, tuple[Evidence, ...]]]:
    named = tools(session)
    return [
        (named.get(event.block.slot.id, ""), event.block, event.evidence)
        for event in happened(session)
        if isinstance(event.block, Result)
    ]


def test_all_are_read(found: dict[str, Recording]) -> None:
    assert len(found) == 51
    for session in SESSIONS:
        about = found[session["id"]]
        real = tuple(model for model in session["models"] if model != "<synthetic>")
        assert (about.agent, sorted(about.models)) == (session["agent"], sorted(real))
        assert sorted(about.agent_versions) == sorted(session["agent_versions"])
        assert about.root


def test_the_only_problems_are_repairs(found: dict[str, Recording]) -> None:
    kinds = Counter(
        "repaired" if "invalid escape repaired" in problem
        else "glued" if "several values" in problem
        else problem
        for session in found.values()
        for problem in session.problems
    )  # fmt: skip
    assert kinds == {"repaired": 130, "glued": 1}


def test_slots_are_unique_and_results_follow_their_calls(found: dict[str, Recording]) -> None:
    for name, session in found.items():
        slots = [event.block.slot for event in happened(session)]
        assert len(set(slots)) == len(slots)
        at = {slot: n for n, slot in enumerate(slots)}
        for slot in slots:
            if slot.side == "result":
                assert at[Slot(slot.id, "input")] < at[slot], (name, slot)


def test_requests_agree_with_the_independent_count(found: dict[str, Recording]) -> None:
    for session in SESSIONS:
        requests = sum(isinstance(event, Sent) for event in found[session["id"]].events)
        expected = session["usage"]["requests"] - MESSAGES_WITHOUT_REQUEST.get(session["id"], 0)
        assert requests == expected, session["id"]


def test_edits_and_reads_agree_with_the_independent_count(found: dict[str, Recording]) -> None:
    reads = Counter[str]()
    for session in SESSIONS:
        if session["agent"] != "claude-code":
            continue
        steps, name = session["steps_by_type"], session["id"]
        edits = [result.failed for tool, result, _ in results(found[name]) if tool in EDITS]
        assert edits.count(False) == steps["edit"], name
        assert edits.count(True) == steps["edit_fail"], name
        reads["ours"] += sum(tool == "Read" for tool in tools(found[name]).values())
        reads["theirs"] += steps["read"]
    assert reads["ours"] == pytest.approx(reads["theirs"], rel=0.02)


def test_every_edit_that_worked_has_evidence_of_what_it_did(found: dict[str, Recording]) -> None:
    for session in found.values():
        for tool, result, evidence in results(session):
            if tool in EDITS:
                changes = [
                    it for it in evidence if not (isinstance(it, Whole) and it.when == "before")
                ]
                assert bool(changes) is not result.failed, (session.file, result.slot)


def test_reads_have_evidence_but_for_those_that_show_nothing(found: dict[str, Recording]) -> None:
    blind = Counter[bool]()
    for session in found.values():
        for tool, result, evidence in results(session):
            if tool in ("Read", "read") and not result.failed:
                assert all(isinstance(it, Whole | Part) for it in evidence)
                blind[not evidence] += 1
    assert blind[True] <= 3
    assert blind[False] > 1700
