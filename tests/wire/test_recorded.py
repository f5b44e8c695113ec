"""What real clients sent, where the recordings are at hand."""

import json
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from statetape.shim.enveloped import opened
from statetape.types import Call, Result, Slot
from statetape.wire import anthropic, chat, keys, responses
from statetape.wire.pieces import Piece, pieces
from statetape.wire.reading import Reading
from statetape.wire.writing import written

FOLDER = Path(__file__).parents[3] / "shared" / "wire" / "fixtures"
READ = {
    "/messages": anthropic.read,
    "/responses": responses.read,
    "/chat/completions": chat.read,
}
# Here histories do change: the client compacts them, or another proxy rewrites them.
CHANGING = ("compact", "rewrite", "errors")


class Sent(NamedTuple):
    """One recorded request."""

    read: Any
    headers: dict[str, str]
    body: bytes
    name: str


def scenarios() -> list[str]:
    return sorted(str(path.parent.relative_to(FOLDER)) for path in FOLDER.glob("*/*/steps.json"))


def sent(scenario: str) -> Iterator[Sent]:
    for file in sorted((FOLDER / scenario).glob("[0-9]*.json")):
        recorded = json.loads(file.read_text())
        path, body = "/" + recorded["path"].partition("/v1/")[2], recorded.get("body")
        path = "/responses" if recorded["path"].endswith("/responses") else path
        if path in READ and isinstance(body, dict):
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            yield Sent(READ[path], dict(recorded["headers"]), text.encode(), file.name)


if not FOLDER.is_dir():
    pytest.skip(
        "needs recorded requests, which are not part of the project", allow_module_level=True
    )


def common(one: Reading, other: Reading) -> int:
    pairs = zip(one.chain, other.chain, strict=False)
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))


@pytest.mark.parametrize("scenario", scenarios())
def test_each_request_extends_a_conversation_or_begins_one(scenario: str) -> None:
    last: dict[str, list[Reading]] = {}
    for request in sent(scenario):
        reading = request.read(request.body)
        if reading.side or keys.side(request.headers):
            continue
        known = last.setdefault(keys.key(request.headers, reading), [])
        extended = [it for it in known if common(it, reading) == len(it.chain)]
        if known and not extended:
            assert any(word in scenario for word in CHANGING), request.name
        known[:] = [it for it in known if it not in extended] + [reading]


def compared(found: Iterable[Piece], layer: str) -> list[tuple[bytes, int, bool]]:
    return [(it.digest, it.size, it.joined) for it in found if it.layer == layer]


@pytest.mark.parametrize("scenario", scenarios())
def test_the_pieces_of_a_request_begin_the_next_one_unless_the_client_changed_them(
    scenario: str,
) -> None:
    last: dict[str, list[tuple[Reading, tuple[Piece, ...], Any]]] = {}
    for request in sent(scenario):
        reading = opened(request.read(request.body))
        found = pieces(reading)
        assert set(reading.places) <= {slot for piece in found for slot in piece.slots}
        if reading.side or keys.side(request.headers):
            continue
        begin = {name: unmarked(json.loads(request.body).get(name)) for name in ("tools", "system")}
        known = last.setdefault(keys.key(request.headers, reading), [])
        for earlier, before, begun in known:
            if common(earlier, reading) != len(earlier.chain):
                continue
            old, new = compared(before, "message"), compared(found, "message")
            if not any(word in scenario for word in CHANGING):
                assert new[: len(old)] == old, request.name
            for layer in ("tools", "system"):
                same = begun[layer] == begin[layer]
                assert not same or compared(before, layer) == compared(found, layer)
        known.append((reading, found, begin))


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(it) for key, it in value.items() if key != "cache_control"}
    return [unmarked(it) for it in value] if isinstance(value, list) else value


@pytest.mark.parametrize("scenario", scenarios())
def test_each_text_can_be_replaced_alone(scenario: str) -> None:
    tried: set[Slot] = set()
    for request in sent(scenario):
        reading = request.read(request.body)
        assert written(request.body, reading, {}) is request.body
        for slot in set(reading.places) - tried:
            tried.add(slot)
            place = reading.places[slot]
            edited = written(request.body, reading, {slot: "new\ntext"})
            spans = sorted({place.text, *place.blank, *place.cut})
            assert edited[: spans[0].start] == request.body[: spans[0].start]
            end = len(request.body) - spans[-1].end
            assert edited[len(edited) - end :] == request.body[len(request.body) - end :]
            if place.part is not None:  # what stands in it now is told as another text
                old = json.loads(request.body[place.text.start : place.text.end])
                new = old[: place.part[0]] + "new\ntext" + old[place.part[1] :]
                assert json.loads(edited[place.text.start : len(edited) - end]) == new
                continue
            after = request.read(edited)
            was = [it for turn in reading.turns for it in turn.blocks]
            now = [it for turn in after.turns for it in turn.blocks]
            differ = [two for one, two in zip(was, now, strict=True) if told(one) != told(two)]
            assert [told(it) for it in differ] == [told(differ[0])]
            assert "new\ntext" in told(differ[0])


def told(block: Any) -> tuple[str, ...]:
    """A block's own text, without the slot of a say, which goes by all that was said before."""
    if isinstance(block, Call):
        given = block.input
        texts = [given] if isinstance(given, str) else strings(given)
        return (block.tool, *texts)
    return ("result" if isinstance(block, Result) else block.role, block.text)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for element in inside for text in strings(element)]


@pytest.mark.parametrize("scenario", scenarios())
def test_reading_on_from_the_request_before_makes_no_difference(scenario: str) -> None:
    before: dict[Any, Reading] = {}
    for request in sent(scenario):
        reading = request.read(request.body, before.get(request.read))
        assert reading == request.read(request.body), request.name
        before[request.read] = reading
