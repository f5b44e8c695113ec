"""What eats bytes or texts that nobody vouches for: no exception but its own, nothing altered.

Each target takes bytes and raises where there is a fault. The suite feeds them with Hypothesis;
`make fuzz` with atheris, which looks for new paths through the code for as long as it is given.
"""

import contextlib
import importlib
import json
import runpy
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.agents import diffs, patch, shell
from statetape.wire import anthropic, chat, keys, responses
from statetape.wire.answers import Answer
from statetape.wire.raw import Document
from statetape.wire.reading import Reading
from statetape.wire.values import WireError, decoded
from statetape.wire.writing import written

NEW = 'new "text"\n'


def raw(data: bytes) -> None:
    """Every value is where the decoder sees it."""
    document = Document(data)
    try:
        waiting: list[tuple[tuple[str | int, ...], Any]] = [((), decoded(data))]
    except WireError:
        with contextlib.suppress(WireError):
            document.members(())
        with contextlib.suppress(WireError):
            document.elements(())
        return
    while waiting:
        path, value = waiting.pop()
        assert document.value(path) == value
        if isinstance(value, dict):
            waiting += (((*path, key), it) for key, it in value.items())
        elif isinstance(value, list):
            waiting += (((*path, number), it) for number, it in enumerate(value))


def request(read: Callable[[bytes], Reading]) -> Callable[[bytes], None]:
    """What is read can be written, with one text replaced and with all."""

    def target(data: bytes) -> None:
        try:
            reading = read(data)
        except WireError:
            return
        assert written(data, reading, {}) is data
        assert len(reading.turns) == len(reading.chain)
        keys.key({}, reading)
        for slot in list(reading.places)[:3]:
            place = reading.places[slot]
            edited = written(data, reading, {slot: NEW})
            spans = sorted({place.text, *place.blank, *place.cut})
            end = len(data) - spans[-1].end
            assert edited[: spans[0].start] == data[: spans[0].start]
            assert edited[len(edited) - end :] == data[len(data) - end :]
            assert len(read(edited).turns) == len(reading.turns)
        read(written(data, reading, dict.fromkeys(reading.places, NEW)))

    return target


def answers(data: bytes) -> None:
    """Nothing makes it fail."""
    for wire in ("anthropic", "responses", "chat"):
        for streamed in (True, False):
            answer = Answer(wire, streamed=streamed)
            for start in range(0, len(data), 60):
                answer.after(data[start : start + 60])
            answer.ended()
            assert answer.usage is None or min(answer.usage.input, answer.usage.output) >= 0


def headers(data: bytes) -> None:
    """Nothing makes it fail."""
    value = data.decode("utf-8", "surrogateescape")
    reading = chat.read(b'{"messages": []}')
    assert keys.key({"x-session-id": value}, reading).isascii()
    keys.workspaces({"x-codex-turn-metadata": value})
    keys.side({"x-codex-turn-metadata": value})


def commands(data: bytes) -> None:
    """Nothing makes it fail."""
    shell.actions(data.decode("utf-8", "replace"), "", "/r")


def patches(data: bytes) -> None:
    """Nothing makes it fail."""
    text = data.decode("utf-8", "replace")
    for edit in patch.edits(text):
        patch.patched(text, edit.patch)
    diffs.edits(text)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "raw": raw,
    "anthropic": request(anthropic.read),
    "responses": request(responses.read),
    "chat": request(chat.read),
    "answers": answers,
    "headers": headers,
    "commands": commands,
    "patches": patches,
}
LONG = "one\ntwo \ud83d"
REMINDED = "x\n\n<system-reminder>\nBe brief.\n</system-reminder>"
EDIT = {"path": "a.py", "old": LONG, "more": [{"new": "c\n"}]}
PART = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": [PART, {"type": "image", "source": {}}, PART]},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "Edit", "input": EDIT}],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": REMINDED, "is_error": True},
            {"type": "tool_result", "tool_use_id": "t2", "content": [PART, PART]},
        ],
    },
]
ITEMS: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": LONG}]},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": json.dumps(EDIT)},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": LONG},
    {"type": "function_call_output", "call_id": "c1", "output": [PART, PART]},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
]
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": json.dumps(EDIT)}}
TURNS: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": [PART, PART]},
]
EVENT = {"type": "content_block_start", "index": 0, "content_block": MESSAGES[1]["content"][0]}
SEEDS: list[bytes] = [
    json.dumps({"model": "m", "messages": MESSAGES, "tools": [{"name": "Edit"}]}).encode(),
    json.dumps({"model": "m", "input": ITEMS, "tools": []}, indent=1).encode(),
    json.dumps({"model": "m", "messages": TURNS}, separators=(",", ":")).encode(),
    f"data: {json.dumps(EVENT)}\r\n\r\ndata: [DONE]\n\n".encode(),
    b"cd src && sed -n '1,5p' a.py | head -3; cat > b.py <<'E'\nx\nE\n",
    b"*** Begin Patch\n*** Update File: a.py\n@@ def f\n-x\n+y\n*** End Patch\n",
]
HOSTILE = [
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"messages":[' + b'{"content":[' * 20_000,
    b'{"messages":[{"role":"user","content":' + b"[" * 900 + b"]" * 900 + b"}]}",
    b'{"input":[{"type":"function_call","call_id":"c","arguments":"' + b"[" * 100_000 + b'"}]}',
    b'{"messages":[],"n":' + b"9" * 100_000 + b"}",
    b'{"messages":[],"messages":[{"role":"user","content":"a","content":"b"}],"a":1,"a":12}',
    b'{"messages":[{"role":"user","content":"\\ud800\\udc00\\udc00"}],"\\ud800":1}',
    b'{"messages":[{"role":"user","content":"' + b"\\u0061" * 50_000 + b'"}]}',
    b'{"messages":[' + b",".join([b'{"role":"user","content":"x"}'] * 1_000) + b"]}",
    b'{"messages":[]}' + b" " * 100_000,
    b'{"messages":[{"role":{},"content":[{"type":{},"id":[]}]}],"tools":[{"type":{},"name":[]}]}',
    b'{"input":[{"role":[],"type":[],"content":[{"type":{}}]}],"metadata":[],"system":{}}',
    b'{"messages":[{"role":"user","content":[' + b'{"content":[' * 400 + b"]}" * 400 + b"]}]}",
    b'{"input":[{"type":"message","content":[' + b'{"content":[' * 400 + b"]}" * 400 + b"]}]}",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b"NaN",
    b"-",
    b'{"messages":[1e400,-0.0]}',
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A seed with pieces changed, cut out, or doubled."""
    body = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(body)))
        end = min(len(body), start + draw(st.integers(0, 40)))
        body[start:end] = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from(
                    [b'"', b"\\", b"{", b"]", b",", b"null", b"1e9", b'"a":', b"\\ud8"]
                ),
                st.just(bytes(body[start:end]) * 2),
            )
        )
    return bytes(body)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_bytes_are_refused_or_read(name: str, number: int) -> None:
    TARGETS[name](HOSTILE[number])


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=80)
@given(body=mutated() | st.binary(max_size=60))
def test_no_bytes_make_it_fail(name: str, body: bytes) -> None:
    TARGETS[name](body)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_the_seeds_themselves_are_fine(name: str, number: int) -> None:
    TARGETS[name](SEEDS[number])


def main(name: str, seconds: str) -> None:
    """Fuzz one target with atheris, from the seeds on."""
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        sys.exit("fuzz: atheris is not installed (pip install atheris)")
    for module in [module for module in sys.modules if module.startswith("statetape")]:
        del sys.modules[module]
    with atheris.instrument_imports(include=["statetape"]):
        target = runpy.run_path(__file__)["TARGETS"][name]
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(SEEDS):
            (Path(folder) / f"seed-{number}").write_bytes(seed)
        atheris.Setup([name, f"-max_total_time={seconds}", "-timeout=20", folder], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
