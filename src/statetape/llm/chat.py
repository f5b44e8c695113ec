"""Asks and replies as the Chat Completions API has them, at OpenAI and at local servers.

https://platform.openai.com/docs/api-reference/chat. A schema goes along as `response_format` where
no tool may be called: several servers (llama.cpp) take only one of both.
"""

from collections.abc import Iterator
from typing import Any

from statetape.context.asking import Ask, Message, Reply, ToolCall
from statetape.wire.usage import usage
from statetape.wire.values import mapping

PATH = "/chat/completions"


def headers(key: str | None) -> dict[str, str]:
    """What a request says beside its body."""
    own = {"authorization": f"Bearer {key}"} if key is not None else {}
    return {"content-type": "application/json", **own}


def body(ask: Ask, model: str, *, vendors: bool, formats: bool = True) -> dict[str, Any]:
    """The request of an ask, as JSON has it.

    `vendors`: OpenAI's own server, whose newer models know other names and no temperature.
    `formats`: the server knows `response_format`.
    """
    system = [{"role": "system", "content": ask.system}] if ask.system else []
    document: dict[str, Any] = {
        "model": model,
        "messages": [*system, *(each for message in ask.messages for each in _messages(message))],
        "max_completion_tokens" if vendors else "max_tokens": ask.most,
    }
    if not vendors:
        document["temperature"] = 0
    if ask.tools:
        document["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in ask.tools
        ]
        document["tool_choice"] = "none" if ask.last else "auto"
    if ask.schema is not None and formats and (ask.last or not ask.tools):
        document["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": ask.schema},
        }
    return document


def reply(document: object) -> Reply:
    """The reply of a response; `malformed` for what is none, `refused` where the model declined."""
    given = mapping(document)
    choices = given.get("choices")
    paid = usage("chat", mapping(given.get("usage")))
    if not isinstance(choices, list) or not choices:
        return Reply(None, usage=paid, why="malformed")
    message = mapping(mapping(choices[0]).get("message"))
    if message.get("refusal"):
        return Reply(None, usage=paid, why="refused")
    content = message.get("content")
    text = content if isinstance(content, str) and content else None
    called = message.get("tool_calls")
    asked = tuple(_call(mapping(each)) for each in called) if isinstance(called, list) else ()
    return Reply(text, asked, paid, None if text or asked else "malformed")


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    for answer in message.answers:
        yield {"role": "tool", "tool_call_id": answer.id, "content": answer.text}
    if message.calls:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
        yield {"role": "assistant", "content": message.text or None, "tool_calls": calls}
    elif message.text or not message.answers:
        yield {"role": message.role, "content": message.text}


def _call(each: Any) -> ToolCall:  # noqa: ANN401 -- decoded JSON
    function = mapping(each.get("function"))
    arguments = function.get("arguments")
    return ToolCall(
        str(each.get("id")),
        str(function.get("name")),
        arguments if isinstance(arguments, str) else "{}",
    )
