"""Anthropic's Messages API."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from statetape.types import Say, Turn
from statetape.wire.history import Message, Part, Role, chain_of, history, turns_of
from statetape.wire.parts import answered, asked, is_reminder, kind, said, same, texts, without
from statetape.wire.places import input_spot
from statetape.wire.raw import Path
from statetape.wire.reading import Reading, Side
from statetape.wire.requests import Request, chatter
from statetape.wire.values import WireError, decoded, items, mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "system": "system"}
# Clients strip thinking when a signature is refused, and it is never ours to touch.
_THINKING = frozenset({"thinking", "redacted_thinking"})
_COMPACTION = "CRITICAL: Respond with TEXT ONLY"


def read(body: bytes, before: Reading | None = None) -> Reading:
    """A request for a message. WireError where `body` is none.

    `before`: an earlier reading, whose messages need not be read again where they are here too.
    """
    asks = Request(body)
    places = history(asks.document, ("messages",), _messages, before and before.places)
    turns = turns_of(places)
    given = items(asks.get("tools"))
    tools = frozenset(filter(None, (string(mapping(tool).get("name")) for tool in given)))
    return Reading(
        wire="anthropic",
        model=asks.text("model"),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain_of(places),
        places=places,
        system="\n\n".join(text for text, _ in texts(asks.get("system"), ())),
        tools=tools,
        side=_side(asks, turns, tools) or chatter(turns, tools),
        session=_session(asks.fields("metadata").get("user_id")),
    )


def _messages(message: dict[str, Any]) -> Iterator[Message]:
    role = _ROLES.get(string(message.get("role")), "user")
    content = message.get("content")
    if not isinstance(content, list):
        yield Message(role, without(message, "cache_control"), said(role, content, ("content",)))
        return
    start = 0
    for end in _ends(content) if role == "user" else [len(content)]:
        parts: list[Part] = []
        for index in range(start, end):
            parts += _parts(role, mapping(content[index]), ("content", index))
        plain = {
            **without(message, "cache_control"),
            "content": same(content[start:end], _THINKING),
        }
        yield Message(role, plain, parts)
        start = end


def _ends(content: list[Any]) -> list[int]:
    """Where the messages end that one of the user's is: its results, then each block behind them.

    Clients append to the last message they sent, or send two that they merge later.
    """
    first = len(content)
    while first > 1 and kind(content[first - 1]) != "tool_result":
        first -= 1
    return list(range(first, len(content) + 1))


def _parts(role: Role, block: dict[str, Any], path: Path) -> list[Part]:
    match block.get("type"):
        case "text":
            text = string(block.get("text"))
            by: Role = "system" if role == "user" and is_reminder(text) else role
            return said(by, text, (*path, "text"))
        case "tool_use":
            return call(block, path)
        case "tool_result":
            return answered(
                block.get("tool_use_id"),
                block.get("content"),
                (*path, "content"),
                failed=block.get("is_error") is True,
                reminded=True,
            )
    return []  # thinking, images, documents, the server's own tools


def call(block: dict[str, Any], path: Path) -> list[Part]:
    """The call that a `tool_use` block at `path` is, none where it has no id."""
    given = mapping(block.get("input"))
    spot = input_spot(given)
    return asked(block.get("id"), block.get("name"), given, spot and spot.below((*path, "input")))


def _side(asks: Request, turns: Sequence[Turn], tools: Collection[str]) -> Side | None:
    if asks.get("max_tokens") == 1:
        return "probe"
    form = mapping(asks.fields("output_config").get("format"))
    if form.get("type") == "json_schema" and not tools:
        return "title"
    last = next((turn for turn in reversed(turns) if turn.role == "user"), None)
    ends = last.blocks[-1:] if last else ()
    if any(isinstance(say, Say) and say.text.startswith(_COMPACTION) for say in ends):
        return "compaction"
    return None


def _session(user: object) -> str:
    """The session that Claude Code names in `metadata.user_id`: JSON, before that one long name."""
    if not isinstance(user, str):
        return ""
    try:
        return string(mapping(decoded(user.encode())).get("session_id"))
    except (WireError, UnicodeEncodeError):
        return user.rpartition("_session_")[2] if "_session_" in user else ""
