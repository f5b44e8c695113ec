"""The figures of a replay as JSON values, for one session and in total."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from msgspec import structs

from statetape.replay.timeline import Replayed
from statetape.types import StepKind

Figures = dict[str, Any]

ACTIONS = ("refresh", "drop", "rerun", "keep", "evict", "retrieve")
STEPS: tuple[str, ...] = get_args(StepKind)


def session_figures(replayed: Replayed) -> Figures:
    """The figures of one session: counts, and `tokens` as sums over its requests.

    `writes` counts the writes of every hand, `external_writes` those that no step explains,
    `shell_writes` those of shell commands; `stale_reads` the reads that went stale while held;
    `check` is there only if the oracle ran.
    """
    hands = Counter(write.hand for write in replayed.writes)
    kinds = Counter(step.kind for step in replayed.steps)
    figures: Figures = {
        "id": replayed.id,
        "agent": replayed.agent,
        "agent_versions": list(replayed.agent_versions),
        "models": list(replayed.models),
        "file": replayed.file,
        "policy": replayed.policy,
        "steps": {kind: kinds[kind] for kind in STEPS},  # type: ignore[index]
        "writes": len(replayed.writes),
        "external_writes": hands["external"],
        "shell_writes": hands["shell"],
        "requests": len(replayed.moments),
        "records": len(replayed.records),
        "stale_reads": sum(
            record.kind == "read"
            and record.side == "result"
            and any(passage.state == "stale" for passage in record.life)
            for record in replayed.records
        ),
        "nominations": replayed.nominations,
        "actions": {action: replayed.actions.get(action, 0) for action in ACTIONS},
        "tokens": structs.asdict(replayed.tokens),
        "problems": list(replayed.problems),
    }
    if replayed.check:
        figures["check"] = structs.asdict(replayed.check)
    return figures


def total_figures(sessions: Sequence[Figures]) -> Figures:
    """The sums over sessions; `held_peak` is the largest, each problem names its file."""
    total: Figures = {"sessions": len(sessions)}
    for key in ("steps", "actions", "tokens", "check"):
        parts = [session[key] for session in sessions if key in session]
        if parts:
            total[key] = {name: sum(part[name] for part in parts) for name in parts[0]}
    if sessions:
        total["tokens"]["held_peak"] = max(s["tokens"]["held_peak"] for s in sessions)
    for key, value in (sessions[0] if sessions else {}).items():
        if isinstance(value, int):
            total[key] = sum(session[key] for session in sessions)
    total["problems"] = [f"{s['file']}: {line}" for s in sessions for line in s["problems"]]
    return total
