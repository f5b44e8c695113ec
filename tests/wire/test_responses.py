"""What a request of the Responses API means."""

import json
from typing import Any

import pytest

from statetape.types import Call, Result, Say, Slot
from statetape.wire.reading import Reading
from statetape.wire.responses import read
from statetape.wire.values import WireError
from statetape.wire.writing import written

TOOLS = [{"type": "function", "name": "exec_command"}, {"type": "custom", "name": "apply_patch"}]
PATCH = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"


def asked(*items: dict[str, Any], **others: Any) -> bytes:
    request = {"model": "m-1", "input": list(items), "tools": TOOLS, "stream": True}
    return json.dumps(request | others).encode()


def message(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{"type": kind, "text": text} for text in texts]
    return {"type": "message", "role": role, "content": parts}


def function(call: str, arguments: str, **others: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "fc_1",
        "call_id": call,
        "name": "exec_command",
        "arguments": arguments,
        **others,
    }


def custom(call: str, given: Any) -> dict[str, Any]:
    return {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": given}


def output(call: str, text: Any, kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": call, "output": text}


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "input_text", "text": text} for text in texts]


def blocks(reading: Reading) -> list[Any]:
    return [block for turn in reading.turns for block in turn.blocks]


def item(body: bytes, slot: Slot, new: str, number: int = 0) -> dict[str, Any]:
    request = json.loads(written(body, read(body), {slot: new}))
    found: dict[str, Any] = request["input"][number]
    return found


def test_a_session_is_read_in_order() -> None:
    body = asked(
        message("developer", "Be kind."),
        message("user", "# AGENTS.md", "Fix it."),
        {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        message("assistant", "Reading."),
        function("c1", '{"cmd": "cat a.py"}'),
        custom("c2", PATCH),
        output("c2", "Exit code: 0", "custom_tool_call_output"),
        output("c1", "x = 1"),
        instructions="You are an agent.",
        prompt_cache_key="s-1",
    )
    reading = read(body)
    assert (reading.wire, reading.model, reading.stream) == ("responses", "m-1", True)
    assert reading.system == "You are an agent.\n\nBe kind."
    assert reading.tools == {"exec_command", "apply_patch"}
    assert (reading.side, reading.session) == (None, "s-1")
    assert [turn.role for turn in reading.turns] == (
        ["system", "user", "assistant", "assistant", "assistant", "user", "user"]
    )
    assert len(reading.chain) == 7
    said, rest = blocks(reading)[:4], blocks(reading)[4:]
    assert [(it.role, it.text) for it in said] == [
        ("system", "Be kind."),
        ("user", "# AGENTS.md"),
        ("user", "Fix it."),
        ("assistant", "Reading."),
    ]
    assert rest == [
        Call(Slot("c1", "input"), "exec_command", {"cmd": "cat a.py"}),
        Call(Slot("c2", "input"), "apply_patch", PATCH),
        Result(Slot("c2", "result"), "Exit code: 0"),
        Result(Slot("c1", "result"), "x = 1"),
    ]


def test_an_input_may_be_a_string() -> None:
    body = json.dumps({"input": "Fix it.", "tools": TOOLS}).encode()
    reading = read(body)
    (say,) = blocks(reading)
    assert (say.role, say.text) == ("user", "Fix it.")
    assert json.loads(written(body, reading, {say.slot: "new"}))["input"] == "new"


def test_a_request_that_follows_one_of_a_string_is_read() -> None:
    before = read(json.dumps({"input": "Fix it.", "tools": TOOLS}).encode())
    body = asked(message("user", "Fix it."))
    assert read(body, before) == read(body)
    assert read(b'{"input": "x"}', before) == read(b'{"input": "x"}')


def test_a_message_needs_no_type() -> None:
    assert blocks(read(asked({"role": "user", "content": "Fix it."})))[0].text == "Fix it."


def test_an_output_in_parts_is_one_text_and_takes_one() -> None:
    image = {"type": "input_image", "image_url": "data:"}
    body = asked(output("c1", [image, *parts("Script completed\n", "a"), image, *parts("b")]))
    assert blocks(read(body)) == [Result(Slot("c1", "result"), "Script completed\n\na\nb")]
    assert item(body, Slot("c1", "result"), "new")["output"] == [image, *parts("new"), image]


def test_an_output_in_one_part_is_the_same_as_its_string() -> None:
    assert read(asked(output("c1", "x"))).chain == read(asked(output("c1", parts("x")))).chain


def test_the_string_of_an_output_takes_the_new_text() -> None:
    body = asked(output("c1", "x"), output("c2", "y"))
    assert item(body, Slot("c1", "result"), "new")["output"] == "new"
    assert item(body, Slot("c1", "result"), "new", 1)["output"] == "y"


def test_the_raw_text_of_a_custom_tool_is_its_place() -> None:
    assert item(asked(custom("c1", PATCH)), Slot("c1", "input"), "Gone.")["input"] == "Gone."


def test_long_strings_inside_the_arguments_are_their_place() -> None:
    arguments = '{ "path" : "a.py", "old":"a\\nb\\u0041", "n":1.0, "new":"c\\n" }'
    body = asked(function("c1", arguments))
    given = item(body, Slot("c1", "input"), "Gone \N{SNOWMAN}.")["arguments"]
    assert given == '{ "path" : "a.py", "old":"Gone \N{SNOWMAN}.", "n":1.0, "new":"" }'


@pytest.mark.parametrize(
    "arguments", ['{"cmd": "ls"}', '["a\\nb"]', "no\nJSON", "", '"\\ud800\\n"']
)
def test_arguments_without_long_strings_have_no_place(arguments: str) -> None:
    reading = read(asked(function("c1", arguments)))
    assert not reading.places
    (call,) = blocks(reading)
    expected = json.loads(arguments) if arguments.startswith("{") else arguments
    assert call.input == expected


def test_arguments_with_a_lone_surrogate_are_left_alone() -> None:
    reading = read(asked(function("c1", '{"a": "x\ny\ud800"}')))
    assert not reading.places
    assert blocks(reading)[0].input == '{"a": "x\ny\ud800"}'


def test_local_shell_calls_are_calls() -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "cat <<E\nx\nE"], "timeout_ms": 1}
    call = {"type": "local_shell_call", "call_id": "c1", "id": "l1", "action": action}
    body = asked(call, output("c1", "x", "local_shell_call_output"))
    assert blocks(read(body)) == [
        Call(Slot("c1", "input"), "local_shell", action),
        Result(Slot("c1", "result"), "x"),
    ]
    given = item(body, Slot("c1", "input"), "Gone.")["action"]
    assert given["command"] == ["bash", "-lc", "Gone."]


def test_tools_may_come_as_an_item_and_in_namespaces() -> None:
    inside = [{"type": "custom", "name": "exec"}, {"type": "function", "name": "wait"}]
    added = {"type": "additional_tools", "role": "developer", "id": "at_1"}
    space = {"type": "namespace", "name": "functions", "tools": inside}
    body = asked({**added, "tools": [space]}, message("user", "x"), tools=[{"type": "web_search"}])
    assert read(body).tools == {"exec", "wait", "web_search"}
    assert len(read(body).turns) == 1


def test_reasoning_and_settings_may_come_and_go() -> None:
    one, other = message("user", "x"), message("assistant", "y")
    between: list[dict[str, Any]] = [
        {"type": "reasoning", "encrypted_content": "x"},
        {"type": "configuration_update", "reasoning": {}},
        {"type": "additional_tools", "tools": []},
    ]
    assert read(asked(one, *between, other)).chain == read(asked(one, other)).chain


def test_other_items_are_part_of_the_history_and_say_nothing() -> None:
    compaction = {"type": "compaction", "encrypted_content": "x"}
    search = {"type": "web_search_call", "id": "w1", "status": "completed"}
    reading = read(asked(compaction, search, {"type": "hologram"}))
    assert not blocks(reading)
    assert len(reading.chain) == 3


def test_another_agents_message_is_read_and_what_is_encrypted_is_not() -> None:
    secret = {"type": "encrypted_content", "encrypted_content": "x"}
    hand_back = {"type": "agent_message", "author": "/sub", "content": [*parts("Done."), secret]}
    (say,) = blocks(read(asked(hand_back)))
    assert (say.role, say.text) == ("user", "Done.")
    assert isinstance(say, Say)


LAST = "You are performing a CONTEXT CHECKPOINT COMPACTION. Summarise."


@pytest.mark.parametrize(
    ("side", "body"),
    [
        (None, asked(message("user", "x"))),
        ("compaction", asked(message("user", "x"), {"type": "compaction_trigger"})),
        ("compaction", asked(output("c1", "x"), message("user", LAST))),
        (None, asked(message("user", LAST), message("assistant", "x"))),
        ("probe", asked(generate=False)),
        ("other", asked(message("user", "x"), previous_response_id="resp_1")),
        (None, asked(message("user", "x"), previous_response_id=None)),
        ("other", asked(message("user", "x"), tools=[])),
        ("title", asked(message("user", "Generate a title for this conversation:\n"), tools=[])),
        (None, asked()),
    ],
)
def test_what_is_no_turn_is_known_by_its_body(side: str | None, body: bytes) -> None:
    assert read(body).side == side


def test_the_thread_is_more_than_the_cache_key() -> None:
    body = asked(client_metadata={"thread_id": "t-1"}, prompt_cache_key="s-1")
    assert read(body).session == "t-1"


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"input": {}}', b'{"input": [1]}', b'{"input": 7}', b'{"input": "'],
)
def test_what_is_no_request_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(WireError):
        read(body)
