"""The ttl of the client's breakpoints, and leave to drop thinking: nothing else differs."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wire.shapes import READ, requests

from statetape.wire import anthropic, chat
from statetape.wire.levers import permitting_drops, retimed
from statetape.wire.pieces import pieces
from statetape.wire.writing import written

SHORT, LONG = b'{"type":"ephemeral"}', b'{"type":"ephemeral","ttl":"1h"}'
DROPS = {"prefix_mismatch_behavior": "drop_block"}


def marked(mark: bytes) -> bytes:
    """A request with marks in all places where there may be one."""
    return b"""{ "cache_control":%s, "model":"m",
      "tools":[{"name":"a"}, {"name":"b","cache_control":%s}],
      "system":[{"type":"text","text":"You are.","cache_control": %s}],
      "messages":[{"role":"user","content":[
        {"cache_control":%s,"type":"tool_result","tool_use_id":"a","content":[
          {"type":"text","text":"\\u00e9","cache_control":%s}, {"type":"text","text":"b"}]},
        {"type":"text","text":"cache_control","cache_control":null}]}]}""".replace(b"%s", mark)


def test_all_breakpoints_of_the_client_get_the_ttl() -> None:
    short, long = marked(SHORT), marked(LONG)
    assert retimed(short, anthropic.read(short), 3600) == long
    said = marked(b'{"type":"ephemeral","ttl":"5m"}')
    assert retimed(long, anthropic.read(long), 300) == said
    for body, ttl in ((short, 300), (said, 300), (long, 3600)):
        assert retimed(body, anthropic.read(body), ttl) is body  # type: ignore[arg-type]


def test_what_a_mark_says_besides_its_ttl_stays() -> None:
    body = marked(b'{ "ttl" : "5m" , "type":"ephemeral", "scope":"global" }')
    longer = marked(b'{ "ttl" : "1h" , "type":"ephemeral", "scope":"global" }')
    assert retimed(body, anthropic.read(body), 3600) == longer


def test_no_shorter_breakpoint_is_left_before_a_longer_one() -> None:
    body = marked(SHORT).replace(SHORT, LONG, 2)
    for ttl in (300, 3600):
        after = retimed(body, anthropic.read(body), ttl)
        assert {it.ttl for it in pieces(anthropic.read(after))} == {ttl}


def test_a_request_that_was_written_is_retimed_with_its_texts() -> None:
    body = marked(SHORT)
    reading = anthropic.read(body)
    texts = dict.fromkeys(reading.places, "gone")
    edited = written(body, reading, texts, {("messages", 0, "content", 1): 3600})
    longer = retimed(edited, reading, 3600)
    again = anthropic.read(longer)
    assert json.loads(longer) == json.loads(edited.replace(SHORT, LONG))
    assert {it.ttl for it in pieces(again)} == {3600}


def test_other_apis_have_no_ttl_and_drop_nothing() -> None:
    body = b'{"messages":[{"role":"user","content":[{"text":"x","cache_control":{}}]}]}'
    assert retimed(body, chat.read(body), 3600) is body
    assert permitting_drops(body, chat.read(body)) is body


@settings(max_examples=80)
@given(requests(), st.sampled_from([300, 3600]))
def test_only_the_ttl_of_marks_differs(request: tuple[str, bytes], ttl: Any) -> None:
    wire, body = request
    after = retimed(body, READ[wire](body), ttl)
    assert retimed(after, READ[wire](after), ttl) is after
    assert untimed(json.loads(after)) == untimed(json.loads(body))


def untimed(value: Any) -> Any:
    if isinstance(value, dict):
        mark = value.get("cache_control")
        bare = {"cache_control": {"type": mark.get("type")}} if isinstance(mark, dict) else {}
        return {key: untimed(it) for key, it in value.items()} | bare
    return [untimed(it) for it in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"thinking": {"type": "adaptive", "block_binding": DROPS}}),
        ({"thinking": None}, {"thinking": {"type": "adaptive", "block_binding": DROPS}}),
        (
            {"thinking": {"type": "adaptive", "display": "summarized"}},
            {"thinking": {"type": "adaptive", "display": "summarized", "block_binding": DROPS}},
        ),
        (
            {"thinking": {"type": "adaptive", "block_binding": {"other": 1}}},
            {"thinking": {"type": "adaptive", "block_binding": {"other": 1, **DROPS}}},
        ),
        (
            {"thinking": {"block_binding": None, "type": "adaptive"}},
            {"thinking": {"block_binding": DROPS, "type": "adaptive"}},
        ),
        (
            {
                "thinking": {
                    "type": "adaptive",
                    "block_binding": {"prefix_mismatch_behavior": "error"},
                }
            },
            {"thinking": {"type": "adaptive", "block_binding": DROPS}},
        ),
    ],
)
def test_leave_to_drop_thinking_is_given_once(before: Any, after: Any) -> None:
    body = json.dumps({"model": "m", "messages": [], **before, "top": 1}, indent=1).encode()
    given_leave = permitting_drops(body, anthropic.read(body))
    assert json.loads(given_leave) == {"model": "m", "messages": [], **after, "top": 1}
    assert permitting_drops(given_leave, anthropic.read(given_leave)) is given_leave
    assert permitting_drops(given_leave, anthropic.read(body)) is given_leave


@pytest.mark.parametrize("thinking", [{"type": "disabled"}, {}, [], "adaptive", 1])
def test_no_leave_where_thinking_is_off(thinking: object) -> None:
    body = json.dumps({"messages": [], "thinking": thinking}).encode()
    assert permitting_drops(body, anthropic.read(body)) is body
