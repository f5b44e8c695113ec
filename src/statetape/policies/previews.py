"""What a small model sees of held records that it judges by their wording, and what it names."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from statetape.context.asking import Ask, Message
from statetape.context.situation import Situation
from statetape.context.titles import shortened
from statetape.types import Query, Record, RepositoryState, Slot, Symbols

MOST = 40
"""Records in one prompt, as in the paper's proof of Theorem 2(b)."""

_PREVIEW = 80  # characters
_OUTPUT = 2_000  # tokens
_LEAST = 60  # tokens: a shorter text is hardly longer than what would stand for it


def numbered(situation: Situation) -> Mapping[Slot, str]:
    """The numbers of held records in a prompt: their places, from 1 on."""
    return {slot: str(at) for at, slot in enumerate(situation.held, 1)}


def evidence(situation: Situation, *, of_state: bool) -> list[Record]:
    """The last results that show something of the repository and were sent before, in order.

    Reads and searches; with `of_state` tests and commands as well. Not those of the last turn,
    which the agent has not seen, nor what it wrote, nor what is too short to be worth it.
    """
    turns = situation.turns()
    last = max(turns.values(), default=0)
    about = (Symbols, Query, RepositoryState) if of_state else (Symbols, Query)
    found = [
        record
        for record in situation.results()
        if isinstance(record.referent, about)
        and not record.written
        and turns[record.slot] < last
        and record.tokens >= _LEAST
    ]
    return found[-MOST:]


def rows(situation: Situation, records: Iterable[Record]) -> Iterator[str]:
    """One row for each record: its number, its tokens, what it is of, how it begins."""
    numbers = numbered(situation)
    for record in records:
        words = shortened(record.text[: 4 * _PREVIEW], _PREVIEW)
        title = shortened(situation.title(record), _PREVIEW)
        yield f"{numbers[record.slot]} {record.tokens}t {title}: {words}"


def judged(purpose: str, text: str, *, system: str, version: str) -> Ask:
    """The ask that a small model answers with the records that it names."""
    messages = (Message("user", text),)
    return Ask(purpose, messages, system, schema=SCHEMA, most=_OUTPUT, version=version)


def named(situation: Situation, records: Iterable[Record], text: str | None) -> list[Record]:
    """Those of the records that a reply names, in order; none where it cannot be read."""
    names = set(_names(text or ""))
    numbers = numbered(situation)
    return [record for record in records if numbers[record.slot] in names]


def _names(text: str) -> Iterator[str]:
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        return
    listed = found.get("records") if isinstance(found, dict) else None
    for each in listed if isinstance(listed, list) else ():
        name = each.get("record") if isinstance(each, dict) else each
        if isinstance(name, str | int):
            yield str(name)


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "records": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"record": {"type": "string"}, "reason": {"type": "string"}},
                "required": ["record", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["records"],
    "additionalProperties": False,
}
"""The JSON schema of a reply: the records that it names."""
