"""What the policies decide, asked as a host asks them."""

from collections.abc import Generator

import pytest

from statetape.cli.policies import NAMES
from statetape.context.asking import Ask, Reply, no_answer, question
from statetape.context.situation import Situation
from statetape.context.wording import spent_input, stub, tombstone
from statetape.errors import BadInput
from statetape.policies import POLICIES, planned, policy
from statetape.types import (
    Decision,
    Kept,
    Nomination,
    Plan,
    Query,
    Record,
    Referent,
    Replace,
    RepositoryState,
    Slot,
    StepKind,
    SymbolId,
    Symbols,
    Untracked,
)

LOAD = SymbolId("a.py", "load")


def nominated(
    default: Decision,
    referent: Referent,
    *,
    kind: StepKind = "read",
    side: str = "result",
    name: str = "r",
) -> Nomination:
    slot = Slot(name, side)  # type: ignore[arg-type]
    record = Record(slot, 1, kind, "old text", referent, 0, 8)
    body = frozenset() if isinstance(referent, RepositoryState) else frozenset({LOAD})
    return Nomination(record, body, frozenset(), 1, default)


def situation(
    *nominations: Nomination, fresh: str | None = None, rewrite_inputs: bool = False
) -> Situation:
    def shown_anew(one: Nomination) -> Record | None:
        record = one.record
        return None if fresh is None else Record(record.slot, 1, "read", fresh, Untracked(), 1, 1)

    held = {one.record.slot: one.record for one in nominations}
    return Situation(2, held, nominations, lambda _: "read a.py", shown_anew, rewrite_inputs)


def default(*nominations: Nomination, fresh: str | None = None, inputs: bool = False) -> Plan:
    about = situation(*nominations, fresh=fresh, rewrite_inputs=inputs)
    return planned(policy("default"), about, no_answer)


READ = Symbols({}, ())
SEARCH = Query((), {})
STATE = RepositoryState(0)


class TestNames:
    def test_each_policy_is_found_by_its_name(self) -> None:
        assert {name: policy(name) for name in NAMES} == POLICIES

    def test_another_name_is_bad_input_that_says_which_there_are(self) -> None:
        with pytest.raises(BadInput, match=r"no policy 'x'.*control, corvus, default"):
            policy("x")


class TestControl:
    def test_changes_nothing_whatever_is_nominated(self) -> None:
        about = situation(nominated("refresh", READ), nominated("rerun", STATE), fresh="new")
        assert planned(policy("control"), about, no_answer) == Plan()


class TestDefault:
    def test_does_nothing_where_nothing_is_nominated(self) -> None:
        assert default(fresh="new") == Plan()

    def test_a_changed_text_is_put_in_place(self) -> None:
        one = nominated("refresh", READ)
        assert default(one, fresh="new").changes == (Replace(one.record.slot, "new", "refresh"),)

    def test_a_refresh_that_can_show_nothing_is_a_drop(self) -> None:
        one = nominated("refresh", READ)
        text = tombstone(one, "read a.py")
        assert default(one).changes == (Replace(one.record.slot, text, "drop"),)

    def test_an_edit_is_never_asked_to_be_run_again(self) -> None:
        one = nominated("refresh", READ, kind="edit")
        (change,) = default(one).changes
        assert (change.why, change.text) == ("drop", tombstone(one, "read a.py"))

    def test_what_is_gone_is_dropped_though_something_could_be_shown(self) -> None:
        one = nominated("drop", READ)
        (change,) = default(one, fresh="new").changes
        assert (change.why, change.text) == ("drop", tombstone(one, "read a.py"))

    @pytest.mark.parametrize("kind", ["run", "read", "other"])
    def test_the_output_of_a_command_is_asked_for_again(self, kind: StepKind) -> None:
        one = nominated("rerun", STATE, kind=kind)
        (change,) = default(one, fresh="new").changes
        assert (change.why, change.text) == ("rerun", stub("read a.py"))

    @pytest.mark.parametrize("kind", ["search", "run", "read"])
    def test_a_search_that_cannot_be_shown_is_asked_for_again(self, kind: StepKind) -> None:
        one = nominated("refresh", SEARCH, kind=kind)
        (change,) = default(one).changes
        assert (change.why, change.text) == ("rerun", stub("read a.py"))

    def test_a_search_is_shown_anew_where_it_can_be(self) -> None:
        (change,) = default(nominated("refresh", SEARCH, kind="search"), fresh="new").changes
        assert (change.why, change.text) == ("refresh", "new")

    def test_every_nomination_of_a_result_gets_a_change_and_nothing_is_kept(self) -> None:
        several = [
            nominated("refresh", READ, name="a"),
            nominated("drop", READ, name="b"),
            nominated("rerun", STATE, name="c"),
        ]
        plan = default(*several, fresh="new")
        assert [change.slot for change in plan.changes] == [one.record.slot for one in several]
        assert plan.kept == ()

    def test_the_agents_own_inputs_are_left_alone(self) -> None:
        assert default(nominated("refresh", READ, side="input"), fresh="new") == Plan()

    def test_unless_they_may_be_rewritten(self) -> None:
        one = nominated("refresh", READ, side="input")
        (change,) = default(one, fresh="new", inputs=True).changes
        assert (change.slot, change.text) == (one.record.slot, spent_input("read a.py"))


class TestQuestions:
    def test_each_question_is_answered_in_turn_and_the_plan_comes_back(self) -> None:
        heard: list[str | None] = []
        plan = Plan(kept=(Kept(Slot("r", "result"), "true"),))

        def asks(_: Situation) -> Generator[Ask, Reply, Plan]:
            heard.append((yield question("one", purpose="test")).text)
            heard.append((yield question("two", purpose="test")).text)
            return plan

        answers = {"one": Reply("1"), "two": Reply(None, why="late")}
        assert planned(asks, situation(), lambda ask: answers[ask.messages[-1].text]) is plan
        assert heard == ["1", None]

    def test_a_host_without_a_model_has_no_answer(self) -> None:
        assert no_answer(question("anything", purpose="test")) == Reply(None, why="no model")
