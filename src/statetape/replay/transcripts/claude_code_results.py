"""What Claude Code's log knows of the files beside a tool result (`toolUseResult`).

Contents are as the client holds them: newlines normalised, a byte order mark stripped.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from statetape.replay.recording import Evidence, Hunk, Part, Patched, Replaced, Whole
from statetape.replay.transcripts.changes import (
    PathOf,
    exact_hunks,
    may_hide_tabs,
    stated_whole,
    structured_hunks,
    untabbed,
)
from statetape.replay.transcripts.numbered import tabbed_runs
from statetape.replay.transcripts.shape import items, mapping, number, string

_MENTION = re.compile(
    r"Called the Read tool with the following input: (\{.*?\})\s*\n"
    r"(?:</?system-reminder>\s*)*Result of calling the Read tool:\s*",
)


def result_evidence(
    answer: dict[str, Any], text: str, torn: frozenset[str], path_of: PathOf
) -> tuple[Evidence, ...]:
    """The evidence of one successful tool result, in order: before, change, after.

    `answer` is its `toolUseResult`, `text` what the model was sent. Tools that neither show nor
    change a file give none.
    """
    if isinstance(answer.get("file"), dict):
        return read_evidence(answer["file"], text, torn, path_of)
    if isinstance(answer.get("notebook_path"), str):
        return _notebook(answer, torn, path_of)
    path = answer.get("filePath")
    if not isinstance(path, str):
        return ()
    if "structuredPatch" in answer and isinstance(answer.get("content"), str):
        return _written(path_of(path), answer, torn)
    if "structuredPatch" in answer or "oldString" in answer:
        return _edited(path_of(path), answer, torn)
    return ()


def read_evidence(
    file: dict[str, Any], text: str, torn: frozenset[str], path_of: PathOf
) -> tuple[Evidence, ...]:
    """The whole file, or the lines of it, that a read shows (`file` as the log states it)."""
    shown, first = file.get("content"), number(file.get("startLine"))
    count, total = number(file.get("numLines")), number(file.get("totalLines"))
    if not isinstance(shown, str) or not isinstance(file.get("filePath"), str) or first is None:
        return ()
    path = path_of(file["filePath"])
    if shown in torn:
        return () if text in torn else _numbered(path, text)
    if count == total and count is not None:
        return (Whole(path, shown, "after"),)
    if not count:
        return ()
    rows = shown.split("\n")
    # The client counts the empty line that a final line break leaves.
    at_end = total is not None and first + count > total
    if at_end and rows[-1] == "" and len(rows) > 1:
        rows.pop()
    return (Part(path, first, tuple(rows), first + len(rows) - 1 if at_end else None),)


def mentioned_read(text: str, path_of: PathOf) -> tuple[Evidence, ...]:
    """The evidence of a read that stands in a reminder (an `@file` mention, a compaction)."""
    match = _MENTION.search(text)
    if match is None:
        return ()
    try:
        asked = mapping(msgspec.json.decode(match[1]))
    except msgspec.DecodeError:
        return ()
    path = string(asked.get("file_path"))
    return _numbered(path_of(path), text[match.end() :]) if path else ()


def _numbered(path: str, text: str) -> tuple[Evidence, ...]:
    runs = tabbed_runs(text)
    return (Part(path, runs[0].first, runs[0].lines),) if runs else ()


def _notebook(
    answer: dict[str, Any], torn: frozenset[str], path_of: PathOf
) -> tuple[Evidence, ...]:
    path = path_of(answer["notebook_path"])
    before, after = answer.get("original_file"), answer.get("updated_file")
    return (*stated_whole(path, before, "before", torn), *stated_whole(path, after, "after", torn))


def _written(path: str, answer: dict[str, Any], torn: frozenset[str]) -> tuple[Evidence, ...]:
    content, original = answer["content"], answer.get("originalFile")
    before: tuple[Evidence, ...] = stated_whole(path, original, "before", torn)
    if answer.get("type") == "create" and original is None:
        before = (Whole(path, None, "before"),)
    if content not in torn:
        return (*before, Whole(path, content, "after"))
    hunks = structured_hunks(answer.get("structuredPatch"))
    tabs = hunks is not None and may_hide_tabs(hunks) and "\t" in content
    return before if hunks is None or tabs else (*before, Patched(path, hunks))


def _edited(path: str, answer: dict[str, Any], torn: frozenset[str]) -> tuple[Evidence, ...]:
    original = answer.get("originalFile", answer.get("originalFileContents"))
    before = stated_whole(path, original, "before", torn)
    hunks = structured_hunks(answer.get("structuredPatch"))
    edits = _replacements(path, answer)
    if hunks is not None and before and isinstance(original, str):
        exact = _exact(path, hunks, original, edits)
        if exact is not None:
            return (*before, exact)
    tabs_known = isinstance(original, str) and "\t" not in original
    if hunks is not None and (tabs_known or not may_hide_tabs(hunks)):
        return (*before, Patched(path, hunks))
    if answer.get("userModified") is True:  # not what was asked for, so the change is unknown
        return before
    if hunks is not None and len(edits) == 1:
        edits = (_with_its_line_break(edits[0], hunks),)
    return (*before, *edits)


def _exact(
    path: str, hunks: Sequence[Hunk], original: str, edits: Sequence[Replaced]
) -> Evidence | None:
    """The exact change; a removal of whole lines may have taken their line break too.

    Hunks do not tell whether the last line of a file has a line break.
    """
    for edit_of in (_unchanged, _with_line_break):
        after = original
        for edit in map(edit_of, edits):
            after = after.replace(edit.old, edit.new, -1 if edit.every else 1)
        exact = exact_hunks(hunks, original, after)
        if exact is not None:
            ends = {text.endswith("\n") for text in (original, after) if text}
            return Patched(path, exact) if len(ends) < 2 else Whole(path, after, "after")
    return None


def _unchanged(edit: Replaced) -> Replaced:
    return edit


def _with_line_break(edit: Replaced) -> Replaced:
    if edit.new or edit.old.endswith("\n"):
        return edit
    return Replaced(edit.path, edit.old + "\n", "", edit.every)


def _with_its_line_break(edit: Replaced, hunks: Sequence[Hunk]) -> Replaced:
    """`edit` as it was applied: `hunks` tell how many lines went with each occurrence."""
    removed = sum(len(hunk.old) - len(hunk.new) for hunk in hunks)
    logged = "\n".join(untabbed(edit.old.split("\n")))
    places = sum("\n".join(hunk.old).count(logged) for hunk in hunks) if edit.every else 1
    took_break = places > 0 and removed == places * (edit.old.count("\n") + 1)
    return _with_line_break(edit) if took_break else edit


def _replacements(path: str, answer: dict[str, Any]) -> tuple[Replaced, ...]:
    stated = [mapping(edit) for edit in items(answer.get("edits"))] or [answer]
    return tuple(
        Replaced(path, old, new, (edit.get("replace_all") or edit.get("replaceAll")) is True)
        for edit in stated
        if isinstance(old := edit.get("old_string", edit.get("oldString")), str)
        and isinstance(new := edit.get("new_string", edit.get("newString")), str)
    )
