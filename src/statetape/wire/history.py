"""From the messages of a request to its turns: slots, the chain of digests, places."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

from statetape.types import Block, Call, Result, Say, Slot, Turn
from statetape.wire.places import Spot
from statetape.wire.values import encoded

Role = Literal["user", "assistant", "system"]


class Said(NamedTuple):
    """A text that is no tool call, before its message has a digest."""

    role: Role
    text: str


class Part(NamedTuple):
    """What one message says, asks or answers, and where its text is (None: not to be replaced)."""

    block: Said | Call | Result
    spot: Spot | None


class Message(NamedTuple):
    """One message: `same` is equal in two requests where the message is the same one."""

    role: Role
    same: object
    parts: Sequence[Part]


class History(NamedTuple):
    """`turns` and `chain` in parallel, as in `Reading`; a spot for each slot that has one."""

    turns: tuple[Turn, ...]
    chain: tuple[bytes, ...]
    spots: Mapping[Slot, Spot]


def history(messages: Iterable[Message]) -> History:
    """The messages as turns.

    A slot that comes twice has no spot: nobody could say which of the two is meant.
    """
    turns: list[Turn] = []
    chain: list[bytes] = []
    spots: dict[Slot, Spot | None] = {}
    digest = b""
    for message in messages:
        digest = blake2b(digest + encoded(message.same), digest_size=16).digest()
        blocks: list[Block] = []
        said = 0
        for block, spot in message.parts:
            if isinstance(block, Said):
                placed: Block = Say(Slot(f"{digest.hex()}:{said}", "say"), block.role, block.text)
                said += 1
            else:
                placed = block
            blocks.append(placed)
            spots[placed.slot] = None if placed.slot in spots else spot
        turns.append(Turn(message.role, tuple(blocks)))
        chain.append(digest)
    return History(tuple(turns), tuple(chain), {slot: spot for slot, spot in spots.items() if spot})


def opening(turns: Iterable[Turn]) -> str:
    """The system prompt that is sent as messages: the text of those before the first other one."""
    texts: list[str] = []
    for turn in turns:
        if turn.role != "system":
            break
        texts += (block.text for block in turn.blocks if isinstance(block, Say))
    return "\n\n".join(texts)
