"""What one file says, as a pure function of its bytes, and the two seams of every language."""

from typing import Any, Protocol

from msgspec import Struct

from statetape.types import Definition, SymbolId


class Facts(Struct, frozen=True):
    """The facts of one file.

    `definitions` start with the residue (name `""`), the rest in order of first appearance.
    `digest` is of the bytes; `interface` of all that another file's resolution can see here,
    without positions: equal interfaces mean that no other file's edges can have moved.
    `used` are the simple names the file mentions (calls, imports, attributes): the coarse
    inverted index behind `callers`. `detail` is the language's own, opaque to the graph.
    `broken`: the parser had to recover.
    """

    path: str
    language: str
    digest: bytes
    definitions: tuple[Definition, ...]
    interface: bytes = b""
    used: frozenset[str] = frozenset()
    detail: Any = None
    broken: bool = False


class Extractor(Protocol):
    """Bytes of one file to its facts. Never raises on any bytes; touches nothing else."""

    def __call__(self, path: str, data: bytes) -> Facts: ...


class Lookup(Protocol):
    """A resolver's only window on the rest of the repository. Each call is a dependency."""

    def facts(self, path: str) -> Facts | None:
        """The facts of a file; None (also a dependency) where there is no such file."""

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""


class Resolver(Protocol):
    """The outgoing edges of one symbol: the definitions in the repository its calls reach."""

    def __call__(self, owner: SymbolId, lookup: Lookup) -> frozenset[SymbolId]: ...
