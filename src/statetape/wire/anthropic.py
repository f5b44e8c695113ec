"""Anthropic's Messages API."""

from collections.abc import Iterator, Mapping
from typing import Any

from statetape.wire.history import Message, Part, Role, history
from statetape.wire.parts import answered, asked, is_reminder, said, same, texts, without
from statetape.wire.places import Places, input_spot
from statetape.wire.raw import Path
from statetape.wire.reading import Reading, Side
from statetape.wire.requests import chatter, messages_of, request
from statetape.wire.values import WireError, decoded, items, mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "system": "system"}
# Clients strip thinking when a signature is refused, and it is never ours to touch.
_THINKING = frozenset({"thinking", "redacted_thinking"})
_COMPACTION = "CRITICAL: Respond with TEXT ONLY"


def read(body: bytes) -> Reading:
    """A request for a message. WireError where `body` is none."""
    asks = request(body)
    messages = messages_of(asks, "messages")
    turns, chain, spots = history(_messages(messages))
    names = [string(mapping(tool).get("name")) for tool in items(asks.get("tools"))]
    tools = frozenset(filter(None, names))
    return Reading(
        wire="anthropic",
        model=string(asks.get("model")),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain,
        places=Places(body, spots),
        system="\n\n".join(text for text, _ in texts(asks.get("system"), ())),
        tools=tools,
        side=_side(asks, messages) or chatter(turns, tools),
        session=_session(mapping(asks.get("metadata")).get("user_id")),
    )


def _messages(messages: list[dict[str, Any]]) -> Iterator[Message]:
    for number, message in enumerate(messages):
        role = _ROLES.get(string(message.get("role")), "user")
        content = message.get("content")
        path: Path = ("messages", number, "content")
        if not isinstance(content, list):
            yield Message(role, without(message, "cache_control"), said(role, content, path))
            continue
        start = 0
        for end in _ends(content) if role == "user" else [len(content)]:
            parts: list[Part] = []
            for index in range(start, end):
                parts += _parts(role, mapping(content[index]), (*path, index))
            plain = message | {"content": same(content[start:end], _THINKING)}
            yield Message(role, without(plain, "cache_control"), parts)
            start = end


def _ends(content: list[Any]) -> list[int]:
    """Where the messages end that one of the user's is: its results, then each block behind them.

    Clients append to the last message they sent, or send two that they merge later.
    """
    kinds = [mapping(block).get("type") for block in content]
    results = max((n for n, kind in enumerate(kinds) if kind == "tool_result"), default=0)
    return list(range(results + 1, len(content) + 1)) or [0]


def _parts(role: Role, block: dict[str, Any], path: Path) -> list[Part]:
    match block.get("type"):
        case "text":
            text = string(block.get("text"))
            by: Role = "system" if role == "user" and is_reminder(text) else role
            return said(by, text, (*path, "text"))
        case "tool_use":
            given = mapping(block.get("input"))
            spot = input_spot(given)
            return asked(
                block.get("id"), block.get("name"), given, spot and spot.below((*path, "input"))
            )
        case "tool_result":
            return answered(
                block.get("tool_use_id"),
                block.get("content"),
                (*path, "content"),
                failed=block.get("is_error") is True,
                reminded=True,
            )
    return []  # thinking, images, documents, the server's own tools


def _side(asks: Mapping[str, Any], messages: list[dict[str, Any]]) -> Side | None:
    if asks.get("max_tokens") == 1:
        return "probe"
    form = mapping(mapping(asks.get("output_config")).get("format"))
    if form.get("type") == "json_schema" and not items(asks.get("tools")):
        return "title"
    last = [it.get("content") for it in messages if it.get("role") == "user"][-1:]
    ends = [text for content in last for text, _ in texts(content, ())[-1:]]
    return "compaction" if any(text.startswith(_COMPACTION) for text in ends) else None


def _session(user: object) -> str:
    """The session that Claude Code names in `metadata.user_id`: JSON, before that one long name."""
    if not isinstance(user, str):
        return ""
    try:
        return string(mapping(decoded(user.encode())).get("session_id"))
    except (WireError, UnicodeEncodeError):
        return user.rpartition("_session_")[2] if "_session_" in user else ""
