"""Where a file calls something, by its text, and what became of each call."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from statetape.types import Definition, Mark, SymbolId

Fate = Literal["resolved", "guessed", "external", "unresolved"]
_CALL = re.compile(rb"([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)[ \t]*(?:<[\w, .<>\[\]]*>)?\(")
_NO_CALLS = frozenset(
    b"and assert await case catch constructor def defer del elif except exec for foreach func"
    b" function go if import in is lambda match new not or print raise return sizeof super switch"
    b" throw typeof using while with yield".split()
)


def fates(
    path: str,
    data: bytes,
    definitions: Mapping[str, Definition],
    edges: Callable[[SymbolId], Mapping[SymbolId, Mark]],
    named: Callable[[str], bool],
) -> Counter[Fate]:
    """How many of a file's calls have which fate. A call is a name before a parenthesis.

    It is resolved where its owner has an edge to a definition of that name; `external` where the
    repository has no definition of the name at all (`named`), else unresolved. An estimate: a
    call by another name counts as one of the last two, and comments are read as any text.
    """
    found: Counter[Fate] = Counter()
    places = [(match.start(), match[1]) for match in _CALL.finditer(data)]
    owners = innermost(definitions, (place for place, _ in places))
    headers: Counter[str] = Counter()
    known: dict[str, dict[str, Mark]] = {}
    for (_, word), owner in zip(places, owners, strict=True):
        name = word.decode(errors="replace")
        if word in _NO_CALLS:
            continue
        if owner.rpartition(".")[2] == name:
            headers[owner] += 1
            if headers[owner] <= len(definitions[owner].spans):
                continue
        if owner not in known:
            known[owner] = _by_last_name(edges(SymbolId(path, owner)))
        mark = known[owner].get(name)
        if mark is not None:
            found["guessed" if mark == "guess" else "resolved"] += 1
        else:
            found["unresolved" if named(name) else "external"] += 1
    return found


def innermost(definitions: Mapping[str, Definition], places: Iterable[int]) -> Iterator[str]:
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


def _by_last_name(edges: Mapping[SymbolId, Mark]) -> dict[str, Mark]:
    """The strongest mark to a target of each last name; a guess is the weakest."""
    found: dict[str, Mark] = {}
    for target, mark in edges.items():
        last = target.name.rpartition(".")[2]
        if found.get(last, "guess") == "guess":
            found[last] = mark
    return found
