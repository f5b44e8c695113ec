"""The log: one JSON object a line, readable by its user alone, without texts or credentials."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG

from statetape.errors import BadInput


class Log:
    """Lines to a file, if there is one; and each kind of trouble, once, to `say`."""

    def __init__(self, path: Path | None, say: Callable[[str], None] = lambda _: None) -> None:
        """Appends to the file. BadInput where it cannot be opened."""
        self._say = say
        self._said: set[str] = set()
        self._file: int | None = _opened(path) if path else None

    def line(self, event: str, **fields: object) -> None:
        """One line. What cannot be written is lost: a full disk is no reason to fail."""
        if self._file is None:
            return
        said = {"time": round(time.time(), 3), "event": event, **fields}
        try:
            os.write(self._file, json.dumps(said, default=str).encode() + b"\n")
        except OSError:
            self.close()

    def once(self, kind: str, details: str) -> None:
        """Something that goes on happening, at its first time."""
        if kind in self._said:
            return
        self._said.add(kind)
        self.line("passed through", reason=kind, details=details)
        self._say(f"passing through, {kind}: {details}")

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _opened(path: Path) -> int:
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if S_ISREG(os.fstat(number).st_mode):  # not /dev/stderr
            os.fchmod(number, 0o600)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    return number
