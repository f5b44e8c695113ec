"""A request as a prompt cache sees it: piece by piece, in the order in which it is read."""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from typing import Literal, NamedTuple

from statetape.types import Slot
from statetape.wire.marks import MARK, lifetime, tools, unmarked
from statetape.wire.parts import kind
from statetape.wire.places import Places, Understood
from statetape.wire.plain import as_block, is_image, is_markable, plain, prompted
from statetape.wire.raw import Document, Path
from statetape.wire.reading import Reading
from statetape.wire.values import WireError, items, spelled_out

Layer = Literal["tools", "system", "message"]

# A run of one of them is one position of a lookback.
_JOINED = frozenset({"tool_use", "tool_result"})
# The fields that the entries of messages depend on, of all three APIs.
_SETTINGS = (
    "tool_choice",
    "thinking",
    "output_config",
    "context_management",
    "speed",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "text",
)


class Piece(NamedTuple):
    """A part of a request that a cache entry may end behind.

    `digest` is of its own content and of whose it is, without marks; it is equal in two requests
    where the client sends the same, also if a string has become a list of one text. `size` is in
    bytes: its JSON, without marks and as plain UTF-8; that of an image is in base64. `ttl` is of
    the client's mark on it, in seconds, 0: it has none. `joined`: it counts with the piece before
    as one position of a lookback (economics.prompt.Block). `slots` are those whose texts stand in
    it and can be replaced. `path` is where it stands in the body, and `markable`: what stands there
    may be given a `cache_control`.
    """

    digest: bytes
    size: int
    layer: Layer
    ttl: int = 0
    joined: bool = False
    slots: tuple[Slot, ...] = ()
    path: Path = ()
    markable: bool = False


class _Element(NamedTuple):
    """The pieces of one element of a request's list; `last` is the kind of the last of them."""

    pieces: tuple[Piece, ...]
    last: str
    images: bool


def pieces(reading: Reading) -> tuple[Piece, ...]:
    """All pieces of a request: tools, system prompt and messages, as its provider reads them.

    The tools are one piece. Of the Messages API each block is one, of the others each message or
    item; of the Responses API the instructions come before the tools. What the request before had
    is not looked at again: about 0.3 ms for 1,000 pieces, most of it for the tools; 13 ms for
    1,000 new ones. WireError where the request is no JSON.
    """
    places = _places(reading)
    known = chain.from_iterable(it.pieces for it in _elements(places, reading.wire))
    found = [*_before(places.document, reading.wire), *known]
    if reading.wire == "anthropic" and MARK in places.document.members(()):
        _mark_last(found, lifetime({MARK: places.document.value((MARK,))}))
    return tuple(found)


def settings(reading: Reading) -> bytes:
    """A digest of what else the cache's entries of messages depend on.

    That is the choice of tools, thinking and effort, what thinking is cleared, the form of the
    answer, and of the Messages API whether there is an image (Anthropic's guide to prompt caching,
    2026). OpenAI says of none of them that it counts; to be careful they do.
    """
    places = _places(reading)
    chosen = [_raw(places.document, name) for name in _SETTINGS]
    images = any(it.images for it in _elements(places, reading.wire))
    return _digest(b"\0".join([*chosen, b"%d" % images]))


def _places(reading: Reading) -> Places:
    if isinstance(reading.places, Places):
        return reading.places
    raise WireError("the request that was read is not known any more")


def _before(document: Document, wire: str) -> Iterator[Piece]:
    """What stands before the messages."""
    if wire == "responses" and len(raw := _raw(document, "instructions")) > len('""'):
        yield Piece(_digest(raw), len(raw), "system", path=("instructions",))
    raw, ttl = tools(document)
    if raw:
        yield Piece(_digest(raw), len(raw), "tools", ttl, path=("tools",))
    if wire == "anthropic" and "system" in document.members(()):
        yield from _system(document.value(("system",)))


def _system(value: object) -> Iterator[Piece]:
    if isinstance(value, str) and value:
        raw = spelled_out(as_block(value))
        yield Piece(_digest(raw), len(raw), "system", path=("system",))
    for n, block in enumerate(items(value)):
        raw = spelled_out(prompted(block))
        yield Piece(
            _digest(raw),
            len(raw),
            "system",
            lifetime(block),
            path=("system", n),
            markable=is_markable(block),
        )


def _elements(places: Places, wire: str) -> list[_Element]:
    """What each element of the request's list is: made once, for all requests that share it."""
    found: list[_Element] = []
    last = ""
    for element in places.understood:
        if not element.kept:
            element.kept.append(_made(element, places.document.value(element.path), wire, last))
        made: _Element = element.kept[0]
        last = made.last
        found.append(made)
    return found


def _made(element: Understood, value: object, wire: str, last: str) -> _Element:
    if wire == "anthropic" and isinstance(value, dict):
        return _message(element, value, last)
    slots = tuple(dict.fromkeys(slot for slot, spot in element.spots if spot is not None))
    raw = spelled_out(plain(value))
    ttl = lifetime(value)
    piece = Piece(_digest(raw), len(raw), "message", ttl, slots=slots, path=element.path)
    return _Element((piece,), "", images=False)


def _message(element: Understood, message: dict[str, object], last: str) -> _Element:
    """A message of the Messages API, block by block."""
    path: Path = (*element.path, "content")
    content = message.get("content")
    whose = spelled_out({k: v for k, v in unmarked(message).items() if k != "content"})
    by: defaultdict[Path, dict[Slot, None]] = defaultdict(dict)
    for slot, spot in element.spots:
        if spot is not None:
            by[spot.text[1:2]][slot] = None
    if not isinstance(content, list):
        raw = spelled_out(as_block(content) if isinstance(content, str) else content)
        ttl, slots = lifetime(message), tuple(by[()])
        piece = Piece(_digest(whose + raw), len(raw), "message", ttl, slots=slots, path=path)
        return _Element((piece,), "", images=False)
    made: list[Piece] = []
    for n, block in enumerate(content):
        raw = spelled_out(plain(block))
        piece = Piece(
            _digest(whose + raw),
            len(raw),
            "message",
            lifetime(block),
            joined=last in _JOINED and kind(block) == last,
            slots=tuple(by[n,]),
            path=(*path, n),
            markable=is_markable(block),
        )
        made.append(piece)
        last = kind(block)
    return _Element(tuple(made), last, images=any(map(is_image, content)))


def _mark_last(found: list[Piece], ttl: int) -> None:
    """Where the whole request is marked the provider marks the last piece that can be."""
    for n, piece in reversed(list(enumerate(found))):
        if piece.markable or isinstance(piece.path[-1], str):
            found[n] = piece if piece.ttl else piece._replace(ttl=ttl)
            return


def _raw(document: Document, name: str) -> bytes:
    """The bytes of a field of the request, none where there is none."""
    return document.raw((name,)) if name in document.members(()) else b""


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
