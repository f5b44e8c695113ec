"""OpenAI's Chat Completions API, which many servers speak."""

from collections.abc import Iterator, Mapping
from typing import Any

from statetape.wire.history import (
    Message,
    Part,
    Role,
    chain_of,
    history,
    opening,
    turns_of,
)
from statetape.wire.parts import answered, asked, said, same, without
from statetape.wire.places import Spot, spelled
from statetape.wire.raw import Path
from statetape.wire.reading import Reading
from statetape.wire.requests import Request, chatter, offered
from statetape.wire.values import items, mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "developer": "system", "system": "system"}


def read(body: bytes, before: Reading | None = None) -> Reading:
    """A request for a chat completion. WireError where `body` is none.

    `before`: an earlier reading, whose messages need not be read again where they are here too.
    """
    asks = Request(body)
    places = history(asks.document, ("messages",), _messages, before and before.places)
    turns = turns_of(places)
    tools = offered(asks.get("tools"))
    one_token = 1 in (asks.get("max_tokens"), asks.get("max_completion_tokens"))
    return Reading(
        wire="chat",
        model=asks.text("model"),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain_of(places),
        places=places,
        system=opening(turns),
        tools=tools,
        side="probe" if one_token else chatter(turns, tools),
        session=asks.text("prompt_cache_key"),
    )


def _messages(message: dict[str, Any]) -> Iterator[Message]:
    content = message.get("content")
    role = _ROLES.get(string(message.get("role")), "user")
    # Reasoning is sent back by some clients, and not by all of them every time.
    plain = without(message, "cache_control", "reasoning_content", "reasoning")
    if message.get("role") == "tool":
        parts = answered(message.get("tool_call_id"), content, ("content",))
    else:
        parts = said(role, content, ("content",))
        for index, it in enumerate(items(message.get("tool_calls"))):
            parts += call(mapping(it), ("tool_calls", index))
    yield Message(role, plain | {"content": same(content)}, parts)


def call(it: dict[str, Any], path: Path) -> list[Part]:
    """The call that an entry of `tool_calls` at `path` is, none where it has no id."""
    custom = mapping(it.get("custom"))
    if it.get("type") == "custom":
        text = custom.get("input")
        raw = Spot((*path, "custom", "input")) if isinstance(text, str) else None
        return asked(it.get("id"), custom.get("name"), string(text), raw)
    function = mapping(it.get("function"))
    given, inner = spelled(string(function.get("arguments")))
    spot = inner and Spot((*path, "function", "arguments"), inner=inner)
    return asked(it.get("id"), function.get("name"), given, spot)
