"""Searches as claims: which files a search covers, and which matches a write added."""

import re
from collections import Counter
from fnmatch import fnmatch
from functools import lru_cache

from statetape.context.regions import blocks
from statetape.context.repository import Repository
from statetape.text import text_of
from statetape.types import Query, Record, Search, Write

# Characters of a line that a pattern is tried on.
_LONGEST = 2_000


def covers(search: Search, path: str) -> bool:
    """Whether a file lies in what was searched. Unsure (a glob of unknown form) counts as yes."""
    inside = not search.paths or any(
        root in ("", ".") or path == root or path.startswith(root.rstrip("/") + "/") or "*" in root
        for root in search.paths
    )
    if not inside or search.glob is None or any(c in search.glob for c in "{}!,["):
        return inside
    return fnmatch(path, search.glob) or fnmatch(path.rpartition("/")[2], search.glob)


@lru_cache(maxsize=512)
def _compiled(search: Search) -> re.Pattern[str] | None:
    if search.pattern is None:
        return None
    pattern = re.escape(search.pattern) if search.fixed else search.pattern
    try:
        return re.compile(pattern, re.IGNORECASE if search.ignore_case else 0)
    except (re.error, RecursionError, OverflowError):
        return None


def touches(search: Search, write: Write) -> bool:
    """Whether a write may have changed what the search finds: a look at its changed lines only."""
    if not covers(search, write.path):
        return False
    if search.pattern is None:
        return (write.before is None) != (write.after is None)
    matching = _compiled(search)
    return matching is None or any(matching.search(line) for line in _changed_lines(write))


@lru_cache(maxsize=64)
def _changed_lines(write: Write) -> frozenset[str]:
    old, new = _lines(text_of(write.before)), _lines(text_of(write.after))
    changed = frozenset(
        line
        for block in blocks(write)
        for line in (
            *old[block.old_start : block.old_end],
            *new[block.new_start : block.new_end],
        )
    )
    return frozenset(line[:_LONGEST] for line in changed)


def added(record: Record, query: Query, repository: Repository) -> dict[str, list[int]] | None:
    """Where writes added matches since the record was born: path to line numbers now, or {}.

    None where that cannot be told (a listing whose files changed, a pattern that Python refuses,
    a listing of files or counts that no longer holds): the search must be run again.
    """
    found: dict[str, list[int]] = {}
    for path in repository.written_since(record.born):
        if not covers(query.search, path):
            continue
        before, after = repository.text_at(path, record.born), repository.text(path)
        if before == after:
            continue
        if query.search.pattern is None:
            if (before is None) != (after is None):
                return None
            continue
        matching = _compiled(query.search)
        if matching is None:
            return None
        came, went = _net(before, after)
        came_matching = {line for line in came if matching.search(line[:_LONGEST])}
        if not query.shown and (came_matching or any(matching.search(x[:_LONGEST]) for x in went)):
            return None
        if came_matching:
            found[path] = [n for n, line in enumerate(_lines(after), 1) if line in came_matching]
    return found


@lru_cache(maxsize=64)
def _net(before: str | None, after: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """The lines that a text has more often than another, and those it has less often."""
    old, new = Counter(_lines(before)), Counter(_lines(after))
    return frozenset(new - old), frozenset(old - new)


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.split("\n")
