"""What Claude Code tells of files in its own words: reads that no call of the model asked for.

An `@file` mention, or a file that is read again after a compaction, comes as the input of a read
and its result: two reminders, or the system's words. Of a file that another hand wrote, a note
shows the changed lines.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_INPUT = re.compile(r"^Called the Read tool with the following input: (\{[^\n]*\})$", re.MULTILINE)
_RESULT = "Result of calling the Read tool:"
_NOTE = (
    r"Note: ([^\n]{1,1000}?) (?:changed on disk since you last read it|was modified, )"
    r"[^\n]{0,2000}\(shown with line numbers\):"
)
_HEAD = re.compile(rf"^(?:{_RESULT}|{_NOTE})\n", re.MULTILINE)
_NUMBERED = r" *\d{1,9}(?:\t|→)[^\n]*"
_LINES = re.compile(rf"{_NUMBERED}(?:(?:\n\.\.\.)?\n{_NUMBERED})*")


def told(text: str) -> list[tuple[int, int]]:
    """Where in a text of the client's the lines of files are, each with the line above them.

    From and up to which character, in order.
    """
    found = []
    for head in _HEAD.finditer(text):
        lines = _LINES.match(text, head.end())
        if lines is not None:
            found.append((head.start(), lines.end()))
    return found


def input_told(text: str) -> Mapping[str, Any] | None:
    """The input of the last read that a text says was made, None where it says no such thing."""
    found = _INPUT.findall(text)
    try:
        given = msgspec.json.decode(found[-1]) if found else None
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return given if isinstance(given, dict) else None


def is_result_told(text: str) -> bool:
    """Whether a text is the result of such a read."""
    return text.startswith(_RESULT + "\n")


def file_noted(text: str) -> str | None:
    """The file whose changed lines a text shows, as the client spells it."""
    found = _HEAD.match(text)
    return found and found[1]
