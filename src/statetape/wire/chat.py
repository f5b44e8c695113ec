"""OpenAI's Chat Completions API, which many servers speak."""

from collections.abc import Mapping
from typing import Any

from statetape.wire.history import Message, Part, Role, history, opening
from statetape.wire.parts import answered, asked, said, same, without
from statetape.wire.places import Places, Spot, spelled
from statetape.wire.raw import Path
from statetape.wire.reading import Reading
from statetape.wire.requests import chatter, messages_of, offered, request
from statetape.wire.values import items, mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "developer": "system", "system": "system"}


def read(body: bytes) -> Reading:
    """A request for a chat completion. WireError where `body` is none."""
    asks = request(body)
    messages = messages_of(asks, "messages")
    turns, chain, spots = history(_message(n, message) for n, message in enumerate(messages))
    tools = offered(asks.get("tools"))
    return Reading(
        wire="chat",
        model=string(asks.get("model")),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain,
        places=Places(body, spots),
        system=opening(turns),
        tools=tools,
        side="probe" if 1 in _limits(asks) else chatter(turns, tools),
        session=string(asks.get("prompt_cache_key")),
    )


def _limits(asks: Mapping[str, Any]) -> tuple[object, ...]:
    return asks.get("max_tokens"), asks.get("max_completion_tokens")


def _message(number: int, message: dict[str, Any]) -> Message:
    path: Path = ("messages", number)
    content = message.get("content")
    role = _ROLES.get(string(message.get("role")), "user")
    # Reasoning is sent back by some clients, and not by all of them every time.
    plain = without(message, "cache_control", "reasoning_content", "reasoning")
    if message.get("role") == "tool":
        parts = answered(message.get("tool_call_id"), content, (*path, "content"))
    else:
        parts = said(role, content, (*path, "content"))
        for index, call in enumerate(items(message.get("tool_calls"))):
            parts += _call(mapping(call), (*path, "tool_calls", index))
    return Message(role, plain | {"content": same(content)}, parts)


def _call(call: dict[str, Any], path: Path) -> list[Part]:
    custom = mapping(call.get("custom"))
    if call.get("type") == "custom":
        text = custom.get("input")
        raw = Spot((*path, "custom", "input")) if isinstance(text, str) else None
        return asked(call.get("id"), custom.get("name"), string(text), raw)
    function = mapping(call.get("function"))
    given, inner = spelled(string(function.get("arguments")))
    spot = inner and Spot((*path, "function", "arguments"), inner=inner)
    return asked(call.get("id"), function.get("name"), given, spot)
