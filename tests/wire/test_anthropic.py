"""What a request of the Messages API means."""

import json
from typing import Any

import pytest

from statetape.types import Call, Result, Say, Slot
from statetape.wire.anthropic import read
from statetape.wire.reading import Reading
from statetape.wire.values import WireError
from statetape.wire.writing import written

MARK = {"cache_control": {"type": "ephemeral"}}
TOOLS = [
    {"name": "Read", "input_schema": {}},
    {"type": "web_search_20250305", "name": "web_search"},
]
NOTE = "<system-reminder>\nBe brief.\n</system-reminder>"


def asked(*messages: dict[str, Any], **others: Any) -> bytes:
    request = {"model": "m-1", "messages": list(messages), "tools": TOOLS, "stream": True}
    return json.dumps(request | others, ensure_ascii=False).encode()


def user(*content: Any, **others: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content), **others}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(said: str, **others: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **others}


def use(call: Any, name: str = "Read", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(call: Any, content: Any = None, **others: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": content, **others}


def blocks(reading: Reading) -> list[Any]:
    return [block for turn in reading.turns for block in turn.blocks]


def results(reading: Reading) -> list[tuple[str, str]]:
    return [(it.slot.id, it.text) for it in blocks(reading) if isinstance(it, Result)]


def says(reading: Reading) -> list[tuple[str, str]]:
    return [(it.role, it.text) for it in blocks(reading) if isinstance(it, Say)]


def replaced(body: bytes, call: str, new: str, side: Any = "result") -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(written(body, read(body), {Slot(call, side): new}))
    return decoded


def test_a_session_is_read_in_order() -> None:
    body = asked(
        {"role": "user", "content": "Fix it."},
        assistant(
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            text("Reading."),
            use("t1", file_path="/r/a.py"),
            use("t2", "Bash", command="false"),
        ),
        user(result("t2", "Exit code 1", is_error=True), result("t1", "1\tx = 1")),
        system=[text("You are an agent."), text("Be kind.", **MARK)],
    )
    reading = read(body)
    assert (reading.wire, reading.model, reading.stream) == ("anthropic", "m-1", True)
    assert reading.system == "You are an agent.\n\nBe kind."
    assert reading.tools == {"Read", "web_search"}
    assert reading.side is None
    assert [turn.role for turn in reading.turns] == ["user", "assistant", "user"]
    assert len(reading.chain) == 3
    fix, say, *rest = blocks(reading)
    assert (fix.role, fix.text) == ("user", "Fix it.")
    assert (say.role, say.text) == ("assistant", "Reading.")
    assert rest == [
        Call(Slot("t1", "input"), "Read", {"file_path": "/r/a.py"}),
        Call(Slot("t2", "input"), "Bash", {"command": "false"}),
        Result(Slot("t2", "result"), "Exit code 1", failed=True),
        Result(Slot("t1", "result"), "1\tx = 1"),
    ]
    assert {slot.side for slot in reading.places} == {"say", "result"}


def test_a_system_prompt_may_be_a_string() -> None:
    assert read(asked(user(text("x")), system="Be kind.")).system == "Be kind."


@pytest.mark.parametrize("content", ["1\tx", [text("1\tx")], [text("1\tx", **MARK)]])
def test_a_string_and_a_list_of_one_text_are_the_same(content: Any) -> None:
    plain = read(asked(user(result("t1", "1\tx"))))
    other = read(asked(user(result("t1", content, **MARK))))
    assert (plain.turns, plain.chain) == (other.turns, other.chain)


def test_a_message_of_one_text_is_the_same_as_its_string() -> None:
    plain = read(asked({"role": "user", "content": "Go."}))
    other = read(asked(user(text("Go.", **MARK))))
    assert (plain.turns, plain.chain) == (other.turns, other.chain)


def test_the_new_text_goes_into_the_string_of_a_result() -> None:
    body = asked(user(result("t1", "old"), result("t2", "stays")))
    content = replaced(body, "t1", "new")["messages"][0]["content"]
    assert content == [result("t1", "new"), result("t2", "stays")]


def test_the_new_text_goes_into_the_first_text_and_the_others_are_cut() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AA=="}}
    strange = {"type": "hologram", "text": 1}
    parts = [image, text("one", **MARK), strange, text("two"), image, text("three"), image]
    body = asked(user(result("t1", parts)))
    assert results(read(body)) == [("t1", "one\ntwo\nthree")]
    content = replaced(body, "t1", "new")["messages"][0]["content"][0]["content"]
    assert content == [image, text("new", **MARK), strange, image, image]


@pytest.mark.parametrize("content", [None, [], 7, [{"type": "image"}], [{"type": "text"}]])
def test_a_result_without_text_has_no_place(content: Any) -> None:
    reading = read(asked(user(result("t1", content))))
    assert results(reading) == [("t1", "")]
    assert not reading.places


def test_a_reminder_at_the_end_of_a_result_is_no_part_of_it_and_stays() -> None:
    body = asked(user(result("t1", f"a\n\nb\n\n{NOTE}\n\n{NOTE}\n")))
    reading = read(body)
    assert results(reading) == [("t1", "a\n\nb")]
    assert says(reading) == [("system", f"{NOTE}\n\n{NOTE}")]
    assert reading.places[Slot("t1", "result")].tail == f"\n\n{NOTE}\n\n{NOTE}\n"
    content = replaced(body, "t1", "new")["messages"][0]["content"]
    assert content == [result("t1", f"new\n\n{NOTE}\n\n{NOTE}\n")]


@pytest.mark.parametrize("said", [["report"], ["report", "usage"]])
def test_a_reminder_behind_the_parts_of_a_result_stays_its_own_part(said: list[str]) -> None:
    body = asked(user(result("t1", [*map(text, said), text(NOTE)])))
    assert results(read(body)) == [("t1", "\n".join(said))]
    assert says(read(body)) == [("system", NOTE)]
    content = replaced(body, "t1", "new")["messages"][0]["content"][0]["content"]
    assert content == [text("new"), text(NOTE)]


def test_cache_marks_wander_inside_of_results_too() -> None:
    plain = read(asked(user(result("t1", [text("a"), text("b")]))))
    marked = read(asked(user(result("t1", [text("a", **MARK), text("b", **MARK)]))))
    assert plain.chain == marked.chain


@pytest.mark.parametrize("whole", [NOTE, f"x {NOTE}", f"{NOTE}\n\nx"])
def test_a_result_that_is_a_reminder_or_quotes_one_is_a_result(whole: str) -> None:
    assert results(read(asked(user(result("t1", whole))))) == [("t1", whole)]


def test_reminders_are_the_systems_in_each_of_their_forms() -> None:
    reading = read(
        asked(
            user(text(NOTE), text("Fix it.")),
            {"role": "system", "content": "Today is Monday.", "output_config": {"effort": "low"}},
        )
    )
    assert says(reading) == [("system", NOTE), ("user", "Fix it."), ("system", "Today is Monday.")]
    assert len(reading.places) == 3


def test_servers_tools_images_and_unknown_blocks_are_passed_over() -> None:
    body = asked(
        assistant(
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            {"type": "redacted_thinking", "data": "AA"},
            {"type": "hologram"},
            use("t1"),
        ),
        user({"type": "image"}, {"type": "document"}, "no block", 7, None),
    )
    assert blocks(read(body)) == [Call(Slot("t1", "input"), "Read", {})]


def test_the_long_strings_of_an_input_are_its_place() -> None:
    path = f"/{'r' * 90}/a.py"
    edit = use("t1", "Edit", path=path, old="a\nb", more=[{"new": "c " * 40}], n=1, end="x")
    body = asked(assistant(edit))
    given = replaced(body, "t1", "Gone.", "input")["messages"][0]["content"][0]["input"]
    assert given == {"path": path, "old": "Gone.", "more": [{"new": ""}], "n": 1, "end": "x"}


def test_what_an_edit_takes_out_and_puts_in_has_a_place_however_short() -> None:
    edits = [{"old_string": "", "new_string": "e"}, {"path": "content"}]
    edit = use(
        "t1",
        "MultiEdit",
        file_path="/r/a.py",
        new_string="b",
        edits=edits,
        todos=[{"content": "d"}],
    )
    given = replaced(asked(assistant(edit)), "t1", "Gone.", "input")
    assert given["messages"][0]["content"][0]["input"] == {
        "file_path": "/r/a.py",
        "new_string": "Gone.",
        "edits": [{"old_string": "", "new_string": ""}, {"path": "content"}],
        "todos": [{"content": "d"}],
    }


def test_an_input_of_short_lines_has_no_place() -> None:
    assert not read(asked(assistant(use("t1", path="/r/a.py", text="c" * 79)))).places


def test_a_text_of_the_conversation_can_be_replaced() -> None:
    body = asked(user(text("one"), text("two", **MARK)))
    reading = read(body)
    slots = [it.slot for it in blocks(reading)]
    content = json.loads(written(body, reading, {slots[1]: "new"}))["messages"][0]["content"]
    assert content == [text("one"), text("new", **MARK)]


def test_results_of_one_message_are_one_turn_and_what_follows_them_is_new() -> None:
    call = assistant(use("t1"), use("t2"))
    first = read(asked(call, user(result("t1", "a"), result("t2", "b", **MARK))))
    grown = read(
        asked(call, user(result("t1", "a"), result("t2", "b"), text("Stop."), text("Go.")))
    )
    assert len(first.turns) == 2
    assert grown.chain[:2] == first.chain
    assert grown.turns[:2] == first.turns
    assert [len(turn.blocks) for turn in grown.turns] == [2, 2, 1, 1]


def test_stripped_thinking_makes_no_other_conversation() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    with_it = read(asked(assistant(thought, text("Yes.")), user(text("Go."))))
    without = read(asked(assistant(text("Yes.")), user(text("Go."))))
    assert with_it.chain == without.chain


@pytest.mark.parametrize(
    "changed",
    [
        [user(text("Fix that."))],
        [user(text("Fix it."), {"type": "image", "source": "x"})],
        [assistant(text("Fix it."))],
        [user(text("Fix it."), other=1)],
    ],
)
def test_another_history_has_another_chain(changed: list[dict[str, Any]]) -> None:
    assert read(asked(*changed)).chain != read(asked(user(text("Fix it.")))).chain


def test_an_id_that_two_calls_share_has_no_place() -> None:
    body = asked(user(result("t1", "a")), user(result("t1", "b")), user(result("t2", "c")))
    assert [slot.id for slot in read(body).places] == ["t2"]


@pytest.mark.parametrize("call", [None, 7, ["x"]])
def test_calls_and_results_without_an_id_are_passed_over(call: Any) -> None:
    assert not blocks(read(asked(assistant(use(call)), user(result(call, "x")))))


LAST = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. Summarise."
FORM = {"output_config": {"format": {"type": "json_schema", "schema": {}}}}


@pytest.mark.parametrize(
    ("side", "body"),
    [
        (None, asked(user(text("x")))),
        (None, asked(user(text("x")), **FORM)),
        ("title", asked(user(text("x")), tools=[], **FORM)),
        (
            "title",
            asked(user(text("Generate a title for this conversation:"), text("x")), tools=[]),
        ),
        ("compaction", asked(user(result("t1", "x"), text(LAST)))),
        ("compaction", asked(user(text(LAST)), {"role": "system", "content": "Be brief."})),
        (None, asked(user(text(LAST), text("x")))),
        ("compaction", asked(user(text("Here is the conversation so far: ...")), tools=None)),
        ("probe", asked(user(text("quota")), max_tokens=1)),
        ("other", asked(user(text("x")), tools=[])),
        (None, asked(assistant(use("t1")), tools=[])),
    ],
)
def test_what_is_no_turn_is_known_by_its_body(side: str | None, body: bytes) -> None:
    assert read(body).side == side


@pytest.mark.parametrize(
    ("user_id", "session"),
    [
        ('{"device_id": "d", "session_id": "s-1"}', "s-1"),
        ("user_ab12_account__session_0a-1b", "0a-1b"),
        ("somebody", ""),
        ("\ud800", ""),
        (7, ""),
    ],
)
def test_the_session_is_named_in_the_metadata(user_id: Any, session: str) -> None:
    body = json.dumps({"messages": [], "metadata": {"user_id": user_id}}).encode()
    assert read(body).session == session


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"messages": {}}',
        b'{"messages": "x"}',
        b'{"messages": [1]}',
        b'{"messages": [{"role": "user", "content": "x"}, []]}',
        b'{"messages": [{]}',
    ],
)
def test_what_is_no_request_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(WireError):
        read(body)


def test_lone_surrogates_and_large_numbers_are_read_and_kept() -> None:
    body = (
        b'{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",'
        b'"content":"cut \\ud83d","n":1e999,"m":123456789012345678901234567890}]},'
        b'{"role":"user","content":"\\u0041 \\/"}], "tools": [{"name": "x"}], "z": 1.0}'
    )
    reading = read(body)
    assert results(reading) == [("t1", "cut \ud83d")]
    new = written(body, reading, {Slot("t1", "result"): "new \ud83d"})
    assert new == body.replace(b"cut ", b"new ")


def test_of_a_key_that_comes_twice_the_last_counts() -> None:
    body = (
        b'{"messages":[{"role":"user","content":"first"}],"messages":[{"role":"user","content":'
        b'[{"type":"tool_result","tool_use_id":"t1","content":"a","content":"bb"}]}]}'
    )
    reading = read(body)
    assert results(reading) == [("t1", "bb")]
    new = written(body, reading, {Slot("t1", "result"): "c"})
    assert new == body.replace(b'"bb"', b'"c"')
