"""The repository: its files, its symbols, its writes."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

Tick = int


class Files(Protocol):
    """The files of a repository in one state: a folder, a commit, a memory."""

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None where there is none."""

    def paths(self) -> Iterable[str]:
        """The path of every file, in no order."""


class SymbolId(NamedTuple):
    """A named definition: repository path and qualified name, dotted for nesting.

    Never a line number, so an edit that moves a symbol keeps it. The empty name is the residue:
    the text of the file outside every definition.
    """

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"


class Span(NamedTuple):
    """A half-open byte range of one file."""

    start: int
    end: int


class Lines(NamedTuple):
    """A run of whole lines of one file, 1-based and inclusive."""

    first: int
    last: int


class Definition(Struct, frozen=True):
    """One symbol as one file states it.

    `spans` and `lines` run in parallel: one entry for each place the name is defined (overloads,
    property accessors, conditional definitions). `digest` is of the *own* text of all places in
    order: newlines normalised, nested definitions replaced by their qualified names.
    """

    name: str
    kind: str
    spans: tuple[Span, ...]
    lines: tuple[Lines, ...]
    digest: bytes


class Write(Struct, frozen=True):
    """One change of one file. `None` means the file is absent on that side."""

    path: str
    before: bytes | None
    after: bytes | None


class Drift(Struct, frozen=True):
    """The symbols that differ between two states (Eq. 6), the created ones apart."""

    body: frozenset[SymbolId] = frozenset()
    dispatch: frozenset[SymbolId] = frozenset()
    created: frozenset[SymbolId] = frozenset()


Mark = Literal["exact", "virtual", "guess", "uses"]
"""How an edge reaches its target: the very definition, an override of it, a method of that name
on a receiver nobody knows (never part of a view: it would move with every namesake), or a name
that is read and not called (a constant, a field, a type alias)."""


class View(NamedTuple):
    """The local view of a symbol: digest of its own text, and its outgoing edges.

    Each edge is a target with what the symbol takes of it: nothing (`b""`) where it calls, the
    digest of the target's own text where it `uses` it. A record keeps the views of its symbols at
    birth; Theorem 1 needs nothing else. `edges` None: the record makes no claim on what the
    symbol reaches (a search hit, the agent's own text).
    """

    digest: bytes
    edges: frozenset[tuple[SymbolId, bytes]] | None
