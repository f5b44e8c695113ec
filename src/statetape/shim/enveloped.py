"""Results that an agent puts into an envelope of JSON, read as what is in it."""

from msgspec.structs import replace

from statetape.types import Block, Result, Turn
from statetape.wire.history import turns_of
from statetape.wire.places import Places, Spot, Understood
from statetape.wire.reading import Reading
from statetape.wire.values import WireError, decoded, mapping, string

_OUTPUT = "output"
_CODE = "returncode"


def opened(reading: Reading) -> Reading:
    """The reading with the output of mini-swe-agent's commands in place of their envelopes.

    A result `{"returncode": 0, "output": "..."}` becomes that output, and takes a replacement
    there; a command with any other code has failed. Any other text stays as it is. Never read a
    request on from this: an output that looks like an envelope would be opened, too.
    """
    if not isinstance(reading.places, Places):
        return reading
    whole = reading.places
    places = Places(whole.document, whole.path, list(map(_opened, whole.understood)))
    return replace(reading, turns=turns_of(places), places=places)


def _opened(element: Understood) -> Understood:
    spots = dict(element.spots)
    turns = tuple(
        Turn(turn.role, tuple(_inside(block, spots.get(block.slot)) for block in turn.blocks))
        for turn in element.turns
    )
    if turns == element.turns:
        return element
    inside = Spot((_OUTPUT,))
    changed = {
        new.slot
        for one, two in zip(element.turns, turns, strict=True)
        for old, new in zip(one.blocks, two.blocks, strict=True)
        if old is not new
    }
    return element._replace(
        turns=turns,
        spots=tuple(
            (slot, spot and spot._replace(inner=inside) if slot in changed else spot)
            for slot, spot in element.spots
        ),
    )


def _inside(block: Block, spot: Spot | None) -> Block:
    if not isinstance(block, Result) or not block.text.startswith("{"):
        return block
    if spot is not None and spot != Spot(spot.text):
        return block  # not all of the text is the envelope
    try:
        given = mapping(decoded(block.text.encode()))
    except (WireError, UnicodeEncodeError):
        return block
    output = given.get(_OUTPUT)
    if not isinstance(output, str):
        return block
    failed = block.failed or given.get(_CODE) not in (None, 0)
    return replace(block, text=string(output), failed=failed)
