"""Notes and pointers in any conversation: nothing that was sent changes by them, nothing false
is hidden, nothing is told twice, no budget is exceeded."""

import re
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.talk import LONG, A, B, Talk, nothing

from statetape.context.wording import noted
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Plan, Read, Record, Replace, Slot, Symbols

BUDGET = 60
POINTER = re.compile(
    r"\[statetape: lines (\d+)(?:-(\d+))?(?: of long\.py)? as shown above, in .*\]"
)


class Live(Talk):
    """A conversation with notes and pointers, beside one that is left alone."""

    def __init__(self) -> None:
        super().__init__(title="an earlier read")
        self.alone = Session(self.space, POLICIES["control"], tokens, title=lambda _: "it")
        self.sent: dict[Slot, str] = {}
        self.known = 0
        self.told: list[tuple[int, str]] = []

    def enter(self) -> None:
        for record in self.records[self.known :]:
            self.alone.hold(record)
        self.known = len(self.records)

    def drop(self, number: int) -> None:
        self.enter()
        held = list(self.session.held)
        if held:
            slot = held[number * 7 % len(held)]
            self.session.forget([slot])
            self.alone.forget([slot])
            self.sent.pop(slot, None)
            self.unsent = [each for each in self.unsent if each != slot]

    def ask(self, carried: Callable[[Plan], Plan]) -> None:
        """A request, and all that has to hold of it."""
        self.enter()
        unsent = self.take()
        changed = {change.slot for change in self.session.request(carried).changes}
        changed |= {change.slot for change in self.session.restore()}
        originals = {slot: self.session.held[slot] for slot in unsent if slot in self.session.held}
        pointers = self.session.dedupe(unsent)
        for change in pointers:
            self.hides_nothing(originals[change.slot], change)
        note = self.session.note(unsent, BUDGET)
        if note is not None:
            text = noted(note.text)
            assert tokens("\n" + text) <= BUDGET
            assert note.slot in unsent
            assert note.slot not in {change.slot for change in pointers}
            assert note.text == f"{originals[note.slot].text}\n{text}"
            self.told.append((self.space.now, text))
        assert self.session.note(unsent, BUDGET) is None
        for slot, text in self.sent.items():
            assert slot in changed or self.text(slot) == text
        self.sent = {slot: record.text for slot, record in self.session.held.items()}
        self.sees_what_is_stale()
        assert self.session.tokens == sum(tokens(text) for text in self.sent.values())

    def hides_nothing(self, original: Record, change: Replace) -> None:
        """With the lines of the file in place of its pointers, a text is what it was.

        Those that the file had when it was read; both records are true, wherever they are now.
        """
        lines = (self.space.text_at("long.py", original.born) or "").split("\n")
        assert isinstance(original.referent, Symbols)
        prefixes = {
            number: prefix
            for part in original.referent.shown
            for number, prefix in zip(
                range(part.lines.first, part.lines.last + 1),
                part.prefixes or [""] * len(part.text.split("\n")),
                strict=False,
            )
        }
        rows: list[str] = []
        for row in change.text.split("\n"):
            found = POINTER.fullmatch(row)
            if found is None:
                rows.append(row)
                continue
            numbers = range(int(found[1]), int(found[2] or found[1]) + 1)
            rows += [prefixes[number] + lines[number - 1] for number in numbers]
        assert "\n".join(rows) == original.text

    def sees_what_is_stale(self) -> None:
        """What is stale for one that is left alone is stale here, or changed, or pointed at so."""
        self.alone.catch_up()
        held, ours = self.session.held, self.session.nominations
        for slot in self.alone.nominations:
            if slot in ours or slot.side == "input":
                assert slot in ours
                continue
            change = self.session.ledger[slot]
            if change.why == "dedupe":
                assert any(
                    other in ours or self.session.ledger[other].why == "refresh"
                    for other in held
                    if other in self.alone.nominations and other != slot
                )
            else:
                assert change.why in {"refresh", "drop", "rerun"}


def half(plan: Plan) -> Plan:
    return Plan(plan.changes[::2])


ACTS: list[Callable[[Live, int], object]] = [
    lambda talk, _: talk.read("a.py"),
    lambda talk, n: talk.read("b.py", 1, 1 + n),
    lambda talk, n: talk.read("long.py", 1 + 5 * n, 60 + 5 * n),
    lambda talk, n: talk.read("long.py", 1 + 5 * n),
    lambda talk, _: talk.step(Read("long.py"), text=talk.space.text("long.py") or ""),
    lambda talk, _: talk.step(text="ok"),
    lambda talk, n: talk.put("a.py", A.replace("return 1", f"return {n}")),
    lambda talk, n: talk.put("b.py", B.replace("LIMIT = 1", f"LIMIT = {n}") if n else None),
    lambda talk, n: talk.put("long.py", LONG.replace(f"return {7 * n} ", f"return {n} + 1 ")),
    lambda talk, n: talk.put("long.py", "# above\n" * n + LONG),
    lambda talk, n: talk.edit("c.py", "    save()\n", f"    save()\n    save({n})\n"),
    lambda talk, n: talk.drop(n),
    lambda talk, _: talk.ask(nothing),
    lambda talk, _: talk.ask(nothing),
    lambda talk, _: talk.ask(half),
    lambda talk, _: talk.ask(lambda plan: plan),
]


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 4)), max_size=30))
def test_any_conversation(acts: list[Any]) -> None:
    talk = Live()
    for act, number in acts:
        act(talk, number)
    talk.ask(nothing)
    for tick, text in talk.told:
        assert sum(each == (tick, text) for each in talk.told) == 1
