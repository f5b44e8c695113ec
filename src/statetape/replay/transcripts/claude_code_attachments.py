"""What Claude Code adds to a conversation by itself, as its log states it (`attachment`)."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from msgspec import json

from statetape.replay.recording import Evidence, Part
from statetape.replay.transcripts.changes import PathOf
from statetape.replay.transcripts.claude_code_results import read_evidence
from statetape.replay.transcripts.numbered import tabbed_runs
from statetape.replay.transcripts.shape import items, joined_text, mapping, number, string

_SAID_BY_HOOKS = frozenset({"SessionStart", "UserPromptSubmit"})


class Added(NamedTuple):
    """A text the client adds, with what it shows; `noticed`: what changed outside its tools."""

    text: str
    role: Literal["user", "system"] = "system"
    evidence: tuple[Evidence, ...] = ()
    noticed: tuple[Evidence, ...] = ()


def added(it: Mapping[str, Any], torn: frozenset[str], path_of: PathOf) -> Added | None:
    """What one attachment puts into the conversation.

    None for what is not sent, or whose text the log does not hold (reminders of the to-do list).
    """
    match it.get("type"):
        case "queued_command":
            return Added(joined_text(it.get("prompt")), "user")
        case "edited_text_file":
            return _edited_outside(string(it.get("filename")), string(it.get("snippet")), path_of)
        case "file":
            return _mentioned(mapping(mapping(it.get("content")).get("file")), torn, path_of)
        case "nested_memory":
            memory = mapping(it.get("content"))
            path = string(memory.get("path")) or string(it.get("path"))
            return Added(f"Contents of {path}:\n\n{string(memory.get('content'))}")
        case "hook_additional_context":
            return Added("\n".join(map(string, items(it.get("content")))))
        case "hook_success" if string(it.get("hookEvent")) in _SAID_BY_HOOKS:
            return Added(string(it.get("content")))
        case "skill_listing":
            return Added(string(it.get("content")))
        case "mcp_instructions_delta":
            return Added("\n\n".join(map(string, items(it.get("addedBlocks")))))
        case "agent_listing_delta" | "deferred_tools_delta":
            return Added("\n".join(map(string, items(it.get("addedLines")))))
    return None


def _edited_outside(filename: str, snippet: str, path_of: PathOf) -> Added:
    path = path_of(filename)
    shown = tuple(Part(path, run.first, run.lines) for run in tabbed_runs(snippet))
    note = f"Note: {filename} changed on disk since you last read it. Here are the relevant"
    return Added(f"{note} changes (shown with line numbers):\n{snippet}", noticed=shown)


def _mentioned(file: dict[str, Any], torn: frozenset[str], path_of: PathOf) -> Added | None:
    if not isinstance(file.get("content"), str):
        return None
    first = number(file.get("startLine")) or 1
    asked = json.encode({"file_path": string(file.get("filePath"))}).decode()
    rows = "\n".join(f"{first + n}\t{row}" for n, row in enumerate(file["content"].split("\n")))
    text = (
        f"Called the Read tool with the following input: {asked}\n"
        f"Result of calling the Read tool:\n{rows}"
    )
    return Added(text, evidence=read_evidence(file, text, torn, path_of))
