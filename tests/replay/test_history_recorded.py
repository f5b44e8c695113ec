"""The real sessions, where they are there: what is rebuilt agrees with all that they show."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statetape.files import Memory
from statetape.replay.history import History, history
from statetape.replay.recording import Happened, Noticed, Part, Recording, Whole
from statetape.replay.transcripts import recording
from statetape.types import Result

SESSIONS = Path(__file__).parents[3] / "shared" / "transcripts"
INDEX = SESSIONS / "index.json"
RECORDS: list[dict[str, Any]] = (
    json.loads(INDEX.read_text(encoding="utf-8"))["records"] if INDEX.exists() else []
)

# What changed files in sessions for which the index counts no drift.
EXPLAINED = {
    "cli__2026-01-22-c35cf82b": "a formatter run from the shell",
    "git-sync__7b2777b1-8075-41f4-": "a sub-agent that is not in the recording",
    "cipher-box__f7594e2b-a01a-4dde-": "an anonymiser gave several files the same name",
    "context-evaluator__8209f1c2-ccba-4dd6-": "a linter run from the shell with its fixes",
    "nimbus__ses_30dbba977ffeu4T": "an anonymiser cut a private key out of the logged texts",
}

pytestmark = pytest.mark.skipif(not RECORDS, reason=f"no recorded sessions at {SESSIONS}")
each_session = pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])


@cache
def rebuilt(file: str) -> tuple[Recording, History]:
    read = recording(SESSIONS / file)
    return read, history(read)


def hands(found: History) -> Counter[str]:
    return Counter(each.hand for writes in found.writes.values() for each in writes)


@each_session
def test_every_edit_applies_and_nothing_is_unexplained(record: dict[str, Any]) -> None:
    if record["self_sufficient"] < 1:
        pytest.skip("the session needs the files of a commit")
    _, found = rebuilt(record["file"])
    assert not found.problems
    assert hands(found)["agent"] == record["steps_by_type"]["edit"]
    if not record["drift"] and record["id"] not in EXPLAINED:
        assert hands(found)["external"] == 0


@each_session
def test_each_event_shows_what_the_files_hold_then(record: dict[str, Any]) -> None:
    read, found = rebuilt(record["file"])
    held = Memory()
    for path in found.files.paths():
        held.write(path, found.files.read(path))
    for index, event in enumerate(read.events):
        for each in found.writes.get(index, ()):
            assert held.read(each.write.path) == each.write.before
            assert each.write.after != each.write.before
            held.write(each.write.path, each.write.after)
        if isinstance(event, Noticed) or (
            isinstance(event, Happened) and isinstance(event.block, Result)
        ):
            shown = event.evidence
            for evidence in shown if len(shown) == 1 else ():
                data = held.read(evidence.path)
                lines = (data or b"").decode().split("\n")
                if isinstance(evidence, Part):
                    first = evidence.first - 1
                    assert tuple(lines[first : first + len(evidence.lines)]) == evidence.lines
                elif isinstance(evidence, Whole):
                    assert (data is None) == (evidence.text is None)
                    assert "\n".join(lines).rstrip("\n") == (evidence.text or "").rstrip("\n")
