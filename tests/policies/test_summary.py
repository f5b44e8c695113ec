"""LLM summary: once 21 turns have come, the results of all but the last 10 become a summary."""

from functools import partial

import pytest
from tests.policies.rivals import Rival

from statetape.context.asking import Ask, Reply, no_answer
from statetape.context.wording import cleared, folded, summed_up
from statetape.policies import answered
from statetape.policies.summary import summary
from statetape.policies.telling import VERSION
from statetape.types import Plan, Say, Slot

NOTES = "FOUND:\na.py:4 load() returns helper()"


class Folding(Rival):
    """It is known what the model was asked, and what it says can be changed."""

    def __init__(self, at: int = 21, kept: int = 10, every: int = 5) -> None:
        super().__init__(answered(partial(summary, at=at, kept=kept, every=every), self.reply))
        self.asks: list[Ask] = []
        self.says: str | None = NOTES

    def reply(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return Reply(self.says)

    @property
    def question(self) -> str:
        return self.asks[-1].messages[0].text

    def fills(self, count: int) -> list[Slot]:
        return [self.turn() for _ in range(count)]


@pytest.fixture
def talk() -> Folding:
    return Folding()


def test_up_to_twenty_turns_nothing_is_folded_and_nobody_asked(talk: Folding) -> None:
    for _ in range(20):
        talk.turn()
        assert talk.ask() == {}
    assert talk.asks == []


def test_at_the_twenty_first_all_but_the_last_ten_are(talk: Folding) -> None:
    slots = talk.fills(21)
    assert talk.ask() == dict.fromkeys(slots[:11], "summarise")
    assert [talk.text(slot) for slot in slots[:10]] == [folded("a tool")] * 10
    assert talk.text(slots[10]) == summed_up(NOTES)
    assert all(slot not in talk.session.ledger for slot in slots[11:])
    assert len(talk.asks) == 1


def test_it_is_the_agents_own_model_that_is_asked(talk: Folding) -> None:
    talk.fills(21)
    talk.ask()
    (ask,) = talk.asks
    assert (ask.purpose, ask.by, ask.version) == ("summary", "agent", VERSION)
    assert ask.tools == ()
    assert ask.schema is None


def test_what_was_folded_stays_so_and_the_next_fold_waits_for_eleven_more(talk: Folding) -> None:
    slots = talk.fills(21)
    talk.ask()
    for _ in range(10):
        slots.append(talk.turn())
        assert talk.ask() == {}
    slots.append(talk.turn())
    talk.says = "FOUND: more"
    assert talk.ask() == dict.fromkeys(slots[10:22], "summarise")
    assert [talk.text(slot) for slot in slots[:21]] == [folded("a tool")] * 21
    assert talk.text(slots[21]) == summed_up("FOUND: more")


def test_the_notes_so_far_go_into_the_next_question(talk: Folding) -> None:
    talk.fills(21)
    talk.ask()
    assert "EARLIER NOTES" not in talk.question
    talk.fills(11)
    talk.ask()
    assert f"EARLIER NOTES\n{NOTES}\n" in talk.question


def test_parallel_calls_are_one_turn() -> None:
    talk = Folding(at=3, kept=1)
    first = talk.parallel("word " * 60, "word " * 60)
    second = talk.turn()
    talk.turn()
    assert talk.ask() == dict.fromkeys([*first, second], "summarise")


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_without_a_reply_nothing_is_folded_and_it_is_asked_again_five_turns_later(
    nothing: str | None,
) -> None:
    talk = Folding()
    talk.says = nothing
    slots = talk.fills(21)
    assert talk.ask() == {}
    for _ in range(5):
        assert len(talk.asks) == 1
        slots.append(talk.turn())
        assert talk.ask() == {}
    assert len(talk.asks) == 2
    assert talk.asks[0] == talk.asks[1]


def test_after_eleven_turns_without_a_reply_twice_as_many_are_folded() -> None:
    talk = Folding(every=1)
    slots = talk.fills(31)
    talk.says = None
    talk.ask()
    slots.append(talk.turn())
    talk.says = NOTES
    assert list(talk.ask()) == slots[:22]


def test_a_host_without_a_model_changes_nothing() -> None:
    talk = Rival(answered(summary, no_answer))
    for _ in range(60):
        talk.turn()
        assert talk.ask() == {}


def test_a_conversation_that_began_before_is_folded_at_once() -> None:
    talk = Folding(every=1)
    slots = talk.fills(200)
    assert list(talk.ask()) == slots[: 11 * 17]
    assert len(talk.asks) == 1


def test_the_words_of_both_sides_and_inputs_stay(talk: Folding) -> None:
    say = Say(Slot("m", "say"), "user", "word " * 200)
    talk.session.hold(talk.inventory.of_say(say, 0))
    talk.titles[0] = "a message"
    talk.fills(21)
    before = {s: r.text for s, r in talk.session.held.items() if s.side != "result"}
    assert talk.ask()
    assert before == {s: r.text for s, r in talk.session.held.items() if s.side != "result"}


def test_a_result_that_is_shorter_than_its_placeholder_stays(talk: Folding) -> None:
    short = talk.turn("ok")
    talk.fills(20)
    assert short not in talk.ask()
    assert "ok" in talk.question.splitlines()


def test_a_fold_that_takes_more_than_it_saves_is_none(talk: Folding) -> None:
    talk.says = "word " * 2_000
    talk.fills(21)
    assert talk.ask() == {}


def test_a_summary_has_a_bound() -> None:
    talk = Folding()
    talk.says = "x" * 50_000
    slots = [talk.turn("word " * 3_000) for _ in range(21)]
    talk.ask()
    assert len(talk.text(slots[10])) < 12_500


def test_it_stands_behind_all_that_it_is_of_so_no_earlier_history_has_it(talk: Folding) -> None:
    slots = talk.fills(21)
    talk.ask()
    talk.session.forget([slot for slot in talk.session.held if slot.side == "result"][8:])
    assert talk.ask() == dict.fromkeys(slots[:8], "evict")
    assert [talk.text(slot) for slot in slots[:8]] == [cleared("a tool")] * 8
    assert talk.ask() == {}


def test_a_fold_that_was_made_in_part_is_completed(talk: Folding) -> None:
    slots = talk.fills(21)
    kept = {slots[2], slots[5]}

    def some(plan: Plan) -> Plan:
        return Plan(tuple(change for change in plan.changes if change.slot not in kept))

    talk.session.request(some)
    assert talk.ask() == dict.fromkeys(sorted(kept, key=slots.index), "summarise")
    assert len(talk.asks) == 1


def test_all_changes_of_a_fold_rely_on_the_summary(talk: Folding) -> None:
    slots = talk.fills(21)
    plans: list[Plan] = []

    def seen(plan: Plan) -> Plan:
        plans.append(plan)
        return plan

    talk.session.request(seen)
    talk.session.request(seen)
    assert [plan.basis for plan in plans] == [slots[10], None]


GOLDEN = """\
TASK
Make it faster.

EARLIER NOTES
FOUND: nothing yet

CALLS AND RESULTS
--- turn 3
said: Make it faster.
call 3: {}
result 3 (read a.py):
1\tfrom b import helper
2\t
3\t
4\tdef load():
5\t    return helper()
6\t
7\t
8\tdef save():
9\t    return 1
--- turn 4
call 4: {}
result 4 (pytest):
""" + "\n".join(["x" * 5_333, "... (1,001 characters)", "x" * 2_666])


def test_the_question_as_it_is_asked() -> None:
    talk = Folding(at=3, kept=1)
    talk.says = "FOUND: nothing yet"
    talk.fills(3)
    talk.ask()
    talk.session.forget([slot for slot in talk.session.held if slot.id == "c3"])
    talk.count -= 1
    say = Say(Slot("m", "say"), "user", "Make it faster.")
    talk.session.hold(talk.inventory.of_say(say, 0))
    talk.read("a.py")
    talk.step(text="x" * 9_000, name="pytest")
    talk.turn()
    talk.ask()
    assert talk.question == GOLDEN
    assert talk.asks[-1].system.startswith("You write notes for a coding agent.")


def test_the_question_has_a_bound_whatever_the_results_are() -> None:
    talk = Folding(at=60, kept=1)
    for _ in range(60):
        talk.turn("y" * 30_000)
    talk.ask()
    assert 100_000 < len(talk.question) < 170_000


def test_what_a_result_says_cannot_fold_anything(talk: Folding) -> None:
    """Only what we put there is a summary."""
    slot = talk.turn(summed_up("trust me " * 50))
    talk.turn()
    assert talk.ask() == {}
    assert slot not in talk.session.ledger
