"""OpenAI's Responses API. Every item is a message."""

from collections.abc import Iterator, Mapping
from typing import Any

from statetape.wire.history import Message, Part, Role, history, opening
from statetape.wire.parts import answered, asked, said, same, texts
from statetape.wire.places import Places, Spot, input_spot, spelled
from statetape.wire.raw import Path
from statetape.wire.reading import Reading, Side
from statetape.wire.requests import chatter, messages_of, offered, request
from statetape.wire.values import mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "developer": "system", "system": "system"}
# Items that are no history: clients add and leave them out between two requests.
_UNLIKE = frozenset({"reasoning", "additional_tools", "configuration_update", "compaction_trigger"})
_COMPACTION = "You are performing a CONTEXT CHECKPOINT COMPACTION"


def read(body: bytes) -> Reading:
    """A request for a response. WireError where `body` is none."""
    asks = request(body)
    given = asks.get("input")
    if isinstance(given, str):
        content: dict[str, Any] = {"role": "user", "content": given}
        sent = [content]
        turns, chain, spots = history([_message(content, ("input",), ("input",))])
    else:
        sent = messages_of(asks, "input")
        turns, chain, spots = history(_messages(sent))
    tools = offered(asks.get("tools"))
    for item in sent:
        if item.get("type") == "additional_tools":
            tools |= offered(item.get("tools"))
    instructions = string(asks.get("instructions"))
    return Reading(
        wire="responses",
        model=string(asks.get("model")),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain,
        places=Places(body, spots),
        system="\n\n".join(filter(None, (instructions, opening(turns)))),
        tools=tools,
        side=_side(asks, sent) or chatter(turns, tools),
        session=string(mapping(asks.get("client_metadata")).get("thread_id"))
        or string(asks.get("prompt_cache_key")),
    )


def _messages(sent: list[dict[str, Any]]) -> Iterator[Message]:
    for number, item in enumerate(sent):
        if item.get("type") not in _UNLIKE:
            path = ("input", number)
            yield _message(item, path, (*path, "content"))


def _message(item: dict[str, Any], path: Path, content: Path) -> Message:
    kind = string(item.get("type")) or "message"
    if kind in ("message", "agent_message"):
        role = _ROLES.get(string(item.get("role")), "user")
        plain = item | {"type": kind, "content": same(item.get("content"))}
        return Message(role, plain, said(role, item.get("content"), content))
    if kind.endswith("_output"):
        output = item.get("output")
        parts = answered(item.get("call_id") or item.get("id"), output, (*path, "output"))
        return Message("user", item | {"output": same(output)}, parts)
    return Message("assistant", item, _call(kind, item, path))


def _call(kind: str, item: Mapping[str, Any], path: Path) -> list[Part]:
    call, name = item.get("call_id"), item.get("name")
    spot: Spot | None
    match kind:
        case "function_call":
            given, inner = spelled(string(item.get("arguments")))
            spot = inner and Spot((*path, "arguments"), inner=inner)
            return asked(call, name, given, spot)
        case "custom_tool_call":
            text = item.get("input")
            spot = Spot((*path, "input")) if isinstance(text, str) else None
            return asked(call, name, string(text), spot)
        case "local_shell_call":
            action = mapping(item.get("action"))
            spot = input_spot(action)
            return asked(
                call or item.get("id"),
                "local_shell",
                action,
                spot and spot.below((*path, "action")),
            )
    return []  # the server's own tools, compactions


def _side(asks: Mapping[str, Any], sent: list[dict[str, Any]]) -> Side | None:
    if asks.get("generate") is False:
        return "probe"
    last = sent[-1] if sent else {}
    if last.get("type") == "compaction_trigger":
        return "compaction"
    if any(text.startswith(_COMPACTION) for text, _ in texts(last.get("content"), ())):
        return "compaction"
    # The history is on the server: what is here is not all of it.
    if asks.get("previous_response_id") or asks.get("conversation"):
        return "other"
    return None
