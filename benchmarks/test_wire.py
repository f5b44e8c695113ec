"""Reading and writing requests, as ratios to the standard library's decoder in the same run.

The conversations are made up: results of code, 200 to 6,000 bytes long, as an agent reads them.
"""

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from statetape.types import Slot
from statetape.wire import anthropic
from statetape.wire.answers import Answer
from statetape.wire.pieces import pieces, settings
from statetape.wire.writing import written

RATIOS: list[str] = []
SIZES = {"700 kB": 700_000, "3 MB": 3_000_000}
WORDS = ["def", "return", "self.load", "config", "=", "path", 'data["key"]', "raise", "\tif not"]


@pytest.fixture(scope="module", autouse=True)
def _ratios() -> Iterator[None]:
    yield
    print("\n\n" + "\n".join(RATIOS))  # noqa: T201 -- the figures are the point


def code(size: int, chance: random.Random) -> str:
    """Numbered lines of about this many characters."""
    lines: list[str] = []
    while size > 0:
        lines.append(
            f"{len(lines) + 1}\t" + " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))
        )
        size -= len(lines[-1]) + 1
    return "\n".join(lines)


def conversation(size: int) -> list[dict[str, Any]]:
    """Messages of about this many bytes: one read and its result after another."""
    chance = random.Random(4)  # noqa: S311 -- no secret
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix it."}]
    while size > 0:
        call = f"t{len(messages)}"
        shown = code(chance.choice([200, 800, 2000, 6000]), chance)
        read = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "/r/a.py"}}
        result = {"type": "tool_result", "tool_use_id": call, "content": shown}
        messages += [
            {"role": "assistant", "content": [{"type": "text", "text": "Reading."}, read]},
            {"role": "user", "content": [result]},
        ]
        size -= len(shown) * 11 // 10 + 250
    return messages


def request(messages: list[dict[str, Any]]) -> bytes:
    """A body as clients send it."""
    tools = [{"name": f"T{n}", "description": "What it does. " * 110} for n in range(30)]
    asked = {"model": "m", "messages": messages, "tools": tools, "stream": True}
    return json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode()


def timed(work: Any, *arguments: Any, rounds: int = 15) -> float:
    """The least CPU seconds that it took."""
    least = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        work(*arguments)
        least = min(least, time.process_time() - begun)
    return least


def ratio(what: str, seconds: float, base: float, of: str = "json.loads") -> None:
    RATIOS.append(f"{what:56} {seconds * 1e3:7.2f} ms   {seconds / base:5.2f} x {of}")


@pytest.mark.parametrize("size", SIZES)
def test_requests(benchmark: Any, size: str) -> None:
    messages = conversation(SIZES[size])
    before = anthropic.read(request(messages[:-2]))
    body = request(messages)
    reading = anthropic.read(body)
    results = [slot for slot in reading.places if slot.side == "result"][::10]
    texts: dict[Slot, str] = dict.fromkeys(results, "The code changed; read it again.")
    base = timed(json.loads, body)
    ratio(f"read {size}, nothing known", timed(anthropic.read, body), base)
    ratio(f"read {size}, after the request before", timed(anthropic.read, body, before), base)

    def read_and_written() -> bytes:
        return written(body, anthropic.read(body, before), texts)

    ratio(f"and write it with {len(texts)} texts replaced", timed(read_and_written), base)
    benchmark(anthropic.read, body, before)


def test_pieces(benchmark: Any) -> None:
    messages = conversation(900_000)
    before = anthropic.read(request(messages[:-2]))
    body = request(messages)
    reading = anthropic.read(body, before)
    count = len(pieces(before)) + 3
    new = reading.places.understood[-2:]  # type: ignore[attr-defined]

    def seen() -> tuple[object, object]:
        for element in new:
            element.kept.clear()
        return pieces(reading), settings(reading)

    base = timed(anthropic.read, body, before)
    ratio(f"{count} pieces and settings, after those before", timed(seen), base, "wire.read")
    whole = timed(lambda: pieces(anthropic.read(body))) - timed(anthropic.read, body)
    ratio(f"{count} pieces, nothing known", whole, timed(anthropic.read, body), "wire.read")
    benchmark(seen)


def test_responses(benchmark: Any) -> None:
    deltas = [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "a word"},
        }
        for _ in range(5_000)
    ]
    stream = "".join(f"event: x\ndata: {json.dumps(delta)}\n\n" for delta in deltas).encode()
    chunks = [stream[start : start + 1_000] for start in range(0, len(stream), 1_000)]

    def passed() -> None:
        answer = Answer("anthropic", streamed=True)
        for chunk in chunks:
            answer.after(chunk)

    ratio(
        f"{len(stream) // 1000} kB of a streamed answer pass",
        timed(passed),
        timed(json.loads, request(conversation(len(stream)))),
    )
    benchmark(passed)
