"""One POST of JSON, over before a moment, of bounded size. Follows no redirect and no proxy."""

import http.client
import socket
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from statetape.context.asking import Failure

_LARGEST = 1_000_000  # bytes of a response
_PART = 65_536


class Response(NamedTuple):
    """What came back; `why` is None where something did that can be read."""

    status: int
    body: bytes
    why: Failure | None = None


def posted(url: str, headers: Mapping[str, str], body: bytes, until: float) -> Response:
    """The response of a server by the moment `until` (of `time.monotonic`).

    Where it closes the connection without a word, it is asked once more. Raises nothing for what
    a network does.
    """
    try:
        return _posted(url, headers, body, until)
    except ConnectionResetError:
        pass
    except (TimeoutError, OSError, http.client.HTTPException) as fault:
        return _failed(fault, until)
    try:
        return _posted(url, headers, body, until)
    except (TimeoutError, OSError, http.client.HTTPException) as fault:
        return _failed(fault, until)


def _failed(fault: Exception, until: float) -> Response:
    if isinstance(fault, TimeoutError) or time.monotonic() >= until:
        return Response(0, b"", "late")
    malformed = isinstance(fault, http.client.HTTPException)
    if malformed and not isinstance(fault, ConnectionError):
        return Response(0, b"", "malformed")
    return Response(0, b"", "unreachable")


def _posted(url: str, headers: Mapping[str, str], body: bytes, until: float) -> Response:
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = made(parts.hostname or "", parts.port, timeout=_left(until))
    try:
        connection.connect()
        # A socket's own timeout begins anew with each byte that comes.
        watch = threading.Timer(_left(until), _cut, (connection.sock,))
        watch.daemon = True
        watch.start()
        try:
            connection.request("POST", parts.path, body, dict(headers))
            response = connection.getresponse()
            found = _read(response)
            _left(until)  # a connection that was cut looks like one that has ended
            return found
        finally:
            watch.cancel()
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse) -> Response:
    data = bytearray()
    while part := response.read1(_PART):
        data += part
        if len(data) > _LARGEST:
            return Response(response.status, b"", "malformed")
    return Response(response.status, bytes(data))


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _cut(sock: socket.socket) -> None:
    """End a connection from another thread: of TLS, too, without a word."""
    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return
