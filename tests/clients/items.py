"""Requests of the Responses and the Chat Completions API, without the texts of their slots."""

import json
from typing import Any

from tests.clients.forwarded import Slot, Texts, messages

Item = dict[str, Any]


def responses(body: bytes) -> tuple[str, list[dict[Slot, Texts]]]:
    """A request of the Responses API, its items as messages."""
    asks: Item = json.loads(body)
    return _without(asks, asks["input"])


def chat(body: bytes) -> tuple[str, list[dict[Slot, Texts]]]:
    """A request of the Chat Completions API."""
    asks: Item = json.loads(body)
    return _without(asks, asks["messages"])


def opened(body: bytes) -> tuple[str, list[dict[Slot, Texts]]]:
    """A request of the Messages API, whose results may be in envelopes."""
    shape, slots = messages(body)
    return shape, [{slot: _opened(texts) for slot, texts in each.items()} for each in slots]


READS = {"/messages": opened, "/responses": responses, "/chat/completions": chat}


def _without(asks: Item, items: list[Item]) -> tuple[str, list[dict[Slot, Texts]]]:
    slots: list[dict[Slot, Texts]] = []
    for item in items:
        found: dict[Slot, Texts] = {}
        kind = item.get("type")
        if kind in ("function_call_output", "custom_tool_call_output"):
            found[item["call_id"], "result"] = _output(item, "output")
        elif item.get("role") == "tool":
            found[item["tool_call_id"], "result"] = _output(item, "content")
        elif kind == "custom_tool_call":
            found[item["call_id"], "input"] = (item.pop("input"),)
        elif kind == "function_call":
            found[item["call_id"], "input"] = _arguments(item)
        for call in item.get("tool_calls") or []:
            found[call["id"], "input"] = _arguments(call["function"])
        slots.append(found)
    return json.dumps(asks), slots


def _output(item: Item, name: str) -> Texts:
    """The texts of a result, taken out of it."""
    content = item.pop(name)
    if isinstance(content, list):
        item[name] = [part for part in content if "text" not in part]
        return tuple(part["text"] for part in content if "text" in part)
    return _opened((str(content),))


def _opened(texts: Texts) -> Texts:
    """Of an envelope of mini-swe-agent, the output in it, then all else that it says."""
    try:
        said = json.loads(texts[0]) if len(texts) == 1 else None
    except ValueError:
        return texts
    if not isinstance(said, dict) or not {"returncode", "output"} <= said.keys():
        return texts
    return said.pop("output"), json.dumps(said)


def _arguments(call: Item) -> Texts:
    text = call.pop("arguments")
    try:
        given = json.loads(text)
    except ValueError:
        return (text,)
    call["arguments"] = given
    names = [name for name, value in given.items() if isinstance(value, str)]
    return tuple(given.pop(name) for name in names)
