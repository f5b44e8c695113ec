"""A request with other texts in some slots: nothing else differs, whatever the request is.

The requests are made up, of all shapes; those that real clients sent are tried in
`test_recorded.py`.
"""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wire.shapes import READ, requests

from statetape.types import Call, Result, Say, Slot
from statetape.wire import anthropic
from statetape.wire.pieces import pieces
from statetape.wire.places import input_spot
from statetape.wire.raw import Path
from statetape.wire.reading import Place, Reading
from statetape.wire.values import WireError
from statetape.wire.writing import written


def put(body: bytes, edited: bytes, place: Place) -> bytes:
    """What stands in `edited` for the text of a place, if all else is as it has to be."""
    spans = sorted({place.text, *place.blank, *place.cut})
    edges = [0, *(edge for span in spans for edge in span), len(body)]
    outside = [body[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    size = len(edited) - sum(map(len, outside)) - 2 * len(place.blank)
    at, text = 0, b""
    for piece, span in zip(outside, [*spans, None], strict=True):
        assert edited.startswith(piece, at)
        at += len(piece)
        if span == place.text:
            text = edited[at : at + size]
            at += size
        elif span in place.blank:
            assert edited.startswith(b'""', at)
            at += 2
    assert at == len(edited)
    return text


def blocks(reading: Reading) -> list[Any]:
    return [block for turn in reading.turns for block in turn.blocks]


def plain(block: Any) -> Any:
    """A block without what depends on the texts before it."""
    return (block.role, block.text) if isinstance(block, Say) else block


def check(wire: str, body: bytes, slot: Slot, new: str) -> None:
    """One slot takes one text: the bytes outside stay, and reading shows that text there only."""
    reading = READ[wire](body)
    place = reading.places[slot]
    edited = written(body, reading, {slot: new})
    text = json.loads(put(body, edited, place))
    if place.inner is None:
        assert text == new + place.tail
    else:
        inside = json.loads(body[slice(*place.text)]).encode()
        assert json.loads(put(inside, text.encode(), place.inner)) == new
    old, after = blocks(reading), blocks(READ[wire](edited))
    for was, now in zip(old, after, strict=True):
        if was.slot != slot:
            assert plain(was) == plain(now)
        elif isinstance(was, Call):
            assert now.input == filled_in(was.input, new)
        else:
            assert now.text == new


def filled_in(given: Any, new: str) -> Any:
    """A call's input with its first long string replaced, and the others empty."""
    spot = input_spot(given)
    if isinstance(given, str) or spot is None:
        return new
    given = json.loads(json.dumps(given))
    for path, text in ((spot.text, new), *((path, "") for path in spot.blank)):
        inside = given
        for name in path[:-1]:
            inside = inside[name]
        inside[path[-1]] = text
    return given


@settings(max_examples=150)
@given(requests(), st.text(st.characters(), min_size=1, max_size=20), st.data())
def test_a_text_in_one_slot_is_the_only_difference(
    request: tuple[str, bytes], new: str, data: st.DataObject
) -> None:
    wire, body = request
    reading = READ[wire](body)
    assert written(body, reading, {}) is body
    if reading.places:
        check(wire, body, data.draw(st.sampled_from(list(reading.places))), new)


@settings(max_examples=60)
@given(requests())
def test_texts_in_all_slots_are_read_again(request: tuple[str, bytes]) -> None:
    wire, body = request
    reading = READ[wire](body)
    texts = {slot: f"text {number}" for number, slot in enumerate(reading.places)}
    after = READ[wire](written(body, reading, texts))
    for was, now in zip(blocks(reading), blocks(after), strict=True):
        if was.slot not in texts:
            assert plain(was) == plain(now)
        elif isinstance(was, Result | Say):
            assert now.text == texts[was.slot]


@settings(max_examples=60)
@given(requests(), requests(), st.data())
def test_an_earlier_reading_changes_nothing_but_the_time(
    request: tuple[str, bytes], stranger: tuple[str, bytes], data: st.DataObject
) -> None:
    wire, body = request
    name = "input" if wire == "responses" else "messages"
    earlier = json.loads(body)
    earlier[name] = earlier[name][: data.draw(st.integers(0, len(earlier[name])))]
    cut = json.dumps(earlier, separators=data.draw(st.sampled_from([(",", ":"), (", ", ": ")])))
    for before in (READ[wire](cut.encode()), READ[wire](body), READ[stranger[0]](stranger[1])):
        assert READ[wire](body, before) == READ[wire](body)


def test_a_slot_without_a_place_is_passed_over() -> None:
    body = b'{"messages": []}'
    reading = anthropic.read(body)
    assert written(body, reading, {Slot("gone", "result"): "x"}) is body


@pytest.mark.parametrize("wire", sorted(READ))
def test_reading_is_equal_to_itself_and_has_its_places(wire: str) -> None:
    name = "input" if wire == "responses" else "messages"
    body = json.dumps({name: [{"role": "user", "content": "x"}]}).encode()
    reading = READ[wire](body)
    assert reading == READ[wire](body)
    assert len(reading.places) == 1
    assert list(reading.places) == [reading.turns[0].blocks[0].slot]
    assert Slot("x", "say") not in reading.places


def long_conversation(last: int, wire: str) -> bytes:
    """A conversation of so many messages."""
    name = "input" if wire == "responses" else "messages"
    turns = [{"role": "user", "content": f"text {number}"} for number in range(last)]
    return json.dumps({"model": "m", name: turns, "tools": [{"name": "x"}]}).encode()


@pytest.mark.parametrize("wire", sorted(READ))
def test_a_request_is_read_on_from_any_one_before_it(wire: str) -> None:
    whole = long_conversation(6, wire)
    for last in range(8):
        before = READ[wire](long_conversation(last, wire))
        assert READ[wire](whole, before) == READ[wire](whole)


@pytest.mark.parametrize("wire", sorted(READ))
@pytest.mark.parametrize("changed", range(6))
def test_a_message_that_changed_in_place_is_read_again(wire: str, changed: int) -> None:
    before = READ[wire](long_conversation(6, wire))
    body = long_conversation(6, wire).replace(b"text %d" % changed, b"test %d" % changed)
    reading = READ[wire](body, before)
    assert reading == READ[wire](body)
    assert reading.chain[:changed] == before.chain[:changed]
    assert not set(reading.chain[changed:]) & set(before.chain)


MARKS = {
    300: b'"cache_control":{"type":"ephemeral"}',
    3600: b'"cache_control":{"type":"ephemeral","ttl":"1h"}',
}


@settings(max_examples=120)
@given(requests(), st.sampled_from(sorted(MARKS)), st.data())
def test_a_breakpoint_can_be_taken_away_again_without_a_trace(
    request: tuple[str, bytes], ttl: int, data: st.DataObject
) -> None:
    wire, body = request
    reading = READ[wire](body)
    free = [it.path for it in pieces(reading) if it.markable and not it.ttl]
    texts = dict.fromkeys(reading.places, "new")
    chosen = data.draw(st.lists(st.sampled_from(free), max_size=4, unique=True)) if free else []
    for new in ({}, texts):
        anchored = written(body, reading, new, dict.fromkeys(chosen, ttl))
        plain = written(body, reading, new)
        if not chosen:
            assert anchored == plain
            continue
        again = pieces(READ[wire](anchored))
        assert {it.path: it.ttl for it in again if it.path in chosen} == dict.fromkeys(chosen, ttl)
        mark = re.compile(rb"(?<=\{)" + re.escape(MARKS[ttl]) + b",")
        assert mark.sub(b"", anchored) == mark.sub(b"", plain)
        assert len(anchored) == len(plain) + len(chosen) * (len(MARKS[ttl]) + 1)


def test_no_breakpoint_where_there_is_one_and_in_nothing_that_goes() -> None:
    body = (
        b'{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'
        b'"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],'
        b'"cache_control":{"type":"ephemeral"}}]}]}'
    )
    reading = anthropic.read(body)
    result: Path = ("messages", 0, "content", 0)
    texts = {Slot("a", "result"): "new"}
    plain = written(body, reading, texts)
    assert written(body, reading, {}, {result: 3600}) is body
    assert written(body, reading, texts, {(*result, "content", 1): 300}) == plain
    assert MARKS[300] in written(body, reading, texts, {(*result, "content", 0): 300})
    for path in ((*result, "content"), ("messages", 9)):
        with pytest.raises(WireError):
            written(body, reading, {}, {path: 300})


@pytest.mark.parametrize("block", [b"{}", b'{"cache_control":null}'])
def test_a_breakpoint_in_an_object_with_nothing_in_it(block: bytes) -> None:
    body = b'{"messages":[{"role":"user","content":[%b]}]}' % block
    anchored = written(body, anthropic.read(body), {}, {("messages", 0, "content", 0): 300})
    assert anchored == body.replace(block, b"{" + MARKS[300] + b"}")
