"""Content encodings undone: of request bodies at once, of answers as they pass."""

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError


class EncodingError(Exception):
    """A body is not what its content encoding says, the encoding is unknown, or it is too long."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


_DECOMPRESSORS: dict[str, Callable[[], _Decompressor]] = {
    "gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    "deflate": zlib.decompressobj,
    "zstd": ZstdDecompressor,
}


def decoded(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its content encodings, of at most `limit` bytes; itself if it has none.

    `encoding` is the header's value. EncodingError where it cannot be undone.
    """
    for name in reversed(_names(encoding)):
        body = _whole(body, _decompressor(name), limit)
    return body


class Decoder:
    """Undoes the content encoding of an answer, chunk by chunk."""

    def __init__(self, encoding: str) -> None:
        """Raises EncodingError for an encoding that is unknown, or more than one."""
        names = _names(encoding)
        if len(names) > 1:
            raise EncodingError(encoding)
        self._name = names[0] if names else None
        self._running = _decompressor(names[0]) if names else None

    def decoded(self, chunk: bytes) -> bytes:
        """What a chunk adds, perhaps nothing. EncodingError where it is broken."""
        if self._running is None or self._name is None:
            return chunk
        parts = []
        while chunk:
            if self._running.eof:
                self._running = _decompressor(self._name)
            parts.append(_decompressed(self._running, chunk, -1))
            chunk = self._running.unused_data if self._running.eof else b""
        return b"".join(parts)


def _names(encoding: str) -> list[str]:
    names = (name.strip().lower() for name in encoding.split(","))
    return [name for name in names if name not in {"", "identity"}]


def _decompressor(name: str) -> _Decompressor:
    make = _DECOMPRESSORS.get(name)
    if make is None:
        raise EncodingError(f"unknown content encoding {name!r}")
    return make()


def _whole(body: bytes, running: _Decompressor, limit: int) -> bytes:
    text = _decompressed(running, body, limit + 1)
    if len(text) > limit:
        raise EncodingError("longer than the limit")
    if not running.eof:
        raise EncodingError("the body ends too early")
    if running.unused_data:
        raise EncodingError("there is more behind the end")
    return text


def _decompressed(running: _Decompressor, data: bytes, most: int) -> bytes:
    """At most `most` bytes, all of them if negative (which zlib spells 0)."""
    try:
        if isinstance(running, ZstdDecompressor):
            return running.decompress(data, most)
        return running.decompress(data, max(most, 0))
    except (zlib.error, ZstdError) as error:
        raise EncodingError(str(error)) from None
