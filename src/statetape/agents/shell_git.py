"""What a git command does: to files, and as a run."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from statetape.agents.shell_line import Word
from statetape.agents.shell_place import Place, arguments, basename, names
from statetape.agents.shell_runs import Kind
from statetape.types import Edit

_GLOBAL_VALUED = frozenset({"-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_QUERIES = frozenset(
    {"status", "diff", "ls-files", "blame", "annotate", "check-ignore", "difftool"}
)
_EVENTS = names(
    "add commit push fetch log show rev-parse remote tag config merge-base reflog notes cat-file "
    "init ls-remote ls-tree rev-list shortlog for-each-ref name-rev symbolic-ref var version help "
    "gc branch describe show-ref cherry whatchanged count-objects fsck "
    "update-ref range-diff hash-object maintenance credential request-pull show-branch "
    "update-index diff-tree"
)
# A commit by a name that no file has: by hash, by HEAD, or counted from another one.
_REVISION = re.compile(r"[0-9a-f]{7,40}|@|(?:[\w./-]+/)?HEAD|[^\s~^]+[~^][~^\d]*")
_RANGE = re.compile(r"(?!\.)\S*(?<![./])\.{2,3}(?![./])\S*")


class GitCall(NamedTuple):
    """A git command: its subcommand, the words after it, where it runs."""

    subcommand: str
    words: tuple[Word, ...]
    place: Place


def git_call(words: Sequence[Word], place: Place) -> GitCall:
    """The words after `git`, its global options taken off."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        if text == "-C" and at + 1 < len(words):
            place = Place(place.root, place.path(words[at + 1]))
        at += 2 if text == "-C" or text in _GLOBAL_VALUED else 1
    name = words[at].text if at < len(words) else ""
    return GitCall(name, tuple(words[at + 1 :]), place)


def git_kind(call: GitCall) -> Kind:
    """The kind of the run: what may change files of the working tree is unknown."""
    name, words = call.subcommand, [word.text for word in call.words]
    if name in ("diff", "difftool") and _compares_revisions(call.words):
        return "event"
    if name in _QUERIES:
        return "query"
    if name in _EVENTS or not name:
        return "event"
    if name == "stash" and words[:1] in (["list"], ["show"], ["drop"], ["clear"]):
        return "event"
    if name == "worktree" and words[:1] in (["list"], ["prune"], ["lock"], ["unlock"]):
        return "event"
    if name == "reset" and not {"--hard", "--merge", "--keep"} & set(words):
        return "event"  # moves the index and HEAD only
    if name in ("checkout", "switch") and _only_names_a_branch(words):
        return "event"
    if name == "rm" and "--cached" in words:
        return "event"
    if name in ("apply", "am") and {"--check", "--stat", "--numstat", "--summary"} & set(words):
        return "query"
    return "unknown"


def _compares_revisions(words: Sequence[Word]) -> bool:
    """Whether a difference is between commits alone: no write of a file changes it."""
    dashes = next((at for at, word in enumerate(words) if word.text == "--"), None)
    given = arguments(words[:dashes], "SGOU")
    texts = [word.text for word in given.operands if word.kind == "literal"]
    if given.has("no-index"):
        return False
    named = texts if dashes is not None else [text for text in texts if _REVISION.fullmatch(text)]
    return len(named) > 1 or any(_RANGE.fullmatch(text) for text in texts)


def _only_names_a_branch(words: Sequence[str]) -> bool:
    creating = {"-b", "-B", "-c", "-C", "--create", "--orphan"} & set(words)
    return bool(creating) and len([text for text in words if text[:1] != "-"]) == 1


def writes_only(edits: Sequence[Edit], call: GitCall) -> bool:
    """Whether a git command changes the files of these edits alone: all that it names are files."""
    named = arguments(call.words, "sm", ("source",)).operands
    return (
        call.subcommand in ("mv", "rm", "checkout", "restore")
        and bool(edits)
        and all(word.kind == "literal" and "." in basename(word.text).strip(".") for word in named)
    )


def git_edits(call: GitCall) -> tuple[Edit, ...]:
    """The edits of the files that a git command names."""
    name, words, place = call
    if name == "mv":
        return moves(arguments(words, "").operands, place)
    if name == "rm":
        given = arguments(words, "")
        return () if given.has("cached") else removals(given.operands, place)
    if name == "checkout":
        dashes = next((at for at, word in enumerate(words) if word.text == "--"), None)
        return () if dashes is None else _unknown_edits(words[dashes + 1 :], place)
    if name == "restore":
        given = arguments(words, "s", ("source",))
        staged_only = given.has("staged", "S") and not given.has("worktree", "W")
        return () if staged_only else _unknown_edits(given.operands, place)
    return ()


def _unknown_edits(words: Sequence[Word], place: Place) -> tuple[Edit, ...]:
    paths = [place.path(word) for word in words]
    return tuple(Edit(path) for path in paths if path)


def moves(operands: Sequence[Word], place: Place) -> tuple[Edit, ...]:
    """The edits of moving files. A single target may be a folder: only the file system knows."""
    if len(operands) < 2:
        return ()
    target = place.path(operands[-1])
    into = len(operands) > 2 or operands[-1].text.endswith("/")
    found: list[Edit] = []
    for word in operands[:-1]:
        source = place.path(word)
        if source is None:
            continue
        if target is None:
            found.append(Edit(source, absent=True))
        else:
            folder = f"{target}/" if target else ""
            found.append(Edit(source, moved_to=folder + basename(source) if into else target))
    return tuple(found)


def removals(operands: Sequence[Word], place: Place) -> tuple[Edit, ...]:
    """The edits of removing files, folders, which stand for all files in them, and globs.

    The path of a glob has its wildcards: which files it stood for is known where the files are.
    """
    paths = [place.pattern(word) for word in operands if not {*"{("} & {*word.text}]
    return tuple(Edit(path, absent=True) for path in paths if path is not None)
