"""Results in envelopes of JSON: where what is in them stands."""

import json

from statetape.shim.enveloped import opened
from statetape.types import Slot
from statetape.wire import chat
from statetape.wire.pieces import pieces


def test_an_envelope_stands_in_the_piece_of_its_result() -> None:
    envelope = json.dumps({"returncode": 1, "output": "no such file"})
    message = {"role": "tool", "tool_call_id": "a", "content": envelope}
    closed = chat.read(json.dumps({"messages": [message]}).encode())
    reading = opened(closed)
    assert reading.places[Slot("a", "result")].inner is not None
    assert pieces(reading) == pieces(closed)
    assert pieces(reading)[0].slots == (Slot("a", "result"),)


def test_what_is_no_envelope_as_a_whole_stays() -> None:
    halves = [{"type": "text", "text": text} for text in ('{"returncode": 0,', '"output": "x"}')]
    messages = [{"role": "tool", "tool_call_id": "a", "content": halves}]
    closed = chat.read(json.dumps({"messages": messages}).encode())
    assert opened(closed) == closed
    assert opened(closed).places[Slot("a", "result")].inner is None
