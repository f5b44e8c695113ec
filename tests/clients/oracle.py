"""What a request says of the repository, checked against the repository as it is on disk.

Shares no code with statetape: it has its own reading of requests and of the agents' tools.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

_NUMBERED = re.compile(r" *\d+(?:\t|→)")
_COLON = re.compile(r"\d+: ")
_PLAIN_READ = re.compile(r"(?:cat|nl -ba|head -n \d+|sed -n '?\d+,\d+p'?) ([\w./-]+)")
_SCRIPT = re.compile(r"cmd: ?(\"(?:[^\"\\]|\\.)*\")")
_TEST = re.compile(r"\bpytest\b|\bunittest\b")
_OURS = "[statetape:"
_ADDED = "\n[statetape: code that may be needed for what comes next]\n"
_HEADING = re.compile(r"(\S+) (\d+)-(\d+)(?:, .+)? \(")
_FAILED = (
    "Error",
    "<tool_use_error>",
    "[An error",
    "apply_patch verification failed",
    "Script failed",
    "Could not find",
)
_PATCH = re.compile(r"\*\*\* Begin Patch\n.*?\*\*\* End Patch", re.DOTALL)
_PATCHED = re.compile(r"\*\*\* (?:Add File|Update File|Move to): (.+)")
_HERE = re.compile(r"cat <<'?(\w+)'? *> *(\S+)\n(.*?)\n\1", re.DOTALL)
_LITERAL = re.compile(r"\"\*\*\* Begin Patch(?:[^\"\\]|\\.)*\"")
_CUT = ("truncated", "clipped", "Truncated", "elided", "persisted-output", "omitted")


class Shown(NamedTuple):
    """A result as a request carries it: its call's id, what was called, and the text.

    `added`: code that was put behind it, without the line that says so.
    """

    id: str
    tool: str
    given: dict[str, Any]
    text: str
    added: str = ""


def stale(body: bytes, repo: Path, seen: dict[str, tuple[str, str]]) -> list[str]:
    """What of a request is false: reads and edit results whose lines are not in their file, test
    results that are older than the last write. `seen` remembers the latter between requests.
    """
    state = digest(repo)
    found = []
    for result in results(json.loads(body)):
        command = str(result.given.get("command") or result.given.get("cmd") or "")
        if _TEST.search(command):
            text, then = seen.setdefault(result.id, (result.text, state))
            if text == result.text and then != state:
                found.append(f"{result.id}: a test result from before a write")
            continue
        for path, text in shown(result, command, repo):
            file = (repo / path) if not Path(path).is_absolute() else Path(path)
            now = file.read_text() if file.is_file() else None
            if now is None or f"\n{text}" not in f"\n{now}":
                found.append(f"{result.id}: {path} does not say {text[:60]!r}...")
    return found


def stale_inputs(body: bytes, repo: Path) -> list[str]:
    """What edits put into files, by a request, and is not in them: texts of calls that worked."""
    found = []
    given = list(results(json.loads(body)))
    failed = {result.id for result in given if result.text.startswith(_FAILED)}
    for result in given:
        if result.id in failed:  # of a call that failed OpenHands sends two results
            continue
        for path, text in put(result.given):
            file = repo / path
            now = file.read_text() if file.is_file() else None
            if text.startswith(_OURS) or not text.strip():
                continue
            if now is None or text.strip("\n") not in now:
                found.append(f"{result.id}: {path} does not have {text[:60]!r}...")
    return found


def put(given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts that a call puts into files: of an edit, of a patch, of a here-document."""
    path = given.get("file_path") or given.get("path") or given.get("filePath")
    for name in ("new_string", "new_str", "newString", "content", "file_text"):
        if isinstance(path, str) and isinstance(given.get(name), str):
            yield path, given[name]
    for text in map(str, given.values()):
        for patch in _PATCH.findall(text):
            yield from _patched(patch)
        for _, file, content in _HERE.findall(text):
            yield file, content
        for literal in _LITERAL.findall(text) if "tools.apply_patch" in text else ():
            yield from _patched(json.loads(literal))


def _patched(patch: str) -> Iterator[tuple[str, str]]:
    path, run = "", []
    for line in [*patch.split("\n"), "***"]:
        if line.startswith("+"):
            run.append(line[1:])
            continue
        if run:
            yield path, "\n".join(run)
            run = []
        if (named := _PATCHED.match(line)) is not None:
            path = named[1]


def digest(repo: Path) -> str:
    """The digest of all files that a test could read."""
    whole = sha256()
    for file in sorted(repo.rglob("*.py")):
        whole.update(str(file).encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()


def shown(result: Shown, command: str, repo: Path) -> Iterator[tuple[str, str]]:
    """The file that a result shows, and its lines, where that can be told without doubt."""
    yield from brought(result.added)
    text = result.text
    if text.startswith(_FAILED) or any(c in text for c in _CUT):
        return
    path = result.given.get("file_path") or result.given.get("path") or result.given.get("filePath")
    lines = [line for line in text.split("\n") if not line.startswith(_OURS)]
    if isinstance(path, str):
        form = _COLON if result.tool == "read" else _NUMBERED
        rows = [form.sub("", line, count=1) for line in lines if form.match(line)]
        if rows:
            yield path, "\n".join(rows).rstrip("\n")
    elif (found := _PLAIN_READ.fullmatch(command)) and (repo / found[1]).is_file():
        rows = lines[lines.index("Output:") + 1 :] if "Output:" in lines[:8] else lines
        if rows[:1] and rows[0].startswith('{"') and len(rows) == 1:
            rows = str(json.loads(rows[0])["output"]).split("\n")
        if command.startswith("nl"):
            rows = [_NUMBERED.sub("", row, count=1) for row in rows]
        text = "\n".join(rows).strip("\n")
        if len(text) > 40:
            yield found[1], text


def brought(added: str) -> Iterator[tuple[str, str]]:
    """The file and the lines of each run of lines that was put behind a result."""
    rows = added.split("\n")
    while rows:
        if (heading := _HEADING.match(rows.pop(0))) is not None:
            count = int(heading[3]) - int(heading[2]) + 1
            form = _NUMBERED if all(map(_NUMBERED.match, rows[:count])) else _COLON
            yield heading[1], "\n".join(form.sub("", row, count=1) for row in rows[:count])
            del rows[:count]


def results(asks: dict[str, Any]) -> Iterator[Shown]:
    """The results in a request of any of the three APIs, each with its call."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    for item in asks.get("messages") or asks.get("input") or []:
        kind = item.get("type")
        if kind in ("function_call", "custom_tool_call"):
            calls[item["call_id"]] = item["name"], _given(item.get("arguments") or item["input"])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            yield from _shown(item["call_id"], item["output"], calls)
        for call in item.get("tool_calls") or []:
            calls[call["id"]] = call["function"]["name"], _given(call["function"]["arguments"])
        if item.get("role") == "tool":
            yield from _shown(item["tool_call_id"], item["content"], calls)
        content = item.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use":
                calls[block["id"]] = block["name"], block["input"]
            elif block.get("type") == "tool_result":
                yield from _shown(block["tool_use_id"], block.get("content", ""), calls)


def _shown(
    name: str, content: Any, calls: dict[str, tuple[str, dict[str, Any]]]
) -> Iterator[Shown]:
    if name in calls:
        if isinstance(content, list):
            parts = [part.get("text", "") for part in content]
            content = "".join(parts) if str(parts[:1]).startswith("['Script") else "\n".join(parts)
        tool, given = calls[name]
        text = str(content).partition("\n\n<system-reminder>")[0]
        if text.startswith("{") and '"output"' in text:
            try:
                text = json.loads(text)["output"]
            except (ValueError, KeyError, TypeError):
                return
        text, _, added = text.partition(_ADDED)
        yield Shown(name, tool, given, text, added)


def _given(arguments: str) -> dict[str, Any]:
    try:
        given = json.loads(arguments)
    except ValueError:
        commands = _SCRIPT.findall(arguments)
        one = len(commands) == 1 and arguments.count("tools.") == 1
        return {"raw": arguments, **({"cmd": json.loads(commands[0])} if one else {})}
    return given if isinstance(given, dict) else {}
