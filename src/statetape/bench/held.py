"""The held side: what is in the context at a point, where its lines stand, and what it is good for.

Staleness is found by comparing texts with the files' states (`replay.check.Standing`, which shares
no code with the tape), never by what was nominated.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from statetape.bench.chronicle import Chronicle
from statetape.bench.labels import Held, Verdict
from statetape.bench.uses import Uses, parts
from statetape.regions import moved
from statetape.replay.check import Standing, standing
from statetape.replay.walk import Came, Happening, Went, Wrote
from statetape.text import text_of
from statetape.types import Lines, Record, RepositoryState, Run, Slot, Tick, Write


class Place(NamedTuple):
    """Lines that a record shows: where they are now (None: nowhere any more), if they stand."""

    path: str
    lines: Lines | None
    standing: Standing


class Holding(NamedTuple):
    """A record as it is held at some moment; `command` is what it is the outcome of, if any."""

    record: Record
    places: tuple[Place, ...]
    command: str


class Context:
    """What the context holds, followed along a walk. Tell it after the chronicle."""

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._held: dict[Slot, Holding] = {}
        self._of_file: defaultdict[str, dict[Slot, None]] = defaultdict(dict)

    def now(self) -> tuple[Holding, ...]:
        """All of it, in the order in which it came."""
        return tuple(self._held.values())

    def follow(self, happening: Happening) -> None:
        """Take in what happened next."""
        match happening:
            case Came(records=records, step=step):
                runs = [a.command for a in step.actions if isinstance(a, Run)] if step else []
                for record in records:
                    output = record.slot.side == "result"
                    self._came(record, "\n".join(runs) if output else "")
            case Wrote(entry=entry, doubted=False):
                self._wrote(entry.write)
            case Went(slots=None):
                self._held.clear()
                self._of_file.clear()
            case Went(slots=frozenset() as slots):
                for slot in slots:
                    self._held.pop(slot, None)

    def _came(self, record: Record, command: str) -> None:
        places = []
        for part in parts(record):
            text = self._chronicle.at(part.path, record.born).text
            place = Place(part.path, part.lines, standing(part.text, text, part.lines.first))
            for written in self._chronicle.writes.get(part.path, ()):
                if written.tick > record.born:
                    place = _after(place, written.write)
            places.append(place)
            self._of_file[part.path][record.slot] = None
        self._held[record.slot] = Holding(record, tuple(places), command)

    def _wrote(self, write: Write) -> None:
        known: dict[Place, Place] = {}
        for slot in self._of_file.get(write.path, ()):
            if (held := self._held.get(slot)) is None:
                continue
            places = list(held.places)
            for at, place in enumerate(places):
                if place.path == write.path:
                    if place not in known:
                        known[place] = _after(place, write)
                    places[at] = known[place]
            self._held[slot] = held._replace(places=tuple(places))


def _after(place: Place, write: Write) -> Place:
    lines = place.lines and moved(place.lines, (write,))
    after = place.standing.after(text_of(write.before), text_of(write.after))
    return Place(place.path, lines, after)


class Needs(NamedTuple):
    """What makes a record needed: gold lines by path, and the lines that the burst quotes."""

    gold: Mapping[str, frozenset[int]]
    quoted: frozenset[int] = frozenset()


class Inventory:
    """The held side of the points of one session, once its walk is over."""

    def __init__(self, chronicle: Chronicle, uses: Uses) -> None:
        self._chronicle = chronicle
        self._shown = {slot: frozenset(lines) for slot, lines in uses.shown.items()}
        self._used: defaultdict[int, list[int]] = defaultdict(list)
        for use in uses.all:
            for line in use.lines:
                self._used[line].append(use.step)
        self._run = {command: sorted(steps) for command, steps in uses.commands.items()}

    def held(
        self, context: Sequence[Holding], step: int, tick: Tick, needs: Needs
    ) -> tuple[Held, ...]:
        """The records of a context with their verdicts."""
        verdicts = [
            "needed" if self._needed(each, needs) else self.unneeded(each, context[at + 1 :], tick)
            for at, each in enumerate(context)
        ]
        return tuple(
            self.entry(each, verdict, step) for each, verdict in zip(context, verdicts, strict=True)
        )

    def entry(self, held: Holding, verdict: Verdict, step: int) -> Held:
        """A record of the inventory, at a point after `step`."""
        record = held.record
        path, span = _where(held.places)
        return Held(
            record.slot.id,
            record.slot.side if record.slot.side != "added" else "added",
            record.kind,
            path,
            span,
            record.step,
            record.tokens,
            verdict,
            self._next_use(held, step),
            hashlib.sha256(record.text.encode("utf-8", "surrogatepass")).hexdigest(),
        )

    def unneeded(self, held: Holding, later: Sequence[Holding], tick: Tick) -> Verdict:
        """What a record is that nothing needs; `later` are those that came after it."""
        if self.is_stale(held, tick):
            return "stale"
        return "superseded" if self.is_superseded(held, later) else "finished"

    def is_stale(self, held: Holding, tick: Tick) -> bool:
        """Whether what it shows is not what the repository holds."""
        if isinstance(held.record.referent, RepositoryState):
            return self._chronicle.digest(tick) != self._chronicle.digest(held.record.born)
        return any(not place.standing.places for place in held.places)

    def is_superseded(self, held: Holding, later: Sequence[Holding]) -> bool:
        """Whether a later record shows all of its lines, or is of the same command."""
        if isinstance(held.record.referent, RepositoryState):
            return bool(held.command) and any(each.command == held.command for each in later)
        lines = self._shown.get(held.record.slot)
        if not lines:
            return False
        return any(lines <= self._shown.get(each.record.slot, frozenset()) for each in later)

    def fresh(self, context: Iterable[Holding], tick: Tick) -> frozenset[int]:
        """The lines that the context shows as they are, by number."""
        shown = (self._shown.get(each.record.slot, frozenset()) for each in context)
        return frozenset(self._chronicle.stand(frozenset().union(*shown), tick))

    def _needed(self, held: Holding, needs: Needs) -> bool:
        if not needs.quoted.isdisjoint(self._shown.get(held.record.slot, ())):
            return True
        for place in held.places:
            gold = needs.gold.get(place.path)
            if (
                gold
                and place.lines
                and any(line in gold for line in range(place.lines.first, place.lines.last + 1))
            ):
                return True
        return False

    def _next_use(self, held: Holding, step: int) -> int | None:
        steps = [
            next((at for at in self._used[line] if at > step), 0)
            for line in self._shown.get(held.record.slot, ())
            if line in self._used
        ]
        runs = self._run.get(held.command, ()) if held.command else ()
        steps.append(next((at for at in runs if at > step), 0))
        return min((at for at in steps if at), default=None)


def _where(places: Sequence[Place]) -> tuple[str | None, Lines | None]:
    """The file that most of these lines are of, and from where to where they stand in it."""
    sizes: dict[str, int] = {}
    for place in places:
        sizes[place.path] = sizes.get(place.path, 0) + place.standing.shown.count("\n") + 1
    if not sizes:
        return None, None
    path = max(sizes, key=lambda each: sizes[each])
    lines = [place.lines for place in places if place.path == path and place.lines]
    if not lines:
        return path, None
    return path, Lines(min(each.first for each in lines), max(each.last for each in lines))
