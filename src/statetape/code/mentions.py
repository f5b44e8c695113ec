"""Who can reach a symbol: whose own text mentions its name, or a name that it goes by.

An over-estimate from the texts, for the graph to resolve: some owners mention a namesake. What
reaches a symbol without any mention is not found: a value that comes out of a call of a call.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from statetape.code.names import inheriting
from statetape.code.shelf import Shelf
from statetape.code.sites import innermost
from statetape.types import SymbolId

_CONSTRUCTORS = frozenset(
    {"__init__", "__new__", "__post_init__", "__construct", "constructor", "initialize", "init"}
)
# Words of the syntax that call a method; of another `__name__`, nobody has to say anything.
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
_VALUES = frozenset({"variable", "field"})
_FUNCTIONS = frozenset({"function", "method"})


class Mentions(NamedTuple):
    """Whose own text mentions a name in one file, and what else the name is called.

    `near` are names that mean the same in this file, `far` those that other files can see.
    """

    owners: set[str]
    near: set[str]
    far: set[str]


def mentioning(symbol: SymbolId, shelf: Shelf) -> Iterator[SymbolId]:
    """The symbols that can reach one. Reads the files that mention it.

    A method that the syntax calls is sought in the files that mention its class or an heir.
    """
    container, _, name = symbol.name.rpartition(".")
    definition = (shelf.definitions(symbol.path) or {}).get(symbol.name)
    assigned = definition is not None and definition.kind not in _VALUES
    if container and (name in _CONSTRUCTORS or name.startswith("__")):
        made = [container.rpartition(".")[2]]
        found = _owners(made, shelf, assigned=True, heirs=True)
        for path in found:
            found[path] |= _implied(name, path, shelf)
    else:
        found = _owners(_called(symbol, shelf), shelf, assigned=assigned)
        if _is_local(symbol, shelf):
            own = _near(name, symbol.path, shelf, assigned=assigned)
            found.setdefault(symbol.path, set()).update(own.owners)
    for path in sorted(found):
        yield from (SymbolId(path, owner) for owner in sorted(found[path]))


def _implied(name: str, path: str, shelf: Shelf) -> set[str]:
    """Who can call a constructor or an operator in a file, without a mention of it."""
    if name in _CONSTRUCTORS:
        return _mentions(name, path, shelf, assigned=False).owners
    if name in _SYNTAX:
        words = (name, _SYNTAX[name])
        return {o for word in words for o in _mentions(word, path, shelf, assigned=False).owners}
    return set(shelf.definitions(path) or ())


def _called(symbol: SymbolId, shelf: Shelf) -> list[str]:
    """The words that other files can reach a symbol by.

    What is local to a function is not reached by its name, but by the function that may give it
    away.
    """
    container, _, name = symbol.name.rpartition(".")
    if _is_local(symbol, shelf):
        return [container.rpartition(".")[2]]
    return [name]


def _is_local(symbol: SymbolId, shelf: Shelf) -> bool:
    around = (shelf.definitions(symbol.path) or {}).get(symbol.name.rpartition(".")[0])
    return around is not None and around.kind in _FUNCTIONS


def _owners(
    names: list[str], shelf: Shelf, *, assigned: bool, heirs: bool = False
) -> dict[str, set[str]]:
    """By file, whose own text mentions one of the names or what these are called elsewhere.

    `heirs`: so do those that inherit from what is called so.
    """
    found: dict[str, set[str]] = {}
    for known in names:
        more = _heirs(known, shelf) if heirs else set()
        for path in shelf.words().files(known):
            mentions = _near(known, path, shelf, assigned=assigned)
            found.setdefault(path, set()).update(mentions.owners)
            more |= mentions.far
            for word in mentions.near if heirs else ():
                more |= _heirs(word, shelf)
        names += sorted(more.difference(names))
    return found


def _heirs(name: str, shelf: Shelf) -> set[str]:
    return {heir.name.rpartition(".")[2] for heir in shelf.names().under(inheriting(name))}


def _near(name: str, path: str, shelf: Shelf, *, assigned: bool) -> Mentions:
    """Who mentions a name in a file, or what the file calls it for itself."""
    found = Mentions(set(), set(), set())
    words = [name]
    for word in words:
        new = _mentions(word, path, shelf, assigned=assigned)
        found.owners.update(new.owners)
        found.near.update(new.near)
        found.far.update(new.far)
        words += sorted(found.near.difference(words))
    return found


def _mentions(name: str, path: str, shelf: Shelf, *, assigned: bool) -> Mentions:
    """Who mentions a name in a file; `assigned`: what it names is handed on by assignments."""
    data, definitions = shelf.read(path), shelf.definitions(path)
    found = Mentions(set(), set(), set())
    if data is None or definitions is None:
        return found
    places = [
        match.start() for match in _word(name).finditer(data) if _opens_word(data, match.start())
    ]
    lines: dict[int, None] = {}
    headers: dict[str, int] = {}
    for place, owner in zip(places, innermost(definitions, places), strict=True):
        # A definition says its own name once, which is no mention.
        if owner.rpartition(".")[2] == name:
            said = headers[owner] = headers.get(owner, 0) + 1
            if said <= len(definitions[owner].spans):
                continue
        found.owners.add(owner)
        holder = owner
        while holder and definitions[holder].kind in _VALUES:
            # Its statement may be text of what holds it, too.
            holder = holder.rpartition(".")[0]
            holder = holder if holder in definitions else ""
            found.owners.add(holder)
        start = data.rfind(b"\n", 0, place) + 1
        if start in lines:
            continue
        lines[start] = None
        line = data[start : (data.find(b"\n", place) + 1) or None]
        outside = not owner or ("." not in owner and definitions[owner].kind == "variable")
        for other in _renamed(name, line, assigned=assigned):
            (found.far if outside else found.near).add(other)
    found.near.discard(name)
    found.far.discard(name)
    return found


def _renamed(name: str, line: bytes, *, assigned: bool) -> Iterator[str]:
    """What a line calls a name."""
    for imported in _imported(name).finditer(line):
        yield (imported[1] or imported[2]).decode(errors="replace")
    found = _assigned(name).match(line) if assigned else None
    if found is not None:
        yield found[1].decode(errors="replace")


def _opens_word(data: bytes, place: int) -> bool:
    return not place or not _IN_WORD.match(data, place - 1)


@cache
def _word(name: str) -> re.Pattern[bytes]:
    """A name that ends a word. It begins with the name: the search for it is fast."""
    return re.compile(rb"%b(?![\w$\x80-\xff])" % re.escape(_bytes(name)))


@cache
def _imported(name: str) -> re.Pattern[bytes]:
    """`n as x` of an import, on a line of its own too, and `{ n: x }`."""
    n = re.escape(_bytes(name))
    return re.compile(
        rb"(?:^(?:import|from|export)\b.*|^\s*(?:[{,]\s*)?)\b%b[ \t]+as[ \t]+(\w+)(?![^#/]*:)"
        rb"|\{[^}]*\b%b[ \t]*:[ \t]*(\w+)[^{}]*\}" % (n, n)
    )


@cache
def _assigned(name: str) -> re.Pattern[bytes]:
    """`x = m.n` and `self.x = n`, and nothing else behind it."""
    n = re.escape(_bytes(name))
    return re.compile(
        rb"[ \t]*(?:[a-z]+[ \t]+){0,3}(?:\w+\.)?(\w+)[ \t]*(?::[^=\n]*)?:?=[ \t]*(?:\w+\.)*%b"
        rb"[ \t]*;?[ \t]*(?:#.*|//.*)?\r?$" % n
    )


def _bytes(name: str) -> bytes:
    return name.encode(errors="replace")
