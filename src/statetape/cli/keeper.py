"""A proxy in a child process, for as long as one command runs."""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from types import TracebackType
from typing import Any, Self

from statetape.cli.hosting import TOKEN_VARIABLE
from statetape.errors import StatetapeError
from statetape.shim.headers import TOKEN
from statetape.shim.security import OWN, prefix

# `-P`: no module of the repository that is worked on takes the place of one of ours.
_COMMAND = (sys.executable, "-P", "-c", "from statetape.cli import main; main()")
_READY = "ready"
_RESTARTS = 5
_PATIENCE = 5  # seconds that a child may take to tell its state, and to end


class Keeper:
    """Keeps a proxy running on a free port of this machine, and ends it with the context.

    The port stays ours all the time: should the proxy die, connections wait for its successor.
    The child is not of our terminal, so that no key reaches it, and ends when we are gone.
    """

    def __init__(self, options: Sequence[str], environment: Mapping[str, str] = {}) -> None:
        """`options` are those of `serve`; `environment` goes before ours. Starts nothing yet."""
        self._options = options
        self._environment = environment
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._port: int = self._listener.getsockname()[1]
        self._token = secrets.token_hex(16)
        self._last: deque[str] = deque(maxlen=20)
        self._ready = threading.Event()
        self._over = threading.Event()
        self._child: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self.restarts = 0

    @property
    def base(self) -> str:
        """The base URL for a client, without a last slash."""
        return f"http://127.0.0.1:{self._port}{prefix(self._token)}"

    def __enter__(self) -> Self:
        """The proxy answers now. StatetapeError with its own words where it cannot start."""
        self._thread.start()
        self._ready.wait()
        if self.restarts < 0:
            raise StatetapeError(" ".join(self._last) or "the proxy did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        child = self._child
        if child is not None and child.stdin is not None:
            child.stdin.close()
            try:
                child.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
        self._thread.join(_PATIENCE)
        self._listener.close()

    def state(self) -> dict[str, Any]:
        """What the proxy says of itself; empty where it does not answer."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
        try:
            connection.request("GET", f"{OWN}state", headers={TOKEN: self._token})
            state = json.loads(connection.getresponse().read())
        except (OSError, ValueError, HTTPException):
            return {}
        finally:
            connection.close()
        return state if isinstance(state, dict) else {}

    def _keep(self) -> None:
        while not self._over.is_set() and 0 <= self.restarts <= _RESTARTS:
            with self._started() as child:
                self._child = child
                for line in child.stdout or ():
                    if line.strip() == _READY:
                        self._ready.set()
                    else:
                        self._last.append(line.strip().removeprefix("statetape: "))
            if self._over.is_set():
                return
            self.restarts = self.restarts + 1 if self._ready.is_set() else -1
        self._listener.close()  # nobody will answer: say so at once
        self._ready.set()

    def _started(self) -> subprocess.Popen[str]:
        descriptor = str(self._listener.fileno())
        return subprocess.Popen(  # noqa: S603 (ourselves)
            [*_COMMAND, "serve", "--port", "0", "--inherited", descriptor, *self._options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=(self._listener.fileno(),),
            start_new_session=True,
            env={**os.environ, **self._environment, TOKEN_VARIABLE: self._token},
        )
