"""What passing responses cost and ask for; chunks of any size, and any bytes."""

import json
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from statetape.types import Call, Slot, Usage
from statetape.wire.answers import Answer
from statetape.wire.events import LARGEST, Events

Wire = Literal["anthropic", "responses", "chat"]
WIRES: tuple[Wire, ...] = ("anthropic", "responses", "chat")


def stream(*events: Any, line_end: str = "\n") -> bytes:
    lines = []
    for event in events:
        if "type" in event:
            lines.append(f"event: {event['type']}")
        lines += [f"data: {json.dumps(event)}", ""]
    return "".join(line + line_end for line in [": hello", *lines]).encode()


def through(
    wire: Wire, body: bytes, size: int = 7, *, streamed: bool = True
) -> tuple[Answer, list[Call]]:
    answer = Answer(wire, streamed=streamed)
    calls = [
        call
        for start in range(0, len(body), size)
        for call in answer.after(body[start : start + size])
    ]
    return answer, calls


SPENT = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 300,
    "cache_read_input_tokens": 2000,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
    "output_tokens": 1,
}
COST = Usage(input=10, cache_read=2000, cache_write_5m=100, cache_write_1h=200, output=42)


def block(number: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": number, "content_block": start},
        *({"type": "content_block_delta", "index": number, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": number},
    ]


def piece(text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


def use(call: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Edit", "input": given}


MESSAGES = stream(
    {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": SPENT}},
    {"type": "ping"},
    *block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "Hm."}),
    *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": '"usage"'}),
    *block(2, use("t1"), piece(""), piece('{"path": "a'), piece('.py", "n": 1}')),
    *block(3, use("t2")),
    {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 42, "input_tokens": None}},
    {"type": "message_stop"},
)
EDITS = [
    Call(Slot("t1", "input"), "Edit", {"path": "a.py", "n": 1}),
    Call(Slot("t2", "input"), "Edit", {}),
]
ITEMS: list[dict[str, Any]] = [
    {"type": "reasoning", "encrypted_content": "x"},
    {"type": "function_call", "call_id": "c1", "name": "exec", "arguments": '{"cmd": "ls"}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"},
]
FIGURES = {"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 900}, "output_tokens": 7}
RESPONSES = stream(
    {"type": "response.created", "response": {"usage": None, "output": []}},
    {"type": "response.output_text.delta", "delta": "response.output_item.done"},
    *({"type": "response.output_item.done", "item": item} for item in ITEMS),
    {"type": "response.completed", "response": {"output": ITEMS, "usage": FIGURES}},
)
ASKED = [
    Call(Slot("c1", "input"), "exec", {"cmd": "ls"}),
    Call(Slot("c2", "input"), "apply_patch", "*** Begin"),
]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def pieces(number: int, text: str, **start: Any) -> dict[str, Any]:
    named = {"id": start["id"], "type": "function"} if start else {}
    inside = {"arguments": text, **({"name": start["name"]} if start else {})}
    return chunk({"tool_calls": [{"index": number, "function": inside, **named}]})


PROMPTED = {
    "prompt_tokens": 50,
    "prompt_tokens_details": {"cached_tokens": 8},
    "completion_tokens": 3,
}
CHAT = stream(
    chunk({"role": "assistant", "content": ""}),
    pieces(0, "", id="c1", name="bash"),
    pieces(0, '{"command": '),
    pieces(1, "", id="c2", name="bash"),
    pieces(0, '"ls"}'),
    pieces(1, "{}"),
    chunk({}, "tool_calls"),
    {"choices": [], "usage": PROMPTED},
)
RUNS = [
    Call(Slot("c1", "input"), "bash", {"command": "ls"}),
    Call(Slot("c2", "input"), "bash", {}),
]
STREAMS: dict[Wire, tuple[bytes, Usage, list[Call]]] = {
    "anthropic": (MESSAGES, COST, EDITS),
    "responses": (RESPONSES, Usage(input=100, cache_read=900, output=7), ASKED),
    "chat": (CHAT + b"data: [DONE]\n\n", Usage(input=42, cache_read=8, output=3), RUNS),
}


@pytest.mark.parametrize("size", [1, 2, 3, 100, 100_000])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_says_its_cost_and_calls_in_chunks_of_any_size(
    wire: Wire, line_end: bytes, size: int
) -> None:
    body, cost, calls = STREAMS[wire]
    answer, found = through(wire, body.replace(b"\n", line_end), size)
    assert answer.usage == cost
    assert found == calls
    assert answer.ended() == ()


WHOLE: dict[Wire, dict[str, Any]] = {
    "anthropic": {
        "content": [{"type": "text", "text": "x"}, use("t1", path="a.py", n=1), use("t2")],
        "usage": SPENT | {"output_tokens": 42},
    },
    "responses": {"output": ITEMS, "usage": FIGURES},
    "chat": {
        "choices": [
            {
                "message": {
                    "tool_calls": [
                        {
                            "id": "c1",
                            "function": {"name": "bash", "arguments": '{"command": "ls"}'},
                        },
                        {"id": "c2", "function": {"name": "bash", "arguments": "{}"}},
                    ]
                }
            }
        ],
        "usage": PROMPTED,
    },
}


@pytest.mark.parametrize("wire", WIRES)
def test_a_response_in_one_piece_says_them_at_its_end(wire: Wire) -> None:
    answer, found = through(wire, json.dumps(WHOLE[wire]).encode(), streamed=False)
    assert (found, answer.usage) == ([], None)
    assert list(answer.ended()) == STREAMS[wire][2]
    assert answer.usage == STREAMS[wire][1]


def test_a_call_is_known_when_its_block_ends() -> None:
    answer = Answer("anthropic", streamed=True)
    end = MESSAGES.index(b'data: {"type": "content_block_stop", "index": 2}')
    assert answer.after(MESSAGES[:end]) == ()
    assert list(answer.after(MESSAGES[end : end + 60])) == EDITS[:1]


def test_a_stream_that_is_cut_asks_for_nothing_that_was_not_complete() -> None:
    answer = Answer("anthropic", streamed=True)
    end = MESSAGES.index(b'data: {"type": "content_block_stop", "index": 2}')
    assert (answer.after(MESSAGES[:end]), answer.ended()) == ((), ())
    assert answer.usage == Usage(10, 2000, 100, 200, 1)


def test_a_chat_asks_when_it_says_why_it_ends() -> None:
    answer = Answer("chat", streamed=True)
    end = CHAT.index(b'"finish_reason": "tool_calls"')
    assert (answer.after(CHAT[:end]), answer.ended()) == ((), ())
    assert list(answer.after(CHAT[end:])) == RUNS


def test_an_input_that_is_no_json_is_empty() -> None:
    _, found = through("anthropic", stream(*block(0, use("t1"), piece('{"path'))))
    assert found == [Call(Slot("t1", "input"), "Edit", {})]


def test_without_figures_there_is_no_usage() -> None:
    answer, _ = through("anthropic", stream({"type": "ping"}))
    assert answer.usage is None


def test_cache_writes_of_unknown_length_are_the_short_ones() -> None:
    spent = {"input_tokens": 1, "cache_creation_input_tokens": 5, "output_tokens": 2}
    answer, _ = through("anthropic", stream({"type": "message_start", "message": {"usage": spent}}))
    assert answer.usage == Usage(input=1, cache_write_5m=5, output=2)


@pytest.mark.parametrize("odd", ["12", -3, True, 1.5, [], {}])
def test_figures_that_are_no_counts_are_none(odd: Any) -> None:
    spent = {"input_tokens": odd, "cache_creation": odd, "output_tokens": 2}
    answer, _ = through("anthropic", stream({"type": "message_delta", "usage": spent}))
    assert answer.usage == Usage(output=2)


def test_data_in_several_lines_is_one_text() -> None:
    assert Events().after(b"data: a\ndata:b\n\ndata\n\ndata: c\n\n") == [b"a\nb", b"c"]


def test_what_is_too_long_is_passed_over_and_what_follows_is_not() -> None:
    events = Events()
    for _ in range(9):
        assert events.after(b"data: " + b"x" * (LARGEST // 8)) == []
    assert events.after(b"\n\ndata: a\n\n") == [b"a"]
    assert events.after((b"data: " + b"x" * (LARGEST // 8) + b"\n") * 9) == []
    assert events.after(b"\ndata: b\n\n") == [b"b"]


@st.composite
def nearly(draw: st.DrawFn) -> tuple[Wire, bytes]:
    """A stream with some bytes changed, or events of a strange shape."""
    wire = draw(st.sampled_from(WIRES))
    if draw(st.booleans()):
        body = bytearray(STREAMS[wire][0])
        for _ in range(draw(st.integers(0, 6))):
            at = draw(st.integers(0, len(body) - 1))
            body[at : at + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
        return wire, bytes(body)
    words = ["type", "index", "delta", "usage", "choices", "item", "content_block", "tool_calls"]
    kinds = ["content_block_start", "content_block_delta", "content_block_stop", "tool_use"]
    odd = st.recursive(
        st.none() | st.integers() | st.sampled_from(kinds),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(words), inner, max_size=5)
        ),
    )
    return wire, stream(*({"usage": 1, "x": draw(odd)} | {"type": "x"} for _ in range(3)))


@settings(max_examples=300)
@given(nearly(), st.integers(1, 50), st.booleans())
def test_no_bytes_at_all_make_it_fail(
    request: tuple[Wire, bytes],
    size: int,
    streamed: bool,  # noqa: FBT001
) -> None:
    wire, body = request
    answer, _ = through(wire, body, size, streamed=streamed)
    answer.ended()
    assert answer.usage is None or answer.usage.input >= 0


@given(st.binary(max_size=200))
@example(b"data: " + b"[" * 100_000 + b"\n\n")
@example(b'data: {"usage": {"input_tokens": 1e999}}\n\n')
@example(b'data: {"usage": "\\ud800", "type": []}\n\n')
def test_nor_do_bytes_of_any_kind(body: bytes) -> None:
    for wire in WIRES:
        for streamed in (True, False):
            answer, _ = through(wire, body, 1000, streamed=streamed)
            answer.ended()
