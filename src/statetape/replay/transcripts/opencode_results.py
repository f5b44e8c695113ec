"""What opencode's export knows of the files beside a tool's result."""

import re
from collections.abc import Callable, Iterator, Mapping, Set
from itertools import takewhile
from typing import Any

from statetape.replay.recording import Evidence, Part, Patched, Replaced, Whole
from statetape.replay.transcripts.numbered import colon_runs
from statetape.replay.transcripts.patches import diff_hunks, indented_hunks
from statetape.replay.transcripts.shape import items, mapping, string

PathOf = Callable[[str], str]
_TOTAL = re.compile(r"\(End of file - total (\d{1,9}) lines\)|\(Showing lines .* of (\d{1,9})\.")
_OPENING = re.compile(r"<(?:content|file)>(?=\d)")
_PATCH_ROW = re.compile(r"[-+ ]")
# Longer lines are cut in what the model is shown.
_LONGEST = 2000


def result_evidence(
    tool: str, state: Mapping[str, Any], torn: Set[str], path_of: PathOf
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


def _shown(path: str, output: str, torn: Set[str]) -> Iterator[Evidence]:
    """A part, even of all lines: the output does not tell whether the last one has a break."""
    if output in torn:
        return
    total = _TOTAL.search(output, max(0, len(output) - 300))
    for run in colon_runs(_OPENING.sub(lambda match: match[0] + "\n", output, count=1))[:1]:
        lines = tuple(takewhile(lambda line: len(line) < _LONGEST, run.lines))
        if lines:
            yield Part(path, run.first, lines, int(total[1] or total[2]) if total else None)


def _written(
    path: str, asked: Mapping[str, Any], known: Mapping[str, Any], torn: Set[str]
) -> Iterator[Evidence]:
    if known.get("exists") is False:
        yield Whole(path, None, "before")
    if isinstance(asked.get("content"), str) and asked["content"] not in torn:
        yield Whole(path, asked["content"], "after")


def _edited(
    path: str, asked: Mapping[str, Any], known: Mapping[str, Any], torn: Set[str]
) -> Iterator[Evidence]:
    diff = mapping(known.get("filediff"))
    whole = tuple(_wholes(path, diff.get("before"), diff.get("after"), torn))
    old, new = asked.get("oldString"), asked.get("newString")
    if whole or not isinstance(old, str) or not isinstance(new, str):
        yield from whole
        return
    hunks = diff_hunks(string(known.get("diff")))
    exact = indented_hunks(hunks, [*old.split("\n"), *new.split("\n")]) if hunks else None
    if exact:
        yield Patched(path, exact)
    else:
        yield Replaced(path, old, new, asked.get("replaceAll") is True)


def _patched(
    known: Mapping[str, Any], patch: str, torn: Set[str], path_of: PathOf
) -> Iterator[Evidence]:
    lines = [row[1:] for row in patch.split("\n") if _PATCH_ROW.match(row)]
    for file in map(mapping, items(known.get("files"))):
        if not (stated := string(file.get("filePath")) or string(file.get("relativePath"))):
            continue
        path, moved = path_of(stated), string(file.get("movePath"))
        kind, before, after = file.get("type"), file.get("before"), file.get("after")
        if kind == "add":
            before = None
        hunks = diff_hunks(string(file.get("diff")) or string(file.get("patch")))
        exact = indented_hunks(hunks, lines) if hunks else None
        if isinstance(after, str) and not moved:
            absent_before, absent_after = kind == "add", kind == "delete"
            yield from _wholes(path, before, after, torn, absent_before, absent_after)
        elif kind == "delete":
            yield Whole(path, None, "after")
        elif kind == "add":
            yield Whole(path, None, "before")
            if exact:
                yield Whole(path, "".join(f"{line}\n" for line in exact[0].new), "after")
        elif exact or moved:
            yield Patched(path, exact or (), path_of(moved) if moved else None)


def _wholes(
    path: str,
    before: Any,
    after: Any,
    torn: Set[str],
    absent_before: bool = False,
    absent_after: bool = False,
) -> Iterator[Whole]:
    if absent_before:
        yield Whole(path, None, "before")
    elif isinstance(before, str) and before not in torn:
        yield Whole(path, before, "before")
    if absent_after:
        yield Whole(path, None, "after")
    elif isinstance(after, str) and after not in torn:
        yield Whole(path, after, "after")
