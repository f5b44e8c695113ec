"""Responses while their bytes pass: what they cost, and the tool calls they ask for.

Nothing here raises, whatever the bytes are: a response is the agent's, and is only looked at.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from statetape.types import Call, Usage
from statetape.wire import anthropic, chat, responses
from statetape.wire.events import LARGEST, Events
from statetape.wire.history import Part
from statetape.wire.usage import usage
from statetape.wire.values import WireError, decoded, items, mapping, string

Wire = Literal["anthropic", "responses", "chat"]

# Events without any of these words say nothing that counts here, and are not decoded.
_WORDS: Mapping[Wire, tuple[bytes, ...]] = {
    "anthropic": (b'"usage"', b"tool_use", b"input_json_delta", b"content_block_stop"),
    "responses": (b'"usage"', b"response.output_item.done"),
    "chat": (b'"usage"', b'"tool_calls"', b'"finish_reason"'),
}


class Answer:
    """One response. `streamed`: it is a stream of events, else one JSON text."""

    def __init__(self, wire: Wire, *, streamed: bool) -> None:
        self._wire: Wire = wire
        self._events = Events() if streamed else None
        self._begun = b""  # of an event, where the last chunk ended
        self._within = False  # `_events` has seen the beginning of one
        self._whole = bytearray()
        self._figures: dict[str, Any] = {}
        self._asked = _Asked()
        self.heard = False

    @property
    def usage(self) -> Usage | None:
        """What it cost as far as it has been said, None before that."""
        return usage(self._wire, self._figures) if self._figures else None

    def after(self, chunk: bytes) -> tuple[Call, ...]:
        """The calls that are complete with this chunk: the next bytes, any number of them."""
        self.heard = True
        if self._events is not None:
            text = self._counting(self._begun + chunk)
            events = self._events.after(text) if text else ()
            return tuple(call for data in events for call in self._event(data))
        if len(self._whole) + len(chunk) <= LARGEST:
            self._whole += chunk
        return ()

    def _counting(self, text: bytes) -> bytes:
        """The whole events of a text; nothing where none of them has a word that counts.

        Nearly all that passes is text of the model, which is searched and never taken apart.
        """
        end = max(text.rfind(b"\n\n") + 2, text.rfind(b"\n\r\n") + 3)
        if end < 3:
            if len(text) <= LARGEST:
                self._begun = text
                return b""
            end = len(text)
        whole, self._begun = text[:end], text[end:]
        within, self._within = self._within, not whole.endswith((b"\n\n", b"\n\r\n"))
        counts = any(word in whole for word in _WORDS[self._wire])
        return whole if counts or within or self._within else b""

    def ended(self) -> tuple[Call, ...]:
        """The calls of a response in one piece, now that it is whole; none of a stream."""
        if self._events is not None:
            return ()
        said = _object(bytes(self._whole))
        self._spent(said.get("usage"))
        return _calls(self._wire, _listed(self._wire, said))

    def _event(self, data: bytes) -> tuple[Call, ...]:
        if not any(word in data for word in _WORDS[self._wire]):
            return ()
        event = _object(data)
        inside = event.get("message") or event.get("response")  # or the event itself
        self._spent(mapping(inside).get("usage"))
        self._spent(event.get("usage"))
        match self._wire:
            case "anthropic":
                return _anthropic(event, self._asked)
            case "responses":
                done = event.get("type") == "response.output_item.done"
                return _calls("responses", [event.get("item")]) if done else ()
            case "chat":
                return _chat(event, self._asked)

    def _spent(self, figures: object) -> None:
        # Later figures count on from earlier ones; some say null for what they do not know.
        self._figures |= {name: it for name, it in mapping(figures).items() if it is not None}


class _Asked:
    """The calls that come in pieces: by number, their JSON so far and the text of their input."""

    def __init__(self) -> None:
        self._begun: dict[object, tuple[dict[str, Any], list[str]]] = {}
        self._size = 0

    def begin(self, number: object, call: dict[str, Any]) -> None:
        if isinstance(number, int):
            self._begun[number] = (call, [])

    def more(self, number: object, piece: object) -> None:
        begun = self._begun.get(number) if isinstance(number, int) else None
        if begun is not None and isinstance(piece, str):
            self._size += len(piece)
            if self._size > LARGEST:
                self._begun.clear()
            else:
                begun[1].append(piece)

    def finished(self, number: object) -> tuple[dict[str, Any], str] | None:
        begun = self._begun.pop(number, None) if isinstance(number, int) else None
        return None if begun is None else (begun[0], "".join(begun[1]))

    def all(self) -> tuple[Call, ...]:
        """The calls of a chat, which ends all of them at once."""
        found = [self.finished(number) for number in [*self._begun]]
        calls = []
        for call, text in filter(None, found):
            kind = "custom" if call.get("type") == "custom" else "function"
            name = "input" if kind == "custom" else "arguments"
            calls.append({**call, kind: {**mapping(call.get(kind)), name: text}})
        return _calls("chat", calls)


def _anthropic(event: dict[str, Any], asked: _Asked) -> tuple[Call, ...]:
    number = event.get("index")
    match event.get("type"):
        case "content_block_start":
            block = mapping(event.get("content_block"))
            if block.get("type") == "tool_use":
                asked.begin(number, block)
        case "content_block_delta":
            asked.more(number, mapping(event.get("delta")).get("partial_json"))
        case "content_block_stop" if (found := asked.finished(number)) is not None:
            block, text = found
            given = _object(text.encode("utf-8", "replace")) if text else block.get("input")
            return _calls("anthropic", [{**block, "input": given}])
    return ()


def _chat(event: dict[str, Any], asked: _Asked) -> tuple[Call, ...]:
    choice = mapping(next(iter(items(event.get("choices"))), None))
    for piece in map(mapping, items(mapping(choice.get("delta")).get("tool_calls"))):
        inside = mapping(piece.get("function")) or mapping(piece.get("custom"))
        if piece.get("id"):
            asked.begin(piece.get("index"), piece)
        asked.more(piece.get("index"), inside.get("arguments") or inside.get("input"))
    return asked.all() if choice.get("finish_reason") else ()


def _listed(wire: Wire, said: dict[str, Any]) -> list[Any]:
    """The blocks, items or calls of a response that came in one piece."""
    if wire == "chat":
        choice = mapping(next(iter(items(said.get("choices"))), None))
        return items(mapping(choice.get("message")).get("tool_calls"))
    return items(said.get("content" if wire == "anthropic" else "output"))


def _calls(wire: Wire, listed: Iterable[object]) -> tuple[Call, ...]:
    parts: list[Part] = []
    for it in map(mapping, listed):
        match wire:
            case "anthropic" if it.get("type") == "tool_use":
                parts += anthropic.call(it, ())
            case "responses":
                parts += responses.call(string(it.get("type")), it)
            case "chat":
                parts += chat.call(it, ())
    return tuple(part.block for part in parts if isinstance(part.block, Call))


def _object(data: bytes) -> dict[str, Any]:
    try:
        return mapping(decoded(data))
    except WireError:
        return {}
