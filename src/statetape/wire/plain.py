"""Parts of a request without what wanders in it: as a prompt cache compares them.

Otherwise than in the chain of a reading (`wire.parts.same`) nothing is left out that is sent:
thinking, reasoning and the order of keys count.
"""

from collections.abc import Sequence

from statetape.wire.marks import unmarked
from statetape.wire.parts import kind
from statetape.wire.values import items, mapping, string

# How the system prompt of Claude Code begins: with what its bill needs, in no two requests the
# same. Caches are read all the same, so it can be no part of what is compared.
_HEADER = "x-anthropic-billing-header:"
_TEXTS = frozenset({"text", "input_text", "output_text"})
# The blocks of the Messages API that take a mark. Not thinking; and others may come.
_MARKABLE = frozenset(
    {"text", "image", "document", "search_result", "tool_use", "tool_result", "server_tool_use"}
)


def plain(value: object) -> object:
    """A block, message or item: without marks, and lists of one text as that text."""
    if not isinstance(value, dict):
        return value
    block = unmarked(value)
    for name in ("content", "output"):
        if isinstance(parts := block.get(name), list):
            bare = [unmarked(part) if isinstance(part, dict) else part for part in parts]
            block = {**block, name: _sole(bare)}
    return block


def prompted(value: object) -> object:
    """A block of the system prompt."""
    is_header = string(mapping(value).get("text")).startswith(_HEADER)
    return as_block(_HEADER) if is_header else plain(value)


def as_block(text: str) -> dict[str, object]:
    """The block that a content is that is a string."""
    return {"type": "text", "text": text}


def is_markable(block: object) -> bool:
    """Whether a block may be given a `cache_control`. Anthropic refuses it on an empty text."""
    if kind(block) == "text":
        return bool(string(mapping(block).get("text")).strip())
    return kind(block) in _MARKABLE


def is_image(block: object) -> bool:
    """Whether a block is an image, or has one in it."""
    return kind(block) == "image" or any(
        kind(part) == "image" for part in items(mapping(block).get("content"))
    )


def _sole(parts: Sequence[object]) -> object:
    """The text of a list that is one text and nothing else, else the list."""
    part = mapping(parts[0]) if len(parts) == 1 else {}
    is_text = part.keys() == {"type", "text"} and kind(part) in _TEXTS
    return part["text"] if is_text and isinstance(part["text"], str) else parts
