"""What requests say, read on from where the last one of their session ended."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping

from statetape.wire import anthropic, chat, keys, responses
from statetape.wire.reading import Reading

_WIRES: Mapping[str, Callable[[bytes, Reading | None], Reading]] = {
    "/messages": anthropic.read,
    "/responses": responses.read,
    "/chat/completions": chat.read,
}
# Bytes of requests whose readings are kept to read on from.
_MOST = 6_000_000


class Readings:
    """The last readings of all sessions. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[int, Reading]] = OrderedDict()

    def of(self, path: str, headers: Mapping[str, str], body: bytes) -> Reading | None:
        """The reading of a request; what the last one of its session said is not read again.

        None where no API is meant by this path. WireError for what is no request of its API.
        """
        read = next((read for end, read in _WIRES.items() if path.endswith(end)), None)
        if read is None:
            return None
        session = keys.session(headers)
        with self._lock:
            _, before = self._kept.get(session, (0, None))
        reading = read(body, before)
        with self._lock:
            self._kept[session] = len(body), reading
            self._kept.move_to_end(session)
            while len(self._kept) > 1 and sum(n for n, _ in self._kept.values()) > _MOST:
                self._kept.popitem(last=False)
        return reading
