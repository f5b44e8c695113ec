"""What tools say around the text they show: headers, reminders, marks of truncation, stubs."""

import re
from collections.abc import Callable
from typing import NamedTuple


class Line(NamedTuple):
    """A line that a tool shows: its 1-based row in the text, and what precedes it on that row."""

    row: int
    lead: str
    text: str


class Spoken(NamedTuple):
    """A text without its wrappers. `cut`: something was left out of it; `code`: its exit code."""

    lines: list[Line]
    cut: bool
    code: int | None


_STUBS = (
    "Wasted call — file unchanged",
    "Wasted call - file unchanged",
    "File unchanged since last read",
    "file_unchanged",
)
_HEADERS = re.compile(
    r"Command: |Chunk ID: |Wall time|Script (?:completed|failed|running)|Exit code: -?\d+$"
)
_TERMINAL = re.compile(
    r"\[(?:Command finished with exit code (-?\d{1,9})|The command completed with exit code .*"
    r"|Current working directory: .*|Python interpreter: .*)\]$"
)
_LONGEST_HEADER = 200  # rows; a shell command in a header may have many lines
_CODE = re.compile(r"(?:Process exited with code|Exit code:?) (-?\d{1,9})$")
_CUT = re.compile(
    r"(?:\.\.\.|…)\s*\d+ (?:tokens|chars|characters|bytes|lines) truncated\s*(?:\.\.\.|…)"
    r"|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\."
    r"|\[Truncated: PARTIAL view"
    r"|<response clipped>"
    r"|\[Showing results with pagination"
    r"|\(Results (?:are )?truncated"
    r"|\(Output (?:capped|truncated)"
)
_CUT_WORDS = ("truncated", "Truncated", "omitted", "<response", "pagination", "capped")
_SNIPPET = re.compile(
    r"Here's (?:the result|a snippet) of running `cat -n` on |Result of calling the Read tool:$"
    r"|Note: .*\(shown with line numbers\):$"
)
_OPENCODE_ENDS = re.compile(
    r"\((?:End of file - total \d+ lines|File has more lines\b.*|Showing lines \d+-\d+ of .*"
    r"|Output (?:capped|truncated)\b.*)\)$"
)
_MORE = re.compile(r"\((?:File has more|Showing lines|Output)")


def stub(text: str) -> bool:
    """Whether a result only says that an earlier read still holds, without showing it."""
    return text.removeprefix("<system-reminder>").lstrip().startswith(_STUBS)


def spoken(text: str) -> Spoken:
    """The lines that a tool's text shows, without its own words. Linear in the text.

    The final newline of a text makes no line.
    """
    lines = [Line(row, "", line) for row, line in enumerate(text.split("\n"), 1)]
    cut, code = False, None
    for part in _PARTS:
        lines, was_cut, stated = part(lines)
        cut, code = cut or was_cut, stated if code is None else code
    if any(word in text for word in _CUT_WORDS):
        kept = [line for line in lines if not _CUT.search(line.text)]
        lines, cut = kept, cut or len(kept) < len(lines)
    if lines and not lines[-1].text and not lines[-1].lead:
        del lines[-1]
    return Spoken(lines, cut, code)


def _without_reminders(lines: list[Line]) -> Spoken:
    cut = False
    while lines and lines[0].text.startswith("<system-reminder>"):
        end = next((at for at, x in enumerate(lines) if "</system-reminder>" in x.text), None)
        if end is None:
            return Spoken([], cut=True, code=None)
        cut = cut or "Truncated:" in lines[0].text
        said, mark, rest = lines[end].text.partition("</system-reminder>")
        kept = [Line(lines[end].row, said + mark, rest)] if rest.strip() else []
        lines = kept + lines[_first_speaking(lines, end + 1) :]
    while (last := _last_speaking(lines)) >= 0 and lines[last].text.endswith("</system-reminder>"):
        start = last
        while start >= 0 and not lines[start].text.startswith("<system-reminder>"):
            start -= 1
        if start < 0:
            break
        cut = cut or any("Truncated:" in line.text for line in lines[start : last + 1])
        lines = lines[: _last_speaking(lines[:start]) + 1]
    return Spoken(lines, cut, None)


def _first_speaking(lines: list[Line], start: int) -> int:
    while start < len(lines) and not lines[start].text.strip():
        start += 1
    return start


def _last_speaking(lines: list[Line]) -> int:
    last = len(lines) - 1
    while last >= 0 and not lines[last].text.strip():
        last -= 1
    return last


def _without_header(lines: list[Line]) -> Spoken:
    """Codex's header up to `Output:`, and the first line of a failed command in Claude Code."""
    if not lines:
        return Spoken(lines, cut=False, code=None)
    first = lines[0].text
    if (found := re.fullmatch(r"Exit code (-?\d{1,9})", first)) is not None:
        return Spoken(lines[1:], cut=False, code=int(found[1]))
    if not _HEADERS.match(first):
        return Spoken(lines, cut=False, code=None)
    head = lines[:_LONGEST_HEADER]
    output = next((at for at, line in enumerate(head) if line.text == "Output:"), None)
    if output is None:
        return Spoken(lines, cut=False, code=None)
    codes = [int(found[1]) for line in head[:output] if (found := _CODE.match(line.text))]
    lines = lines[output + 1 :]
    cut = False
    while lines and lines[0].text.startswith(("Warning: truncated output", "Total output lines:")):
        cut, lines = True, lines[1:]
    if cut and lines and not lines[0].text:
        lines = lines[1:]
    return Spoken(lines, cut, codes[0] if codes else None)


def _without_opencode(lines: list[Line]) -> Spoken:
    starts = ("<path>", "<type>", "<file>")
    if not lines or not lines[0].text.startswith(starts):
        return Spoken(lines, cut=False, code=None)
    while lines and lines[0].text.startswith(starts):
        lines = lines[1:]
    if lines and lines[0].text.startswith("<content>"):
        rest = lines[0].text.removeprefix("<content>")
        lines = ([Line(lines[0].row, "<content>", rest)] if rest else []) + lines[1:]
    end = next(
        (at for at in range(len(lines) - 1, -1, -1) if _OPENCODE_ENDS.match(lines[at].text)), None
    )
    if end is not None:
        cut = _MORE.match(lines[end].text) is not None
        return Spoken(lines[: max(end - 1, 0)], cut, None)  # and the empty line above
    if lines and lines[-1].text in ("</content>", "</file>"):
        lines = lines[:-1]
    return Spoken(lines, cut=False, code=None)


def _without_snippet_header(lines: list[Line]) -> Spoken:
    for at, line in enumerate(lines[:4]):
        if _SNIPPET.search(line.text):
            rest = [line for line in lines[at + 1 :] if line.text != "..."]
            return Spoken(rest, cut=False, code=None)
    return Spoken(lines, cut=False, code=None)


def _without_persisted(lines: list[Line]) -> Spoken:
    if not lines or lines[0].text != "<persisted-output>":
        return Spoken(lines, cut=False, code=None)
    preview = next((at for at, x in enumerate(lines[:8]) if x.text.startswith("Preview (")), None)
    lines = [] if preview is None else lines[preview + 1 :]
    end = len(lines)
    while end and lines[end - 1].text.strip() in ("", "...", "</persisted-output>"):
        end -= 1
    return Spoken(lines[:end], cut=True, code=None)


def _without_note(lines: list[Line]) -> Spoken:
    noted = bool(lines) and lines[-1].text.startswith("[This command modified ")
    return Spoken(lines[:-1] if noted else lines, cut=False, code=None)


def _without_terminal(lines: list[Line]) -> Spoken:
    """OpenHands ends a terminal's output with up to four lines of its own."""
    code = None
    while lines and (found := _TERMINAL.match(lines[-1].text)):
        code = int(found[1]) if found[1] else code
        lines = lines[:-1]
    while lines and lines[-1].text.startswith("Review the changes and make sure"):
        lines = lines[:-1]
    return Spoken(lines, cut=False, code=code)


_PARTS: tuple[Callable[[list[Line]], Spoken], ...] = (
    _without_reminders,
    _without_header,
    _without_opencode,
    _without_snippet_header,
    _without_persisted,
    _without_note,
    _without_terminal,
)
