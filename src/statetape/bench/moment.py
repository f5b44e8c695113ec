"""A burst of edits about to be made: its hunks, what they touch, and the two states around it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from statetape.bench.bounds import is_source, runs
from statetape.bench.chronicle import Chronicle, State
from statetape.bench.definitions import Definition, definitions, enclosing
from statetape.bench.hunks import Hunk, within
from statetape.bench.labels import Steps
from statetape.bench.references import References
from statetape.bench.uses import AROUND, REACH, Uses
from statetape.types import Lines, Rule, Tick


class Wanted(NamedTuple):
    """A region of a file's state at the point, before the bounds."""

    path: str
    lines: Lines
    symbol: str
    rule: Rule
    reason: str


class Story(NamedTuple):
    """What a session did, and who knows the names. `outstanding` are hunks of the whole session.

    They are of its own edits, or of a reference patch (`patched`).
    """

    chronicle: Chronicle
    uses: Uses
    hunks: Sequence[Hunk]
    outstanding: Sequence[Hunk]
    references: References
    patched: bool = False


class Site(NamedTuple):
    """Where a hunk stands at the point: its definition, and the lines to see (None: outside)."""

    path: str
    definition: Definition | None
    lines: Lines


class Moment:
    """A burst, seen from the tick of its point."""

    def __init__(self, story: Story, burst: Steps, tick: Tick) -> None:
        self.story = story
        self.burst = burst
        self.tick = tick
        found = within(story.hunks, burst)
        self.hunks = tuple(hunk for hunk in found if is_source(hunk.path))
        self.end = max([tick, *(hunk.tick for hunk in found)])

    def state(self, path: str) -> State:
        """A file at the point."""
        return self.story.chronicle.at(path, self.tick)

    def after(self, path: str) -> State:
        """A file after the burst."""
        return self.story.chronicle.at(path, self.end)

    def exists(self, path: str) -> bool:
        """Whether there is such a file at the point."""
        return self.story.chronicle.exists(path, self.tick)

    def stays(self, path: str) -> bool:
        """Whether there is such a file after the burst: to remove one is to need nothing of it."""
        return self.story.chronicle.exists(path, self.end)

    def definitions(self, path: str) -> Sequence[Definition]:
        """The definitions of a file at the point; none where there is no file."""
        return definitions(path, self.state(path).text) if self.exists(path) else ()

    def definition(self, path: str, name: str) -> Definition | None:
        """The definition of a name at the point, the last one if there are more."""
        return next((d for d in reversed(self.definitions(path)) if d.name == name), None)

    def new_lines(self, hunk: Hunk) -> tuple[int, ...]:
        """The lines (1-based) that a hunk put in which stand after the burst."""
        places = self.after(hunk.path).places
        return tuple(places[line] for line in hunk.new if line in places)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Where the hunks stand at the point, each place once."""
        found = [site for hunk in self.hunks for site in self.sites_of(hunk)]
        return tuple(_joined(dict.fromkeys(found)))

    def sites_of(self, hunk: Hunk) -> Iterator[Site]:
        """Where a hunk stands at the point; nowhere in what is not there yet."""
        if not self.exists(hunk.path):
            return
        state = self.state(hunk.path)
        known = self.definitions(hunk.path)
        places = [line for line in hunk.places(state) if state.lines[line - 1].strip()]
        for lines in runs(places):
            for definition, part in _parts(known, lines):
                yield self._site(hunk.path, state, definition, part)
        if places:
            return
        gap = hunk.gap(state)
        if gap is None:
            return
        grown = self._grown(hunk, known)
        yield self._site(hunk.path, state, grown, Lines(gap[0] + 1, gap[1] - 1))

    def _site(self, path: str, state: State, definition: Definition | None, lines: Lines) -> Site:
        """The lines of a definition, those of a class's head, or some around."""
        if definition is not None and definition.kind != "class":
            return Site(path, definition, Lines(definition.first, definition.last))
        if definition is not None and lines.first <= definition.head:
            return Site(path, definition, Lines(definition.first, definition.head))
        last = len(state.numbers) - (not state.lines[-1])
        first = max(1, lines.first - AROUND)
        return Site(path, definition, Lines(first, max(first, min(last, lines.last + AROUND))))

    def _grown(self, hunk: Hunk, known: Sequence[Definition]) -> Definition | None:
        """The definition that an insertion has become a part of; None: of none that there was."""
        after = self.story.chronicle.at(hunk.path, hunk.tick)
        lines = [after.places[line] for line in hunk.new if line in after.places]
        lines = [line for line in lines if after.lines[line - 1].strip()]
        if not lines:
            return None
        around = enclosing(definitions(hunk.path, after.text), lines[0], lines[-1])
        names = {each.name: each for each in known}
        return names.get(around.name) if around is not None else None

    @cached_property
    def edited(self) -> tuple[tuple[str, Definition], ...]:
        """The definitions that the burst changes, with their files."""
        found = [(site.path, site.definition) for site in self.sites if site.definition is not None]
        return tuple(dict.fromkeys(found))

    @cached_property
    def made(self) -> tuple[tuple[str, Definition], ...]:
        """The definitions that the burst makes, as they are after it."""
        found = []
        for path in dict.fromkeys(hunk.path for hunk in self.hunks):
            had = {each.name for each in self.definitions(path)}
            if self.stays(path):
                after = definitions(path, self.after(path).text)
                found += [(path, each) for each in after if each.name not in had]
        return tuple(found)

    @cached_property
    def later(self) -> tuple[Hunk, ...]:
        """The outstanding hunks beyond the burst, in source files."""
        return tuple(
            hunk
            for hunk in self.story.outstanding
            if is_source(hunk.path) and self._is_outstanding(hunk)
        )

    def _is_outstanding(self, hunk: Hunk) -> bool:
        if not self.story.patched:
            return hunk.step > self.burst.last
        return self.exists(hunk.path) and stands(hunk, self.state(hunk.path))

    @cached_property
    def reads(self) -> Mapping[str, frozenset[int]]:
        """The lines (by number) that the agent has read by then or soon after, by path."""
        paths = self.story.chronicle.paths
        found: dict[str, set[int]] = {}
        for use in self.story.uses.all:
            if use.how == "read" and use.step <= self.burst.last + REACH:
                for line in use.lines:
                    found.setdefault(paths[line], set()).add(line)
        return {path: frozenset(lines) for path, lines in found.items()}


def _joined(sites: Iterable[Site]) -> Iterator[Site]:
    """The sites, those next to each other that are no whole definition as one."""
    now: Site | None = None
    for site in sites:
        if now is None:
            now = site
        elif _is_loose(now) and _is_loose(site) and now[:2] == site[:2] and _touch(now, site):
            first = min(now.lines.first, site.lines.first)
            now = now._replace(lines=Lines(first, max(now.lines.last, site.lines.last)))
        else:
            yield now
            now = site
    if now is not None:
        yield now


def _is_loose(site: Site) -> bool:
    return site.definition is None or site.lines.first > site.definition.head


def _touch(one: Site, other: Site) -> bool:
    return one.lines.first <= other.lines.last + 1 and other.lines.first <= one.lines.last + 1


def _parts(known: Sequence[Definition], lines: Lines) -> Iterator[tuple[Definition | None, Lines]]:
    """A run of lines by the innermost definitions that they are in."""
    around = [enclosing(known, line, line) for line in range(lines.first, lines.last + 1)]
    for definition, group in groupby(enumerate(around, lines.first), key=itemgetter(1)):
        found = [line for line, _ in group]
        yield definition, Lines(found[0], found[-1])


def region(path: str, found: Definition, rule: Rule, reason: str) -> Wanted:
    """A definition as a region: of a class with methods its head."""
    return Wanted(path, Lines(found.first, found.head), found.name, rule, reason)


def stands(hunk: Hunk, state: State) -> bool:
    """Whether all that a hunk of a patch changes is as it was: nobody has touched it."""
    lines = [line for line in (hunk.above, *hunk.old, hunk.below) if line is not None]
    places = [state.places.get(line) for line in lines]
    first = places[0] if places else None
    return first is not None and places == list(range(first, first + len(places)))
