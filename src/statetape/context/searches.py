"""Searches as claims: which files a search covers, and which matches a write added."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from fnmatch import fnmatch
from functools import lru_cache
from typing import Literal

import re2

from statetape.context.repository import Repository
from statetape.regions import blocks, differing
from statetape.text import lines_of, text_of
from statetape.types import Query, Record, Search, Write


def covers(search: Search, path: str) -> bool:
    """Whether a file lies in what was searched. Unsure (a glob of unknown form) counts as yes."""
    inside = not search.paths or any(
        root in ("", ".") or path == root or path.startswith(root.rstrip("/") + "/") or "*" in root
        for root in search.paths
    )
    if not inside or search.glob is None or any(c in search.glob for c in "{}!,["):
        return inside
    return fnmatch(path, search.glob) or fnmatch(path.rpartition("/")[2], search.glob)


class Pattern:
    """What a search looks for, tried on single lines in linear time whatever the pattern.

    RE2 is what ripgrep's own syntax comes from. Raises `re2.error` for a pattern that it refuses.
    """

    def __init__(self, search: Search) -> None:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not search.ignore_case
        pattern = search.pattern or ""
        self._matcher = re2.compile(  # type: ignore[no-untyped-call]
            f"(?m:{re.escape(pattern) if search.fixed else pattern})", options
        )
        self._whole_text = any(anchor in pattern for anchor in ("\\A", "\\z"))

    def stands_in(self, line: str) -> bool:
        """Whether the pattern matches somewhere in the line."""
        return self._matcher.search(_encoded(line)) is not None

    def may_stand_in(self, lines: bytes) -> bool:
        """Whether it can match in one of the lines of an encoded text: one look for all of them.

        It may say yes for a match across lines, never no for one within.
        """
        return self._whole_text or self._matcher.search(lines) is not None

    def matching(self, lines: Collection[str]) -> set[str]:
        """Those of some lines in which the pattern matches. Mostly one look for all of them."""
        if not self.may_stand_in(_encoded("\n".join(lines))):
            return set()
        return {line for line in lines if self.stands_in(line)}


@lru_cache(maxsize=512)
def _pattern(search: Search) -> Pattern | None:
    if search.pattern is None:
        return None
    try:
        return Pattern(search)
    except (re2.error, UnicodeEncodeError):
        return None


def touches(search: Search, write: Write) -> bool:
    """Whether a write may have changed what the search finds: a look at its changed lines only."""
    if not covers(search, write.path):
        return False
    if search.pattern is None:
        return (write.before is None) != (write.after is None)
    pattern = _pattern(search)
    return pattern is None or pattern.may_stand_in(_changed(write))


@lru_cache(maxsize=64)
def _changed(write: Write) -> bytes:
    """The lines that a write took away and those that it put in, encoded."""
    old, new = _lines(text_of(write.before)), _lines(text_of(write.after))
    return _encoded(
        "\n".join(
            line
            for block in blocks(write)
            for line in (
                *old[block.old_start : block.old_end],
                *new[block.new_start : block.new_end],
            )
        )
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def added(record: Record, query: Query, repository: Repository) -> dict[str, list[int]] | None:
    """Where writes added matches since the record was born: path to line numbers now, or {}.

    None where that cannot be told (a listing whose files changed, a pattern that RE2 refuses, a
    listing of files or counts that no longer holds): the search must be run again.
    """
    found: dict[str, list[int]] = {}
    for path in repository.written_since(record.born):
        before, after = repository.text_at(path, record.born), repository.text(path)
        if before == after:
            continue
        for search in query.searches:
            if not covers(search, path):
                continue
            how = "lines" if query.shown else "files" if _lists(record, path) else "counts"
            lines = _added(search, before, after, how)
            if lines is None:
                return None
            if lines:
                found[path] = sorted({*found.get(path, ()), *lines})
    return found


def lost(query: Query, before: str, after: str) -> bool:
    """Whether lines with a match of the query turned into lines without one."""
    patterns = [pattern for search in query.searches if (pattern := _pattern(search)) is not None]
    if len(patterns) < len(query.searches):
        return False
    had, has = (
        any(pattern.stands_in(line) for pattern in patterns for line in lines_of(text))
        for text in (before, after)
    )
    return had and not has


def _lists(record: Record, path: str) -> bool:
    """Whether a row of a record may be the file's path and nothing else: it tells no counts.

    Where the path is not listed, there is nothing to tell a listing from counts by.
    """
    return any(row == path or row.endswith(f"/{path}") for row in record.text.split("\n"))


@lru_cache(maxsize=64)
def _added(
    search: Search,
    before: str | None,
    after: str | None,
    how: Literal["lines", "files", "counts"],
) -> Sequence[int] | None:
    """The lines of matches that a text has and an earlier one had not; several records ask.

    `how` is what the search told: a file that it lists for a match is listed for another one.
    """
    if search.pattern is None:
        return None if (before is None) != (after is None) else ()
    pattern = _pattern(search)
    if pattern is None:
        return None
    came, went = _net(before, after)
    matching = pattern.matching(came)
    if how == "files" and all(pattern.matching(_lines(text)) for text in (before, after)):
        return ()
    if how != "lines" and (matching or pattern.matching(went)):
        return None
    return [n for n, line in enumerate(_lines(after), 1) if line in matching] if matching else ()


@lru_cache(maxsize=64)
def _net(before: str | None, after: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """The lines that a text has more often than another, and those it has less often."""
    _, went, came = differing(_lines(before), _lines(after))
    old, new = Counter(went), Counter(came)
    return frozenset(new - old), frozenset(old - new)


def _lines(text: str | None) -> tuple[str, ...]:
    return () if text is None else lines_of(text)
