"""Results that an agent puts into an envelope of JSON, read as what is in it."""

from msgspec.structs import replace

from statetape.types import Block, Result, Slot, Span, Turn
from statetape.wire import raw
from statetape.wire.reading import Place, Reading
from statetape.wire.values import WireError, decoded, mapping, string

_OUTPUT = "output"
_CODE = "returncode"


def opened(reading: Reading) -> Reading:
    """The reading with the output of mini-swe-agent's commands in place of their envelopes.

    A result `{"returncode": 0, "output": "..."}` becomes that output, and takes a replacement
    there; a command with any other code has failed. Any other text stays as it is.
    """
    places = dict(reading.places)
    turns = tuple(
        Turn(turn.role, tuple(_opened(block, places) for block in turn.blocks))
        for turn in reading.turns
    )
    return replace(reading, turns=turns, places=places)


def _opened(block: Block, places: dict[Slot, Place]) -> Block:
    if not isinstance(block, Result) or not block.text.startswith("{"):
        return block
    data = block.text.encode("utf-8", "replace")
    try:
        given = mapping(decoded(data))
        output = given.get(_OUTPUT)
        if not isinstance(output, str):
            return block
        spans = raw.members(data, Span(0, len(data.rstrip())))
    except WireError:
        return block
    place = places.get(block.slot)
    if place is not None and place.inner is None and not place.tail:
        places[block.slot] = place._replace(inner=Place(spans[_OUTPUT]))
    failed = block.failed or given.get(_CODE) not in (None, 0)
    return replace(block, text=string(output), failed=failed)
