"""Who can reach a symbol: whose own text mentions its name, or a name that it goes by.

An over-estimate from the texts, for the graph to resolve: some owners mention a namesake. What
reaches a symbol without any mention is not found: a value that comes out of a call of a call.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from statetape.code.shelf import Shelf
from statetape.types import Definition, SymbolId

_CONSTRUCTORS = frozenset(
    {"__init__", "__new__", "__post_init__", "__construct", "constructor", "initialize", "init"}
)
# Words of the syntax that call a method; of every other `__name__`, nobody has to say anything.
_SYNTAX = {
    "__enter__": "with",
    "__exit__": "with",
    "__aenter__": "with",
    "__aexit__": "with",
    "__iter__": "for",
    "__next__": "for",
    "__aiter__": "for",
    "__anext__": "for",
}
_IN_WORD = re.compile(rb"[\w$\x80-\xff]")
_HOLDERS = frozenset({"variable", "field"})


def mentioning(symbol: SymbolId, shelf: Shelf) -> Iterator[SymbolId]:
    """The symbols that can reach one. Reads the files that mention it.

    All symbols where no mention is needed (`__call__`).
    """
    container, _, name = symbol.name.rpartition(".")
    if name in _CONSTRUCTORS and container:
        found = _owners([container.rpartition(".")[2]], shelf)
        for path in list(found):
            found[path] |= _mentions(name, path, shelf)[0]
    elif name.startswith("__") and name not in _SYNTAX:
        found = {path: set(each.names) for path, each in shelf.interfaces().items()}
    else:
        found = _owners([name, *filter(None, [_SYNTAX.get(name)])], shelf)
    for path in sorted(found):
        yield from (SymbolId(path, owner) for owner in sorted(found[path]))


def _owners(names: list[str], shelf: Shelf) -> dict[str, set[str]]:
    """By file, whose own text mentions one of the names or what these are called elsewhere."""
    found: dict[str, set[str]] = {}
    for known in names:
        for path in shelf.words().files(known):
            owners, others = _mentions(known, path, shelf)
            found.setdefault(path, set()).update(owners)
            names += sorted(others.difference(names))
    return found


def _mentions(name: str, path: str, shelf: Shelf) -> tuple[set[str], set[str]]:
    """Whose own text mentions a name in a file, and what else the name is called there."""
    data, definitions = shelf.read(path), shelf.definitions(path)
    if data is None or definitions is None:
        return set(), set()
    places = [
        match.start() for match in _word(name).finditer(data) if _opens_word(data, match.start())
    ]
    owners: set[str] = set()
    others: set[str] = set()
    lines: dict[int, bytes] = {}
    for place, owner in zip(places, _innermost(definitions, places), strict=True):
        owners.add(owner)
        start = data.rfind(b"\n", 0, place) + 1
        line = lines.setdefault(start, data[start : (data.find(b"\n", place) + 1) or None])
        if _handed_on(name, line) or definitions[owner].kind in _HOLDERS:
            others.add(owner.rpartition(".")[2])
    for line in lines.values():
        for match in _renaming(name).finditer(line):
            others.update(each.decode(errors="replace") for each in match.groups() if each)
    return owners, others - {"", name}


def _opens_word(data: bytes, place: int) -> bool:
    return not place or not _IN_WORD.match(data, place - 1)


def _innermost(definitions: Mapping[str, Definition], places: Iterable[int]) -> Iterator[str]:
    """The name of the innermost definition around each of some places (bytes, ascending)."""
    spans = sorted(
        (start, -end, name) for name, each in definitions.items() for start, end in each.spans
    )
    around: list[tuple[int, str]] = []
    next_ = 0
    for place in places:
        while next_ < len(spans) and spans[next_][0] <= place:
            start, end, name = spans[next_]
            while around and around[-1][0] <= start:
                around.pop()
            around.append((-end, name))
            next_ += 1
        while around and around[-1][0] <= place:
            around.pop()
        yield around[-1][1] if around else ""


def _handed_on(name: str, line: bytes) -> bool:
    return b"return" in line and bool(_returned(name).search(line))


@cache
def _word(name: str) -> re.Pattern[bytes]:
    """A name that ends a word. It begins with the name: the search for it is fast."""
    return re.compile(rb"%b(?![\w$\x80-\xff])" % re.escape(_bytes(name)))


@cache
def _returned(name: str) -> re.Pattern[bytes]:
    """The definition itself behind `return`, and no call of it."""
    return re.compile(rb"\breturn\s+[\w.]*\b%b\b(?!\s*\()" % re.escape(_bytes(name)))


@cache
def _renaming(name: str) -> re.Pattern[bytes]:
    """`n as x`, `x = m.n`, `{ n: x }`, and classes that inherit `n`."""
    n = re.escape(_bytes(name))
    return re.compile(
        rb"\b%b\s+as\s+(\w+)|(\w+)\s*(?::[^=\n]*)?=\s*[\w.]*\b%b\b(?!\s*\()|\b%b\s*:\s*(\w+)"
        rb"|\bclass\s+(\w+)[^\n:{]*\b%b\b" % (n, n, n, n)
    )


def _bytes(name: str) -> bytes:
    return name.encode(errors="replace")
