"""Replies of models by what was asked: a folder of small files, to be kept, merged and shipped.

Files and no database: a reply is written once and never changed, two caches merge by copying, and
a cache can be put beside the sessions it is of and read in a review.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from statetape.context.asking import Ask, Reply
from statetape.errors import StatetapeError
from statetape.llm.endpoint import Kind

_LARGEST = 1_000_000  # bytes of one entry


class Entry(msgspec.Struct, frozen=True):
    """A kept reply, and in a few words what it is of: for whoever looks into the folder."""

    kind: Kind
    model: str
    purpose: str
    version: str
    reply: Reply


class Cache:
    """The replies in one folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Reply | None:
        """The reply to a question; None: there is none, or what there is cannot be read."""
        try:
            with self._place(key).open("rb") as file:
                data = file.read(_LARGEST + 1)
            return msgspec.json.decode(data, type=Entry).reply
        except (OSError, msgspec.MsgspecError, RecursionError):
            return None

    def put(self, key: str, entry: Entry) -> None:
        """Keep a reply. Raises StatetapeError where the folder cannot be written."""
        place = self._place(key)
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=place.parent, suffix=".new", delete=False) as file:
                try:
                    file.write(msgspec.json.encode(entry))
                    file.close()
                    os.replace(file.name, place)  # noqa: PTH105 (a name, and no path)
                except BaseException:
                    with suppress(OSError):
                        os.unlink(file.name)  # noqa: PTH108
                    raise
        except OSError as error:
            raise StatetapeError(f"{place}: {error.strerror or error}") from None

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def key(kind: Kind, model: str, ask: Ask) -> str:
    """The digest of a question: of the whole ask, and of who is asked."""
    said = msgspec.json.encode((kind, model, ask), order="deterministic")
    return hashlib.sha256(said).hexdigest()
