"""Claude Code's tools, of all versions since 1.0."""

from collections.abc import Mapping

from statetape.agents import shell
from statetape.agents.inputs import Inputs, refused
from statetape.agents.paths import relative
from statetape.types import Action, Call, Edit, Other, Result, Run, StepKind

_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "str_replace_based_edit_tool"})
_READS = frozenset({"Read", "NotebookRead"})
_SEARCHES = frozenset({"Grep", "Glob", "LS", "ToolSearch"})
_RUNS = frozenset({"Bash", "BashOutput", "TaskOutput", "AgentOutputTool", "PowerShell"})
_RESET = "Shell cwd was reset to "


def actions(
    call: Call, result: Result | None, cwd: str, root: str
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of the step, what it did, and the working directory after it.

    A call that failed or was refused did nothing, but for commands: those may have written before
    they failed. Without a result the call is taken to succeed.
    """
    given = Inputs(call, root, cwd)
    failed = refused(result) or (result is not None and result.failed)
    tool = call.tool
    if tool in _EDITS:
        return ("edit_failed", (), cwd) if failed else ("edit", _edits(tool, given), cwd)
    if tool in _READS:
        return "read", () if failed else _reads(given), cwd
    if tool in _SEARCHES:
        return "search", () if failed else _searches(tool, given), cwd
    if tool in _RUNS:
        return "run", *_run(tool, given, result, cwd, root)
    if tool == "LSP" and not failed:
        return "other", (Run(f"LSP {given.text('operation') or ''}", "query"),), cwd
    return "other", (Other(tool),), cwd


def _edits(tool: str, given: Inputs) -> tuple[Action, ...]:
    path = given.path("file_path", "notebook_path", "path")
    if path is None:
        return ()
    if tool == "Write":
        return (Edit(path, content=given.text("content")),)
    if tool == "MultiEdit":
        parts = [part for part in given.items("edits") if isinstance(part, Mapping)]
        return tuple(
            _replacement(
                path,
                part.get("old_string"),
                part.get("new_string"),
                every=part.get("replace_all") in (True, "true"),
            )
            for part in parts
        )
    if tool == "Edit":
        old, new = given.text("old_string"), given.text("new_string")
        return (_replacement(path, old, new, every=given.flag("replace_all")),)
    return (Edit(path),)


def _replacement(path: str, old: object, new: object, *, every: bool) -> Edit:
    if not isinstance(old, str) or not isinstance(new, str):
        return Edit(path)
    if not old:  # the way to make a new file
        return Edit(path, content=new)
    return Edit(path, old=old, new=new, every=every)


def _reads(given: Inputs) -> tuple[Action, ...]:
    path = given.path("file_path", "notebook_path")
    return () if path is None else (given.read(path),)


def _searches(tool: str, given: Inputs) -> tuple[Action, ...]:
    if tool == "Grep":
        pattern = given.text("pattern")
        if given.flag("multiline"):
            return (Run(f"Grep {pattern}", "query"),)
        folder, glob = given.text("path"), given.text("glob")
        return (given.search(pattern, folder, glob, ignore_case=given.flag("-i")),)
    if tool == "Glob":
        return (given.search(None, given.text("path"), given.text("pattern")),)
    return (given.search(None, given.text("path"), None),) if tool == "LS" else (Other(tool),)


def _run(
    tool: str, given: Inputs, result: Result | None, cwd: str, root: str
) -> tuple[tuple[Action, ...], str]:
    command = given.text("command")
    if tool != "Bash" or command is None:
        # What a command or a sub-agent in the background did since it was asked last.
        return (Run(tool, "event" if refused(result) else "unknown"),), cwd
    if refused(result):
        return (Run(command, "event"),), cwd
    done, left = shell.actions(command, cwd, root)
    return done, _cwd_stated(result, root) or left


def _cwd_stated(result: Result | None, root: str) -> str | None:
    """Where the tool says it went back to, after a `cd` out of the project."""
    if result is None or _RESET not in result.text:
        return None
    stated = result.text.rpartition(_RESET)[2].partition("\n")[0].strip()
    return relative(stated, root) if stated else None
