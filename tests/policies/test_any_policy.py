"""What holds of every policy, whatever a conversation does and whoever pays."""

from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.talk import LONG, only
from tests.policies.asked import REPLIES
from tests.policies.rivals import Rival

from statetape.bench.scripted import Scripted
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import summary_in
from statetape.economics.account import Maintain, Terms
from statetape.policies import POLICIES, Policy, answered
from statetape.policies.ablations import without_graph, without_tape
from statetape.policies.clearing import clearing
from statetape.policies.default import default
from statetape.policies.masking import masking
from statetape.policies.summary import summary
from statetape.policies.text import text
from statetape.pricing import prices
from statetape.replay.player import replayed
from statetape.replay.priced import Payment
from statetape.session import in_full
from statetape.types import Edit, Plan, Query, Read, Replace, Run, Say, Search, Slot, Symbols

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "config-loader.jsonl"
SESSIONS = ROOT.parent / "shared" / "transcripts"
SMALL = sorted(SESSIONS.glob("*/*.jsonl.gz"), key=lambda file: file.stat().st_size)[10:14:2]

# With settings at which short conversations have something to do, too.
EVERY: dict[str, Policy] = {
    **POLICIES,
    "masking of two turns": partial(masking, kept=2),
    "clearing early": partial(clearing, trigger=500, keep=1),
}
RIVALS = POLICIES.keys() - {"default", "without-manager", "control", "model"}
PATHS = ("a.py", "b.py", "long.py")
ACTS = ("read", "some", "several", "search", "test", "edit", "write", "gone", "say", "forget")


class Kept(Rival):
    """A conversation of which it is known what every text was when it came."""

    settles = True  # a plan that is carried out leaves nothing to do

    def __init__(self, policy: Policy, *, manages: bool = False) -> None:
        super().__init__(policy)
        self.manages = manages
        self.titles[0] = "a message"
        self.began: dict[Slot, str] = {}

    def act(self, act: str, path: str, number: int) -> None:
        self.acts(act, path, number)
        for slot, record in self.session.held.items():
            self.began.setdefault(slot, record.text)

    def acts(self, act: str, path: str, number: int) -> None:
        text = self.space.text(path)
        lines = (text or "").split("\n")
        match act:
            case "read" if text:
                self.read(path)
            case "some" if text:
                first = number % len(lines) + 1
                self.read(path, first, first + 20, form="" if number % 3 else "{}\t")
            case "several":
                texts = [self.space.text(each) or "" for each in PATHS]
                self.step(*map(Read, PATHS), text="".join(texts), kind="run")
            case "search" if text:
                hits = [f"{path}:{n}:{line}" for n, line in enumerate(lines, 1) if "def" in line]
                self.step(Search("def", (path,)), text="\n".join(hits), kind="search")
            case "test":
                self.step(Run("pytest", "test"), text="passed\n" * 50, kind="run")
            case "edit" if text and lines[number % len(lines)]:
                old = lines[number % len(lines)]
                self.put(path, text.replace(old, f"{old} # {number}", 1))
                self.step(Edit(path, old=old, new=f"{old} # {number}"), text="ok", kind="edit")
            case "write":
                self.put(path, LONG[: number * 30])
            case "gone" if text is not None:
                self.put(path, None)
            case "say":
                self.count += 1
                say = Say(Slot(f"m{self.count}", "say"), "user", "go on " * number)
                self.session.hold(self.inventory.of_say(say, 0))
            case "forget" if self.session.held:
                slot = list(self.session.held)[number * 7 % len(self.session.held)]
                self.session.forget([slot])

    def ask_and_see(self, number: int) -> None:
        """A request; where `number` is odd, it is carried out in part."""
        order = list(self.session.held)
        asked: list[Replace] = []

        def chosen(plan: Plan) -> Plan:
            asked.extend((*plan.changes, *plan.shorter))
            taken = [c.slot for n, c in enumerate(plan.changes) if n % 3 == number % 3]
            return only(taken)(plan) if number % 2 else in_full(plan)

        plan = self.session.request(chosen)
        assert all(change.slot in order and change.slot.side == "result" for change in asked)
        assert len({change.slot for change in plan.changes}) == len(plan.changes)
        assert list(self.session.held) == order
        ledger = self.session.ledger
        for slot, record in self.session.held.items():
            assert record.text == (ledger[slot].text if slot in ledger else self.began[slot])
        if self.settles and not number % 2:
            self.settle()

    def settle(self) -> None:
        """A manager may let go what it has just shown anew, if later results show that too.

        Code that it brings in is put nowhere here: that is wanted still.
        """
        again = self.session.request()
        for _ in self.session.held if self.manages else ():
            assert {change.why for change in again.changes} <= {"evict"}
            again = self.session.request()
        assert again == Plan(retrieved=again.retrieved if self.manages else ())


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_only_results_change_and_what_is_held_follows_the_ledger(name: str, data: Any) -> None:
    talk = Kept(EVERY[name], manages=name in ("heuristic", "model"))
    steps = st.tuples(st.sampled_from(ACTS), st.sampled_from(PATHS), st.integers(0, 90))
    for act, path, number in data.draw(st.lists(steps, min_size=1, max_size=25)):
        talk.act(act, path, number)
        if number % 4 < 2:
            talk.ask_and_see(number)
    talk.ask_and_see(0)


class Asking(Kept):
    """A conversation whose policy is answered with anything, the same to the same question."""

    settles = False

    def __init__(self, policy: Policy, data: Any) -> None:
        replies: dict[str, Reply] = {}

        def reply(ask: Ask) -> Reply:
            key = ask.messages[0].text
            if key not in replies:
                replies[key] = data.draw(REPLIES)
            return replies[key]

        super().__init__(answered(policy, reply))

    def acts_and_asks(self, steps: list[tuple[str, str, int]]) -> None:
        for act, path, number in steps:
            self.act(act, path, number)
            if number % 4 < 2:
                self.ask_and_see(number)
        self.ask_and_see(0)


MODELLED: dict[str, Policy] = {
    "summary of three turns": partial(summary, at=3, kept=1, every=1),
    "summary of five turns": partial(summary, at=5, kept=3, every=2),
    "text": text,
    "without-tape": without_tape(default),
}
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTS), st.sampled_from(PATHS), st.integers(0, 90)),
    min_size=1,
    max_size=25,
)


@pytest.mark.parametrize("name", MODELLED)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_whatever_a_model_says_only_results_change(name: str, data: Any) -> None:
    Asking(MODELLED[name], data).acts_and_asks(data.draw(STEPS))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_behind_each_placeholder_of_a_fold_its_summary_stands(data: Any) -> None:
    talk = Asking(partial(summary, at=3, kept=1, every=1), data)
    talk.acts_and_asks(data.draw(STEPS))
    held, ledger = list(talk.session.held), talk.session.ledger
    folds = [slot for slot in held if slot in ledger and ledger[slot].why == "summarise"]
    summaries = [slot for slot in folds if summary_in(ledger[slot].text) is not None]
    assert len(summaries) <= 1
    assert folds[-1:] == summaries


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_without_the_graph_no_result_is_left_of_a_file_that_changed(data: Any) -> None:
    talk = Kept(without_graph(default))
    for act, path, number in data.draw(STEPS):
        talk.act(act, path, number)
    talk.ask_and_see(0)
    for nominated in talk.session.situation().nominations:
        assert nominated.record.slot.side == "input" or not nominated.body
    for record in talk.session.held.values():
        if record.slot.side == "result" and isinstance(record.referent, Symbols | Query):
            paths = {part.path for part in record.referent.shown}
            now, born = talk.space.text, record.born
            assert all(now(path) == talk.space.text_at(path, born) for path in paths)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_without_the_tape_what_was_named_and_stale_is_not_left(data: Any) -> None:
    """What no judgement named may be left: that is what this ablation is about."""
    named: list[Slot] = []

    def heeding(situation: Situation) -> Generator[Ask, Reply, Plan]:
        named.extend(each.record.slot for each in situation.nominations)
        return (yield from default(situation))

    talk = Asking(without_tape(heeding), data)
    for act, path, number in data.draw(STEPS):
        talk.act(act, path, number)
        named.clear()
        talk.session.request()
        assert not set(named) & talk.session.nominations.keys()


@pytest.mark.parametrize("maintain", ["eager", "paying"])
@pytest.mark.parametrize("name", POLICIES)
def test_the_example_is_replayed(name: str, maintain: Maintain) -> None:
    payment = Payment(prices=prices(None), terms=Terms(maintain=maintain))
    found = replayed(EXAMPLE, policy=name, payments=[payment])
    (cost,) = found.costs
    assert cost is not None
    assert not found.problems
    if maintain == "paying":
        assert cost.simulated_policy <= cost.simulated_control * 1.01
    if name == "control":
        assert found.tokens.sent_policy == found.tokens.sent_control
    inputs = [record for record in found.records if record.side in ("input", "say")]
    assert all(record.now is None for record in inputs)


@pytest.mark.skipif(not SMALL, reason=f"the recorded sessions are not at {SESSIONS}")
@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.name)
@pytest.mark.parametrize("name", sorted(RIVALS))
def test_a_recorded_session_is_replayed(file: Path, name: str) -> None:
    found = replayed(file, policy=name, answer=Scripted())
    assert found.tokens.sent_control > 0
    longer = name in ("corvus", "without-graph", "without-tape")
    assert longer or found.tokens.sent_policy <= found.tokens.sent_control
    own = [record for record in found.records if record.side in ("input", "say")]
    assert all(record.now is None for record in own)
