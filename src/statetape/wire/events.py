"""Server-sent events out of bytes that come in chunks of any size."""

LARGEST = 1 << 24  # bytes; a longer event, line or answer is passed over


class Events:
    """The data of the events of one stream. Any bytes are fine, what is no event is passed over.

    A line ends with a line feed, as with every API here, and not with a carriage return alone.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._long = False  # the line is longer than what is kept of it
        self._data: list[bytes] = []
        self._size = 0

    def after(self, chunk: bytes) -> list[bytes]:
        """The data of the events that end in this chunk."""
        *whole, rest = chunk.split(b"\n")
        ended: list[bytes] = []
        for piece in whole:
            self._keep(piece)
            if not self._long:
                self._take(bytes(self._line).removesuffix(b"\r"), ended)
            self._line.clear()
            self._long = False
        self._keep(rest)
        return ended

    def _keep(self, piece: bytes) -> None:
        self._long = self._long or len(self._line) + len(piece) > LARGEST
        if not self._long:
            self._line += piece

    def _take(self, line: bytes, ended: list[bytes]) -> None:
        if line.startswith(b"data:"):
            self._size += len(line)
            if self._size <= LARGEST:
                self._data.append(line[5:].removeprefix(b" "))
        elif not line:
            if self._data and self._size <= LARGEST:
                ended.append(b"\n".join(self._data))
            self._data.clear()
            self._size = 0
