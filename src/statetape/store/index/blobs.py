"""How resolved edges are written down: blobs with a checksum, each for its place alone.

What was not written as it is read back, for the same place, is None: never a wrong edge.
"""

from array import array
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from typing import NamedTuple
from zlib import compress, crc32, decompress

from msgspec.msgpack import Decoder, encode

from statetape.code.grounds import Prints
from statetape.code.reaches import Marks
from statetape.types import Mark, SymbolId

_CHECK = 8
_MARKS: tuple[Mark, ...] = ("exact", "virtual", "guess", "uses")


class File(NamedTuple):
    """A file of the state, with the stamp of the row that has its edges.

    `digest` is of its bytes, empty where nobody has looked into it. `printed`: there is what it
    shows. `resolved` counts the symbols in the row.
    """

    digest: bytes = b""
    stamp: bytes = b""
    resolved: int = 0
    printed: bool = False


class State(NamedTuple):
    """A state of the files of a repository, and what stands for it."""

    generation: bytes
    files: dict[str, File]


class _Edges(NamedTuple):
    """The edges of a file: paths of targets, and of each symbol targets by place and name."""

    paths: list[bytes]
    symbols: dict[bytes, list[tuple[int, bytes, int]]]


_state = Decoder(tuple[bytes, dict[bytes, File]])
_edges = Decoder(_Edges)
_grounds = Decoder(dict[bytes, bytes])


def row(path: str) -> int:
    """The row of a path in each table."""
    return int.from_bytes(blake2b(_bytes(path), digest_size=8).digest(), signed=True)


def key(version: bytes, path: str, stamp: bytes) -> bytes:
    """The key of a checksum, for one place."""
    return blake2b(_bytes(path) + b"\0" + stamp, key=version, digest_size=16).digest()


def target(symbol: SymbolId) -> int:
    """The number (32 bits) of the target of an edge; others may have the same."""
    return crc32(_bytes(symbol.name), crc32(_bytes(symbol.path) + b"\0"))


def of_state(own: bytes, state: State) -> bytes:
    """A state of the files to be kept."""
    files = {_bytes(path): file for path, file in state.files.items()}
    return _checked(own, encode((state.generation, files)))


def state(own: bytes, blob: object) -> State | None:
    """The state in a blob."""
    data = whole(own, blob)
    if data is None:
        return None
    generation, files = _state.decode(data)
    return State(generation, {_text(path): file for path, file in files.items()})


def of_prints(own: bytes, prints: Prints) -> bytes:
    """What a file shows, to be kept."""
    numbers = sorted(prints)
    shown = array("Q", [prints[number] for number in numbers])
    return _checked(own, array("I", numbers).tobytes() + shown.tobytes())


def prints(own: bytes, blob: object) -> Prints | None:
    """What a file shows, in a blob."""
    data = whole(own, blob)
    if data is None:
        return None
    count = len(data) // 12
    numbers, shown = array("I", data[: 4 * count]), array("Q", data[4 * count :])
    return dict(zip(numbers, shown, strict=True))


def of_edges(
    own: bytes, edges: Mapping[str, Marks], grounds: "Mapping[str, array[int] | memoryview]"
) -> bytes:
    """The edges of the symbols of a file, by name, to be kept, and all that they rest on."""
    paths: dict[str, int] = {}
    symbols = {
        _bytes(name): [
            (paths.setdefault(to.path, len(paths)), _bytes(to.name), _MARKS.index(mark))
            for to, mark in marks.items()
        ]
        for name, marks in edges.items()
    }
    targets = {target(to) for marks in edges.values() for to in marks}
    data = compress(encode(_Edges([_bytes(path) for path in paths], symbols)), 1)
    return _checked(own, _numbers(targets) + _numbers(set().union(*grounds.values())) + data)


def targets(data: bytes) -> memoryview:
    """The numbers of the targets of some edges (`whole`)."""
    return _parts(data)[0]


def bases(data: bytes) -> memoryview:
    """The numbers of all that some edges (`whole`) rest on."""
    return _parts(data)[1]


def _numbers(found: AbstractSet[int]) -> bytes:
    return len(found).to_bytes(4) + array("I", found).tobytes()


def _parts(data: bytes) -> tuple[memoryview, memoryview, memoryview]:
    """The two runs of numbers, and what is behind them."""
    view = memoryview(data)
    first = 4 + 4 * int.from_bytes(view[:4])
    last = first + 4 + 4 * int.from_bytes(view[first : first + 4])
    return view[4:first].cast("I"), view[first + 4 : last].cast("I"), view[last:]


def edges(data: bytes) -> dict[str, Marks]:
    """The edges of the symbols of a file, by name (`whole`)."""
    paths, symbols = _edges.decode(decompress(_parts(data)[2]))
    known = [_text(path) for path in paths]
    return {
        _text(name): {SymbolId(known[at], _text(to)): _MARKS[mark] for at, to, mark in marks}
        for name, marks in symbols.items()
    }


def of_grounds(own: bytes, grounds: "Mapping[str, array[int] | memoryview]") -> bytes:
    """What edges rest on, by the name of their symbol, to be kept."""
    return _checked(own, compress(encode({_bytes(n): g.tobytes() for n, g in grounds.items()}), 1))


def grounds(own: bytes, blob: object) -> Mapping[str, memoryview] | None:
    """What edges rest on, in a blob."""
    data = whole(own, blob)
    if data is None:
        return None
    found = _grounds.decode(decompress(data))
    return {_text(name): memoryview(numbers).cast("I") for name, numbers in found.items()}


def whole(own: bytes, blob: object) -> bytes | None:
    """What is in a blob behind its checksum."""
    if not isinstance(blob, bytes):
        return None
    data = blob[_CHECK:]
    return data if blake2b(data, key=own, digest_size=_CHECK).digest() == blob[:_CHECK] else None


def _checked(own: bytes, data: bytes) -> bytes:
    return blake2b(data, key=own, digest_size=_CHECK).digest() + data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
