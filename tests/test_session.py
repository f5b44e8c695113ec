"""What a conversation holds, what of it was nominated, and what stays changed."""

from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.context.asking import Ask, Reply, question
from statetape.context.inventory import Inventory
from statetape.context.situation import Situation
from statetape.context.wording import current
from statetape.files import Memory
from statetape.policies import POLICIES, Policy
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
    Search,
    Slot,
    Step,
    Untracked,
    Write,
)
from statetape.workspace import Workspace

A = "from b import helper\n\n\ndef load():\n    return helper()\n\n\ndef save():\n    return 1\n"
B = "def helper():\n    return 1\n"


class Conversation:
    """A session, its workspace, and short words for what happens in them."""

    def __init__(self, policy: Policy, *, rewrite_inputs: bool = False) -> None:
        self.space = Workspace(Memory({"a.py": A.encode(), "b.py": B.encode()}))
        self.inventory = Inventory(self.space, "/r", len)
        self.session = Session(
            self.space,
            policy,
            len,
            title=lambda record: f"step {record.step}",
            answer=lambda ask: Reply(f"re: {ask.messages[-1].text}"),
            rewrite_inputs=rewrite_inputs,
        )
        self.count = 0

    def step(self, *actions: Action, text: str) -> Slot:
        self.count += 1
        name = f"c{self.count}"
        call, result = Call(Slot(name, "input"), "Tool", {}), Result(Slot(name, "result"), text)
        step = Step(self.count, "other", actions, call, result)
        for record in self.inventory.of_step(step, self.space.now):
            self.session.hold(record)
        return result.slot

    def read(self, path: str, first: int = 1, last: int | None = None) -> Slot:
        lines = (self.space.text(path) or "").splitlines()[first - 1 : last]
        text = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first))
        return self.step(Read(path), text=text)

    def put(self, path: str, text: str | None) -> None:
        self.space.observe(
            Write(path, self.space.read(path), None if text is None else text.encode())
        )

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.space.text(path)
        assert text is not None
        assert old in text
        self.put(path, text.replace(old, new))

    @property
    def nominated(self) -> set[Slot]:
        self.session.catch_up()
        return set(self.session.nominations)


@pytest.fixture
def watched() -> Conversation:
    return Conversation(POLICIES["control"])


@pytest.fixture
def maintained() -> Conversation:
    return Conversation(POLICIES["default"])


class TestHeld:
    def test_records_are_held_in_the_order_in_which_they_came(self, watched: Conversation) -> None:
        one, two = watched.read("a.py"), watched.read("b.py")
        assert [slot for slot in watched.session.held if slot.side == "result"] == [one, two]

    def test_a_record_takes_the_place_of_the_one_in_its_slot(self, watched: Conversation) -> None:
        one, two = watched.read("a.py"), watched.read("b.py")
        order = list(watched.session.held)
        again = Record(one, 1, "read", "words", Untracked(), 0, 5)
        watched.session.hold(again)
        assert list(watched.session.held) == order
        assert watched.session.held[one] == again
        watched.edit("a.py", "return 1", "return 2")
        assert watched.nominated == set()
        watched.edit("b.py", "return 1", "return 2")
        assert watched.nominated == {two}

    def test_a_record_from_before_a_write_is_judged_when_it_comes(
        self, watched: Conversation
    ) -> None:
        slot = watched.read("a.py")
        record = watched.session.held[slot]
        watched.session.forget()
        watched.edit("a.py", "return 1", "return 2")
        assert watched.nominated == set()
        watched.session.hold(record)
        assert set(watched.session.nominations) == {slot}

    def test_what_is_forgotten_is_neither_held_nor_nominated(self, watched: Conversation) -> None:
        one, two = watched.read("a.py"), watched.read("a.py")
        watched.edit("a.py", "return 1", "return 2")
        assert watched.nominated == {one, two}
        watched.session.forget([one, Slot("never", "result")])
        assert set(watched.session.nominations) == {two}
        assert one not in watched.session.held
        watched.edit("a.py", "return 2", "return 3")
        assert watched.nominated == {two}
        watched.session.forget()
        assert not watched.session.held
        assert not watched.session.nominations
        assert watched.session.tokens == 0
        watched.edit("a.py", "return 3", "return 4")
        assert watched.nominated == set()


class TestNominations:
    def test_reads_runs_and_searches_are_judged_at_every_write(self, watched: Conversation) -> None:
        read = watched.read("a.py", 8, 9)
        search = watched.step(Search("def"), text="a.py:8:def save():")
        run = watched.step(Run("pytest", "test"), text="1 passed")
        words = watched.step(Run("git push", "event"), text="done")
        assert watched.nominated == set()
        watched.put("notes.txt", "hello")
        assert watched.nominated == {run}
        watched.edit("a.py", "def save():", "def store():")
        assert watched.nominated == {read, search, run}
        assert words in watched.session.held

    def test_an_edit_undone_takes_every_nomination_back(self, watched: Conversation) -> None:
        slots = {
            watched.read("a.py"),
            watched.step(Search("def"), text="a.py:8:def save():"),
            watched.step(Run("pytest", "test"), text="1 passed"),
        }
        watched.edit("a.py", "def save():", "def store():")
        assert watched.nominated == slots
        watched.put("a.py", A)
        assert watched.nominated == set()

    def test_a_write_elsewhere_that_moves_a_call_is_seen(self, watched: Conversation) -> None:
        slot = watched.read("a.py", 4, 5)
        watched.edit("b.py", "def helper", "def other")
        assert watched.nominated == {slot}
        watched.edit("b.py", "def other", "def helper")
        assert watched.nominated == set()

    def test_a_listing_is_nominated_once_a_file_comes(self, watched: Conversation) -> None:
        slot = watched.step(Search(None), text="a.py\nb.py")
        watched.edit("a.py", "return 1", "return 2")
        assert watched.nominated == set()
        watched.put("c.py", "")
        assert watched.nominated == {slot}
        assert watched.session.nominations[slot].default == "rerun"
        watched.put("c.py", None)
        assert watched.nominated == set()

    def test_a_new_match_names_the_first_write_after_the_search(
        self, watched: Conversation
    ) -> None:
        watched.put("b.py", B + "x = 1\n")
        slot = watched.step(Search("def"), text="a.py:8:def save():")
        watched.put("c.py", "def more(): ...\n")
        watched.session.catch_up()
        found = watched.session.nominations[slot]
        assert (found.since, found.default, found.body) == (2, "refresh", frozenset())

    def test_they_come_to_the_policy_in_the_order_of_the_records(self) -> None:
        seen: list[Slot] = []

        def looks(situation: Situation) -> Generator[Ask, Reply, Plan]:
            yield from ()
            seen.extend(one.record.slot for one in situation.nominations)
            return Plan()

        talk = Conversation(looks)
        slots = [talk.read("a.py", 8, 9) for _ in range(5)]
        talk.session.hold(talk.session.held[slots[0]])
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request()
        assert seen == slots


class TestRequest:
    def test_control_changes_nothing(self, watched: Conversation) -> None:
        slot = watched.read("a.py")
        text = watched.session.held[slot].text
        watched.edit("a.py", "return 1", "return 2")
        assert watched.session.request() == Plan()
        assert watched.session.held[slot].text == text
        assert watched.session.ledger == {}
        assert set(watched.session.nominations) == {slot}

    def test_a_plan_is_applied_and_stays_applied(self, maintained: Conversation) -> None:
        slot = maintained.read("a.py", 8, 9)
        maintained.edit("a.py", "return 1", "return 2")
        (change,) = maintained.session.request().changes
        assert change.slot == slot
        assert maintained.session.held[slot].text == change.text
        assert maintained.session.ledger == {slot: change}
        assert maintained.session.request() == Plan()
        assert maintained.session.ledger == {slot: change}

    def test_a_slot_that_changes_twice_has_its_last_change(self, maintained: Conversation) -> None:
        slot = maintained.read("a.py", 8, 9)
        for value in (2, 3):
            maintained.edit("a.py", f"return {value - 1}", f"return {value}")
            maintained.session.request()
        change = maintained.session.ledger[slot]
        assert change.text == f"8\tdef save():\n9\t    return 3\n{current()}"
        assert maintained.session.held[slot].text == change.text
        assert maintained.session.held[slot].born == 2

    def test_a_refreshed_record_that_loses_its_subject_is_dropped(
        self, maintained: Conversation
    ) -> None:
        slot = maintained.read("a.py", 8, 9)
        maintained.edit("a.py", "return 1", "return 2")
        maintained.session.request()
        maintained.put("a.py", None)
        (change,) = maintained.session.request().changes
        assert change.why == "drop"
        assert "save" in maintained.session.held[slot].text
        assert maintained.session.held[slot].referent == Untracked()

    def test_a_dropped_record_is_words_that_no_write_falsifies(
        self, maintained: Conversation
    ) -> None:
        slot = maintained.step(Run("pytest", "test"), text="1 passed")
        maintained.put("x.txt", "x")
        (change,) = maintained.session.request().changes
        assert change.why == "rerun"
        maintained.put("x.txt", "y")
        maintained.put("a.py", None)
        assert maintained.nominated == set()
        assert maintained.session.held[slot].text == change.text

    def test_a_forgotten_slot_is_off_the_ledger(self, maintained: Conversation) -> None:
        one, two = maintained.read("a.py", 8, 9), maintained.read("a.py", 8, 9)
        maintained.edit("a.py", "return 1", "return 2")
        maintained.session.request()
        maintained.session.forget([one])
        assert set(maintained.session.ledger) == {two}
        maintained.session.forget()
        assert maintained.session.ledger == {}

    def test_held_order_survives_every_change(self, maintained: Conversation) -> None:
        maintained.read("a.py")
        maintained.step(Run("pytest", "test"), text="1 passed")
        maintained.read("b.py")
        order = list(maintained.session.held)
        maintained.edit("a.py", "return 1", "return 2")
        maintained.put("b.py", None)
        maintained.session.request()
        assert list(maintained.session.held) == order

    def test_the_default_leaves_no_result_nominated(self, maintained: Conversation) -> None:
        maintained.read("a.py")
        maintained.read("b.py")
        maintained.step(Search("def"), text="a.py:8:def save():")
        maintained.step(Search(None), text="a.py\nb.py")
        maintained.step(Run("pytest", "test"), text="1 passed")
        maintained.step(Read("a.py"), text="a form that nobody knows")
        maintained.edit("a.py", "def save", "def store")
        maintained.put("b.py", None)
        assert len(maintained.nominated) == 6
        assert len(maintained.session.request().changes) == 6
        assert maintained.nominated == set()

    @pytest.mark.parametrize("rewrite", [False, True])
    def test_stale_inputs_are_rewritten_only_when_asked_for(self, rewrite: bool) -> None:  # noqa: FBT001
        talk = Conversation(POLICIES["default"], rewrite_inputs=rewrite)
        slot = talk.step(Edit("a.py", old="return 0", new="    return 1"), text="ok")
        given = Slot(slot.id, "input")
        text = talk.session.held[given].text
        talk.edit("a.py", "return 1", "return 2")
        assert talk.nominated == {given}
        talk.session.request()
        assert (talk.session.held[given].text == text) is not rewrite
        assert talk.nominated == (set() if rewrite else {given})
        assert (given in talk.session.ledger) is rewrite

    def test_a_policys_questions_go_to_the_host(self) -> None:
        def asks(situation: Situation) -> Generator[Ask, Reply, Plan]:
            reply = yield question("what now", purpose="test")
            return Plan(
                tuple(
                    Replace(one.record.slot, reply.text or "", "drop")
                    for one in situation.nominations
                )
            )

        talk = Conversation(asks)
        slot = talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request()
        assert talk.session.held[slot].text == "re: what now"
        assert talk.session.held[slot].tokens == len("re: what now")

    def test_what_a_policy_puts_in_place_beside_the_fresh_text_is_words(self) -> None:
        def summarises(situation: Situation) -> Generator[Ask, Reply, Plan]:
            yield from ()
            for one in situation.nominations:
                assert situation.fresh(one) is not None
            return Plan(
                tuple(
                    Replace(one.record.slot, "a summary", "summarise")
                    for one in situation.nominations
                )
            )

        talk = Conversation(summarises)
        slot = talk.read("a.py", 8, 9)
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request()
        assert talk.session.held[slot].referent == Untracked()
        talk.edit("a.py", "return 2", "return 3")
        assert talk.nominated == set()

    def test_the_situation_holds_what_the_request_would_carry(self) -> None:
        seen: list[Situation] = []

        def looks(situation: Situation) -> Generator[Ask, Reply, Plan]:
            yield from ()
            seen.append(situation)
            return Plan()

        talk = Conversation(looks, rewrite_inputs=True)
        slot = talk.read("a.py", 8, 9)
        talk.edit("a.py", "return 1", "return 2")
        talk.session.request()
        (situation,) = seen
        assert situation.now == 1
        assert situation.rewrite_inputs
        assert situation.held[slot].text == talk.session.held[slot].text
        assert situation.title(talk.session.held[slot]) == "step 1"


def test_two_sessions_on_one_workspace_do_not_touch_each_other() -> None:
    talk = Conversation(POLICIES["default"])
    other = Session(talk.space, POLICIES["control"], len, title=lambda _: "it")
    slot = talk.read("a.py", 8, 9)
    record = talk.session.held[slot]
    other.hold(record)
    talk.edit("a.py", "return 1", "return 2")
    talk.session.request()
    assert other.held[slot] == record
    other.catch_up()
    assert slot in other.nominations


ACTS: list[Callable[[Conversation, int], object]] = [
    lambda talk, _: talk.read("a.py"),
    lambda talk, _: talk.read("b.py", 1, 1),
    lambda talk, _: talk.step(Run("pytest", "test"), text="1 passed"),
    lambda talk, _: talk.step(Search("def"), text="a.py:8:def save():"),
    lambda talk, n: talk.put("a.py", A.replace("return 1", f"return {n}")),
    lambda talk, n: talk.put("b.py", B * n if n else None),
    lambda talk, _: talk.session.request(),
    lambda talk, n: talk.session.forget(list(talk.session.held)[:n]),
    lambda talk, n: talk.session.hold(
        talk.inventory.of_say(Say(Slot(f"c{n}", "result"), "user", "words" * n), n)
    ),
]


@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 4)), max_size=25), st.booleans())
def test_tokens_are_those_of_the_held_records_at_all_times(
    acts: list[Any],
    control: bool,  # noqa: FBT001
) -> None:
    talk = Conversation(POLICIES["control" if control else "default"], rewrite_inputs=True)
    for act, number in acts:
        act(talk, number)
        assert talk.session.tokens == sum(r.tokens for r in talk.session.held.values())
        assert all(r.tokens == len(r.text) for r in talk.session.held.values())
        assert set(talk.session.nominations) <= set(talk.session.held)
        assert set(talk.session.ledger) <= set(talk.session.held)
        for slot, change in talk.session.ledger.items():
            assert slot == change.slot
