"""opencode's tools."""

from collections.abc import Mapping

from statetape.agents import shell
from statetape.agents.inputs import Inputs, refused
from statetape.agents.patch import edits as patch_edits
from statetape.agents.paths import relative
from statetape.agents.shell_place import Place
from statetape.agents.shell_writes import at_place
from statetape.types import Action, Call, Edit, Other, Result, Run, StepKind

_EDITS = frozenset({"edit", "write", "multiedit", "patch", "apply_patch"})
_SEARCHES = frozenset({"grep", "glob", "list", "ls"})
_ERRORS = (
    "Error: ",
    "Could not find oldString",
    "Found multiple matches for oldString",
    "No changes to apply",
    "oldString not found",
    "oldString found multiple times",
    "apply_patch verification failed",
    "File not found",
    "You must read",
    "File has been modified since",
)


def actions(
    call: Call, result: Result | None, cwd: str, root: str
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of the step, what it did, and the working directory, which never changes.

    A call that failed did nothing, but for commands. Without a result it is taken to succeed.
    """
    given = Inputs(call, root, cwd)
    failed = refused(result) or (result is not None and result.failed)
    tool = call.tool
    if tool in _EDITS:
        if failed or (result is not None and result.text.startswith(_ERRORS)):
            return "edit_failed", (), cwd
        return "edit", _edits(tool, given, Place(root, cwd)), cwd
    if tool == "read":
        return "read", () if failed else _reads(given), cwd
    if tool in _SEARCHES:
        return "search", () if failed else _searches(tool, given), cwd
    if tool in ("bash", "shell"):
        return "run", _run(given, result, cwd, root), cwd
    if tool.startswith("lsp"):
        return "other", (Run(tool, "query"),), cwd
    return "other", (Other(tool),), cwd


def _edits(tool: str, given: Inputs, place: Place) -> tuple[Action, ...]:
    if tool in ("patch", "apply_patch"):
        return at_place(patch_edits(given.text("patchText", "patch", "input") or given.raw), place)
    path = given.path("filePath", "file_path", "path")
    if path is None:
        return ()
    if tool == "write":
        return (Edit(path, content=given.text("content")),)
    parts = [part for part in given.items("edits") if isinstance(part, Mapping)]
    if tool == "multiedit":
        return tuple(
            _replacement(path, part.get("oldString"), part.get("newString"), part.get("replaceAll"))
            for part in parts
        )
    old, new = given.text("oldString"), given.text("newString")
    return (_replacement(path, old, new, given.flag("replaceAll")),)


def _replacement(path: str, old: object, new: object, every: object) -> Edit:
    if not isinstance(old, str) or not isinstance(new, str):
        return Edit(path)
    if not old:
        return Edit(path, content=new)
    return Edit(path, old=old, new=new, every=every in (True, "true"))


def _reads(given: Inputs) -> tuple[Action, ...]:
    path = given.path("filePath", "file_path", "path")
    return () if path is None else (given.read(path),)


def _searches(tool: str, given: Inputs) -> tuple[Action, ...]:
    folder = given.text("path")
    if tool == "grep":
        return (given.search(given.text("pattern"), folder, given.text("include", "glob")),)
    return (given.search(None, folder, given.text("pattern") if tool == "glob" else None),)


def _run(given: Inputs, result: Result | None, cwd: str, root: str) -> tuple[Action, ...]:
    command = given.text("command")
    if command is None or refused(result):
        return (Run(command or "", "event"),)
    workdir = given.text("workdir", "cwd")
    return shell.actions(command, relative(workdir, root, cwd) if workdir else cwd, root)[0]
