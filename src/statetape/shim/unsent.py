"""What of a request was never sent: all that may be shaped freely, whatever the model allows."""

from collections.abc import Callable, Sequence

from statetape.wire.pieces import Piece
from statetape.wire.reading import Reading


def first_unsent(reading: Reading, sighted: Callable[[bytes], bool]) -> int:
    """The number of the first turn that was in no request before; of all turns if none was not.

    `sighted` tells of the digest of a message whether it was in a request that was followed here.
    What stands behind the model's last words is new only if the request that they answer was: a
    history that nobody followed may have been sent, by another process or past us, to its end. Nor
    is it new if it was seen, before the client went back to it or sent it once more.
    """
    count = len(reading.turns)
    last = next((n for n in reversed(range(count)) if _spoken(reading, n)), -1)
    asked = next((n for n in reversed(range(last)) if not _spoken(reading, n)), -1)
    if asked >= 0 and not sighted(reading.chain[asked]):
        return count
    seen = (n for n in reversed(range(last + 1, count)) if sighted(reading.chain[n]))
    return next(seen, last) + 1


def sent_blocks(reading: Reading, found: Sequence[Piece], first: int) -> int:
    """How many blocks were in requests before, if all turns before the `first` one were."""
    turns, elements = 0, 0
    for element in getattr(reading.places, "understood", ()):
        if turns >= first:
            break
        turns += len(element.turns)
        elements += 1
    sent = 0
    for n, piece in enumerate(found, 1):
        at = piece.path[1] if len(piece.path) > 1 else elements
        if piece.layer != "message" or (isinstance(at, int) and at < elements):
            sent = n
    return sent


def _spoken(reading: Reading, number: int) -> bool:
    return reading.turns[number].role == "assistant"
