"""Requests whose answers are on their way."""

from collections import OrderedDict
from typing import NamedTuple

from statetape.economics.bill import Entry
from statetape.shim.conversation import Conversation
from statetape.shim.paying import Payer
from statetape.shim.standing import Stood
from statetape.types import Replace
from statetape.wire.answers import Answer

# Requests whose answers are waited for.
_MOST = 200


class Asked(NamedTuple):
    """A request; its body is kept, for its identity must stay its own.

    `number` is that of the payer. `put` are the changes that it is the first to have, each with
    the digest of its message.
    """

    body: bytes
    answer: Answer
    key: str
    conversation: Conversation
    true: Stood
    payer: Payer
    number: int
    entry: Entry
    put: tuple[tuple[bytes, Replace], ...]


class Waiting:
    """The requests by the identity of their bodies. Not thread-safe."""

    def __init__(self) -> None:
        self._asked: OrderedDict[int, Asked] = OrderedDict()

    def put(self, asked: Asked) -> None:
        """Its answer is waited for from now on, or it is another by now."""
        self._asked[id(asked.body)] = asked
        while len(self._asked) > _MOST:
            self._asked.popitem(last=False)

    def of(self, body: bytes, *, last: bool = False) -> Asked | None:
        """The request of this body; `last`: nobody asks for it again."""
        return self._asked.pop(id(body), None) if last else self._asked.get(id(body))
