"""Codex's tools: the classic ones, and code mode, where a script of JavaScript calls them."""

import shlex
from collections.abc import Mapping, Sequence

from statetape.agents import shell
from statetape.agents.code_mode import ToolCall, tool_calls
from statetape.agents.inputs import Inputs
from statetape.agents.patch import edits as patch_edits
from statetape.agents.paths import relative
from statetape.agents.shell_place import Place
from statetape.agents.shell_writes import at_place
from statetape.types import Action, Call, Edit, Other, Read, Result, Run, Search, StepKind

_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})
_WAITS = frozenset({"write_stdin", "wait"})
_PATCH_ERRORS = (
    "apply_patch verification failed",
    "apply_patch handler received",
    "patch rejected",
    "Script failed",
    "Failed to",
    "Exit code: 1\n",
)


def actions(
    call: Call, result: Result | None, cwd: str, root: str
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of the step, what it did, and the working directory, which never changes.

    The kind is by what was done: an edit where a patch was applied; a read or a search where
    nothing else was run; else a run.
    """
    tool = call.tool
    given = Inputs(call, root, cwd)
    patches = False
    done: tuple[Action, ...]
    if tool == "apply_patch":
        patches, text = True, given.raw or given.text("input", "patch") or ""
        done = at_place(patch_edits(text), Place(root, cwd))
    elif tool in _SHELLS:
        done = _ran(call.input, cwd, root)
    elif tool == "exec":
        calls = tool_calls(given.raw or given.text("input", "code") or "")
        patches = any(one.tool == "apply_patch" for one in calls)
        done = _scripted(calls, cwd, root)
    elif tool in _WAITS:
        done = (Run(tool, "unknown"),)  # the command goes on, whatever it is
    else:
        return "other", (Other(tool),), cwd
    patches = patches or any(isinstance(action, Edit) and action.patch for action in done)
    if patches and _failed(result):
        return "edit_failed", tuple(a for a in done if not isinstance(a, Edit)), cwd
    return _kind(done, purpose=_purpose(call), patches=patches), done, cwd


def _failed(result: Result | None) -> bool:
    return result is not None and (result.failed or result.text.startswith(_PATCH_ERRORS))


def _kind(done: Sequence[Action], *, purpose: StepKind, patches: bool) -> StepKind:
    if patches:
        return "edit"
    if done and all(isinstance(action, Other) for action in done):
        return "other"
    if purpose != "run" and all(isinstance(a, Run) and a.kind == "query" for a in done):
        return purpose  # of files that only the shell knows, or in a form of its own
    if any(isinstance(action, Run | Edit) for action in done):
        return "run"
    shown = [action for action in done if isinstance(action, Read | Search)]
    return "run" if not shown else "read" if isinstance(shown[0], Read) else "search"


def _purpose(call: Call) -> StepKind:
    command = _command(call.input)[0] if call.tool in _SHELLS else None
    return "run" if command is None else shell.purpose(command)


def _command(given: object) -> tuple[str | None, str | None]:
    """A shell tool's command (a line, or a list of words) and its folder."""
    if isinstance(given, str):
        return given, None
    if not isinstance(given, Mapping):
        return None, None
    inner = given.get("action")
    if isinstance(inner, Mapping):  # the built-in local shell
        given = inner
    command = given.get("cmd", given.get("command"))
    if isinstance(command, list | tuple):
        command = shlex.join(str(word) for word in command)
    workdir = given.get("workdir", given.get("working_directory"))
    return (
        command if isinstance(command, str) else None,
        workdir if isinstance(workdir, str) and workdir else None,
    )


def _ran(given: object, cwd: str, root: str) -> tuple[Action, ...]:
    command, workdir = _command(given)
    if command is None:
        return (Run("", "unknown"),)
    return shell.actions(command, relative(workdir, root, cwd) if workdir else cwd, root)[0]


def _scripted(calls: Sequence[ToolCall], cwd: str, root: str) -> tuple[Action, ...]:
    done: list[Action] = []
    for tool, argument in calls:
        if tool in _SHELLS:
            done += _ran({} if argument is None else argument, cwd, root)
        elif tool == "apply_patch":
            done += _patched(argument, cwd, root)
        else:
            done.append(Run(tool, "unknown") if tool in _WAITS else Other(tool))
    return tuple(done) or (Run("", "event"),)


def _patched(argument: str | Mapping[str, str] | None, cwd: str, root: str) -> Sequence[Action]:
    if isinstance(argument, Mapping):
        argument = argument.get("input", argument.get("patch"))
    if argument is None:  # a patch that only the script knows
        return (Run("apply_patch", "unknown"),)
    return at_place(patch_edits(argument), Place(root, cwd))
