"""A server on loopback that speaks to clients of models as it is told to."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes] | Callable[["Handler"], None]
Script = Callable[[str, dict[str, Any]], Answer]


class Handler(BaseHTTPRequestHandler):
    """One connection. `server.script` gets the path and the decoded body."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.heard.append((self.path, dict(self.headers.items()), json.loads(body)))
        answer = self.server.script(self.path, json.loads(body))
        if callable(answer):
            self.close_connection = True
            answer(self)
            return
        status, data = answer
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    """`heard` are the requests so far: path, headers, body."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.heard: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """A client that has gone is no fault of the server."""


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server that answers as `script` says."""
    with Server(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()


def json_answer(document: object, status: int = 200) -> Answer:
    """A response with this document."""
    return status, json.dumps(document).encode()


def said(path: str, text: str, *calls: tuple[str, dict[str, Any]]) -> Answer:
    """What a model says, with calls of tools, in the API that a path is of."""
    if path.endswith("/messages"):
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        blocks += [
            {"type": "tool_use", "id": f"tu_{n}", "name": name, "input": given}
            for n, (name, given) in enumerate(calls)
        ]
        return json_answer(
            {"content": blocks, "stop_reason": "end_turn",
             "usage": {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7}}
        )  # fmt: skip
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": f"c_{n}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(calls)
        ]  # fmt: skip
    return json_answer(
        {"choices": [{"message": message}],
         "usage": {"prompt_tokens": 120, "completion_tokens": 7,
                   "prompt_tokens_details": {"cached_tokens": 20}}}
    )  # fmt: skip


def reset(handler: Handler) -> None:
    """The connection ends without a word."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    handler.connection.close()


def never(handler: Handler) -> None:
    """A server that begins to answer, byte by byte, and does not come to an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    while not handler.server.ended.wait(0.01):
        handler.wfile.write(b" ")


def endless(handler: Handler) -> None:
    """More than anybody reads."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(3_000):
        handler.wfile.write(b" " * 1_000)
