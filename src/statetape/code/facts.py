"""What one file says, as a pure function of its bytes, and the two seams of every language."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from statetape.code.findings import Finding, Findings, Ground
from statetape.types import Definition, Mark, SymbolId


class Piece(NamedTuple):
    """A run of lines that hold own text of one symbol, uninterrupted by another definition.

    `owners` are the symbol's name and those of its containers, innermost first, `""` last.
    A line that two symbols share is in the pieces of both.
    """

    first: int
    last: int
    owners: tuple[str, ...]


class Facts(Struct, frozen=True):
    """The facts of one file.

    `definitions` start with the residue (name `""`), the rest in order of first appearance.
    `digest` is of the bytes. `used` are the simple names the file mentions (calls, imports,
    attributes): the coarse inverted index behind `callers`. `detail` is the language's own, opaque
    to the graph; `languages.changed` says where resolutions can see a difference in it.
    `broken`: the parser had to recover. `layout` are the pieces in the order of the file. `bases`
    are the classes with the last names of the bases that each states. `generated`: the file says
    that a program has written it.
    """

    path: str
    language: str
    digest: bytes
    definitions: tuple[Definition, ...]
    used: AbstractSet[str] = frozenset()
    detail: Any = None
    broken: bool = False
    layout: tuple[Piece, ...] = ()
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    generated: bool = False

    def interface(self) -> "Interface":
        """What the rest of the repository has to know of the file."""
        names = tuple(definition.name for definition in self.definitions)
        return Interface(self.language, self.digest, names, self.bases, self.broken, self.generated)

    def symbols_at(self, first: int, last: int) -> tuple[str, ...]:
        """The names of the symbols that vouch for lines `first` to `last`.

        While none of their digests changes, the text of those lines stands in the file, in one
        run. They are the symbols with own text on the lines and, where the lines cross from one
        piece to another, the containers of these (they order the pieces). The residue vouches
        for the lines behind the last one. Logarithmic in the number of pieces.
        """
        begin = bisect_left(self.layout, first, key=lambda piece: piece.last)
        end = begin
        while end < len(self.layout) and self.layout[end].first <= last:
            end += 1
        covered = list(self.layout[begin:end])
        if end == len(self.layout) and (not covered or covered[-1].last < last):
            covered.append(Piece(last, last, ("",)))
        if len(covered) == 1:
            return covered[0].owners[:1]
        return tuple(dict.fromkeys(name for piece in covered for name in piece.owners))


class Interface(Struct, frozen=True, array_like=True, gc=False):
    """What a repository has to know of each of its files, before anybody looks into one.

    `names` are those of its definitions, the residue included. A `generated` file says so itself:
    what is in it is found by who looks there, not by who asks the whole repository for a name.
    `digest` is of the bytes, empty where nobody had to read them.
    """

    language: str
    digest: bytes
    names: tuple[str, ...]
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    broken: bool = False
    generated: bool = False


class Loads(Struct, frozen=True):
    """What a file can load when it runs: files of the repository.

    `unknown` are the names that lead to none of them, as far as they tell a package. `tops` are
    the first parts of all that are looked for in folders which a program can choose.
    """

    files: frozenset[str]
    unknown: frozenset[str] = frozenset()
    tops: frozenset[str] = frozenset()


class Index(Protocol):
    """Facts that were found before, by the content of a file: in this process or another."""

    def interfaces(
        self, paths: Collection[str], read: Callable[[str], bytes | None]
    ) -> Iterable[tuple[str, Interface]]:
        """The interface of each of these files that there is. What nobody knows is extracted."""

    def definitions(self, path: str, data: bytes) -> tuple[Definition, ...] | None:
        """The definitions of a file with these bytes, None where nobody knows them."""

    def used(self, digests: Mapping[str, bytes]) -> Iterable[tuple[str, Collection[int]]]:
        """The numbers (`code.index`) of the names that files with these digests mention.

        Without the files nobody knows.
        """


class Extractor(Protocol):
    """Bytes of one file to its facts. Never raises on any bytes; touches nothing else."""

    def __call__(self, path: str, data: bytes) -> Facts: ...


class Repository(Protocol):
    """What can be asked of a repository in its present state."""

    def facts(self, path: str, name: str | None = None) -> Facts | None:
        """The facts of a file to see one name in (None: all of them), None where there is none."""

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""

    def named(self, name: str) -> tuple[SymbolId, ...]:
        """Every definition, in any file and language, whose last name is this, sorted.

        The first question of all reads every file of the repository once.
        """

    def heirs(self, name: str) -> tuple[SymbolId, ...]:
        """Every class, in any file and language, that states a base of this last name, sorted."""


class Lookup(Repository, Protocol):
    """A resolver's only window on the repository, its own file included. Each call is a dependency.

    On a file that is not there, too, and on a name that is not in it: either may appear. `findings`
    are those of the present state; who uses one says what it rests on.
    """

    findings: Findings

    def rest_on(self, grounds: Iterable[Ground], findings: Iterable[Finding] = ()) -> None:
        """Depend on what was looked at for an answer, and on findings that were used for it."""


def differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """The keys that one of two mappings lacks, or holds another value under."""
    return {
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or before[name] != after[name]
    }


class Resolver(Protocol):
    """The outgoing edges of one symbol: what in the repository it calls and uses, and how."""

    def __call__(self, owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]: ...
