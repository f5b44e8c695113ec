"""The lives of records: stale and true again, changed, forgotten, last used."""

from typing import get_args

import pytest

from statetape.context.inventory import Inventory
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.replay.lives import Lives
from statetape.replay.timeline import Passage, RecordRow
from statetape.session import Session
from statetape.types import (
    Action,
    Call,
    Edit,
    Plan,
    Read,
    Record,
    Replace,
    Result,
    Run,
    Say,
    Slot,
    Step,
    Why,
    Write,
)
from statetape.workspace import Workspace

A = "".join(f"value_{n} = {n}\n" for n in range(1, 41))


class Story:
    """A session whose lives are followed."""

    def __init__(self) -> None:
        self.space = Workspace(Memory({"a.py": A.encode(), "b.py": b"x = 1\n"}))
        self.inventory = Inventory(self.space, "/r", len)
        self.session = Session(self.space, POLICIES["default"], len, title=lambda _: "it")
        self.lives = Lives()
        self.count = 0

    def step(self, *actions: Action, text: str = "ok") -> Slot:
        self.count += 1
        name = f"c{self.count}"
        call, result = Call(Slot(name, "input"), "Tool", {}), Result(Slot(name, "result"), text)
        step = Step(self.count, "other", actions, call, result)
        records = self.inventory.of_step(step, self.space.now)
        for record in records:
            self.session.hold(record)
            self.lives.begin(record)
        self.lives.use(step, records)
        return result.slot

    def read(self, first: int, last: int, path: str = "a.py") -> Slot:
        lines = (self.space.text(path) or "").splitlines()[first - 1 : last]
        text = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first))
        return self.step(Read(path, first, last), text=text)

    def write(self, old: str, new: str) -> None:
        text = self.space.text("a.py") or ""
        assert old in text
        self.space.observe(Write("a.py", text.encode(), text.replace(old, new).encode()))
        self.session.catch_up()
        self.lives.judge(self.session, self.count)

    def request(self) -> None:
        self.lives.change(self.session.request(), self.count)

    def row(self, slot: Slot, now: dict[Slot, Record] | None = None) -> RecordRow:
        titles = {n: f"title {n}" for n in range(1, 20)}
        rows = self.lives.rows(titles, now or {}, self.count)
        (row,) = (row for row in rows if (row.id, row.side) == slot)
        return row


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_record_begins_fresh_at_its_own_step(story: Story) -> None:
    story.step(Run("ls", "event"))
    slot = story.read(1, 2)
    row = story.row(slot)
    assert row.life == (Passage(2, "fresh"),)
    assert (row.id, row.side, row.step, row.title) == ("c2", "result", 2, "title 2")
    assert (row.tokens, row.tokens_now, row.now) == (len(row.text), len(row.text), None)


def test_it_becomes_stale_once_and_says_because_of_what(story: Story) -> None:
    slot = story.read(1, 2)
    story.step(Run("x", "event"))
    story.write("value_1 = 1\n", "value_1 = 0\n")
    story.write("value_1 = 0\n", "value_1 = 7\n")
    assert story.row(slot).life == (Passage(1, "fresh"), Passage(2, "stale", ("a.py::value_1",)))
    assert story.lives.nominations == 1


def test_it_becomes_true_again_and_may_become_stale_again(story: Story) -> None:
    slot = story.read(1, 2)
    story.write("value_1 = 1\n", "value_1 = 0\n")
    story.write("value_1 = 0\n", "value_1 = 1\n")
    story.write("value_1 = 1\n", "value_1 = 0\n")
    states = [passage.state for passage in story.row(slot).life]
    assert states == ["fresh", "stale", "fresh", "stale"]
    assert story.lives.nominations == 2


def test_a_change_ends_being_stale(story: Story) -> None:
    slot = story.read(1, 2)
    story.write("value_1 = 1\n", "value_1 = 0\n")
    story.request()
    story.lives.judge(story.session, story.count)
    assert [p.state for p in story.row(slot).life] == ["fresh", "stale", "refreshed"]
    story.write("value_1 = 0\n", "value_1 = 5\n")
    assert story.row(slot).life[-1].state == "stale"


def test_what_the_policy_left_is_in_the_row(story: Story) -> None:
    slot = story.read(1, 2)
    story.write("value_1 = 1\n", "value_1 = 'a longer text'\n")
    story.request()
    now = story.session.held[slot]
    row = story.row(slot, {slot: now})
    assert (row.now, row.tokens_now) == (now.text, now.tokens)
    assert row.text == "1\tvalue_1 = 1\n2\tvalue_2 = 2"
    assert row.tokens == len(row.text)


def test_what_is_forgotten_is_neither_stale_nor_true_again(story: Story) -> None:
    slot = story.read(1, 2)
    story.write("value_1 = 1\n", "value_1 = 0\n")
    story.session.forget([slot])
    story.lives.forget([slot, Slot("never", "result")], 1)
    story.write("value_1 = 0\n", "value_1 = 1\n")
    assert [p.state for p in story.row(slot).life] == ["fresh", "stale", "forgotten"]


def test_a_record_that_takes_a_place_begins_anew(story: Story) -> None:
    slot = story.read(1, 2)
    story.write("value_1 = 1\n", "value_1 = 0\n")
    words = story.inventory.of_say(Say(slot, "user", "hello"), 4)
    story.session.hold(words)
    story.lives.begin(words)
    story.lives.judge(story.session, 5)
    assert story.row(slot).life == (Passage(4, "fresh"),)
    assert story.row(slot).text == "hello"


def test_words_are_titled_by_themselves(story: Story) -> None:
    words = story.inventory.of_say(Say(Slot("m", "say"), "user", "please\nfix it"), 1)
    story.lives.begin(words)
    assert story.row(words.slot).title == "please fix it"


class TestLastUse:
    def test_never_again_is_its_own_step(self, story: Story) -> None:
        slot = story.read(1, 5)
        story.step(Run("x", "event"))
        assert story.row(slot).last_use == 1

    def test_a_later_look_at_its_lines_is_a_use(self, story: Story) -> None:
        slot = story.read(1, 5)
        story.read(5, 9)
        story.read(1, 1, "b.py")
        assert story.row(slot).last_use == 2

    def test_a_look_at_other_lines_is_none(self, story: Story) -> None:
        slot, below = story.read(5, 9), story.read(10, 12)
        story.read(1, 4)
        assert story.row(slot).last_use == 1
        assert story.row(below).last_use == 2

    def test_an_edit_of_its_lines_is_one(self, story: Story) -> None:
        slot, other = story.read(1, 5), story.read(20, 25)
        story.write("value_3 = 3\n", "value_3 = 0\n")
        story.step(Edit("a.py", old="value_3 = 3", new="value_3 = 0"))
        assert story.row(slot).last_use == 3
        assert story.row(other).last_use == 2

    def test_an_edit_of_unknown_place_is_one_of_every_line(self, story: Story) -> None:
        slot = story.read(20, 25)
        story.step(Edit("a.py", absent=True))
        assert story.row(slot).last_use == 2

    def test_a_read_without_range_is_one_of_every_line(self, story: Story) -> None:
        slot = story.read(40, 40)
        story.step(Read("a.py"), text="too long to show")
        assert story.row(slot).last_use == 2

    def test_words_are_used_to_the_end(self, story: Story) -> None:
        slot = story.step(Run("git push", "event"))
        story.read(1, 2)
        story.read(1, 2)
        assert story.row(slot).last_use == 3

    def test_a_test_run_is_used_at_its_own_step(self, story: Story) -> None:
        slot = story.step(Run("pytest", "test"))
        story.read(1, 2)
        assert story.row(slot).last_use == 1


@pytest.mark.parametrize("why", get_args(Why))
def test_whatever_a_policy_does_leaves_a_state(why: Why) -> None:
    story = Story()
    slot = story.read(1, 3)
    story.lives.change(Plan((Replace(slot, "text", why),)), 2)
    (life,) = (row.life for row in story.lives.rows({}, {}, 2) if row.side == "result")
    assert [passage.step for passage in life] == [1, 2]
    assert life[-1].state in ("refreshed", "dropped", "rerun", "evicted")
