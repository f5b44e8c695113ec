"""What a note tells: symbols that are not as the context shows them, and callers it does not show.

A write is told of once, and not if the agent knows it: because it made it, or was shown what came
of it. What a known write did elsewhere, to what is called, is told all the same.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from statetape.code.moves import Moved
from statetape.context.holdings import Holdings
from statetape.context.known import seen, shown_since, stated
from statetape.context.repository import Repository
from statetape.context.wording import names, note, noted, reaching, said, went
from statetape.tape import Entry, Tape
from statetape.types import Edit, Lines, Nomination, Replace, Slot, SymbolId, View

_CALLERS = 4  # unseen ones that a note names
_ASKED = 4  # symbols whose callers are looked for; where more changed, none are
_RESOLVED = 8  # symbols that may be resolved to find the callers of one
_WRITES = 200  # a window of more writes was no agent at work
_CALLED = frozenset({"function", "method"})


class Present(Repository, Protocol):
    """The repository as a note has to know it (a `Workspace`)."""

    @property
    def tape(self) -> Tape:
        """The writes so far."""

    def callers_nearby(self, symbol: SymbolId, most: int) -> Iterable[SymbolId]:
        """Who calls a symbol for certain, as far as that can be told at once."""


class Untold(NamedTuple):
    """What a note is about: `nominations` are those of records that stay as they are.

    `outdated` are the slots of records that writes which nobody saw have falsified.
    """

    holdings: Holdings
    nominations: Collection[Nomination]
    outdated: Collection[Slot]
    moved: Callable[[Nomination], Mapping[SymbolId, Moved]]


class Notes:
    """The notes of one conversation: which writes were told of, and what stands where."""

    def __init__(self, repository: Present) -> None:
        """Writes up to now need not be told."""
        self._repository = repository
        self._since = repository.now
        self._edits: defaultdict[str, deque[Edit]] = defaultdict(lambda: deque(maxlen=_WRITES))
        self._notes: dict[Slot, str] = {}

    def said(self, edits: Iterable[Edit]) -> None:
        """The agent has made these edits; they went well."""
        for edit in edits:
            for path in {edit.path, edit.moved_to or edit.path}:
                self._edits[path].append(edit)

    def keep(self, change: Replace) -> None:
        """A slot has this text now, perhaps with a note in it."""
        self._notes.pop(change.slot, None)
        if found := noted(change.text):
            self._notes[change.slot] = found

    def forget(self, slot: Slot) -> None:
        """A slot is gone, and what it told."""
        self._notes.pop(slot, None)

    def kept(self, change: Replace) -> Replace:
        """A change that leaves what its slot has told."""
        note = self._notes.get(change.slot, "")
        if not note or note in change.text:
            return change
        return replace(change, text=f"{change.text}\n{note}")

    def due(
        self, untold: Untold, budget: int, tokens: Callable[[str], int], *, waits: bool = False
    ) -> str:
        """What is to be told now, in at most so many tokens; "" if there is nothing.

        It counts as told, what has no room included (its number is told), unless it `waits`.
        Looks at the writes since the last note, and at the records of their files.
        """
        entries = self._entries()
        changed = list(self._outdated(untold)) if untold.outdated else []
        callers: list[tuple[str, str]] = []
        if entries:
            unknown = self._unknown(entries, untold.holdings)
            changed += _changed(unknown, untold, self._repository)
            changed += _dispatched(entries, untold, self._repository)
            callers += self._callers(entries, untold.holdings)
        text = _fitted(list(dict.fromkeys(changed)), callers, budget, tokens)
        if not (text and waits):
            self._since = self._repository.now
            self._edits.clear()
        return text

    def _entries(self) -> list[Entry]:
        entries = self._repository.tape.since(self._since)
        return [] if len(entries) > _WRITES else list(entries)

    def _unknown(self, entries: Sequence[Entry], holdings: Holdings) -> list[Entry]:
        """The writes that the agent cannot know of."""
        of_path: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            if holdings.of_path(entry.write.path) and entry.write.before != entry.write.after:
                of_path[entry.write.path].append(entry)
        found = []
        for path, own in of_path.items():
            known = stated([entry.write for entry in own], self._edits.get(path, ()))
            records = [holdings.records[slot] for slot in holdings.of_path(path)]
            for number, entry in enumerate(own):
                if number in known:
                    continue
                runs = shown_since(path, entry.tick, records, self._repository)
                if not seen(entry.write, entry.tick, runs, self._repository):
                    found.append(entry)
        return found

    def _outdated(self, untold: Untold) -> Iterator[tuple[str, str]]:
        """Files of which it is only known that they are not as shown, and not shown since."""
        records = untold.holdings.records
        for nominated in untold.nominations:
            record = nominated.record
            if record.slot not in untold.outdated or record.slot.side == "input":
                continue
            for path in sorted({symbol.path for symbol in nominated.body}):
                later = (records[slot] for slot in untold.holdings.of_path(path))
                if any(each.step > record.step for each in later) or self._has(path, ""):
                    continue
                yield path, "changed"

    def _callers(self, entries: Sequence[Entry], holdings: Holdings) -> Iterator[tuple[str, str]]:
        written = {s for entry in entries for s in (*entry.drift.body, *entry.drift.created)}
        body = sorted({symbol for entry in entries for symbol in entry.drift.body})
        asked = [symbol for symbol in body if self._kind(symbol) in _CALLED]
        found: dict[SymbolId, None] = {}
        for symbol in asked if len(asked) <= _ASKED else ():
            for caller in self._repository.callers_nearby(symbol, _RESOLVED):
                known = caller in written or holdings.of_symbol(caller)
                if not known and not self._has(caller.path, caller.name):
                    found[caller] = None
        for caller in list(found)[:_CALLERS]:
            yield caller.path, said(caller.name, _lines(caller, self._repository), "")

    def _has(self, path: str, name: str) -> bool:
        return any(names(each, path, name) for each in self._notes.values())

    def _kind(self, symbol: SymbolId) -> str:
        facts = self._repository.facts(symbol.path)
        definitions = facts.definitions if facts else ()
        return next((each.kind for each in definitions if each.name == symbol.name), "")


def _changed(
    unknown: Sequence[Entry], untold: Untold, repository: Present
) -> Iterator[tuple[str, str]]:
    """The symbols that an unknown write changed under a record that stays as it is."""
    last = {symbol: entry.tick for entry in unknown for symbol in _body(entry)}
    due: dict[SymbolId, Nomination] = {}
    for nominated in untold.nominations:
        for symbol in nominated.body:
            if last.get(symbol, 0) > nominated.record.born:
                due.setdefault(symbol, nominated)
    for symbol in sorted(due, key=lambda s: (s.path, _lines(s, repository) or (1 << 60, 0), s)):
        if repository.text(symbol.path) is None:
            file = SymbolId(symbol.path, "")
            yield symbol.path, went(untold.moved(due[symbol]).get(file))
            continue
        if repository.digest(symbol) is None:
            words = went(untold.moved(due[symbol]).get(symbol))
        else:
            words = "changed"
        whole = not symbol.name and _alone(symbol, repository)
        if not symbol.name and any(other.name and other.path == symbol.path for other in due):
            continue
        lines = _lines(symbol, repository) if symbol.name else None
        yield symbol.path, words if whole else said(symbol.name, lines, words)


def _body(entry: Entry) -> Iterable[SymbolId]:
    return (*entry.drift.body, *entry.drift.created)


def _dispatched(
    entries: Sequence[Entry], untold: Untold, repository: Present
) -> Iterator[tuple[str, str]]:
    """The symbols that are shown and call something else since a write, whoever made it."""
    last = {symbol: entry.tick for entry in entries for symbol in entry.drift.dispatch}
    due: dict[SymbolId, View] = {}
    for nominated in untold.nominations:
        views = getattr(nominated.record.referent, "views", {})
        for symbol in nominated.dispatch:
            if last.get(symbol, 0) > nominated.record.born:
                due.setdefault(symbol, views[symbol])
    for symbol in sorted(due):
        view = repository.view(symbol)
        old, new = due[symbol].edges, view.edges if view else None
        if old is not None and new is not None and (words := reaching(old, new)):
            yield symbol.path, said(symbol.name, _lines(symbol, repository), words)


def _fitted(
    changed: Sequence[tuple[str, str]],
    callers: Sequence[tuple[str, str]],
    budget: int,
    tokens: Callable[[str], int],
) -> str:
    """The note with as much as has room, the first things first."""
    total = len(changed) + len(callers)
    found = ""
    for count in range(1, total + 1):
        more = max(0, len(changed) - count)
        text = note(changed[:count], callers[: max(0, count - len(changed))], more)
        if tokens(f"\n{text}") > budget:
            break
        found = text
    return found


def _alone(symbol: SymbolId, repository: Present) -> bool:
    facts = repository.facts(symbol.path)
    return facts is None or len(facts.definitions) == 1


def _lines(symbol: SymbolId, repository: Present) -> Lines | None:
    facts = repository.facts(symbol.path)
    definitions = facts.definitions if facts else ()
    return next((each.lines[0] for each in definitions if each.name == symbol.name), None)
