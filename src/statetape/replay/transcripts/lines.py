"""The JSON values of a session file, read as a stream, damage and all.

Session files get cut (a copy of a running session, a broken download) and mangled (anonymisers
that work on the JSON text). Whatever can be read is read, and every loss is stated as a problem.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from statetape.errors import BadInput

_CHUNK = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A backslash that is not itself escaped, before what JSON does not know as an escape.
_BAD_ESCAPE = re.compile(rb'(?<!\\)((?:\\\\)*)\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s*")
# A noncharacter: stands for the place of a repair while the text is decoded, and nowhere else.
_SEAM = "\ufdd0"
_BREAK = rb"\n" + _SEAM.encode()
_LOST = object()


class Line(NamedTuple):
    """One decoded value, the line it began on, and which of its strings hold a repaired place."""

    number: int
    value: Any
    torn: frozenset[str] = frozenset()


def content(file: Path, problems: list[str]) -> Iterator[bytes]:
    """The bytes of `file` in pieces, unpacked if it is gzip (told by its first bytes).

    A byte order mark is left out. A cut or damaged end of gzip data is added to `problems`.
    Raises BadInput if nothing can be read.
    """
    first = True
    for piece in _pieces(file, problems):
        yield piece.removeprefix(_BYTE_ORDER_MARK) if first else piece
        first = first and not piece


def _pieces(file: Path, problems: list[str]) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            head = stream.read(_CHUNK)
            if head.startswith(_GZIP_MAGIC):
                yield from _unpacked(head, stream, problems)
                return
            while head:
                yield head
                head = stream.read(_CHUNK)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from None
    except zlib.error as error:
        raise BadInput(f"{file}: broken gzip data: {error}") from None


def _unpacked(head: bytes, stream: BinaryIO, problems: list[str]) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits=31)
    read = 0
    while head:
        try:
            piece = inflate.decompress(head)
        except zlib.error as error:
            if not read:
                raise
            problems.append(f"gzip data broken: the rest of the file is lost ({error})")
            return
        read += len(piece)
        yield piece
        head = inflate.unused_data.lstrip(b"\0") or stream.read(_CHUNK)
        if inflate.eof:
            inflate = zlib.decompressobj(wbits=31)  # another member may follow
            if not head:
                return
    if not read:
        raise zlib.error("cut off before its first byte")
    problems.append("gzip data cut off: the end of the file is missing")


def lines(pieces: Iterable[bytes], problems: list[str]) -> Iterator[Line]:
    """The values of a file of JSON lines; each line that is repaired or lost is a problem."""
    number = 0
    begun: list[bytes] = []
    for piece in pieces:
        rest, *more = piece.split(b"\n")
        begun.append(rest)
        for start in more:
            number += 1
            yield from decoded(b"".join(begun), number, problems)
            begun = [start]
    yield from decoded(b"".join(begun), number + 1, problems, last=True)


def decoded(raw: bytes, number: int, problems: list[str], *, last: bool = False) -> Iterator[Line]:
    """The values on one line: one as a rule, none on a blank line, several if glued together.

    An escape that JSON does not know is read as a line break and the text after it: so
    anonymisers leave a line break that stood before what they replaced.
    """
    if not raw.strip():
        return
    try:
        yield Line(number, msgspec.json.decode(raw))
    except (msgspec.DecodeError, RecursionError) as error:
        yield from _repaired(raw, number, problems, "cut off" if last else f"not JSON ({error})")


def _repaired(raw: bytes, number: int, problems: list[str], fault: str) -> Iterator[Line]:
    mended = _BAD_ESCAPE.sub(lambda match: match[1] + _BREAK, raw)
    torn: set[str] = set()
    done = ["invalid escape repaired"] if len(mended) != len(raw) else []
    found = 0
    for value in _values(mended):
        if value is _LOST:
            done.append(f"{fault}; {'its rest' if found else 'it'} is lost")
            break
        found += 1
        yield Line(number, _clean(value, torn), frozenset(torn))
    if found > 1:
        done.append("several values on one line: all are read")
    problems.append(f"line {number}: {'; '.join(done) or f'read leniently: {fault}'}")


def _values(raw: bytes) -> Iterator[Any]:
    """The values that follow one another in `raw`; last `_LOST` if something cannot be read."""
    try:
        yield msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        yield from _lenient_values(raw.decode("utf-8", "replace"))


def _lenient_values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False)
    at = _after_space(text, 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield _LOST
            return
        yield value
        at = _after_space(text, at)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _clean(value: Any, torn: set[str]) -> Any:
    """`value` without seams and lone surrogates; strings that had a seam are put in `torn`."""
    if isinstance(value, str):
        text = _SURROGATE.sub("\ufffd", value)
        if _SEAM in text:
            text = text.replace(_SEAM, "")
            torn.add(text)
        return text
    if isinstance(value, list):
        return [_clean(item, torn) for item in value]
    if isinstance(value, dict):
        return {_clean(key, torn): _clean(item, torn) for key, item in value.items()}
    return value
