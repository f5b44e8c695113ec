"""What Claude Code shows of files in its own words: mentions, and notes of changes on disk.

Shares no code with statetape.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CALLED = re.compile(r"Called the Read tool with the following input: (\{.*\})$")
_NOTE = re.compile(r"Note: (/\S+) (?:changed on disk since|was modified, )")
_NUMBERED = re.compile(r" *(\d+)\t")
_REMINDER = "<system-reminder>"


def stale(body: bytes, repo: Path) -> list[str]:
    """What of a request of the Messages API is not in its file any more."""
    found = []
    for path, lines in told(json.loads(body).get("messages") or []):
        file = repo / path
        now = file.read_text() if file.is_file() else None
        text = "\n".join(line.partition("\t")[2] for line in lines.split("\n")).rstrip("\n")
        if now is None or f"\n{text}" not in f"\n{now}":
            found.append(f"told: {path} does not say {text[:60]!r}...")
    return found


def told(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Each run of numbered lines in such words, with the path of its file as it is spelled."""
    asked = path = ""
    run: list[str] = []
    for line in [line for text in _texts(messages) for line in (*text.split("\n"), "")]:
        number = _NUMBERED.match(line) if path else None
        if run and (number is None or int(number[1]) != _number(run[-1]) + 1):
            yield path, "\n".join(run)
            run = []
        if number is not None:
            run.append(line)
        elif found := _CALLED.match(line):
            asked = json.loads(found[1])["file_path"]
        elif line == "Result of calling the Read tool:":
            path = asked
        elif found := _NOTE.match(line):
            path = found[1]
        elif line != "...":
            path = ""


def _number(line: str) -> int:
    return int(line.partition("\t")[0])


def _texts(messages: list[dict[str, Any]]) -> Iterator[str]:
    """What the client says: all that is the system's, and of the user's what is a reminder."""
    for message in messages:
        for text in _strings(message.get("content")):
            if message.get("role") == "system":
                yield text
            elif message.get("role") == "user" and _REMINDER in text:
                yield text[text.index(_REMINDER) :]


def _strings(content: Any) -> Iterator[str]:
    """The texts of a content, of its blocks and of the results in them."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        yield from _strings(block.get("text") or block.get("content"))
