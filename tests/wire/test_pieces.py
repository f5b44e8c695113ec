"""Requests as prompt caches see them: pieces, their digests, the marks on them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wire.shapes import READ, requests

from statetape.shim.enveloped import opened
from statetape.types import Slot
from statetape.wire import anthropic, chat, responses
from statetape.wire.pieces import Piece, pieces
from statetape.wire.pieces import settings as settings_of
from statetape.wire.reading import Reading
from statetape.wire.values import WireError

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
TOOLS = [{"name": "Read", "input_schema": {}}, {"name": "Edit", "input_schema": {}}]


def encoded(request: dict[str, Any]) -> bytes:
    return json.dumps(request, ensure_ascii=False).encode()


def asked(*messages: dict[str, Any], **fields: Any) -> Reading:
    return anthropic.read(encoded({"model": "m", **fields, "messages": list(messages)}))


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def model(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"p": 1}, **more}


def result(name: str, content: Any = "x", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def image() -> dict[str, Any]:
    return {"type": "image", "source": {"data": "QQ=="}}


def bare(found: tuple[Piece, ...]) -> list[Piece]:
    """Pieces without what moves: the client's marks, the digests of the chain, list or string."""
    return [it._replace(ttl=0, slots=(), path=(), markable=True) for it in found]


def test_the_messages_api_block_by_block() -> None:
    found = pieces(
        asked(
            user(text("Fix it.")),
            model({"type": "thinking", "thinking": "", "signature": "s"}, call("a"), call("b")),
            user(result("a"), result("b"), text(""), text("Go on.", **MARK)),
            {"role": "assistant", "content": "Done."},
            tools=[TOOLS[0], {**TOOLS[1], **HOUR}],
            system=[text("You are."), text("Be brief.", **HOUR)],
        )
    )
    rows = [(it.layer, it.ttl, it.joined, it.markable, it.path) for it in found]
    assert rows == [
        ("tools", 3600, False, False, ("tools",)),
        ("system", 0, False, True, ("system", 0)),
        ("system", 3600, False, True, ("system", 1)),
        ("message", 0, False, True, ("messages", 0, "content", 0)),
        ("message", 0, False, False, ("messages", 1, "content", 0)),
        ("message", 0, False, True, ("messages", 1, "content", 1)),
        ("message", 0, True, True, ("messages", 1, "content", 2)),
        ("message", 0, False, True, ("messages", 2, "content", 0)),
        ("message", 0, True, True, ("messages", 2, "content", 1)),
        ("message", 0, False, False, ("messages", 2, "content", 2)),
        ("message", 300, False, True, ("messages", 2, "content", 3)),
        ("message", 0, False, False, ("messages", 3, "content")),
    ]
    slots = [slot.id for it in found for slot in it.slots if slot.side == "result"]
    assert slots == ["a", "b"]
    assert [len(it.slots) for it in found[3:]] == [1, 0, 0, 0, 1, 1, 0, 1, 1]
    assert found[7].size == len('{"type":"tool_result","tool_use_id":"a","content":"x"}')


def test_the_responses_api_item_by_item() -> None:
    items = [
        {"role": "user", "content": "Fix it."},
        {"type": "reasoning", "encrypted_content": "e"},
        {"type": "function_call", "call_id": "a", "name": "exec", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "out"},
    ]
    request = {"instructions": "Be brief.", "tools": TOOLS, "input": items}
    found = pieces(responses.read(encoded(request)))
    assert [(it.layer, it.path) for it in found] == [
        ("system", ("instructions",)),
        ("tools", ("tools",)),
        *(("message", ("input", n)) for n in range(4)),
    ]
    assert not any(it.markable or it.ttl or it.joined for it in found)
    assert found[5].slots == (Slot("a", "result"),)


def test_chat_completions_message_by_message() -> None:
    tool_call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Reading.", "tool_calls": [tool_call]},
        {"role": "tool", "tool_call_id": "a", "content": [text("out", **MARK)]},
    ]
    found = pieces(chat.read(encoded({"messages": messages, "tools": TOOLS})))
    assert [it.path for it in found] == [("tools",), *(("messages", n) for n in range(3))]
    assert [it.ttl for it in found] == [0, 0, 0, 300]
    assert found[3].slots == (Slot("a", "result"),)


def test_an_input_that_is_a_string_is_one_piece() -> None:
    [found] = pieces(responses.read(encoded({"input": "Fix it."})))
    assert found.path == ("input",)
    assert [slot.side for slot in found.slots] == ["say"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"role": "user", "content": "Fix it."}, user(text("Fix it."))),
        (user(text("Fix it.")), user(text("Fix it.", **HOUR))),
        (user(result("a")), user(result("a", [text("x")], **MARK))),
        (user(result("a", [text("x", **MARK), image()])), user(result("a", [text("x"), image()]))),
    ],
)
def test_digests_are_equal_where_the_client_says_the_same(one: Any, other: Any) -> None:
    assert bare(pieces(asked(one))) == bare(pieces(asked(other)))


def test_tools_are_the_same_with_and_without_a_mark() -> None:
    plain = pieces(asked(tools=TOOLS))
    for n in range(2):
        for marked in ({**TOOLS[n], **MARK}, {**MARK, **TOOLS[n]}):
            tools = [marked if k == n else tool for k, tool in enumerate(TOOLS)]
            assert bare(pieces(asked(tools=tools))) == bare(plain)
    alone = encoded({"messages": [], "tools": [MARK, {}]})
    assert bare(pieces(anthropic.read(alone))) == bare(pieces(asked(tools=[{}, {}])))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (user(text("a")), user(text("b"))),
        (user(text("a")), model(text("a"))),
        (model(call("a")), model({**call("a"), "input": {"p": 2}})),
        (
            model({**call("a"), "input": {"p": 1, "q": 2}}),
            model({**call("a"), "input": {"q": 2, "p": 1}}),
        ),
        (
            model({"type": "thinking", "thinking": "", "signature": "s"}),
            model({"type": "thinking", "thinking": "", "signature": "t"}),
        ),
    ],
)
def test_digests_differ_where_the_provider_reads_something_else(one: Any, other: Any) -> None:
    assert pieces(asked(one))[0].digest != pieces(asked(other))[0].digest


def test_what_a_bill_needs_is_no_part_of_the_system_prompt() -> None:
    heads = [f"x-anthropic-billing-header: cc_version=1; cch={n};" for n in range(2)]
    one, other = (pieces(asked(system=[text(head), text("You are.")])) for head in heads)
    assert one == other


def test_a_mark_on_the_whole_request_is_on_its_last_piece_that_can_have_one() -> None:
    said = user(text("Fix it."))
    thought = model(text("So."), {"type": "thinking", "thinking": "x", "signature": "s"})
    assert [it.ttl for it in pieces(asked(said, thought, **HOUR))] == [0, 3600, 0]
    alone = {"role": "user", "content": "Fix it."}
    assert [it.ttl for it in pieces(asked(alone, **MARK))] == [300]
    marked = user(text("Fix it.", **HOUR))
    assert [it.ttl for it in pieces(asked(marked, **MARK))] == [3600]


def test_a_run_of_results_goes_on_in_the_next_message() -> None:
    found = pieces(asked(user(result("a")), user(result("b")), model(text("So."), call("c"))))
    assert [it.joined for it in found] == [False, True, False, False]


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_choice": {"type": "any"}},
        {"thinking": {"type": "adaptive"}},
        {"output_config": {"effort": "low"}},
        {"context_management": {"edits": []}},
    ],
)
def test_settings_are_what_entries_of_messages_depend_on(fields: dict[str, Any]) -> None:
    said = user(text("Fix it."))
    assert settings_of(asked(said, **fields)) != settings_of(asked(said))
    assert settings_of(asked(said, max_tokens=9, stream=True)) == settings_of(asked(said))


def test_settings_change_with_the_first_image() -> None:
    said = user(text("Look."))
    none, shown = asked(said), asked(said, user(image()))
    inside = asked(said, user(result("a", [image()])))
    assert settings_of(shown) == settings_of(inside) != settings_of(none)


def test_what_a_request_shares_with_the_one_before_is_not_made_again() -> None:
    said = [user(text("Fix it.")), model(call("a")), user(result("a", **MARK))]
    before = asked(*said)
    first = pieces(before)
    after = [*said, model(text("Done."))]
    body = encoded({"model": "m", "messages": after})
    second = pieces(anthropic.read(body, before))
    assert [one is two for one, two in zip(first, second, strict=False)] == [True] * 3
    assert second == pieces(anthropic.read(body))


@pytest.mark.parametrize("odd", [b'"\\ud800"', b"9" * 3000, b"1e999", b'"\\u0000"'])
def test_odd_values_have_digests(odd: bytes) -> None:
    body = b'{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"p":%b}}]}]}'
    assert pieces(anthropic.read(body % odd)) == pieces(anthropic.read(body % odd))
    assert len({pieces(anthropic.read(body % it))[0].digest for it in (odd, b"1")}) == 2


@settings(max_examples=150)
@given(requests())
def test_every_text_that_can_be_replaced_stands_in_one_piece(request: tuple[str, bytes]) -> None:
    wire, body = request
    reading = READ[wire](body)
    found = pieces(reading)
    within = [slot for piece in found for slot in piece.slots if slot in reading.places]
    assert sorted(within) == sorted(reading.places)
    document = json.loads(body)
    for piece in found:
        start, end = reading.places.document.span(piece.path)  # type: ignore[attr-defined]
        for slot in set(piece.slots) & set(reading.places):
            assert start <= reading.places[slot].text.start < end
        value = document
        for name in piece.path:
            value = value[name]
        assert not piece.markable or isinstance(value, dict)


def stripped(value: Any) -> Any:
    """A value without marks anywhere."""
    if isinstance(value, dict):
        return {key: stripped(it) for key, it in value.items() if key != "cache_control"}
    return [stripped(it) for it in value] if isinstance(value, list) else value


@settings(max_examples=100)
@given(requests())
def test_marks_change_no_digest(request: tuple[str, bytes]) -> None:
    wire, body = request
    plain = json.dumps(stripped(json.loads(body))).encode()
    assert bare(pieces(READ[wire](body))) == bare(pieces(READ[wire](plain)))


@settings(max_examples=200)
@given(st.sampled_from(sorted(READ)), st.data())
def test_no_request_makes_an_error_of_another_kind(wire: str, data: st.DataObject) -> None:
    _, body = data.draw(requests())
    at = data.draw(st.integers(0, len(body)))
    cut = data.draw(
        st.sampled_from([b"", b"{", b"]", b'"', b"\xff", b"\\ud800", b"null", b"9" * 5000])
    )
    other = body[:at] + cut + body[at + data.draw(st.integers(0, 9)) :]
    for tried in (body, other):
        try:
            reading = READ[wire](tried)
            pieces(reading)
            settings_of(reading)
            pieces(opened(reading))
        except WireError:
            pass
