"""What opencode's export knows of the files beside a tool's result."""

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from statetape.replay.recording import Evidence, Hunk, Part, Patched, Replaced, Whole
from statetape.replay.transcripts.changes import (
    PathOf,
    diff_hunks,
    indented_hunks,
    stated_whole,
)
from statetape.replay.transcripts.numbered import colon_runs
from statetape.replay.transcripts.shape import items, mapping, string

_TOTAL = re.compile(r"\(End of file - total (\d{1,9}) lines\)|\(Showing lines .* of (\d{1,9})\.")
_OPENING = re.compile(r"<(?:content|file)>(?=\d)")
# Longer lines are cut in what the model is shown.
_LONGEST = 2000


def result_evidence(
    tool: str, state: Mapping[str, Any], torn: frozenset[str], path_of: PathOf
) -> tuple[Evidence, ...]:
    """The evidence of one completed call; none for tools that neither show nor change a file."""
    asked, known = mapping(state.get("input")), mapping(state.get("metadata"))
    path = string(asked.get("filePath"))
    if tool == "apply_patch":
        return tuple(_patched(known, string(asked.get("patchText")), torn, path_of))
    if not path:
        return ()
    match tool:
        case "read":
            return tuple(_shown(path_of(path), string(state.get("output")), torn))
        case "write":
            return tuple(_written(path_of(path), asked, known, torn))
        case "edit":
            return tuple(_edited(path_of(path), asked, known, torn))
    return ()


def _shown(path: str, output: str, torn: frozenset[str]) -> Iterator[Evidence]:
    """A part, even of all lines: the output does not tell whether the last one has a break."""
    if output in torn:
        return
    total = _TOTAL.search(output, max(0, len(output) - 300))
    for run in colon_runs(_OPENING.sub(lambda match: match[0] + "\n", output, count=1))[:1]:
        lines = tuple(takewhile(lambda line: len(line) < _LONGEST, run.lines))
        if lines:
            yield Part(path, run.first, lines, int(total[1] or total[2]) if total else None)


def _written(
    path: str, asked: Mapping[str, Any], known: Mapping[str, Any], torn: frozenset[str]
) -> Iterator[Evidence]:
    if known.get("exists") is False:
        yield Whole(path, None, "before")
    yield from stated_whole(path, asked.get("content"), "after", torn)


def _edited(
    path: str, asked: Mapping[str, Any], known: Mapping[str, Any], torn: frozenset[str]
) -> Iterator[Evidence]:
    diff = mapping(known.get("filediff"))
    before = stated_whole(path, diff.get("before"), "before", torn)
    after = stated_whole(path, diff.get("after"), "after", torn)
    yield from before
    yield from after
    old, new = asked.get("oldString"), asked.get("newString")
    if after or not isinstance(old, str) or not isinstance(new, str):
        return
    exact = _exact(known.get("diff"), [*old.split("\n"), *new.split("\n")])
    if exact:
        yield Patched(path, exact)
    else:
        yield Replaced(path, old, new, asked.get("replaceAll") is True)


def _patched(
    known: Mapping[str, Any], patch: str, torn: frozenset[str], path_of: PathOf
) -> Iterator[Evidence]:
    lines = [row[1:] for row in patch.split("\n") if row.startswith(("+", "-", " "))]
    for file in map(mapping, items(known.get("files"))):
        stated = string(file.get("filePath")) or string(file.get("relativePath"))
        if stated:
            yield from _file_change(path_of(stated), file, lines, torn, path_of)


def _file_change(
    path: str, file: Mapping[str, Any], lines: list[str], torn: frozenset[str], path_of: PathOf
) -> Iterator[Evidence]:
    exact = _exact(file.get("diff") or file.get("patch"), lines)
    before = stated_whole(path, file.get("before"), "before", torn)
    after = stated_whole(path, file.get("after"), "after", torn)
    moved = string(file.get("movePath"))
    match file.get("type"):
        case "add":
            yield Whole(path, None, "before")
            if not after and exact:
                after = (Whole(path, "".join(f"{line}\n" for line in exact[0].new), "after"),)
            yield from after
        case "delete":
            yield from before
            yield Whole(path, None, "after")
        case _ if after and not moved:
            yield from before
            yield from after
        case _ if exact or moved:
            yield from before
            yield Patched(path, exact or (), path_of(moved) if moved else None)


def _exact(diff: object, lines: list[str]) -> tuple[Hunk, ...] | None:
    hunks = diff_hunks(string(diff))
    return indented_hunks(hunks, lines) if hunks else None
