"""The JSON values of a session file, read as a stream, damage and all.

Session files get cut (a copy of a running session, a broken download) and mangled (anonymisers
that work on the JSON text). Whatever can be read is read, and every loss is stated as a problem.
"""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from statetape.errors import BadInput

_CHUNK = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_SURROGATE = re.compile("[\ud800-\udfff]")
# A noncharacter: stands for the place of a repair while the text is decoded, and nowhere else.
_SEAM = "\ufdd0"


class Line(NamedTuple):
    """One decoded value, the line it began on, and which of its strings hold a repaired place."""

    number: int
    value: Any
    torn: frozenset[str] = frozenset()


def content(file: Path, problems: list[str]) -> Iterator[bytes]:
    """The bytes of `file` in pieces, unpacked if it is gzip (told by its first bytes).

    A cut or damaged end of gzip data is added to `problems`; BadInput if nothing can be read.
    """
    try:
        with file.open("rb") as stream:
            head = stream.read(_CHUNK)
            pieces = _unpacked(head, stream, problems) if head[:2] == _GZIP_MAGIC else None
            if pieces is not None:
                yield from pieces
            while pieces is None and head:
                yield head
                head = stream.read(_CHUNK)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from None
    except zlib.error as error:
        raise BadInput(f"{file}: broken gzip data: {error}") from None


def _unpacked(head: bytes, stream: Any, problems: list[str]) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits=31)
    any_yet = False
    while head:
        try:
            piece = inflate.decompress(head)
        except zlib.error as error:
            if not any_yet:
                raise
            problems.append(f"gzip data broken: the rest of the file is lost ({error})")
            return
        any_yet = any_yet or bool(piece)
        yield piece
        head = inflate.unused_data or stream.read(_CHUNK)
        if inflate.eof:  # another member may follow; padding may too
            head = head.lstrip(b"\0") if inflate.unused_data else head
            inflate = zlib.decompressobj(wbits=31)
            if not head:
                return
    problems.append("gzip data cut off: the end of the file is missing")


def lines(pieces: Iterator[bytes], problems: list[str]) -> Iterator[Line]:
    """The values of a file of JSON lines; each line that is repaired or lost is a problem."""
    number = 0
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for raw in whole:
            number += 1
            yield from decoded(raw, number, problems)
    yield from decoded(rest, number + 1, problems, last=True)


def decoded(raw: bytes, number: int, problems: list[str], last: bool = False) -> Iterator[Line]:
    """The values on one line: one as a rule, none on a blank line, several if glued together."""
    if not raw.strip():
        return
    try:
        yield Line(number, msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _repaired(raw, number, problems, last)


def _repaired(raw: bytes, number: int, problems: list[str], last: bool) -> Iterator[Line]:
    text = raw.decode("utf-8", "replace").replace("\ufeff", "", 1).replace(_SEAM, "\ufffd")
    mended = _ESCAPE.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\n{_SEAM}", text)
    if _SEAM in mended:
        problems.append(f"line {number}: invalid escape repaired (read as a line break)")
    elif "\ufffd" in text:
        problems.append(f"line {number}: not UTF-8: the bytes are replaced")
    decoder = json.JSONDecoder(strict=False)
    at = _after_space(mended, 0)
    found = 0
    while at < len(mended):
        try:
            value, at = decoder.raw_decode(mended, at)
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            what = "cut off" if last else "not JSON"
            problems.append(f"line {number}: {what}: {why}; the line's rest is lost")
            return
        found += 1
        if found == 2:
            problems.append(f"line {number}: several JSON values on one line: all are read")
        torn: set[str] = set()
        yield Line(number, _clean(value, torn), frozenset(torn))
        at = _after_space(mended, at)


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


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
