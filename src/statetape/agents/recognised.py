"""Which agent sent a request, and which folder it works in, told from what the request says."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

# By the tools that only one agent has, most telling first.
_TOOLS = (
    ("claude-code", {"Read"}),
    ("claude-code", {"Bash"}),
    ("openhands", {"file_editor"}),
    ("openhands", {"str_replace_editor"}),
    ("opencode", {"read", "edit", "bash"}),
    ("opencode", {"read", "apply_patch", "bash"}),
    ("codex", {"exec_command"}),
    ("codex", {"exec", "wait"}),
    ("codex", {"shell", "apply_patch"}),
    ("codex", {"shell", "update_plan"}),
    ("mini-swe-agent", {"bash"}),
)
_FOLDER = re.compile(
    r"(?:Primary working directory|Working directory|Current working directory): *(\S[^\n]*)"
    r"|<cwd>([^<\n]+)</cwd>"
    r"|# AGENTS\.md instructions for ([^\n]+)"
)
_ENVIRONMENT = "<environment_context>"


def agent_of(tools: AbstractSet[str]) -> str | None:
    """The name of the agent that offers these tools, None where none is known to.

    A sub-agent offers fewer than its parent.
    """
    return next((agent for agent, telling in _TOOLS if telling <= tools), None)


def folder_of(texts: Iterable[str]) -> str | None:
    """The working directory that the first of these texts to do so states, None where none does."""
    for text in texts:
        found = _FOLDER.search(text)
        if found is not None:
            return next(group for group in found.groups() if group).strip()
    return None


def entered(text: str) -> str | None:
    """The folder in which Codex says, anywhere in a history, that it goes on; else None."""
    return folder_of([text]) if text.lstrip().startswith(_ENVIRONMENT) else None
