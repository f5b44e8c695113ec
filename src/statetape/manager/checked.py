"""The model's answer held against the situation: a plan of existing records and regions alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from msgspec import Struct

from statetape.context.repository import Code
from statetape.context.settling import default_change, removal
from statetape.context.situation import Situation
from statetape.context.wording import let_go
from statetape.manager.prompt import evictable, numbered, settled
from statetape.manager.reply import Answer, Retrieval
from statetape.regions import moved
from statetape.types import (
    Change,
    Decision,
    Kept,
    Lines,
    Nomination,
    Plan,
    Query,
    Record,
    Region,
    Replace,
    Rule,
    Slot,
    SymbolId,
    Symbols,
)

_REGIONS = 8
_AS_SAID = "the model's word"
_CHARACTERS = 8_000  # of all regions together: some 2,000 tokens
_REASONS: Mapping[Rule, str] = {
    "G1": "the place of the edit",
    "G2": "what the edit refers to",
    "G3": "what must stay consistent with the edit",
    "G4": "the contract that the edit must satisfy",
}
_RANGE = re.compile(r"(.+):(\d{1,7})-(\d{1,7})", re.DOTALL)


class Decided(Struct, frozen=True):
    """What an answer decides of the records that it was asked about.

    `evict` and `retrieve` are None where it decides nothing of that.
    """

    actions: Mapping[Slot, Decision] = MappingProxyType({})
    evict: tuple[Slot, ...] | None = None
    retrieve: tuple[Retrieval, ...] | None = None


def decided(answer: Answer, situation: Situation) -> Decided:
    """What an answer says of records that there are; of two decisions of one, the first.

    A list that has something, and nothing of what there is, decides nothing.
    """
    numbers = numbered(situation)
    able = {each.record.slot for each in settled(situation)}
    actions: dict[Slot, Decision] = {}
    for action in answer.actions:
        record = numbers.get(action.record)
        if record is not None and record.slot in able:
            actions.setdefault(record.slot, action.action)
    evict = None
    if answer.evict is not None:
        known = (numbers[each.record].slot for each in answer.evict if each.record in numbers)
        evict = tuple(dict.fromkeys(known))
        evict = evict if evict or not answer.evict else None
    return Decided(actions, evict, answer.retrieve)


def checked(made: Decided, fallback: Plan, situation: Situation) -> Plan:
    """The plan of a decision; what it leaves out, or cannot be done, is as in `fallback`.

    Each nominated record has one action, the model's or the fallback's. Every text is ours: none
    of the model's words goes into the agent's context.
    """
    nominated = {each.record.slot for each in situation.nominations}
    able = {each.record.slot for each in settled(situation)}
    theirs = {change.slot: change for change in fallback.changes}
    changes: list[Change] = []
    kept: list[Kept] = []
    theirs_kept = {each.slot: each for each in fallback.kept}
    for each in situation.nominations:
        slot = each.record.slot
        if slot in made.actions and slot in able:
            change = _settled(each, made.actions[slot], situation)
            if change is None:
                kept.append(Kept(slot, _AS_SAID))
            else:
                changes.append(change)
        elif slot in theirs:
            changes.append(theirs[slot])
        elif slot in theirs_kept:
            kept.append(theirs_kept[slot])
    evictions = _evictions(made.evict, situation)
    if evictions is None:
        evictions = [c for c in fallback.changes if c.slot not in nominated]
    retrieved = _retrieved(made.retrieve, situation)
    found = {change.slot: change for change in (*changes, *evictions)}
    return Plan(
        tuple(found[slot] for slot in situation.held if slot in found),
        tuple(kept),
        tuple(_shorter(found, situation)),
        fallback.retrieved if retrieved is None else tuple(retrieved),
    )


def _settled(nominated: Nomination, action: Decision, situation: Situation) -> Replace | None:
    """The change that an action makes; None: the record is kept."""
    if action == "keep":
        return None
    if action == "refresh":
        if nominated.default == "refresh":
            return default_change(nominated, situation)
        fresh = None if nominated.record.slot.side == "input" else situation.fresh(nominated)
        if fresh is not None:
            return Replace(nominated.record.slot, fresh.text, "refresh")
    return removal(nominated, situation)


def _shorter(found: Mapping[Slot, Change], situation: Situation) -> Iterator[Change]:
    for each in settled(situation):
        change = found.get(each.record.slot)
        if change is not None and change.why == "refresh":
            yield removal(each, situation)


def _evictions(slots: Sequence[Slot] | None, situation: Situation) -> list[Change] | None:
    """The evictions that can be made; None where none is decided, or none of some can be made."""
    if slots is None:
        return None
    able = {record.slot: record for record in evictable(situation)}
    found: list[Change] = []
    for slot in slots:
        if slot in able:
            text = let_go(situation.title(able[slot]))
            if len(text) < len(able[slot].text):
                found.append(Replace(slot, text, "evict"))
    return found if found or not slots else None


def _retrieved(rows: Sequence[Retrieval] | None, situation: Situation) -> list[Region] | None:
    """The regions of an answer that exist now and are not held; None as for `_evictions`."""
    if rows is None or situation.code is None:
        return None
    shown = _shown(situation, situation.code)
    listed = frozenset(situation.code.graph.paths()) if rows else frozenset()
    found: list[Region] = []
    left = _CHARACTERS
    known = 0
    for row in rows:
        region, text = _region(row, situation.code, listed) or (None, "")
        if region is None:
            continue
        known += 1
        if _is_held(region, shown) or len(text) > left or len(found) == _REGIONS:
            continue
        left -= len(text)
        shown.setdefault(region.path, set()).update(_numbers(region.lines))
        found.append(region)
    return found if known or not rows else None


def _region(row: Retrieval, code: Code, listed: AbstractSet[str]) -> tuple[Region, str] | None:
    """The region that a row names, and its text now; None where there is no such code.

    Of listed files alone: what git ignores is nobody's to show.
    """
    path, _, name = row.where.partition("::")
    match = None if name else _RANGE.fullmatch(row.where)
    path = match[1] if match is not None else path
    if path not in listed:
        return None
    symbol = SymbolId(path, name)
    if name:
        definition = code.graph.definition(symbol)
        if definition is None or not definition.lines:
            return None
        lines = definition.lines[0]
    elif match is not None:
        lines = Lines(int(match[2]), int(match[3]))
    else:
        return None
    text = code.text(path)
    rows = [] if text is None else text.splitlines()
    if not 1 <= lines.first <= lines.last <= len(rows):
        return None
    region = Region(path, lines, symbol, row.rule, _REASONS[row.rule])
    return region, "\n".join(rows[lines.first - 1 : lines.last])


def _shown(situation: Situation, code: Code) -> dict[str, set[int]]:
    """The lines of each file, as they are numbered now, that fresh records show."""
    found: dict[str, set[int]] = {}
    for record in _fresh(situation):
        referent = record.referent
        for part in referent.shown if isinstance(referent, Symbols | Query) else ():
            lines = moved(part.lines, code.writes_of(part.path, record.born))
            if lines is not None:
                found.setdefault(part.path, set()).update(_numbers(lines))
    return found


def _fresh(situation: Situation) -> Iterator[Record]:
    stale = {each.record.slot for each in situation.nominations}
    yield from (record for slot, record in situation.standing().items() if slot not in stale)


def _is_held(region: Region, shown: Mapping[str, set[int]]) -> bool:
    return shown.get(region.path, set()).issuperset(_numbers(region.lines))


def _numbers(lines: Lines) -> range:
    return range(lines.first, lines.last + 1)
