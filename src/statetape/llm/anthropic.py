"""Asks and replies as Anthropic's Messages API has them.

https://docs.anthropic.com/en/api/messages. An answer that has to follow a schema is the input of
a tool, which the API sees to. It is there only where no other may be called: a schema in each
round is an eighth of all that a manager is sent, and the prompt says the same in fewer words.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from statetape.context.asking import Ask, Message, Reply, ToolCall
from statetape.wire.usage import usage
from statetape.wire.values import mapping

PATH = "/v1/messages"

_ANSWER = "answer"


def headers(key: str | None) -> dict[str, str]:
    """What a request says beside its body."""
    own = {"x-api-key": key} if key is not None else {}
    return {"content-type": "application/json", "anthropic-version": "2023-06-01", **own}


def body(ask: Ask, model: str) -> dict[str, Any]:
    """The request of an ask, as JSON has it."""
    tools: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in ask.tools
    ]
    if _is_formal(ask):
        words = "Your answer. Call it when you are done."
        tools.append({"name": _ANSWER, "description": words, "input_schema": ask.schema})
    document: dict[str, Any] = {
        "model": model,
        "max_tokens": ask.most,
        "messages": [{"role": each.role, "content": list(_content(each))} for each in ask.messages],
    }
    if ask.system:
        document["system"] = ask.system
    if tools:
        document["tools"] = tools
        document["tool_choice"] = _choice(ask)
    return document


def reply(document: object) -> Reply:
    """The reply of a response; `malformed` for what is none, `refused` where the model declined."""
    given = mapping(document)
    content = given.get("content")
    if not isinstance(content, list):
        return Reply(None, why="malformed")
    paid = usage("anthropic", mapping(given.get("usage")))
    if given.get("stop_reason") == "refusal":
        return Reply(None, usage=paid, why="refused")
    blocks = [mapping(each) for each in content]
    texts = [each["text"] for each in blocks if isinstance(each.get("text"), str)]
    calls = [each for each in blocks if each.get("type") == "tool_use"]
    for each in calls:
        if each.get("name") == _ANSWER:
            return Reply(_json(each.get("input")), usage=paid)
    text = "\n".join(texts) or None
    asked = tuple(
        ToolCall(str(each.get("id")), str(each.get("name")), _json(each.get("input")))
        for each in calls
    )
    return Reply(text, asked, paid, None if text or asked else "malformed")


def _choice(ask: Ask) -> dict[str, str]:
    if _is_formal(ask):
        return {"type": "tool", "name": _ANSWER}
    return {"type": "none" if ask.last else "auto"}


def _is_formal(ask: Ask) -> bool:
    return ask.schema is not None and (ask.last or not ask.tools)


def _content(message: Message) -> Iterator[dict[str, Any]]:
    for answer in message.answers:
        yield {"type": "tool_result", "tool_use_id": answer.id, "content": answer.text}
    if message.text:
        yield {"type": "text", "text": message.text}
    for call in message.calls:
        given = msgspec.json.decode(call.arguments)
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
