"""The facts of one file as the cache holds them: three blobs, each with a checksum.

What was not written as it is read back, under the same key, is None: never a wrong fact.
"""

from array import array
from collections.abc import Collection
from hashlib import blake2b
from typing import NamedTuple, TypeVar

from msgspec import DecodeError
from msgspec.msgpack import Decoder, encode

from statetape.code.chosen import named_for
from statetape.code.facts import Facts, Interface
from statetape.code.index import numbered
from statetape.code.languages import suffix
from statetape.types import Definition, Lines, Span

_CHECK = 8
_T = TypeVar("_T")
_Place = tuple[str, str, tuple[Span, ...], tuple[Lines, ...], bytes]
_interface = Decoder(Interface)
_definitions = Decoder(tuple[_Place, ...])


class Row(NamedTuple):
    """One file under its key (16 bytes): what is needed of all files, and the rest of it."""

    key: bytes
    interface: bytes
    definitions: bytes
    words: bytes


def key(path: str, digest: bytes, extractors: bytes) -> bytes:
    """The key of a file with a digest of its bytes.

    Of the path, the suffix matters, and what the name says of how the file was made.
    """
    hashed = blake2b(digest, key=extractors, digest_size=16)
    hashed.update(f"{suffix(path)} {named_for(path)}".encode("utf-8", "surrogateescape"))
    return hashed.digest()


def row(facts: Facts, extractors: bytes) -> Row:
    """The facts of a file to be kept."""
    own = key(facts.path, facts.digest, extractors)
    places = [(d.name, d.kind, d.spans, d.lines, d.digest) for d in facts.definitions]
    return Row(
        own,
        _checked(own, encode(facts.interface())),
        _checked(own, encode(places)),
        _checked(own, array("I", numbered(facts.used)).tobytes()),
    )


def interface(own: bytes, blob: object) -> Interface | None:
    """The interface in a blob under a key."""
    return _decoded(own, blob, _interface)


def definitions(own: bytes, blob: object) -> tuple[Definition, ...] | None:
    """The definitions in a blob under a key."""
    places = _decoded(own, blob, _definitions)
    return None if places is None else tuple(Definition(*place) for place in places)


def words(own: bytes, blob: object) -> Collection[int] | None:
    """The numbers of words in a blob under a key; the words themselves are not kept."""
    data = _whole(own, blob)
    return None if data is None else array("I", data)


def _checked(own: bytes, data: bytes) -> bytes:
    return blake2b(data, key=own, digest_size=_CHECK).digest() + data


def _whole(own: bytes, blob: object) -> bytes | None:
    if not isinstance(blob, bytes):
        return None
    data = blob[_CHECK:]
    return data if blake2b(data, key=own, digest_size=_CHECK).digest() == blob[:_CHECK] else None


def _decoded(own: bytes, blob: object, decoder: "Decoder[_T]") -> _T | None:
    data = _whole(own, blob)
    try:
        return None if data is None else decoder.decode(data)
    except DecodeError:
        return None
