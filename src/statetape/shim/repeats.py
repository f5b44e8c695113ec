"""Requests that go on with the changes that were made to their history, and no more."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping

from statetape.shim.composed import composed
from statetape.store.changes import Changes
from statetape.types import Slot
from statetape.wire.levers import permitting_drops
from statetape.wire.reading import Reading
from statetape.wire.writing import written

# Requests of which it is kept what they went on with: those that are late just now.
_MOST = 8


class Repeats:
    """What is not maintained is repeated: the provider has it in its cache, with its thinking.

    Safe to use from several threads.
    """

    def __init__(self, changes: Callable[[], Changes], drops: Callable[[Reading], bool]) -> None:
        """`changes` opens the store; `drops`: whether a request may ask for leave to drop."""
        self._changes = changes
        self._drops = drops
        self._lock = threading.Lock()
        self._went: OrderedDict[int, tuple[bytes, Mapping[Slot, str]]] = OrderedDict()

    def body(self, reading: Reading, body: bytes, *, late: bool = False) -> bytes:
        """The body with the changes of before; the same object where there are none.

        `late`: it will be asked what it `went` with. StoreError where the store fails.
        """
        found = self._changes().of(reading.chain)
        texts = {slot: change.text for slot, change in found.items()}
        if late:
            with self._lock:
                self._went[id(body)] = body, texts
                while len(self._went) > _MOST:
                    self._went.popitem(last=False)
        placed = composed(texts, reading)
        if not placed:
            return body
        changed = written(body, reading, placed)
        return permitting_drops(changed, reading) if self._drops(reading) else changed

    def went(self, body: bytes) -> Mapping[Slot, str]:
        """The texts that a body was repeated with when it was late; asked once."""
        with self._lock:
            known, texts = self._went.pop(id(body), (body, {}))
        return texts if known is body else {}
