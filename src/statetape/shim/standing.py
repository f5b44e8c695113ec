"""What is known of a conversation from before this proxy began: which results still stood when."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from statetape.session import Session
from statetape.shim.checkout import Checkout
from statetape.store.standing import Standing
from statetape.store.state import StoreError
from statetape.types import RepositoryState
from statetape.wire.reading import Reading


class Stood(NamedTuple):
    """Messages that are true at a time: all that they say of the whole repository."""

    messages: tuple[bytes, ...]
    at: int


class Memory:
    """What is kept of it, from process to process. What cannot be read or kept is not known."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._standing: Standing | None = None
        self._pruned = False

    def recall(self, checkout: Checkout, reading: Reading, known: int) -> None:
        """Tell the checkout of messages, from number `known` on, that were true when."""
        with suppress(StoreError):
            checkout.recall(self._opened().of(reading.chain[known:]))

    def keep(self, stood: Stood) -> None:
        """For the next process."""
        if stood.messages:
            with suppress(StoreError):
                self._opened().put(stood.messages, stood.at)
                if not self._pruned:
                    self._opened().prune()
                    self._pruned = True

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._standing is not None:
                self._standing.close()
                self._standing = None

    def _opened(self) -> Standing:
        with self._lock:
            if self._standing is None:
                self._standing = Standing(self._store)
            return self._standing


def stood(session: Session, reading: Reading, at: int) -> Stood:
    """Which messages of a request that was just followed are true, by all that was seen `at`."""
    of_state = {s for s, r in session.held.items() if isinstance(r.referent, RepositoryState)}
    stale = of_state & session.nominations.keys()
    slots = ({block.slot for block in turn.blocks} for turn in reading.turns)
    pairs = zip(slots, reading.chain, strict=True)
    return Stood(tuple(m for its, m in pairs if its & of_state and not its & stale), at)
