"""Whatever a file holds: a recording of sound blocks with problems, or one line of BadInput."""

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from statetape.errors import BadInput
from statetape.replay.recording import Happened, Recording
from statetape.replay.transcripts import recording

KINDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "summary",
        "text",
        "tool_use",
        "tool_result",
        "image",
        "file",
        "compacted",
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "message",
        "function_call",
        "apply_patch",
        "exec",
        "function_call_output",
        "patch_apply_end",
        "token_count",
        "tool",
        "step-start",
        "step-finish",
        "read",
        "edit",
        "write",
        "completed",
        "error",
        "update",
        "add",
        "delete",
        "create",
        "edited_text_file",
        "nested_memory",
        "queued_command",
        "compact_boundary",
        "microcompact_boundary",
        "custom_tool_call",
        "custom_tool_call_output",
    ]
)
TEXTS = (
    KINDS | st.text(max_size=12) | st.sampled_from(["/r/f", "@@ -1 +1 @@\n-a\n+b", "1\ta\n2: b"])
)
FIELDS = st.sampled_from(
    [
        "type",
        "uuid",
        "message",
        "content",
        "id",
        "name",
        "input",
        "tool_use_id",
        "toolUseResult",
        "filePath",
        "file",
        "startLine",
        "numLines",
        "totalLines",
        "oldString",
        "newString",
        "originalFile",
        "structuredPatch",
        "lines",
        "oldStart",
        "cwd",
        "sessionId",
        "isSidechain",
        "payload",
        "call_id",
        "arguments",
        "output",
        "changes",
        "unified_diff",
        "move_path",
        "info",
        "total_token_usage",
        "last_token_usage",
        "messages",
        "parts",
        "state",
        "status",
        "metadata",
        "files",
        "diff",
        "before",
        "after",
        "time",
        "compacted",
        "created",
        "tokens",
        "cache",
        "role",
        "model",
        "usage",
        "attachment",
        "snippet",
        "filename",
        "subtype",
        "replacement_history",
        "tool",
        "callID",
        "path",
        "directory",
        "edits",
        "old_string",
        "success",
        "action",
        "compactMetadata",
        "microcompactMetadata",
        "compactedToolIds",
        "text",
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=6),
    max_leaves=14,
)

CLAUDE = [
    {"type": "user", "uuid": "1", "sessionId": "s", "cwd": "/r", "message": {"content": "go"}},
    {"type": "assistant", "uuid": "2", "sessionId": "s", "message": {
        "id": "m", "model": "m", "usage": {"input_tokens": 1, "output_tokens": 2}, "content": [
            {"type": "tool_use", "id": "c", "name": "Edit", "input": {"content": "x"}}]}},
    {"type": "user", "uuid": "3", "sessionId": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "c", "content": "ok"}]}, "toolUseResult": {
            "filePath": "/r/f", "oldString": "a", "newString": "b", "originalFile": "a\n",
            "structuredPatch": [{"oldStart": 1, "lines": ["-a", "+b"]}]}},
]  # fmt: skip
CODEX = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/r"}},
    {"type": "response_item", "payload": {
        "type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": "x"}},
    {"type": "event_msg", "payload": {"type": "patch_apply_end", "call_id": "c", "changes": {
        "/r/f": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}}}},
    {"type": "response_item", "payload": {
        "type": "custom_tool_call_output", "call_id": "c", "output": "ok"}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": {
        "total_token_usage": {"t": 1}, "last_token_usage": {"input_tokens": 3}}}},
]  # fmt: skip
OPENCODE = {"info": {"id": "s", "directory": "/r"}, "messages": [
    {"info": {"role": "user"}, "parts": [{"type": "text", "id": "p", "text": "go"}]},
    {"info": {"role": "assistant", "modelID": "m"}, "parts": [
        {"type": "step-start"},
        {"type": "tool", "tool": "read", "callID": "c", "state": {
            "status": "completed", "input": {"filePath": "/r/f"}, "output": "1: a\n",
            "time": {"compacted": 3}}},
        {"type": "step-finish", "tokens": {"input": 1}}]},
]}  # fmt: skip


def as_lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


SESSIONS = [as_lines(CLAUDE), as_lines(CODEX), json.dumps(OPENCODE).encode()]


def read_or_said(file: Path) -> Recording | str:
    try:
        return recording(file)
    except BadInput as fault:
        return str(fault)


def check(data: bytes) -> Recording | None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "session"
        file.write_bytes(data)
        found = read_or_said(file)
    if isinstance(found, str):
        assert "\n" not in found
        return None
    blocks = [event.block for event in found.events if isinstance(event, Happened)]
    slots = [block.slot for block in blocks]
    assert len(set(slots)) == len(slots)
    assert all("\n" not in problem for problem in found.problems)
    return found


def test_the_sessions_themselves_are_read_without_a_problem() -> None:
    for data in SESSIONS:
        found = check(data)
        assert found is not None
        assert found.problems == ()
        assert sum(len(event.evidence) for event in found.events if isinstance(event, Happened)) > 0


@given(st.sampled_from(SESSIONS), st.data())
def test_bytes_lost_added_or_changed(session: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(session)))
    end = data.draw(st.integers(start, min(len(session), start + 60)))
    put = data.draw(st.binary(max_size=8) | st.sampled_from([b"\\", b'"', b"}{", b"\n", b"\\u12"]))
    mangled = session[:start] + put + session[end:]
    check(mangled)
    check(gzip.compress(mangled)[: data.draw(st.integers(0, 400))])


@settings(deadline=None)
@given(st.lists(VALUES, max_size=6), st.sampled_from([CLAUDE, CODEX]))
def test_lines_of_any_shape(values: list[Any], session: list[Any]) -> None:
    assert check(as_lines([session[0], *values, *session[1:]])) is not None


@settings(deadline=None)
@given(VALUES, st.sampled_from([CLAUDE, CODEX, OPENCODE["messages"]]), st.data())
def test_any_value_in_the_place_of_any_other(
    value: Any, session: list[Any], data: st.DataObject
) -> None:
    def changed(old: Any) -> Any:
        if isinstance(old, dict) and old and data.draw(st.integers(0, 5)):
            name = data.draw(st.sampled_from(sorted(old)))
            return old | {name: changed(old[name])}
        if isinstance(old, list) and old and data.draw(st.integers(0, 5)):
            at = data.draw(st.integers(0, len(old) - 1))
            return [*old[:at], changed(old[at]), *old[at + 1 :]]
        return value

    mutant = changed(session)
    if session is OPENCODE["messages"]:
        check(json.dumps({"info": changed(OPENCODE["info"]), "messages": mutant}).encode())
    elif isinstance(mutant, list):
        check(as_lines(mutant))


@given(st.binary(max_size=300))
@example(b'{"info":')
@example(b'{"messages": [[]]}')
@example(b'{"info": 1, "messages": [' + b"[" * 100_000)
def test_any_bytes(data: bytes) -> None:
    check(data)
