"""The model's answer as values: what of it can be read, part by part."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from statetape.types import Decision, Rule


class Action(Struct, frozen=True):
    """What becomes of one nominated record."""

    record: str
    action: Decision
    reason: str = ""


class Eviction(Struct, frozen=True):
    """A record that is true and finished with."""

    record: str
    reason: str = ""


class Retrieval(Struct, frozen=True):
    """Code to bring in; `where` is `path::name` or `path:first-last`."""

    where: str
    rule: Rule
    reason: str = ""


class Answer(Struct, frozen=True):
    """What can be read of an answer.

    `evict` and `retrieve` are None where the answer has no such list, or nothing in a list that
    has something can be read.
    """

    actions: tuple[Action, ...] = ()
    evict: tuple[Eviction, ...] | None = None
    retrieve: tuple[Retrieval, ...] | None = None


def _rows(*required: str, **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    row = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return {"type": "array", "items": row}


_TEXT: Mapping[str, Any] = {"type": "string"}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "actions": _rows(
            "record", "action", "reason",
            record=_TEXT, action={"enum": ["refresh", "drop", "rerun", "keep"]}, reason=_TEXT,
        ),
        "evict": _rows("record", "reason", record=_TEXT, reason=_TEXT),
        "retrieve": _rows(
            "where", "rule", "reason",
            where=_TEXT, rule={"enum": ["G1", "G2", "G3", "G4"]}, reason=_TEXT,
        ),
    },
    "required": ["actions", "evict", "retrieve"],
    "additionalProperties": False,
}  # fmt: skip
"""The JSON schema of an answer; all is required, as strict endpoints want it."""

Row = TypeVar("Row", Action, Eviction, Retrieval)

_MOST = 200  # rows of one list
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def answer(text: str) -> Answer | None:
    """What a text says, alone or with words around its JSON; None: it has no JSON object."""
    found = _object(text)
    if found is None:
        return None
    return Answer(
        _read(found.get("actions"), Action) or (),
        _read(found.get("evict"), Eviction),
        _read(found.get("retrieve"), Retrieval),
    )


def _read(value: object, row: type[Row]) -> tuple[Row, ...] | None:
    """The rows of a list that can be read; None where it is no list, or none of some can."""
    if not isinstance(value, list):
        return None
    found = []
    for each in value[:_MOST]:
        try:
            found.append(msgspec.convert(each, row))
        except msgspec.ValidationError:
            continue
    return tuple(found) if found or not value else None


def _object(text: str) -> dict[str, Any] | None:
    """The first JSON object: the whole text, one in a fence, or what stands between braces."""
    fenced = (match[1] for match in _FENCED.finditer(text))
    braced = text[text.find("{") : text.rfind("}") + 1]
    for each in (text, *fenced, braced):
        try:
            value = json.loads(each)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None
