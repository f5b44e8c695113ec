"""A recording's events as steps: each result with its call, interpreted by the agent's tools."""

from collections.abc import Mapping

from msgspec import Struct

from statetape.agents import actions
from statetape.replay.recording import Happened, Recording
from statetape.types import Call, Result, Say, Step, StepKind


class Steps(Struct, frozen=True):
    """The steps of a recording, keyed by indices into its events.

    `finished` has a step at the event of its result, `begun` the number and kind of a step at the
    event of its call, `remarks` the number of each text (the agent's own are steps; others carry
    the number of the step before). `count` is how many steps there are in all.
    """

    finished: Mapping[int, Step]
    begun: Mapping[int, tuple[int, StepKind]]
    remarks: Mapping[int, int]
    count: int


def steps(recording: Recording) -> Steps:
    """The steps, numbered from 1 in the order in which the agent took them."""
    results = {
        event.block.slot.id: event.block
        for event in recording.events
        if isinstance(event, Happened) and isinstance(event.block, Result)
    }
    finished: dict[int, Step] = {}
    begun: dict[int, tuple[int, StepKind]] = {}
    remarks: dict[int, int] = {}
    open_steps: dict[str, Step] = {}
    count = 0
    for at, event in enumerate(recording.events):
        if not isinstance(event, Happened):
            continue
        block = event.block
        if isinstance(block, Say):
            count += block.role == "assistant"
            remarks[at] = count
        elif isinstance(block, Call):
            count += 1
            step = _step(recording, count, block, results.get(block.slot.id), event.cwd)
            begun[at] = count, step.kind
            open_steps[block.slot.id] = step
        elif block.slot.id in open_steps:
            finished[at] = open_steps.pop(block.slot.id)
        else:
            finished[at] = Step(count, "other", (), result=block)
    return Steps(finished, begun, remarks, count)


def _step(recording: Recording, index: int, call: Call, result: Result | None, cwd: str) -> Step:
    kind, done, _ = actions(recording.agent, call, result, cwd, recording.root)
    return Step(index, kind, done, call, result, cwd)
