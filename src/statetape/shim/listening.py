"""The core is told of an answer while it passes."""

import asyncio

from statetape.shim.asking import Asking, Request
from statetape.shim.encodings import Decoder, EncodingError

# Seconds that what has passed may wait for more, so that small chunks cost little.
_GATHERED = 0.02


class Listening:
    """One answer on its way past. Only the text of a success is told, without its encoding."""

    def __init__(self, asking: Asking, request: Request) -> None:
        self._asking = asking
        self._request = request
        self._decoder: Decoder | None = None
        self._gathered: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, *, success: bool, encoding: str) -> None:
        """The head of the answer is known; `encoding` is its header's value."""
        if success:
            try:
                self._decoder = Decoder(encoding)
            except EncodingError:
                self._decoder = None

    def heard(self, chunk: bytes) -> None:
        """Bytes of the answer as they came. From what cannot be decoded on, nothing is told."""
        if self._decoder is None:
            return
        try:
            text = self._decoder.decoded(chunk)
        except EncodingError:
            self._decoder = None
            return
        if text:
            self._gathered.append(text)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(_GATHERED, self._told)

    def end(self) -> None:
        """The answer is over, in whatever way."""
        if self._timer is not None:
            self._timer.cancel()
        self._told()
        self._asking.tell(self._request, None)

    def _told(self) -> None:
        self._timer = None
        if self._gathered:
            self._asking.tell(self._request, b"".join(self._gathered))
            self._gathered.clear()
