"""From the messages of a request to its turns: slots, the chain of digests, places."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any, Literal, NamedTuple

from statetape.types import Block, Call, Result, Say, Slot, Span, Turn
from statetape.wire.places import Places, Spot, Understood
from statetape.wire.raw import Document, Path
from statetape.wire.values import WireError, decoded, encoded

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
    """One message: `same` is equal in two requests where the message is the same one.

    The paths of its spots begin in the element of the request that it was made of.
    """

    role: Role
    same: object
    parts: Sequence[Part]


Meaning = Callable[[dict[str, Any]], Iterable[Message]]
"""The messages that one element of a request's list is."""


def history(document: Document, path: Path, meaning: Meaning, before: object = None) -> Places:
    """What stands in the list at `path`. WireError where it is no list of objects.

    `before`: the places of another request, most likely one before this. What stands there in
    the same bytes is not read again, which costs a tenth.
    """
    found, same = _known(document, path, before) if isinstance(before, Places) else ([], ())
    digest = next((it.chain[-1] for it in reversed(found) if it.chain), b"")
    for start, end in document.elements(path, same)[len(found) :]:
        element = decoded(document.data[start:end])
        if not isinstance(element, dict):
            raise WireError(f"{path[-1]} is no list of objects")
        found.append(new := understood(meaning(element), digest, (*path, len(found))))
        digest = new.chain[-1] if new.chain else digest
    return Places(document, path, found)


def _known(
    document: Document, path: Path, before: Places
) -> tuple[list[Understood], Sequence[Span]]:
    """What stands at the beginning of the list, in the same bytes at the same place."""
    old = before.document
    at = document.span(path).start
    if before.path != path or old.span(path).start != at:
        return [], ()
    spans = old.elements(path)
    count = 0
    for _, end in spans:
        if not document.data.startswith(old.data[at:end], at):
            break
        at = end
        count += 1
    return before.understood[:count], spans[:count]


def understood(messages: Iterable[Message], digest: bytes, path: Path) -> Understood:
    """What the element at `path` is, behind those whose last digest is `digest`."""
    turns: list[Turn] = []
    digests: list[bytes] = []
    spots: list[tuple[Slot, Spot | None]] = []
    for role, same, parts in messages:
        digest = blake2b(digest + encoded(same), digest_size=16).digest()
        blocks: list[Block] = []
        said = 0
        for block, spot in parts:
            if isinstance(block, Said):
                placed: Block = Say(Slot(f"{digest.hex()}:{said}", "say"), block.role, block.text)
                said += 1
            else:
                placed = block
            blocks.append(placed)
            spots.append((placed.slot, spot))
        turns.append(Turn(role, tuple(blocks)))
        digests.append(digest)
    return Understood(path, tuple(turns), tuple(digests), tuple(spots), [])


def turns_of(places: Places) -> tuple[Turn, ...]:
    """All turns, in order."""
    return tuple(chain.from_iterable(it.turns for it in places.understood))


def chain_of(places: Places) -> tuple[bytes, ...]:
    """After each turn the digest of all turns up to it."""
    return tuple(chain.from_iterable(it.chain for it in places.understood))


def opening(turns: Iterable[Turn]) -> str:
    """The system prompt that is sent as messages: the text of those before the first other one."""
    texts: list[str] = []
    for turn in turns:
        if turn.role != "system":
            break
        texts += (block.text for block in turn.blocks if isinstance(block, Say))
    return "\n\n".join(texts)
