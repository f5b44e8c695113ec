"""Skills of the held records: what each is, and the whole text of one."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated, Literal

from msgspec import Meta, Struct

from statetape.context.situation import Situation
from statetape.context.titles import shortened
from statetape.skills.naming import path_asked, record_asked, slot_name, spelled
from statetape.skills.skill import Arguments, Most, PathName, Rows, SlotName
from statetape.text import speakable
from statetape.types import (
    Query,
    Record,
    RepositoryState,
    Slot,
    SymbolId,
    Symbols,
    Untracked,
    View,
    Why,
)

_NAMED = 20  # symbols of one record
_PREVIEW = 80  # characters

About = Literal["symbols", "search", "repository", "nothing"]


class ForHeld(Arguments, frozen=True):
    """Which records."""

    path: PathName | None = None
    most: Most = 40


class ForText(Arguments, frozen=True):
    """Which record, and how much of it."""

    slot: SlotName
    most: Annotated[int, Meta(ge=1, le=5000, description="The most lines.")] = 400


class Held(Struct, frozen=True):
    """A held record; `title` is the action that produced it.

    `about` is what it claims something of. `state`: a `changed` one is not as the client sends it,
    `change` says why; one that is `nominated` may have been changed before. `preview` are the
    first 80 characters.
    """

    slot: str
    title: str
    step: int
    tokens: int
    about: About
    state: Literal["fresh", "nominated", "changed"]
    change: Why | None
    preview: str


class Text(Struct, frozen=True):
    """The text of a record as the next request would carry it, and what it is about."""

    slot: str
    title: str
    step: int
    symbols: tuple[str, ...]
    text: str


def held(situation: Situation, asked: ForHeld) -> Rows[Held]:
    """The held records in order; where there are too many, the smallest are left out.

    With `path`, those that show something of that file. Linear in the records.
    """
    records = list(situation.held.values())
    if asked.path is not None:
        path = path_asked(situation, asked.path)
        records = [record for record in records if path in _paths(record)]
    kept = sorted(records, key=lambda record: -record.tokens)[: asked.most]
    slots = {record.slot for record in kept}
    nominated = {each.record.slot for each in situation.nominations}
    rows = [_held(each, situation, nominated) for each in records if each.slot in slots]
    return Rows(tuple(rows), len(records) - len(rows))


def text(situation: Situation, asked: ForText) -> Rows[Text]:
    """The whole text of one held record. Its lines beyond `most` are counted as left out."""
    record = record_asked(situation, asked.slot)
    lines = speakable(record.text).split("\n")
    row = Text(
        slot_name(record.slot),
        titled(record, situation),
        record.step,
        some_spelled(views(record)),
        "\n".join(lines[: asked.most]),
    )
    return Rows((row,), max(0, len(lines) - asked.most))


def titled(record: Record, situation: Situation) -> str:
    """What produced a record, in one line."""
    return "a message" if record.slot.side == "say" else speakable(situation.title(record))


def views(record: Record) -> Mapping[SymbolId, View]:
    """The symbols that a record is about, with their views at birth."""
    referent = record.referent
    return referent.views if isinstance(referent, Symbols | Query) else {}


def some_spelled(symbols: Iterable[SymbolId]) -> tuple[str, ...]:
    """The first 20 symbols in order."""
    return tuple(spelled(symbol) for symbol in sorted(symbols)[:_NAMED])


def _held(record: Record, situation: Situation, nominated: AbstractSet[Slot]) -> Held:
    change = situation.ledger.get(record.slot)
    return Held(
        slot_name(record.slot),
        titled(record, situation),
        record.step,
        record.tokens,
        _about(record),
        "nominated" if record.slot in nominated else "changed" if change else "fresh",
        change.why if change else None,
        speakable(shortened(record.text[: 4 * _PREVIEW], _PREVIEW)),
    )


def _about(record: Record) -> About:
    match record.referent:
        case Symbols():
            return "symbols"
        case Query():
            return "search"
        case RepositoryState():
            return "repository"
        case Untracked():
            return "nothing"


def _paths(record: Record) -> set[str]:
    return {*record.read, *record.written, *(symbol.path for symbol in views(record))}
