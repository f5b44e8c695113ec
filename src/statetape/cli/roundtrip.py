"""A request to ourselves and back: a proxy between a client and a server that we play.

It keeps nothing: what a proxy writes goes into a folder that is removed.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from statetape.cli.checks import Finding
from statetape.cli.keeper import Keeper
from statetape.errors import StatetapeError
from statetape.store.index.place import VARIABLE

_BODY = b'{"model": "none", "max_tokens": 1,  "messages": [{"role": "user", "content": "\\u00e9"}]}'
_ANSWER = b"event: message_stop\ndata: {}\n\n"
_TIMES = 20


def roundtrip() -> Iterator[Finding]:
    """Whether a proxy starts here, and hands requests and answers through unaltered."""
    with TemporaryDirectory() as folder, _server() as (port, seen):
        options = ["--upstream", f"http://127.0.0.1:{port}", "--repo", folder]
        options += ["--store", str(Path(folder, "changes"))]
        try:
            with Keeper(options, {VARIABLE: folder}) as keeper:
                began = time.perf_counter()
                answers = {_asked(keeper.base) for _ in range(_TIMES)}
                each = (time.perf_counter() - began) / _TIMES * 1000
        except (StatetapeError, OSError, HTTPException) as fault:
            yield Finding("bad", "round trip", f"{type(fault).__name__}: {fault}")
            return
    if answers == {_ANSWER} and set(seen) == {_BODY}:
        yield Finding("ok", "round trip", f"unaltered, {each:.1f} ms each with a connection")
    else:
        yield Finding("bad", "round trip", "a request or an answer was altered on its way")


def _asked(base: str) -> bytes:
    parts = urlsplit(base)
    connection = HTTPConnection(parts.netloc, timeout=10)
    try:
        connection.request("POST", f"{parts.path}/v1/messages", _BODY)
        return connection.getresponse().read()
    finally:
        connection.close()


@contextmanager
def _server() -> Iterator[tuple[int, list[bytes]]]:
    """The port of a server that answers everything alike, and the bodies that it saw."""
    seen: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", str(len(_ANSWER)))
            self.end_headers()
            self.wfile.write(_ANSWER)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1], seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
