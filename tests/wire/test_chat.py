"""What a request of the Chat Completions API means."""

import json
from typing import Any

import pytest

from statetape.types import Call, Result, Slot
from statetape.wire.chat import read
from statetape.wire.reading import Reading
from statetape.wire.values import WireError
from statetape.wire.writing import written

TOOLS = [{"type": "function", "function": {"name": "bash"}}]


def asked(*messages: dict[str, Any], **others: Any) -> bytes:
    request = {"model": "m-1", "messages": list(messages), "tools": TOOLS}
    return json.dumps(request | others, indent=1).encode()


def said(role: str, content: Any, **others: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **others}


def calls(*entries: tuple[str, str]) -> dict[str, Any]:
    return said(
        "assistant",
        None,
        tool_calls=[
            {"id": call, "type": "function", "function": {"name": "bash", "arguments": arguments}}
            for call, arguments in entries
        ],
    )


def result(call: Any, content: Any) -> dict[str, Any]:
    return said("tool", content, tool_call_id=call)


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def blocks(reading: Reading) -> list[Any]:
    return [block for turn in reading.turns for block in turn.blocks]


def new_message(body: bytes, slot: Slot, new: str, number: int = 0) -> dict[str, Any]:
    request = json.loads(written(body, read(body), {slot: new}))
    found: dict[str, Any] = request["messages"][number]
    return found


def test_a_session_is_read_in_order() -> None:
    body = asked(
        said("system", "You are an agent."),
        said("developer", "Be kind."),
        said("user", "Fix it."),
        {**calls(("c1", '{"command": "cat a.py"}'), ("c2", "{}")), "content": "Reading."},
        result("c2", "b"),
        result("c1", parts("a")),
        stream=True,
        prompt_cache_key="s-1",
    )
    reading = read(body)
    assert (reading.wire, reading.model, reading.stream) == ("chat", "m-1", True)
    assert reading.system == "You are an agent.\n\nBe kind."
    assert reading.tools == {"bash"}
    assert (reading.side, reading.session) == (None, "s-1")
    assert [turn.role for turn in reading.turns] == (
        ["system", "system", "user", "assistant", "user", "user"]
    )
    assert [(it.role, it.text) for it in blocks(reading)[:4]] == [
        ("system", "You are an agent."),
        ("system", "Be kind."),
        ("user", "Fix it."),
        ("assistant", "Reading."),
    ]
    assert blocks(reading)[4:] == [
        Call(Slot("c1", "input"), "bash", {"command": "cat a.py"}),
        Call(Slot("c2", "input"), "bash", {}),
        Result(Slot("c2", "result"), "b"),
        Result(Slot("c1", "result"), "a"),
    ]


def test_a_result_takes_the_new_text_as_string_or_part() -> None:
    body = asked(result("c1", "old"), result("c2", parts("one", "two")))
    assert new_message(body, Slot("c1", "result"), "new") == result("c1", "new")
    assert new_message(body, Slot("c2", "result"), "new", 1) == result("c2", parts("new"))


def test_long_strings_inside_the_arguments_are_their_place() -> None:
    body = asked(calls(("c1", '{"command":"cat <<E\\nx\\nE", "id":"\\u0031"}')))
    call = new_message(body, Slot("c1", "input"), "Gone.")["tool_calls"][0]
    assert call["function"]["arguments"] == '{"command":"Gone.", "id":"\\u0031"}'


def test_custom_tools_are_calls_whose_text_is_the_place() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "x"}}
    body = asked(said("assistant", None, tool_calls=[call]))
    assert blocks(read(body)) == [Call(Slot("c1", "input"), "patch", "x")]
    changed = new_message(body, Slot("c1", "input"), "Gone.")["tool_calls"][0]
    assert changed["custom"]["input"] == "Gone."


def test_reasoning_cache_marks_and_one_part_make_no_other_conversation() -> None:
    plain = read(asked(said("user", "Fix it."), said("assistant", "Yes.")))
    other = read(
        asked(
            said("user", parts("Fix it.")),
            said("assistant", "Yes.", reasoning_content="Hm.", cache_control={"type": "x"}),
        )
    )
    assert (plain.turns, plain.chain) == (other.turns, other.chain)


@pytest.mark.parametrize(
    ("side", "body"),
    [
        (None, asked(said("user", "x"))),
        ("other", asked(said("user", "x"), tools=None)),
        ("title", asked(said("user", "Generate a title for this conversation:\n"), tools=None)),
        ("compaction", asked(said("user", "Here is the conversation so far: x"), tools=[])),
        ("probe", asked(said("user", "x"), max_tokens=1)),
        ("probe", asked(said("user", "x"), max_completion_tokens=1)),
    ],
)
def test_what_is_no_turn_is_known_by_its_body(side: str | None, body: bytes) -> None:
    assert read(body).side == side


@pytest.mark.parametrize(
    "odd",
    [
        {"tool_calls": {}},
        {"tool_calls": [7, {}, {"id": "c1"}, {"function": []}, {"type": ["x"]}]},
        {"content": [7, None, {"type": {}}, {"type": "text"}, {"type": "text", "text": 7}]},
        {"content": {"type": "text", "text": "x"}},
        {"role": ["user"]},
        {"role": "tool", "tool_call_id": {}},
        {"function_call": {"name": "f", "arguments": "{}"}},
    ],
)
def test_what_has_another_shape_is_passed_over(odd: dict[str, Any]) -> None:
    reading = read(asked({"role": "assistant", **odd}))
    assert len(reading.turns) == 1
    assert all(isinstance(it, Call) for it in blocks(reading))
    assert not reading.places


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 7}', b'{"messages": ["x"]}'])
def test_what_is_no_request_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(WireError):
        read(body)
