"""mini-swe-agent's one tool: each command runs in a shell of its own, at the root."""

from statetape.agents import shell
from statetape.agents.inputs import Inputs
from statetape.types import Action, Call, Other, Result, StepKind


def actions(
    call: Call,
    result: Result | None,  # noqa: ARG001 -- a vocabulary's signature
    cwd: str,
    root: str,
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of the step, what it did, and the working directory, which never changes."""
    command = Inputs(call, root, cwd).text("command")
    if call.tool != "bash" or command is None:
        return "other", (Other(call.tool),), cwd
    return shell.purpose(command), shell.actions(command, cwd, root)[0], cwd
