"""The tool vocabularies of the agents: what a call did, told from its input and its result."""

from statetape.agents import claude_code, codex, mini_swe_agent, opencode, openhands
from statetape.types import Action, Call, Other, Result, StepKind

__all__ = ["AGENTS", "actions"]

AGENTS = {
    "claude-code": claude_code.actions,
    "codex": codex.actions,
    "mini-swe-agent": mini_swe_agent.actions,
    "opencode": opencode.actions,
    "openhands": openhands.actions,
}


def actions(
    agent: str, call: Call, result: Result | None, cwd: str, root: str
) -> tuple[StepKind, tuple[Action, ...], str]:
    """The kind of a step, what it did, and the working directory that it leaves.

    `agent` is a name of `AGENTS`; of any other, and of unknown tools, nothing is known. `cwd` is a
    repository path, `root` the repository as the agent spells it. Actions have
    repository paths, in the order in which they happened; an edit that failed has none. Never
    raises on any input. About 0.1 ms for a shell command.
    """
    vocabulary = AGENTS.get(agent)
    if vocabulary is None:
        return "other", (Other(call.tool),), cwd
    return vocabulary(call, result, cwd, root)
