"""What is never needed: tests, what lies outside of the repository, boilerplate."""

import re
from collections.abc import Iterable, Iterator, Sequence

from statetape.agents.paths import is_outside
from statetape.bench.definitions import is_python
from statetape.code.chosen import is_test
from statetape.types import Lines

_COMMENT = ("#", "//", "/*", "*", "--", "<!--", ";;")
_QUOTES = ('"""', "'''")
_IMPORT = re.compile(
    r"(?:import\b|from\s+\S+\s+import\b|package\s+\w+;?$|use\s+[\w:]+|using\s+[\w.]+;|#include\b"
    r"|export\s+(?:\*|\{[^}]*\})\s+from\b|(?:const|let|var)\s+.*=\s*require\()"
)


def is_source(path: str) -> bool:
    """Whether a file can be needed at all: it is in the repository, and not of tests."""
    return not is_outside(path) and not is_test(path) and "/.git/" not in f"/{path}"


def is_boilerplate(path: str, lines: Sequence[str], region: Lines) -> bool:
    """Whether a region has nothing but imports, comments and docstrings, licences among them.

    `lines` are those of the whole file: an import goes on over lines.
    """
    plain = _plain(path, lines)
    return all(line in plain for line in range(region.first, region.last + 1))


def _plain(path: str, lines: Sequence[str]) -> frozenset[int]:
    """The lines of a file (1-based) that are blank, comments, imports or texts on their own."""
    if not _speaks(path):
        return frozenset(number for number, line in enumerate(lines, 1) if not line.strip())
    return frozenset(_found(lines, python=is_python(path)))


def _found(lines: Sequence[str], *, python: bool) -> Iterator[int]:
    until = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if until:
            yield number
            until = "" if until in text else until
        elif not text or text.startswith(_COMMENT):
            yield number
            until = "*/" if text.startswith("/*") and "*/" not in text else ""
        elif python and (quote := _opens(text)):
            yield number
            until = "" if quote in text[text.index(quote) + 3 :] else quote
        elif _IMPORT.match(text):
            yield number
            until = _closes(text)


def _opens(text: str) -> str:
    """The quotes that a line begins a text on its own with; empty: it does not."""
    bare = text.lstrip("rRuUbB")
    return next((quote for quote in _QUOTES if bare.startswith(quote)), "")


def _closes(text: str) -> str:
    """What ends an import that goes on over lines; empty: it ends here."""
    return next((end for start, end in ("()", "{}") if start in text and end not in text), "")


def _speaks(path: str) -> bool:
    """Whether a file is of a programming language: a comment of prose is its title."""
    return not path.endswith((".md", ".mdx", ".rst", ".txt", ".json", ".yaml", ".yml", ".toml"))


def runs(lines: Iterable[int]) -> tuple[Lines, ...]:
    """Some lines of a file as runs, in order."""
    found: list[Lines] = []
    for line in sorted(set(lines)):
        if found and found[-1].last + 1 == line:
            found[-1] = Lines(found[-1].first, line)
        else:
            found.append(Lines(line, line))
    return tuple(found)
