"""OpenHands' tools: a terminal and a file editor."""

from statetape.agents import shell
from statetape.agents.inputs import Inputs, refused
from statetape.types import Action, Call, Edit, Other, Read, Result, Run, StepKind

_EDITORS = frozenset({"file_editor", "str_replace_editor"})
_TERMINALS = frozenset({"terminal", "execute_bash", "bash"})
_ERRORS = ("[An error occurred during execution.]", "ERROR:", "No replacement was performed")


def actions(
    call: Call, result: Result | None, cwd: str, root: str
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of the step, what it did, and the working directory after it.

    A call of the editor that failed did nothing. Without a result it is taken to succeed.
    """
    given = Inputs(call, root, cwd)
    if call.tool in _EDITORS:
        return *_edited(given, result), cwd
    if call.tool in _TERMINALS:
        command = given.text("command")
        if command is None or refused(result):
            return "run", (Run(command or "", "event"),), cwd
        if given.flag("is_input"):
            return "run", (Run(command, "unknown"),), cwd
        done, left = shell.actions(command, cwd, root)
        return "run", done, left
    return "other", (Other(call.tool),), cwd


def _edited(given: Inputs, result: Result | None) -> tuple[StepKind, tuple[Action, ...]]:
    command, path = given.text("command"), given.path("path")
    failed = result is not None and (result.failed or result.text.startswith(_ERRORS))
    if command == "view":
        if failed or path is None:
            return "read", ()
        return "read", (_viewed(path, given.items("view_range"), result),)
    if failed or path is None:
        return "edit_failed", ()
    old, new = given.text("old_str"), given.text("new_str")
    match command:
        case "create":
            return "edit", (Edit(path, content=given.text("file_text")),)
        case "str_replace" if old is not None:
            return "edit", (Edit(path, old=old, new=new or ""),)
        case "insert":
            return "edit", (Edit(path, new=new),)
    return "edit", (Edit(path),)


def _viewed(path: str, lines: list[object], result: Result | None) -> Action:
    if result is not None and "excluding hidden items" in result.text.partition("\n")[0]:
        return Run(f"view {path}", "query")
    match lines:
        case [int(first), int(last)]:
            return Read(path, first, last if last > 0 else None)
    return Read(path)
