"""The figures of a replay as JSON values, for one session and in total."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from msgspec import structs

from statetape.replay.timeline import Replayed
from statetape.types import StepKind

Figures = dict[str, Any]

ACTIONS = ("refresh", "drop", "rerun", "keep", "evict", "mask", "retrieve", "summarise")
STEPS: tuple[str, ...] = get_args(StepKind)


def session_figures(replayed: Replayed) -> Figures:
    """The figures of one session: counts, and `tokens` as sums over its requests.

    `writes` counts the writes of every hand, `external_writes` those that no step explains,
    `shell_writes` those of shell commands; `stale_reads` the reads that went stale while held;
    `manager` is there only if a model was asked, `check` if the oracle ran, `cost` if one was asked
    for (None: its price is not known), `costs` if it was by every price.
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
        "brought_in": structs.asdict(replayed.brought_in),
        "tokens": structs.asdict(replayed.tokens),
        "problems": list(replayed.problems),
    }
    costs = [None if cost is None else structs.asdict(cost) for cost in replayed.costs]
    if costs:
        figures["cost"] = costs[0]
    if costs[1:]:
        figures["costs"] = costs[1:]
    if replayed.asked.asks:
        usage = replayed.asked.usage
        figures["manager"] = {
            "asks": replayed.asked.asks,
            "failed": sum(replayed.asked.failed.values()),
            "tokens": usage.prompt + usage.output,
        }
    if replayed.check:
        figures["check"] = structs.asdict(replayed.check)
    return figures


def total_figures(sessions: Sequence[Figures]) -> Figures:
    """The sums over sessions; `held_peak` is the largest, each problem names its file."""
    total: Figures = {"sessions": len(sessions)}
    for key in ("steps", "actions", "brought_in", "tokens", "manager", "check"):
        parts = [session[key] for session in sessions if key in session]
        if parts:
            total[key] = {name: sum(part[name] for part in parts) for name in parts[0]}
    if sessions and "cost" in sessions[0]:
        total["cost"] = cost_total([session["cost"] for session in sessions])
    if sessions and "costs" in sessions[0]:
        rows = zip(*(session["costs"] for session in sessions), strict=True)
        total["costs"] = [cost_total(row) for row in rows]
    if sessions:
        total["tokens"]["held_peak"] = max(s["tokens"]["held_peak"] for s in sessions)
    for key, value in (sessions[0] if sessions else {}).items():
        if isinstance(value, int):
            total[key] = sum(session[key] for session in sessions)
    total["problems"] = [f"{s['file']}: {line}" for s in sessions for line in s["problems"]]
    return total


def cost_total(costs: Sequence[Figures | None]) -> Figures | None:
    """The sums over the sessions whose price is known; None: over none of them.

    `reported` and `simulator_error` are of the sessions whose logs have figures; of `model` there
    is one only if all sessions have the same.
    """
    known = [cost for cost in costs if cost is not None]
    if not known:
        return None
    told = [cost for cost in known if cost["reported"] is not None]
    held = [cost for cost in told if cost["simulator_error"] is not None]
    paid, simulated = (
        sum(cost[name] for cost in held) for name in ("reported", "simulated_control")
    )
    models = list(dict.fromkeys(cost["model"] for cost in known))
    return {
        "model": models[0] if len(models) == 1 else None,
        "reported": sum(cost["reported"] for cost in told) if told else None,
        "simulated_control": sum(cost["simulated_control"] for cost in known),
        "simulated_policy": sum(cost["simulated_policy"] for cost in known),
        "simulator_error": simulated / paid - 1 if paid else None,
    }
