"""Commits of a repository as what they change, read through git."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from statetape.errors import BadInput
from statetape.files import GitCommit

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_PLAIN = frozenset({"100644", "100755", "000000"})
_MOST_BYTES = 400_000


class Hunk(Struct, frozen=True):
    """The lines `start` to `end` (0-based, half-open) of a file as it was become `new`.

    Lines have their line end with them.
    """

    start: int
    end: int
    new: tuple[str, ...]


class FileChange(Struct, frozen=True):
    """What a commit makes of one file. Texts have plain newlines; None: there is no file.

    `moved_from`: the path it had before.
    """

    path: str
    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...]
    moved_from: str | None = None


class Commit(Struct, frozen=True):
    """One commit against its first parent; `left_out` of its files are no texts of usual size."""

    id: str
    parent: str
    subject: str
    changes: tuple[FileChange, ...]
    left_out: int


class Hit(Struct, frozen=True, order=True):
    """A line (`number`, from 1) of a file that has a word in it."""

    path: str
    number: int
    line: str


def commits(repo: Path, span: str, most: int | None) -> Iterator[Commit]:
    """The commits of a range along first parents, oldest first; the last `most` of them.

    BadInput where the repository or the range is none.
    """
    if span.startswith("-") or ".." not in span:
        raise BadInput(f"{span}: no range A..B of commits")
    number = [] if most is None else [f"--max-count={most}"]
    found = git(repo, "rev-list", "--first-parent", "--parents", *number, span, "--")
    for line in reversed(found.decode().splitlines()):
        commit, *parents = line.split(" ")
        if parents:
            yield _commit(repo, commit, parents[0])


def _commit(repo: Path, commit: str, parent: str) -> Commit:
    subject = git(repo, "show", "-s", "--format=%s", commit).decode("utf-8", "replace").strip()
    fields = git(repo, "diff-tree", "-r", "-M", "-z", "--raw", "--no-abbrev", parent, commit)
    changes: list[FileChange] = []
    left_out = 0
    with GitCommit(repo, parent) as old, GitCommit(repo, commit) as new:
        for raw, was, path in _raw(os.fsdecode(fields)):
            modes, blobs = raw[:2], raw[2:4]
            before = after = None
            if modes[0] != "000000":
                before = plain_text(old.read(was))
            if modes[1] != "000000":
                after = plain_text(new.read(path))
            lost = (before is None) != (modes[0] == "000000") or (after is None) != (
                modes[1] == "000000"
            )
            if lost or not _PLAIN.issuperset(modes) or not _usual(path) or not _usual(was):
                left_out += 1
                continue
            hunks = () if None in (before, after) else _hunks(repo, blobs[0], blobs[1], after or "")
            if before == after and was == path:  # a mode, or line ends, and nothing else
                continue
            changes.append(
                FileChange(path, before, after, hunks, None if was == path else was),
            )
    return Commit(commit, parent, subject, tuple(changes), left_out)


def _raw(listing: str) -> Iterator[tuple[list[str], str, str]]:
    """Modes and blobs, the path before and the path after of each entry of a raw diff."""
    fields = iter(listing.split("\0"))
    for head in fields:
        if head.startswith(":"):
            raw = head[1:].split(" ")
            was = next(fields)
            yield raw, was, next(fields) if raw[4][0] in "RC" else was


def _usual(path: str) -> bool:
    """Whether a path can be written in a command and in a log as it is."""
    return re.fullmatch(r"[\w./@+-]+", path, re.ASCII) is not None and not path.startswith("-")


def plain_text(data: bytes | None) -> str | None:
    """A file as a text with plain newlines; None for none, or none that is shown as it is."""
    if data is None or len(data) > _MOST_BYTES or b"\0" in data or data.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    return None if set(text) & set("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029") else text


def whole_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last one may have none."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _hunks(repo: Path, before: str, after: str, text: str) -> tuple[Hunk, ...]:
    settings = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-cr-at-eol")
    done = git(repo, "diff", *settings, "-U0", before, after)
    new = whole_lines(text)
    return tuple(_hunk(match, new) for match in _HUNK.finditer(done))


def _hunk(match: re.Match[bytes], new: Sequence[str]) -> Hunk:
    first, size, to, length = (int(1 if part is None else part) for part in match.groups())
    start = first - 1 if size else first
    at = to - 1 if length else to
    return Hunk(start, start + size, tuple(new[at : at + length]))


def hits(repo: Path, commit: str, word: str) -> Sequence[Hit] | None:
    """The lines of a commit's files that have a word in them; None where one is no plain text."""
    found: list[Hit] = []
    arguments = ("grep", "-n", "-z", "-I", "-F", "-e", word, commit, "--")
    for row in git(repo, *arguments, may_fail=True).split(b"\n"):
        if not row:
            continue
        name, number, line = row.split(b"\0", 2)
        text = plain_text(line.removesuffix(b"\r"))
        path = os.fsdecode(name).partition(":")[2]
        if text is None or not _usual(path):
            return None
        found.append(Hit(path, int(number), text))
    return sorted(found)


def git(repo: Path, *arguments: str, may_fail: bool = False) -> bytes:
    """What git prints. BadInput with its first words where it fails (1 is no failure: no hits)."""
    elsewhere = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"}
    environment = {key: value for key, value in os.environ.items() if key not in elsewhere}
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", os.fspath(repo), *arguments],  # noqa: S607
            capture_output=True,
            env={**environment, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise BadInput(f"{repo}: git does not start: {error}") from None
    if done.returncode > may_fail:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise BadInput(f"{repo}: {said[0].removeprefix('fatal: ')}")
    return done.stdout
