"""A request as a prompt cache sees it: piece by piece, in the order in which it is read."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Literal, NamedTuple

from statetape.types import Slot
from statetape.wire.marks import MARK, lifetime, members, unmarked
from statetape.wire.parts import kind
from statetape.wire.places import Places, Understood
from statetape.wire.raw import Document, Path, replaced
from statetape.wire.reading import Reading
from statetape.wire.values import WireError, items, mapping, spelled_out, string

Layer = Literal["tools", "system", "message"]

# Of the Messages API, those that take a mark. Not thinking; and nobody knows what comes next.
_MARKABLE = frozenset(
    {"text", "image", "document", "search_result", "tool_use", "tool_result", "server_tool_use"}
)
# A run of one of them is one position of a lookback.
_JOINED = frozenset({"tool_use", "tool_result"})
_TEXTS = frozenset({"text", "input_text", "output_text"})
# How Claude Code's system prompt begins: with what its bill needs, and no two requests have the
# same. Caches are read all the same, so it can be no part of what is compared.
_HEADER = "x-anthropic-billing-header:"
# The fields that the entries of messages depend on, of all three APIs.
_SETTINGS = (
    "tool_choice",
    "thinking",
    "output_config",
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
    ttl: int
    joined: bool
    slots: tuple[Slot, ...]
    path: Path
    markable: bool


class _Element(NamedTuple):
    """The pieces of one element of a request's list; `last` is the kind of the last of them."""

    pieces: tuple[Piece, ...]
    last: str
    images: bool


def pieces(reading: Reading) -> tuple[Piece, ...]:
    """All pieces of a request: tools, system prompt and messages, as its provider reads them.

    The tools are one piece. Of the Messages API each block is one, of the others each message or
    item; of the Responses API the instructions come before the tools. What was known of the
    request before is not looked at again: about 0.3 ms for 2,000 pieces, 4 ms a MB of new ones.
    WireError where the tools or the system prompt are no JSON.
    """
    places = _places(reading)
    known = chain.from_iterable(it.pieces for it in _elements(places, reading.wire))
    found = [*_before(places.document, reading.wire), *known]
    if reading.wire == "anthropic" and (ttl := lifetime(_field(places.document, MARK, MARK))):
        _mark_last(found, ttl)
    return tuple(found)


def settings(reading: Reading) -> bytes:
    """A digest of what else the cache's entries of messages depend on.

    That is the choice of tools, thinking and effort, the form of the answer, and of the Messages
    API whether there is an image (Anthropic's guide to prompt caching, 2026).
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
    match wire:
        case "anthropic":
            yield from _tools(document)
            yield from _system(document)
        case "responses":
            if len(raw := _raw(document, "instructions")) > len('""'):
                yield _piece(b"", raw, "system", ("instructions",))
            yield from _tools(document)
        case _:
            yield from _tools(document)


def _tools(document: Document) -> Iterator[Piece]:
    path: Path = ("tools",)
    raw = _raw(document, "tools")
    if not raw.startswith(b"[") or not raw[1:-1].strip():
        return
    ttl = 0
    if b'"cache_control"' in raw:
        marked = list(members(document, path))
        start = document.span(path).start
        cuts = {type(span)(span.start - start, span.end - start): b"" for _, span in marked}
        raw = replaced(raw, cuts)
        ttl = lifetime(document.value(marked[-1][0])) if marked else 0
    yield _piece(b"", raw, "tools", path, ttl=ttl)


def _system(document: Document) -> Iterator[Piece]:
    value = document.value(("system",)) if "system" in document.members(()) else None
    if isinstance(value, str) and value:
        yield _piece(b"", spelled_out(_text(value)), "system", ("system",))
    for n, block in enumerate(items(value)):
        is_header = string(mapping(block).get("text")).startswith(_HEADER)
        yield _piece(
            b"",
            spelled_out(_text(_HEADER) if is_header else _plain(block)),
            "system",
            ("system", n),
            ttl=lifetime(block),
            markable=_is_markable(block),
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
    raw = spelled_out(_plain(value))
    piece = _piece(b"", raw, "message", element.path, ttl=lifetime(value))
    return _Element((piece._replace(slots=slots),), "", images=False)


def _message(element: Understood, message: dict[str, object], last: str) -> _Element:
    """A message of the Messages API, block by block."""
    path: Path = (*element.path, "content")
    content = message.get("content")
    whose = spelled_out({k: v for k, v in unmarked(message).items() if k != "content"})
    by: defaultdict[object, dict[Slot, None]] = defaultdict(dict)
    for slot, spot in element.spots:
        if spot is not None:
            by[spot.text[1:2]][slot] = None
    if not isinstance(content, list):
        raw = spelled_out(_text(content) if isinstance(content, str) else content)
        piece = _piece(whose, raw, "message", path, ttl=lifetime(message))
        return _Element((piece._replace(slots=tuple(by[()])),), "", images=False)
    made: list[Piece] = []
    for n, block in enumerate(content):
        piece = _piece(
            whose,
            spelled_out(_plain(block)),
            "message",
            (*path, n),
            ttl=lifetime(block),
            markable=_is_markable(block),
        )
        joined = kind(block) == last and last in _JOINED
        made.append(piece._replace(joined=joined, slots=tuple(by[n,])))
        last = kind(block)
    return _Element(tuple(made), last, images=any(map(_is_image, content)))


def _piece(
    whose: bytes, raw: bytes, layer: Layer, path: Path, *, ttl: int = 0, markable: bool = False
) -> Piece:
    digest = _digest(whose + raw)
    return Piece(digest, len(raw), layer, ttl, joined=False, slots=(), path=path, markable=markable)


def _mark_last(found: list[Piece], ttl: int) -> None:
    """Where the whole request is marked the provider marks the last piece that can be."""
    for n, piece in reversed(list(enumerate(found))):
        if piece.markable or isinstance(piece.path[-1], str):
            found[n] = piece if piece.ttl else piece._replace(ttl=ttl)
            return


def _plain(value: object) -> object:
    """A block, message or item in the form in which it stays the same between requests."""
    if not isinstance(value, dict):
        return value
    block = unmarked(value)
    for name in ("content", "output"):
        if isinstance(parts := block.get(name), list):
            bare = [unmarked(part) if isinstance(part, dict) else part for part in parts]
            block = {**block, name: _sole(bare)}
    return block


def _sole(parts: Sequence[object]) -> object:
    """The text of a list that is one text and nothing else, else the list."""
    part = mapping(parts[0]) if len(parts) == 1 else {}
    is_text = part.keys() == {"type", "text"} and kind(part) in _TEXTS
    return part["text"] if is_text and isinstance(part["text"], str) else parts


def _text(text: str) -> dict[str, object]:
    """The block that a content is that is a string."""
    return {"type": "text", "text": text}


def _is_markable(block: object) -> bool:
    if kind(block) == "text":
        return bool(string(mapping(block).get("text")).strip())
    return kind(block) in _MARKABLE


def _is_image(block: object) -> bool:
    return kind(block) == "image" or any(
        kind(part) == "image" for part in items(mapping(block).get("content"))
    )


def _field(document: Document, name: str, whole: str) -> object:
    """An object with nothing but this field of the request."""
    return {whole: document.value((name,))} if name in document.members(()) else {}


def _raw(document: Document, name: str) -> bytes:
    """The bytes of a field of the request, none where there is none."""
    return document.raw((name,)) if name in document.members(()) else b""


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
