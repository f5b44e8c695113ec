"""OpenAI's Responses API. Every item is a message."""

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
    understood,
)
from statetape.wire.parts import answered, asked, said, same, texts
from statetape.wire.places import Places, Spot, input_spot, spelled
from statetape.wire.raw import Path
from statetape.wire.reading import Reading, Side
from statetape.wire.requests import Request, chatter, offered
from statetape.wire.values import mapping, string

_ROLES: Mapping[str, Role] = {"assistant": "assistant", "developer": "system", "system": "system"}
# Items that are no history: clients add and leave them out between two requests.
_UNLIKE = frozenset({"reasoning", "additional_tools", "configuration_update", "compaction_trigger"})
_COMPACTION = "You are performing a CONTEXT CHECKPOINT COMPACTION"


def read(body: bytes, before: Reading | None = None) -> Reading:
    """A request for a response. WireError where `body` is none.

    `before`: an earlier reading, whose items need not be read again where they are here too.
    """
    asks = Request(body)
    places = _places(asks, before)
    turns = turns_of(places)
    tools = offered(asks.get("tools")).union(*map(offered, _added(places)))
    return Reading(
        wire="responses",
        model=asks.text("model"),
        stream=asks.get("stream") is True,
        turns=turns,
        chain=chain_of(places),
        places=places,
        system="\n\n".join(filter(None, (asks.text("instructions"), opening(turns)))),
        tools=tools,
        side=_side(asks, _last(places)) or chatter(turns, tools),
        session=string(asks.fields("client_metadata").get("thread_id"))
        or asks.text("prompt_cache_key"),
    )


def _places(asks: Request, before: Reading | None) -> Places:
    path: Path = ("input",)
    if asks.starts("input") != b'"':
        return history(asks.document, path, _messages, before and before.places)
    said_only = _said("user", {"content": asks.get("input")}, ())
    return Places(asks.document, (), [understood([said_only], b"", path)])


def _added(places: Places) -> Iterator[object]:
    """The lists of tools that stand among the items."""
    for element in places.understood:
        if not element.turns and b'"additional_tools"' in places.document.raw(element.path):
            yield mapping(places.document.value(element.path)).get("tools")


def _last(places: Places) -> dict[str, Any]:
    last = places.understood[-1:]
    return mapping(places.document.value(last[0].path)) if last else {}


def _messages(item: dict[str, Any]) -> Iterator[Message]:
    kind = string(item.get("type")) or "message"
    if kind in _UNLIKE:
        return
    if kind in ("message", "agent_message"):
        role = _ROLES.get(string(item.get("role")), "user")
        yield _said(role, item | {"type": kind}, ("content",))
    elif kind.endswith("_output"):
        output = item.get("output")
        parts = answered(item.get("call_id") or item.get("id"), output, ("output",))
        yield Message("user", item | {"output": same(output)}, parts)
    else:
        yield Message("assistant", item, call(kind, item))


def _said(role: Role, item: dict[str, Any], path: Path) -> Message:
    content = item.get("content")
    return Message(role, item | {"content": same(content)}, said(role, content, path))


def call(kind: str, item: Mapping[str, Any]) -> list[Part]:
    """The call that an item of this type is; none where it is no call of a client's tool."""
    id_, name = item.get("call_id"), item.get("name")
    spot: Spot | None
    match kind:
        case "function_call":
            given, inner = spelled(string(item.get("arguments")))
            spot = inner and Spot(("arguments",), inner=inner)
            return asked(id_, name, given, spot)
        case "custom_tool_call":
            text = item.get("input")
            spot = Spot(("input",)) if isinstance(text, str) else None
            return asked(id_, name, string(text), spot)
        case "local_shell_call":
            action = mapping(item.get("action"))
            spot = input_spot(action)
            return asked(
                id_ or item.get("id"),
                "local_shell",
                action,
                spot and spot.below(("action",)),
            )
    return []  # the server's own tools, compactions


def _side(asks: Request, last: Mapping[str, Any]) -> Side | None:
    if asks.get("generate") is False:
        return "probe"
    if last.get("type") == "compaction_trigger":
        return "compaction"
    if any(text.startswith(_COMPACTION) for text, _ in texts(last.get("content"), ())):
        return "compaction"
    # The history is on the server: what is here is not all of it.
    if asks.get("previous_response_id") or asks.get("conversation"):
        return "other"
    return None
