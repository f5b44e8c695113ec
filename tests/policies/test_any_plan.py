"""Theorem 1(b) over any plan whatsoever: what no plan keeps on purpose is true, or is nominated.

Plans are drawn, not decided: any change of any nominated record, and any regions to bring in,
with lines, paths, names and reasons that may be nonsense. The truth is a graph built anew of the
files' texts.
"""

from collections.abc import Generator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.policies.test_any_policy import ACTS, PATHS, Kept

from statetape.code.graph import Graph
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import bringing
from statetape.files import Memory
from statetape.types import (
    Lines,
    Plan,
    Record,
    Region,
    Replace,
    Rule,
    Slot,
    SymbolId,
    Symbols,
    Why,
)

STRANGE = ("gone.py", "/etc/passwd", "../a.py", "./a.py", "", "a.py\n", "no/../a.py")
NAMES = ("", "load", "save", "helper", "main", "value_3", "no such name", "two\nlines")
RULES: tuple[Rule, ...] = ("G1", "G2", "G3", "G4")


@st.composite
def regions(draw: Any) -> Region:
    path = draw(st.one_of(st.sampled_from(PATHS), st.sampled_from((*PATHS, "c.py", *STRANGE))))
    first = draw(st.one_of(st.integers(1, 8), st.integers(1, 8), st.integers(-1, 90)))
    last = first + draw(st.one_of(st.integers(0, 6), st.integers(0, 6), st.integers(-2, 90)))
    symbol = SymbolId(path, draw(st.sampled_from(NAMES)))
    reason = draw(st.one_of(st.just("needed"), st.text(max_size=20)))
    return Region(path, Lines(first, last), symbol, draw(st.sampled_from(RULES)), reason)


class Drawn(Kept):
    """A conversation whose every plan is drawn."""

    def __init__(self, data: Any) -> None:
        super().__init__(self.planned)
        self.data = data
        self.titles[0] = "a message"

    def planned(self, situation: Situation) -> Generator[Ask, Reply, Plan]:
        yield from ()
        changes = []
        for nominated in situation.nominations:
            record = nominated.record
            done = self.data.draw(st.sampled_from(("refresh", "refresh", "drop", "evict", "keep")))
            fresh = situation.fresh(nominated) if done == "refresh" else None
            if record.slot.side == "input" or done == "keep":
                continue
            text = fresh.text if fresh is not None else f"[{done} of {situation.title(record)}]"
            why: Why = "refresh" if fresh is not None else "evict" if done == "evict" else "drop"
            changes.append(Replace(record.slot, text, why))
        for slot in (
            self.data.draw(st.sets(st.sampled_from([*situation.held]), max_size=1))
            if (situation.held)
            else ()
        ):
            if slot.side in ("result", "added") and slot not in {c.slot for c in changes}:
                changes.append(Replace(slot, "[evicted]", "evict"))
        wanted = tuple(self.data.draw(st.lists(regions(), max_size=4)))
        return Plan(tuple(changes), retrieved=wanted)

    def ask_any(self) -> None:
        plan = self.session.request()
        unsent = [slot for slot in self.take() if slot in self.session.held]
        if self.data.draw(st.booleans()):
            self.session.dedupe(unsent)
        most = self.data.draw(st.sampled_from((8_000, 8_000, 200, 0)))
        found = self.session.retrieve(unsent, plan.retrieved, most)
        if self.data.draw(st.booleans()):
            self.session.note(unsent, 100)
        self.session.restore()
        if found is not None:
            assert found.record.slot == Slot(unsent[-1].id, "added")
            assert found.record.tokens <= most
            assert set(found.regions) <= set(plan.retrieved)
            self.shows_current_lines(found.record)
        self.nothing_stale_is_left()

    def shows_current_lines(self, record: Record) -> None:
        """Each row is our heading, or a numbered line of a file as it is now."""
        assert isinstance(record.referent, Symbols)
        first, *rest = record.text.split("\n")
        assert first == bringing()
        files = {path: (self.space.text(path) or "").split("\n") for path in self.space.paths()}
        for part in record.referent.shown:
            assert not part.path.startswith(("/", ".")), part.path
            head, *rows = rest[: part.lines.last - part.lines.first + 2]
            del rest[: len(rows) + 1]
            assert head.startswith(f"{part.path} {part.lines.first}-{part.lines.last}")
            for number, row in zip(range(part.lines.first, part.lines.last + 1), rows, strict=True):
                line = files[part.path][number - 1]
                assert row.endswith(line)
                assert row.removesuffix(line).strip(" \t→|:") == str(number)
        assert not rest

    def nothing_stale_is_left(self) -> None:
        self.session.catch_up()
        held, named = self.session.held, self.session.nominations
        texts = {path: self.space.read(path) for path in self.space.paths()}
        graph = Graph(Memory({path: data for path, data in texts.items() if data is not None}))
        for slot, record in held.items():
            if slot in named or not isinstance(record.referent, Symbols):
                continue
            for part in record.referent.shown:
                now = f"\n{self.space.text(part.path)}\n"
                assert f"\n{part.text}\n" in now, f"{slot} is stale and not nominated"
            for symbol, view in record.referent.views.items():
                found = graph.view(symbol)
                if view.edges is not None and found is not None and found.digest == view.digest:
                    assert found.edges == view.edges, f"{slot}: what {symbol} calls has moved"
        order = list(held)
        for at, slot in enumerate(order):
            if slot.side == "added":
                assert order[at - 1] == Slot(slot.id, "result")
                assert slot in self.session.ledger
        assert self.session.tokens == sum(record.tokens for record in held.values())
        assert all(held[slot].text == change.text for slot, change in self.session.ledger.items())


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_after_any_plan_what_is_left_unnominated_is_true(data: Any) -> None:
    talk = Drawn(data)
    acts = st.sampled_from((*ACTS, "edit", "edit", "say", "write"))
    steps = st.tuples(acts, st.sampled_from(PATHS), st.integers(0, 90))
    for act, path, number in data.draw(st.lists(steps, min_size=1, max_size=12)):
        talk.act(act, path, number)
        if number % 3:
            talk.ask_any()
    talk.ask_any()
