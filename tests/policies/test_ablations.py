"""One part taken away: files in place of symbols, a model's judgement in place of the tape."""

from collections.abc import Generator

import pytest
from tests.policies.asked import HOSTILE, naming
from tests.policies.rivals import Rival

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.policies import POLICIES, Policy, answered
from statetape.policies.ablations import VERSION, without_graph, without_tape
from statetape.policies.control import control
from statetape.policies.default import default
from statetape.types import Nomination, Plan, Read, Run, Search, Slot, SymbolId

LONG_BEGINS = "1 def value_0(): 2 return 0 # the value of number 0 3 def value_1(): 4 return 1…"


class Watched(Rival):
    """The manager sees what it is given, and does as another policy."""

    def __init__(self, inner: Policy = default) -> None:
        self.seen: list[Situation] = []
        self.asks: list[Ask] = []
        self.says: str | None = naming([])
        self.inner = inner
        super().__init__(answered(self.ablated(self.manager), self.reply))

    def ablated(self, manager: Policy) -> Policy:
        return without_graph(manager)

    def manager(self, situation: Situation) -> Generator[Ask, Reply, Plan]:
        self.seen.append(situation)
        return (yield from self.inner(situation))

    def reply(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return Reply(self.says)

    def nominated(self) -> dict[Slot, Nomination]:
        self.ask()
        return {each.record.slot: each for each in self.seen[-1].nominations}

    def search(self, path: str = "long.py") -> Slot:
        lines = (self.space.text(path) or "").splitlines()
        hits = "\n".join(f"{path}:{n}:{line}" for n, line in enumerate(lines, 1) if "def" in line)
        return self.step(Search("def", (path,)), text=hits, kind="search", name="search def")

    def tests(self) -> Slot:
        return self.step(Run("pytest", "test"), text="passed\n" * 90, kind="run", name="pytest")

    def number(self, slot: Slot) -> str:
        return str(list(self.session.held).index(slot) + 1)


class Judged(Watched):
    def ablated(self, manager: Policy) -> Policy:
        return without_tape(manager)


class TestWithoutGraph:
    def test_a_write_falsifies_all_that_shows_its_file(self) -> None:
        """With symbols, the read of other lines would stay."""
        talk = Watched(control)
        other, same = talk.read("long.py", 1, 10), talk.read("long.py", 60, 70)
        elsewhere = talk.read("c.py")
        talk.change("long.py", "return 32 ", "return 99 ")
        talk.session.catch_up()
        assert set(talk.session.nominations) == {same}
        found = talk.nominated()
        assert set(found) == {other, same}
        assert elsewhere not in found
        bodies = {symbol for each in found.values() for symbol in each.body}
        assert bodies == {SymbolId("long.py", "")}
        assert {each.default for each in found.values()} == {"refresh"}

    def test_what_calls_into_a_changed_file_stays(self) -> None:
        """With edges, `load` calls another `helper` now."""
        talk = Watched(control)
        slot = talk.read("a.py", 4, 5)
        talk.change("a.py", "from b import helper", "from c import main as helper")
        talk.session.catch_up()
        assert talk.session.nominations[slot].dispatch
        caller = talk.read("c.py", 4, 6)
        talk.change("c.py", "from a import load, save", "from b import load, save")
        talk.put("b.py", None)
        found = talk.nominated()
        assert slot in found
        assert caller in found
        assert not any(each.dispatch for each in found.values())

    def test_a_caller_elsewhere_is_not_nominated(self) -> None:
        talk = Watched(control)
        slot = talk.read("c.py", 4, 6)
        talk.put("a.py", None)
        talk.session.catch_up()
        assert talk.session.nominations[slot].dispatch
        assert talk.nominated() == {}

    def test_the_default_shows_the_file_as_it_is_now_and_nothing_is_left(self) -> None:
        talk = Watched()
        other, same = talk.read("long.py", 1, 10), talk.read("long.py", 60, 70)
        talk.change("long.py", "return 32 ", "return 99 ")
        assert talk.ask() == {other: "refresh", same: "refresh"}
        assert "return 99 " in talk.text(same)
        assert talk.ask() == {}

    def test_a_write_that_was_taken_back_nominates_nothing(self) -> None:
        talk = Watched(control)
        talk.read("long.py")
        talk.change("long.py", "return 32 ", "return 99 ")
        talk.change("long.py", "return 99 ", "return 32 ")
        assert talk.nominated() == {}

    def test_of_a_file_that_is_gone_the_default_is_a_drop(self) -> None:
        talk = Watched()
        slot = talk.read("long.py")
        talk.put("long.py", None)
        assert talk.ask() == {slot: "drop"}

    def test_a_read_of_several_files_is_refreshed_while_one_is_there(self) -> None:
        talk = Watched(control)
        texts = [talk.space.text(path) or "" for path in ("a.py", "long.py")]
        slot = talk.step(Read("a.py"), Read("long.py"), text="".join(texts), kind="run", name="cat")
        talk.put("a.py", None)
        assert talk.nominated()[slot].default == "refresh"

    def test_tests_and_new_matches_are_as_the_tape_has_them(self) -> None:
        talk = Watched(control)
        tests, search = talk.tests(), talk.search()
        talk.change("long.py", "def value_9(", "def value_99(")
        found = talk.nominated()
        assert found[tests] == talk.session.nominations[tests]
        assert found[search].default == "refresh"

    def test_the_manager_has_neither_graph_nor_tape(self) -> None:
        talk = Watched(control)
        talk.read("a.py")
        talk.change("a.py", "return 1", "return 2")
        talk.ask()
        (seen,) = talk.seen
        assert seen.code is None
        assert seen.moved(seen.nominations[0]) == {}


class TestWithoutTape:
    def test_it_is_asked_only_after_a_turn_in_which_the_agent_wrote(self) -> None:
        talk = Judged()
        talk.read("long.py")
        talk.turn()
        talk.ask()
        assert talk.asks == []
        talk.edit("long.py", "return 1 ", "return 99 ")
        talk.ask()
        assert len(talk.asks) == 1
        talk.turn()
        talk.ask()
        assert len(talk.asks) == 1

    def test_what_is_named_is_nominated_whether_it_is_stale_or_not(self) -> None:
        talk = Judged()
        fresh, tests, stale = talk.read("long.py"), talk.tests(), talk.read("a.py")
        talk.edit("a.py", "return 1", "return 2")
        talk.says = naming([talk.number(fresh), talk.number(tests), "77"])
        assert talk.ask() == {fresh: "refresh", tests: "rerun"}
        assert stale in talk.session.nominations
        assert fresh not in talk.session.nominations

    def test_what_is_refreshed_is_tracked_from_then_on(self) -> None:
        talk = Judged()
        slot = talk.read("long.py")
        talk.edit("a.py", "return 1", "return 2")
        talk.says = naming([talk.number(slot)])
        talk.ask()
        talk.change("long.py", "return 32 ", "return 99 ")
        talk.session.catch_up()
        assert slot in talk.session.nominations

    @pytest.mark.parametrize("reply", [None, *HOSTILE])
    def test_another_reply_nominates_nothing(self, reply: str | None) -> None:
        talk = Judged()
        talk.says = reply
        talk.read("long.py")
        talk.edit("long.py", "return 1 ", "return 99 ")
        assert talk.ask() == {}

    def test_the_manager_has_no_tape(self) -> None:
        talk = Judged(control)
        talk.read("long.py")
        talk.edit("long.py", "return 1 ", "return 99 ")
        assert talk.nominated() == {}
        assert talk.seen[-1].code is None

    def test_the_question_as_it_is_asked(self) -> None:
        talk = Judged()
        read = talk.read("long.py", 1, 30)
        talk.edit("long.py", "return 1 ", "return 99 ")
        tests = talk.tests()
        talk.edit("a.py", "return 1", "return 2")
        talk.ask()
        (ask,) = talk.asks
        assert (ask.purpose, ask.by, ask.version) == ("staleness", "manager", VERSION)
        size = {slot: talk.session.held[slot].tokens for slot in (read, tests)}
        assert ask.messages[0].text == "\n".join(
            [
                "TASK",
                "",
                "RECORDS",
                f"2 {size[read]}t read long.py: {LONG_BEGINS}",
                "WROTE long.py",
                f"6 {size[tests]}t pytest: {'passed ' * 11}pa…",
                "WROTE a.py",
            ]
        )


def test_without_the_manager_the_defaults_are_left() -> None:
    assert POLICIES["without-manager"] is default
