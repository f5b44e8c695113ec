"""What the model has decided stands: nobody is asked twice, and all asks are a bounded share."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from tests.manager.managed import Managed, Model, kept, says, silent

from statetape.context.asking import Ask, Reply
from statetape.manager.model import Managed as Manager
from statetape.manager.standing import Job, Standing
from statetape.policies.default import default
from statetape.policies.hosted import Hosted, Models, Tally, at_once
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Plan, Slot, Usage


class Kept(Managed):
    """A conversation whose manager remembers, with as much room as it likes."""

    def __init__(
        self,
        model: Model,
        share: float = 99.0,
        begin: Callable[[Job], None] | None = None,
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        super().__init__(silent)
        self.model = model
        self.standing = Standing(
            Manager(default), self._said, share=share, begin=begin, guard=guard
        )
        self.session = Session(
            self.space, self.standing, tokens, title=lambda record: self.titles[record.step]
        )

    def _said(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return self.model(ask)

    def keep(self, *slots: Slot) -> None:
        rows = [{"record": self.number(slot), "action": "keep"} for slot in slots]
        self.model = says(actions=rows, evict=[], retrieve=[])


def test_what_is_kept_is_not_asked_about_again_until_a_write_touches_it() -> None:
    talk = Kept(silent)
    slot = talk.read("a.py")
    talk.keep(slot)
    talk.edit("a.py", "return 1", "return 2")
    for _ in range(3):
        assert kept(talk.session.request()) == {slot}
    assert len(talk.asks) == 1
    talk.change("b.py", "LIMIT = 1", "LIMIT = 2")
    talk.session.request()
    assert len(talk.asks) == 1
    talk.change("a.py", "return 2", "return 3")
    talk.session.request()
    assert len(talk.asks) == 2


def test_a_test_result_that_is_kept_is_asked_about_after_every_write() -> None:
    talk = Kept(silent)
    slot = talk.test()
    talk.keep(slot)
    talk.edit("a.py", "return 1", "return 2")
    talk.session.request()
    talk.session.request()
    assert len(talk.asks) == 1
    talk.change("b.py", "LIMIT = 1", "LIMIT = 2")
    talk.session.request()
    assert len(talk.asks) == 2


def test_a_new_nomination_is_new_though_others_stand() -> None:
    talk = Kept(silent)
    one = talk.read("a.py")
    talk.keep(one)
    talk.edit("a.py", "return 1", "return 2")
    talk.session.request()
    talk.read("b.py")
    talk.change("b.py", "LIMIT = 1", "LIMIT = 2")
    talk.session.request()
    assert len(talk.asks) == 2


def test_where_the_model_fails_it_is_not_asked_the_same_again() -> None:
    talk = Kept(lambda _: Reply(None, why="late"))
    slot = talk.read("a.py")
    talk.edit("a.py", "return 1", "return 2")
    plan = talk.session.request(lambda _: Plan())
    assert plan == Plan()
    assert talk.session.request().changes[0].slot == slot
    assert len(talk.asks) == 1


def test_all_asks_are_a_bounded_share_of_what_was_sent() -> None:
    def costly(ask: Ask) -> Reply:
        return Reply(None, usage=Usage(input=len(ask.messages[0].text)), why="refused")

    talk = Kept(costly, share=0.04)
    sent = spent = 0
    for number in range(39):
        talk.read("long.py")
        talk.change("long.py", f"return {number} ", f"return -{number} ")
        talk.session.request()
        sent += talk.session.tokens
        spent = sum(len(ask.messages[0].text) for ask in talk.asks)
        assert spent <= 0.05 * sent
    assert talk.standing.skipped > 0
    assert len(talk.asks) > 3


def test_with_little_room_the_model_may_not_look_for_long() -> None:
    lasts: list[bool] = []
    for share in (0.5, 99.0):
        talk = Kept(silent, share=share)
        talk.read("long.py")
        for _ in range(4):
            talk.session.request()
        talk.edit("long.py", "return 1 ", "return 9 ")
        talk.session.request()
        lasts += [ask.last for ask in talk.asks]
    assert lasts == [True, False]


class TestBehind:
    def test_the_request_leaves_with_the_fallbacks_plan_and_the_next_follows_the_model(
        self,
    ) -> None:
        jobs: list[Job] = []
        talk = Kept(silent, begin=jobs.append)
        listing = talk.step(text="a listing\n" * 60, name="ls")
        slot = talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        row = {"record": talk.number(listing), "reason": "done"}
        talk.model = says(actions=[], evict=[row], retrieve=[{"where": "c.py::main", "rule": "G3"}])
        assert [c.slot for c in talk.session.request().changes] == [slot]
        assert talk.asks == []
        jobs.pop()()
        assert len(talk.asks) == 1
        plan = talk.session.request()
        assert [c.slot for c in plan.changes if c.why == "evict"] == [listing]
        assert not jobs

    def test_one_job_at_a_time_and_of_what_was_there_when_the_request_left(self) -> None:
        jobs: list[Job] = []
        talk = Kept(silent, begin=jobs.append)
        slot = talk.read("a.py")
        talk.keep(slot)
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request(lambda _: Plan())
        number = talk.number(slot)
        talk.read("b.py")
        talk.change("b.py", "LIMIT = 1", "LIMIT = 2")
        talk.session.request(lambda _: Plan())
        assert len(jobs) == 1
        talk.session.forget([Slot("c1", "input")])
        jobs.pop()()
        assert number in talk.shown
        assert "read b.py" not in talk.shown
        plan = talk.session.request(lambda plan: plan)
        assert slot in kept(plan)
        assert len(jobs) == 1

    def test_what_was_decided_of_a_record_that_was_written_since_is_not_done(self) -> None:
        jobs: list[Job] = []
        talk = Kept(silent, begin=jobs.append)
        slot = talk.read("a.py")
        talk.keep(slot)
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request(lambda _: Plan())
        jobs.pop()()
        talk.change("a.py", "return 2", "return 3")
        plan = talk.session.request()
        assert plan.kept == ()
        assert [change.why for change in plan.changes] == ["refresh"]

    def test_the_guard_is_held_for_the_repository_and_not_for_the_model(self) -> None:
        held: list[str] = []

        class Guard(AbstractContextManager[None]):
            def __enter__(self) -> None:
                held.append("in")

            def __exit__(self, *_: object) -> None:
                held.append("out")

        def model(_: Ask) -> Reply:
            assert held.count("in") == held.count("out")
            held.append("asked")
            return Reply("{}")

        talk = Kept(model, begin=at_once, guard=Guard())
        talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request()
        assert held == ["in", "out", "asked", "in", "out"]

    def test_where_no_thread_can_be_started_requests_go_on(self) -> None:
        def begin(_: Job) -> None:
            raise RuntimeError

        talk = Kept(silent, begin=begin)
        slot = talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        assert [c.slot for c in talk.session.request().changes] == [slot]

    def test_a_model_that_breaks_down_is_asked_at_a_later_request(self) -> None:
        jobs: list[Job] = []

        def broken(_: Ask) -> Reply:
            raise OSError

        talk = Kept(broken, begin=jobs.append)
        talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request(lambda _: Plan())
        with pytest.raises(OSError, match=r"^$"):
            jobs.pop()()
        talk.session.request()
        assert len(jobs) == 1


class TestHosted:
    def test_a_conversation_has_a_memory_of_its_own(self) -> None:
        models = Models(silent, "m")
        one = models.hosted(Manager(default), nullcontext())
        two = models.hosted(Manager(default), nullcontext())
        assert one is not two
        assert isinstance(one, Hosted)

    def test_what_was_asked_is_counted_once(self) -> None:
        replies: list[Any] = [
            Reply("a", usage=Usage(input=5, output=2)),
            Reply(None, usage=Usage(input=1), why="malformed"),
            Reply(None, why="no model"),
        ]
        tally = Tally(lambda _: replies.pop(0), "m")
        ask = json.loads  # any object: it is passed on
        for _ in range(3):
            tally(ask)  # type: ignore[arg-type]
        spent = tally.take()
        assert (spent.model, spent.asks, spent.failed) == ("m", 2, {"malformed": 1})
        assert spent.usage == Usage(input=6, output=2)
        assert tally.take().asks == 0
