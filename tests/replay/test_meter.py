"""What was sent at each request: true, finished, stale, ours."""

import pytest

from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.replay.meter import Meter
from statetape.replay.timeline import Passage, RecordRow, Tokens
from statetape.session import Session
from statetape.types import Record, Referent, RepositoryState, Slot, Untracked, Write
from statetape.workspace import Workspace


class Metered:
    """A control and a maintained session under one meter."""

    def __init__(self, policy: str = "default", *, rewrite_inputs: bool = False) -> None:
        self.space = Workspace(Memory())
        self.control = self.session("control", rewrite_inputs=False)
        self.subject = self.session(policy, rewrite_inputs=rewrite_inputs)
        self.meter = Meter()
        self.count = 0
        self.sent = 0

    def session(self, policy: str, *, rewrite_inputs: bool) -> Session:
        return Session(
            self.space,
            POLICIES[policy],
            len,
            title=lambda _: "it",
            rewrite_inputs=rewrite_inputs,
        )

    def hold(self, tokens: int, *, of_state: bool = False, side: str = "result") -> Slot:
        self.count += 1
        slot = Slot(f"c{self.count}", side)  # type: ignore[arg-type]
        about: Referent = RepositoryState(self.space.state) if of_state else Untracked()
        record = Record(slot, self.count, "run", "x" * tokens, about, self.space.now, tokens)
        for session in (self.control, self.subject):
            session.hold(record)
        self.meter.hold(record)
        return slot

    def forget(self, *slots: Slot) -> None:
        self.meter.forget(slots)
        for session in (self.control, self.subject):
            session.forget(slots)

    def write(self) -> None:
        text = f"{self.space.now}".encode()
        self.space.observe(Write("a.txt", self.space.read("a.txt"), text))

    def send(self) -> None:
        self.sent += 1
        self.subject.request()
        self.control.catch_up()
        self.meter.send(self.sent, self.count, self.control, self.subject)


@pytest.fixture
def metered() -> Metered:
    return Metered()


def row(slot: Slot, tokens: int, last_use: int, *life: Passage) -> RecordRow:
    step = int(slot.id[1:])
    passages = life or (Passage(step, "fresh"),)
    return RecordRow(
        slot.id, slot.side, step, "run", "", tokens, tokens, "", None, passages, last_use
    )


def test_nothing_sent_is_nothing(metered: Metered) -> None:
    metered.hold(10)
    assert metered.meter.tokens() == Tokens()
    assert metered.meter.moments(()) == ()


def test_tokens_are_summed_over_the_requests(metered: Metered) -> None:
    first = metered.hold(10)
    metered.send()
    metered.hold(20)
    metered.send()
    metered.forget(first)
    metered.send()
    found = metered.meter.tokens()
    assert (found.sent_control, found.sent_policy) == (60, 60)
    assert found.held_peak == 30
    assert (found.stale_sent_control, found.stale_sent_policy) == (0, 0)


def test_what_is_stale_is_sent_under_control_only(metered: Metered) -> None:
    slot = metered.hold(1000, of_state=True)
    metered.send()
    metered.write()
    metered.send()
    metered.send()
    left = metered.subject.held[slot].tokens
    assert metered.meter.tokens() == Tokens(
        held_peak=1000,
        sent_control=3000,
        sent_policy=1000 + 2 * left,
        stale_sent_control=2000,
        stale_sent_policy=0,
        stale_inputs_sent=0,
    )
    life = Passage(1, "fresh"), Passage(1, "rerun")
    (_, second, third) = metered.meter.moments([row(slot, 1000, 1, *life)])
    assert (second.ours, second.stale, second.control, second.control_stale) == (
        left,
        0,
        1000,
        1000,
    )
    assert (third.fresh, third.finished, third.ours) == (0, 0, left)


def test_a_policy_that_changes_nothing_sends_what_is_stale() -> None:
    metered = Metered("control")
    metered.hold(1000, of_state=True)
    metered.hold(7)
    metered.write()
    metered.send()
    assert metered.meter.tokens().stale_sent_policy == 1000
    (moment,) = metered.meter.moments(())
    assert (moment.fresh, moment.stale, moment.ours) == (7, 1000, 0)


def test_stale_inputs_are_counted_apart_and_are_none_once_rewritten() -> None:
    for rewrite, count in ((False, 2000), (True, 0)):
        metered = Metered(rewrite_inputs=rewrite)
        metered.hold(1000, of_state=True, side="input")
        metered.write()
        metered.send()
        metered.send()
        found = metered.meter.tokens()
        assert found.stale_inputs_sent == count
        assert (found.stale_sent_control, found.stale_sent_policy) == (0, 0)


def test_what_is_used_no_more_is_finished_from_the_request_after_its_last_use(
    metered: Metered,
) -> None:
    slots = [metered.hold(tokens) for tokens in (10, 200)]
    metered.send()
    metered.hold(0)
    metered.send()
    metered.hold(0)
    metered.send()
    rows = [row(slots[0], 10, 2), row(slots[1], 200, 3)]
    moments = metered.meter.moments(rows)
    assert [(m.step, m.fresh, m.finished) for m in moments] == [
        (2, 210, 0),
        (3, 200, 10),
        (4, 0, 210),
    ]


def test_what_is_forgotten_is_finished_no_more(metered: Metered) -> None:
    slot = metered.hold(10)
    metered.send()
    metered.hold(5)
    metered.send()
    metered.forget(slot)
    metered.send()
    moments = metered.meter.moments([row(slot, 10, 1)])
    assert [m.finished for m in moments] == [0, 10, 0]


def test_what_is_held_again_is_counted_again(metered: Metered) -> None:
    slot = metered.hold(10)
    metered.send()
    metered.forget(slot)
    metered.send()
    metered.count = 0
    assert metered.hold(10) == slot
    metered.send()
    moments = metered.meter.moments([row(slot, 10, 0)])
    assert [m.finished for m in moments] == [0, 0, 10]
    assert [m.control for m in moments] == [10, 0, 10]


def test_what_was_changed_is_ours_and_no_more_finished(metered: Metered) -> None:
    slot, rest = metered.hold(1000, of_state=True), metered.hold(50)
    metered.send()
    metered.hold(0)
    metered.send()
    metered.hold(0)
    metered.write()
    metered.send()
    life = Passage(1, "fresh"), Passage(4, "stale"), Passage(4, "rerun")
    moments = metered.meter.moments([row(slot, 1000, 1, *life), row(rest, 50, 4)])
    assert [(m.fresh, m.finished) for m in moments] == [(1050, 0), (50, 1000), (50, 0)]
    assert moments[2].ours == metered.subject.held[slot].tokens > 0


def test_the_parts_are_what_was_sent(metered: Metered) -> None:
    slots = [metered.hold(10 * n, of_state=n % 2 == 0) for n in range(1, 6)]
    sums = []
    for number in range(4):
        if number == 2:
            metered.write()
        metered.send()
        sums.append(metered.subject.tokens)
        metered.hold(3)
    rows = [row(slot, 10 * n, n) for n, slot in enumerate(slots, 1)]
    moments = metered.meter.moments(rows)
    assert [m.fresh + m.finished + m.stale + m.ours for m in moments] == sums
    assert all(part >= 0 for moment in moments for part in moment)
