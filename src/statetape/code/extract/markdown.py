"""Markdown: one symbol per heading's section, nested by level, named by the headings above it."""

import re
from collections.abc import Iterator

from statetape.code.extract import keys
from statetape.code.facts import Facts
from statetape.code.treesitter import Place

_MARK = re.compile(
    rb"""^(?:\xef\xbb\xbf)?[ ]{0,3}(?:
    (?P<fence>`{3,}(?=[^`\n]*$)|~{3,})
    | (?P<atx>\#{1,6})(?=[ \t\r\n]|\Z)(?P<title>[^\n]*)
    | (?P<setext>=+|-+)[ \t\r]*$)""",
    re.MULTILINE | re.VERBOSE,
)
_FRONT = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t\r]*\n(?s:.*?)^(?:---|\.\.\.)[ \t\r]*$", re.MULTILINE
)
_NO_PARAGRAPH = re.compile(
    rb"[ \t\r]*\Z|[ ]{4}|\t|[ ]{0,3}(?:[-+*>|<]|\d+[.)][ \t]|\#{1,6}[ \t]|`{3}|~{3})"
)


def facts(path: str, data: bytes) -> Facts:
    """The facts of a Markdown file: its sections. Text before the first heading is residue."""
    return keys.facts(path, "markdown", data, places(data))


def places(data: bytes) -> list[Place]:
    """The sections, each up to the next heading of its level or above. Cost: one scan."""
    found: list[Place] = []
    levels: list[int] = []
    titles: list[str] = []
    starts: list[int] = []
    for level, title, start in [*headings(data), (0, "", len(data))]:
        while levels and levels[-1] >= level:
            levels.pop()
            found.append(keys.place(data, titles, starts.pop(), start, "section"))
            titles.pop()
        levels.append(level)
        titles.append(title)
        starts.append(start)
    return found


def headings(data: bytes) -> Iterator[tuple[int, str, int]]:
    """(level 1-6, title, start byte) of every heading outside fenced code, in order."""
    front = _FRONT.match(data)
    fence = b""
    for mark in _MARK.finditer(data, front.end() if front else 0):
        if mark["fence"]:
            fence = _fence(fence, mark)
        elif fence:
            continue
        elif mark["atx"]:
            yield len(mark["atx"]), _title(_without_closing(mark["title"])), mark.start()
        else:
            end = max(mark.start() - 1, 0)
            start = data.rfind(b"\n", 0, end) + 1
            if not _NO_PARAGRAPH.match(data, start, end):
                yield 1 if b"=" in mark[0] else 2, _title(data[start:end]), start


def _fence(fence: bytes, mark: re.Match[bytes]) -> bytes:
    """The fence that is open behind a line of backticks or tildes."""
    if not fence:
        return mark["fence"]
    line_end = mark.string.find(b"\n", mark.end())
    rest = mark.string[mark.end() : line_end if line_end >= 0 else None]
    return b"" if mark["fence"].startswith(fence) and not rest.strip() else fence


def _without_closing(title: bytes) -> bytes:
    """The text of an ATX heading without the number signs that may close it."""
    bare = title.strip().rstrip(b"#")
    return bare if not bare or bare[-1:].isspace() else title


def _title(raw: bytes) -> str:
    return " ".join(raw.decode("utf-8", "replace").split()) or "untitled"
