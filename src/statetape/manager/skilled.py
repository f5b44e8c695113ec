"""The skills as a model's tools: few words for each, records by the numbers of the prompt.

With the schemas that a command line lists, the tools would be most of each prompt. A small model
needs one argument of each: what it asks about.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from statetape.context.asking import Tool
from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.manager.model import Toolbox
from statetape.manager.prompt import numbered
from statetape.skills import answered
from statetape.skills.naming import slot_name

_ROWS: Mapping[str, Any] = {"most": 12}
_LINES: Mapping[str, Any] = {"most": 40}
_ANY: Mapping[str, Any] = {"type": "string"}

_TOLD: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "nominations": ("Nominations with the text a refresh would show.", "", {"characters": 300}),
    "drift": ("What the last write changed.", "", {}),
    "callers": ("Who calls or reads a symbol.", "symbol", _ROWS),
    "callees": ("What a symbol calls or reads.", "symbol", _ROWS),
    "falsified": ("Held records that a change of a symbol falsifies.", "symbol", _ROWS),
    "held": ("Held records of a file.", "path", _ROWS),
    "text": ("The text of a held record.", "record", _LINES),
    "source": ("The code of a symbol now.", "symbol", _LINES),
    "importers": ("Files that import a file.", "path", _ROWS),
    "overrides": ("What derives from a class or overrides a method.", "symbol", _ROWS),
    "bases": ("What a class derives from, or a method overrides.", "symbol", _ROWS),
    "focus": ("Symbols that the last steps touched.", "", _ROWS),
}
"""Of each skill, what a model is told of it, what it is about, and what else it is asked with."""


def skilled() -> Toolbox:
    """The skills for one exchange after another; a symbol is `path::name`, or its end."""
    tools = (Tool(name, words, _schema(about)) for name, (words, about, _) in _TOLD.items())
    return Toolbox(tuple(tools), _answered)


def _schema(about: str) -> Mapping[str, Any]:
    if not about:
        return {"type": "object", "properties": {}}
    return {"type": "object", "properties": {about: _ANY}}


def _answered(name: str, situation: Situation, given: Mapping[str, Any]) -> object:
    """The rows of an answer, without what is empty. BadInput as the skills raise it."""
    _, about, rest = _TOLD[name]
    arguments = {**rest, **given}
    numbers = numbered(situation)
    if about == "record":
        number = str(arguments.pop("record", ""))
        if number not in numbers:
            raise BadInput(f"{name}: no record of that number")
        arguments["slot"] = slot_name(numbers[number].slot)
    by_slot = {slot_name(record.slot): number for number, record in numbers.items()}
    found = msgspec.to_builtins(answered(name, situation, arguments))
    rows = [_row(row, by_slot) for row in found["rows"]]
    return [*rows, f"{found['left_out']} more"] if found["left_out"] else rows


def _row(row: Mapping[str, Any], by_slot: Mapping[str, str]) -> dict[str, Any]:
    told = {key: value for key, value in row.items() if value not in (None, "", [], ())}
    slot = told.pop("slot", None)
    return told if slot is None else {"record": by_slot.get(slot, slot), **told}
