"""A recording made ready to play: its steps, and the evidence that its shell commands give."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from statetape.agents.numbered import numbered
from statetape.replay.recording import Evidence, Happened, Part, Recording
from statetape.replay.steps import Steps, steps
from statetape.types import Action, Call, Edit, Other, Read, Result, Run, Step

# Tools that set another agent to work, whose writes only show later.
_DELEGATES = frozenset({"Agent", "Task", "spawn_agent", "task", "wait_agent"})
# Runs that may write: unknown ones anything, builds what they make.
_WRITING = frozenset({"build", "unknown"})
# A command with one of these is more than one plain reading of one file.
_COMPOUND = ("|", ";", "&", ">", "<", "$", "`", "\n")
# Commands that print a file from its first line on. Of others (`tail`, a filter) only stated lines
# and printed numbers tell where the output stands.
_FROM_THE_TOP = frozenset({"cat", "head", "nl", "less", "more", "bat"})
_SHELLS = frozenset({"bash", "sh", "zsh"})


class Prepared(Struct, frozen=True):
    """What a replay needs of a recording.

    `shell_writes` is what each step may have written that its log does not spell out, by the event
    of its result; None in it stands for a command or a sub-agent that may have written anything.
    """

    recording: Recording
    steps: Steps
    shell_writes: Mapping[int, tuple[Edit | None, ...]]


def prepared(recording: Recording) -> Prepared:
    """The recording with its steps; plain shell reads have become evidence of lines."""
    found = steps(recording)
    events = list(recording.events)
    writes: dict[int, tuple[Edit | None, ...]] = {}
    for at, step in found.finished.items():
        event = events[at]
        if not isinstance(event, Happened) or step.result is None:
            continue
        if event.evidence:
            continue
        lines = _lines_read(step, step.result)
        if lines:
            events[at] = replace(event, evidence=lines)
        elif may := _written(step):
            writes[at] = may
    return Prepared(replace(recording, events=tuple(events)), found, writes)


def _written(step: Step) -> tuple[Edit | None, ...]:
    """The edits of a step in order, and None where a part of it may have written anything."""
    return tuple(
        action if isinstance(action, Edit) else None
        for action in step.actions
        if isinstance(action, Edit) or _may_write(action)
    )


def _may_write(action: Action) -> bool:
    match action:
        case Run(kind=kind):
            return kind in _WRITING
        case Other(tool=tool):
            return tool in _DELEGATES
    return False


def _lines_read(step: Step, result: Result) -> tuple[Evidence, ...]:
    """The lines that a command shows which reads one file and does nothing else."""
    if result.failed or len(step.actions) != 1 or not isinstance(step.actions[0], Read):
        return ()
    if step.call is None or any(mark in _command(step.call) for mark in _COMPOUND):
        return ()
    read = step.actions[0]
    shown = numbered(result.text, (read.path,))
    rows = shown.rows
    if not rows or shown.cut or shown.code:
        return ()
    if rows[0].number is None and read.first is None and not _from_the_top(_command(step.call)):
        return ()
    numbers = [row.number for row in rows]
    first = numbers[0] if numbers[0] is not None else read.first or 1
    if any(number not in (None, first + index) for index, number in enumerate(numbers)):
        return ()
    lines = [row.line for row in rows]
    if lines and not lines[-1]:
        lines.pop()
    return (Part(read.path, first, tuple(lines)),) if lines else ()


def _from_the_top(command: str) -> bool:
    words = command.replace("'", " ").replace('"', " ").split()
    if len(words) > 2 and words[0] in _SHELLS and words[1] in ("-c", "-lc"):
        words = words[2:]
    squeezed = any(word[:1] == "-" and "s" in word for word in words[1:])
    return bool(words) and words[0] in _FROM_THE_TOP and not squeezed


def _command(call: Call) -> str:
    if isinstance(call.input, str):
        return ";"
    words = call.input.get("command", call.input.get("cmd", ""))
    return words if isinstance(words, str) else " ".join(map(str, words))
