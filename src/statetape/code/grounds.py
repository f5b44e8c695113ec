"""What resolutions rest on, as numbers: small, and without the words of any text.

A number (32 bits) stands for a name in a file, or for what stands in its place (`code.findings`).
Two of them may have the same: then a change of one is taken for a change of the other as well.
"""

from array import array
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from zlib import crc32

from msgspec.msgpack import Encoder

from statetape.code import languages
from statetape.code.facts import Facts, Interface
from statetape.code.findings import FOLDER, KEY, THERE
from statetape.code.index import folder_of
from statetape.code.lookup import RecordingLookup
from statetape.code.names import named
from statetape.types import SymbolId

ANY = "\4"
"""In a ground, instead of a name: all of a file."""
TEXT = "\5"
"""In a ground, before the name of a symbol: its own text."""

Prints = Mapping[int, int]
"""What a file shows under each number, as 64 bits of it. The same prints: nobody sees a change."""

_encoded = Encoder(enc_hook=str, order="deterministic").encode


def looked_at(owner: SymbolId, looked: RecordingLookup) -> "array[int]":
    """The numbers of all that a symbol's resolution has looked at, each once, ascending."""
    found = {number(owner.path, TEXT + owner.name)}
    found.update(number(folder, FOLDER) for folder in looked.folders)
    found.update(number(key, KEY) for key in looked.names)
    for path, names in looked.files.items():
        found.add(number(path, THERE))
        found.update(number(path, ANY if name is None else name) for name in names)
    return array("I", sorted(found))


def prints(facts: Facts, interface: Interface | None) -> dict[int, int]:
    """What a file shows; `interface`: also to those who ask the whole repository for a name.

    Cost: in Python, reads the scope of each definition.
    """
    path = facts.path
    found: dict[int, int] = {}
    shown = [(number(path, name), value) for name, value in languages.visible(facts).items()]
    shown += [(number(path, TEXT + each.name), each.digest) for each in facts.definitions]
    keys: dict[str, list[str]] = {}
    for key, name in named(interface):
        keys.setdefault(key, []).append(name)
    shown += [(number(key, KEY), (path, names)) for key, names in keys.items()]
    for each, value in shown:
        digest = blake2b(_encoded(value), digest_size=8).digest()
        found[each] = found.get(each, 0) ^ int.from_bytes(digest)
    return found


def differing(path: str, before: Prints | None, after: Prints | None) -> set[int]:
    """The numbers of what a file shows in one of two states only; None: it is not there."""
    old, new = before or {}, after or {}
    found = {each for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    if before is None or after is None:
        found |= {number(path, THERE), number(folder_of(path), FOLDER)}
    if found:
        found.add(number(path, ANY))
    return found


def number(path: str, name: str) -> int:
    """The number of a name in a file, or of what stands in its place."""
    return crc32(name.encode(errors="replace"), _begun(path))


@lru_cache(4096)
def _begun(path: str) -> int:
    return crc32(f"{path}\0".encode(errors="replace"))
