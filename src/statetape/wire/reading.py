"""What a wire understands of one request, and where in its bytes each text stands."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.types import Slot, Span, Turn

Side = Literal["title", "compaction", "probe", "other"]
"""What a request is for that is not a turn of the conversation: it goes out as it came."""


class Place(NamedTuple):
    """Where the text of a slot stands in a body, and what else goes when it is replaced.

    `text` is the JSON string that takes the new text, all spans in bytes. `blank` are strings that
    become empty, `cut` elements of a list that go, each with one comma. `tail` is what the client
    appended to the text and stays behind it (a reminder in a result). `part`: the text is only that
    much of the string, from and up to which character; it is then alone in its place, but for other
    parts of the same string. `inner`: the string is JSON itself, and this is the place in its
    decoded text, as UTF-8 (`text` is then the whole string). `mixed`: beside the text stands what
    is none (an image).
    """

    text: Span
    blank: tuple[Span, ...] = ()
    cut: tuple[Span, ...] = ()
    tail: str = ""
    inner: "Place | None" = None
    part: tuple[int, int] | None = None
    mixed: bool = False


class Reading(Struct, frozen=True):
    """One request as its wire understands it. Unknown fields, blocks and items are passed over.

    `turns` run in parallel with `chain`: after each message the digest of all messages up to it,
    in a canonical form in which earlier messages never change between requests. Slots are the
    calls' ids; of other texts, the digest of the chain up to their message and their number in it.
    A message of the Messages API is several here where the user's has blocks behind its results,
    each a message of its own: clients append to the last message they sent.
    `places` has every slot that can be replaced. `system` is the system prompt's text, `tools` the
    names that are offered. `side`: the request is no turn of the conversation. `session` is the
    conversation's id as the body states it, empty where it does not.
    """

    wire: Literal["anthropic", "responses", "chat"]
    model: str
    stream: bool
    turns: tuple[Turn, ...]
    chain: tuple[bytes, ...]
    places: Mapping[Slot, Place]
    system: str
    tools: frozenset[str]
    side: Side | None = None
    session: str = ""
