"""What a policy does at a decision point, as values that know of no label.

An effect is the difference between two contexts: the one that the agent really had, and the one
that it would have been sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from statetape.bench.lineage import FOREVER, Lineage
from statetape.bench.uses import Uses, parts
from statetape.context.added import brought
from statetape.context.situation import SHOWING, Situation
from statetape.session import MOST_BROUGHT
from statetape.tokens import tokens
from statetape.types import Lines, Nomination, Plan, Query, Record, Replace, Slot, SymbolId, Symbols
from statetape.workspace import Workspace


class Change(Struct, frozen=True):
    """What stands in the slot of a held record instead of it.

    `tokens` are those of the new text: words, or a fresh text. Of a fresh text, `restored` is the
    part of them in lines that the old text had too, and `covers` says whether all symbols of the
    old one that still exist are in it.
    """

    how: Literal["removed", "refreshed"]
    tokens: int
    restored: int = 0
    covers: bool = False


class Effect(Struct, frozen=True):
    """One decision: slots that are not in `changed` are kept as they are.

    `lines` are the lines of files, as these are at the point, that stand true in the context and
    did not before: path, line (1-based), tokens. `brought` are the tokens of added code, whatever
    of it was held already.
    """

    changed: Mapping[Slot, Change]
    lines: Mapping[str, Mapping[int, int]]
    brought: int = 0

    @property
    def added(self) -> int:
        """All tokens that come in: words, fresh texts, code (the paper's A_t)."""
        return self.brought + sum(change.tokens for change in self.changed.values())

    @property
    def abstains(self) -> bool:
        """Whether no text of a file comes in."""
        fresh = any(change.how == "refreshed" for change in self.changed.values())
        return not (self.brought or fresh)


NO_EFFECT = Effect({}, {})

line_tokens = lru_cache(maxsize=65_536)(lambda text: tokens(text + "\n"))
"""The tokens of one line of a file, its end included."""


class Sight:
    """Which lines of files records show: those of a walk, and those that policies put in place."""

    def __init__(self, workspace: Workspace, lineage: Lineage, uses: Uses) -> None:
        self.workspace = workspace
        self._lineage = lineage
        self._uses = uses

    def of(self, record: Record) -> tuple[int, ...]:
        """The lines that a record shows as they are now."""
        shown = (line for part in parts(record) for line in self._lineage.shown(part))
        return tuple(dict.fromkeys(shown))

    def came(self, slot: Slot) -> tuple[int, ...]:
        """The lines that the record showed which came in this slot."""
        return self._uses.shown.get(slot, ())

    def within(self, path: str, lines: Lines) -> Sequence[int]:
        """These lines of a file now."""
        return self._lineage.within(path, lines)

    def standing(self, slots: Iterable[Slot]) -> set[int]:
        """The lines shown by what came in these slots that still stand in their files."""
        return {line for slot in slots for line in self.came(slot) if self.stands(line)}

    def stands(self, line: int) -> bool:
        """Whether a line still stands in its file."""
        return self._lineage.died[line] == FOREVER

    def weight(self, lines: Iterable[int]) -> int:
        """The tokens of lines."""
        return sum(line_tokens(self._lineage.texts[line]) for line in lines)

    def placed(self, lines: set[int]) -> Mapping[str, Mapping[int, int]]:
        """Lines that stand by path and number, with their tokens."""
        found: dict[str, dict[int, int]] = {}
        for path in sorted({self._lineage.paths[line] for line in lines}):
            found[path] = {
                number: line_tokens(self._lineage.texts[line])
                for number, line in enumerate(self._lineage.lines(path), 1)
                if line in lines
            }
        return found

    def refreshed(self, was: Record, now: Record, lines: Sequence[int]) -> Change:
        """The change from a record to a fresh one that shows `lines`."""
        old = set(self.came(was.slot))
        size = self.weight(lines)
        share = self.weight(line for line in lines if line in old) / size if size else 0.0
        restored = min(was.tokens, round(now.tokens * share))
        return Change("refreshed", now.tokens, restored, covers=self._covers(was, now))

    def _covers(self, was: Record, now: Record) -> bool:
        symbols = _symbols(was)
        there = {symbol for symbol in symbols if self.workspace.digest(symbol) is not None}
        return bool(there) and there <= _symbols(now)


def recorded(plan: Plan, situation: Situation, sight: Sight) -> Effect:
    """What a plan does to the context that it was made for, without doing it.

    What it retrieves is brought in as a session would: verified, and at most `MOST_BROUGHT`.
    """
    held = situation.held
    after = dict(held)
    changed: dict[Slot, Change] = {}
    lines: set[int] = set()
    for change in plan.changes:
        was = held[change.slot]
        fresh = _fresh(change, situation) if change.why in SHOWING else None
        if fresh is None:
            changed[change.slot] = Change("removed", tokens(change.text))
            del after[change.slot]
        else:
            shown = sight.of(fresh)
            changed[change.slot] = sight.refreshed(was, fresh, shown)
            after[change.slot] = fresh
            lines.update(shown)
    found = None
    if plan.retrieved:
        stale = {each.record.slot for each in situation.nominations} - changed.keys()
        true = {slot: record for slot, record in after.items() if slot not in stale}
        result = next((r for r in reversed(list(held.values())) if r.slot.side == "result"), None)
        if result is not None:
            found = brought(result, plan.retrieved, true, sight.workspace, tokens, MOST_BROUGHT)
    if found is not None:
        lines.update(sight.of(found.record))
    new = lines - sight.standing(held) if lines else lines
    return Effect(changed, sight.placed(new), found.record.tokens if found else 0)


def _fresh(change: Replace, situation: Situation) -> Record | None:
    """The record that a text in place of another one was made from."""
    was = situation.held[change.slot]
    nominated = next(
        (each for each in situation.nominations if each.record.slot == change.slot),
        Nomination(was, frozenset(), frozenset(), was.born + 1, "refresh"),
    )
    for offered in (situation.fresh, lambda each: situation.whole(each.record)):
        record = offered(nominated)
        if record is not None and record.text == change.text:
            return record
    return None


def _symbols(record: Record) -> set[SymbolId]:
    return set(record.referent.views) if isinstance(record.referent, Symbols | Query) else set()
