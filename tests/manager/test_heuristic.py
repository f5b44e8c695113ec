"""The manager without a model: what it lets go, what it brings in, and when it leaves things be."""

import json
from collections.abc import Mapping
from importlib.resources import files
from math import log1p

import pytest
from msgspec.structs import replace
from tests.skills.story import Story

from statetape.context.again import Again
from statetape.context.asking import no_answer
from statetape.manager import finished, wanted
from statetape.manager.choice import BUDGET, LATEST, OLD, caution
from statetape.manager.past import past
from statetape.manager.weights import Logistic, Weights, weights, weights_without
from statetape.policies import planned
from statetape.policies.heuristic import managed
from statetape.types import Other, Plan, Region, Run, Slot

LONG = "".join(f"def part_{n}():\n    return {n}\n\n\n" for n in range(60))
NEVER = {"bias": 9.0}
CALLS = "def use():\n    return change()\n"
FILES = {
    "a.py": "from lib import change\n\n\n" + CALLS,
    "lib.py": "def change():\n    return 1\n\n\ndef other():\n    return 2\n",
    "long.py": LONG,
    "tests/test_a.py": "from lib import change\n\n\ndef test_it():\n    assert change()\n",
}


def logistic(names: tuple[str, ...], weight: Mapping[str, float], threshold: float) -> Logistic:
    """A regression of some features, as they are: their weights and the bias, by name."""
    size = len(names)
    return Logistic(
        centre=(0.0,) * size,
        scale=(1.0,) * size,
        weights=tuple(weight.get(name, 0.0) for name in names),
        bias=weight.get("bias", 0.0),
        threshold=threshold,
    )


def plan(
    story: Story,
    *,
    again: Mapping[str, float] = NEVER,
    next_: Mapping[str, float] | None = None,
    regrets: tuple[Again, ...] = (),
) -> Plan:
    """What the manager decides by weights of a few features."""
    known = Weights(
        logistic(finished.FEATURES, again, 0.5),
        logistic(wanted.FEATURES, {"bias": -9.0, **(next_ or {})}, 0.5),
    )
    situation = replace(story.situation, again=regrets)
    return planned(managed(lambda: known), situation, no_answer)


def turns(story: Story, count: int) -> None:
    """So many turns go by."""
    for number in range(count):
        story.say(f"{number}")
        story.read("tests/test_a.py")


def let_go(made: Plan) -> list[Slot]:
    """Whose text is let go."""
    return [change.slot for change in made.changes if change.why == "evict"]


REPLACED = {"bias": 9.0, "replaced": -18.0}


def test_a_result_whose_symbols_a_later_one_shows_goes_by_the_weights() -> None:
    story = Story(FILES)
    first = story.read("long.py")
    again = story.read("long.py")
    turns(story, LATEST)
    made = plan(story, again=REPLACED)
    assert first in let_go(made)
    assert again not in let_go(made)
    (change,) = [each for each in made.changes if each.slot == first]
    assert "read long.py" in change.text
    assert len(change.text) < len(story.situation.held[first].text)


def test_the_latest_turns_stay_whatever_the_weights_say() -> None:
    story = Story(FILES)
    first = story.read("long.py")
    turns(story, LATEST - 1)
    assert let_go(plan(story, again={"bias": -9.0})) == []
    turns(story, 1)
    assert first in let_go(plan(story, again={"bias": -9.0}))


def test_output_that_shows_no_file_goes_when_it_is_old_or_repeated() -> None:
    story = Story(FILES)
    run = Run("make", "event")
    one = story.step(run, text="done\n" * 60, kind="run", title="make")
    told = story.step(Other("Task"), text="report\n" * 60, kind="other", title="Task")
    turns(story, OLD - 2)
    assert one not in let_go(plan(story))
    turns(story, 1)
    assert one in let_go(plan(story))
    assert told not in let_go(plan(story))
    story = Story(FILES)
    one = story.step(run, text="done\n" * 60, kind="run", title="make")
    two = story.step(run, text="done\n" * 60, kind="run", title="make")
    turns(story, LATEST)
    assert let_go(plan(story)) == [one]
    assert two in story.situation.held


def test_what_was_asked_for_again_makes_the_guard_learn() -> None:
    story = Story(FILES)
    one, two, three = (story.read("long.py", n, n + 70) for n in (1, 80, 160))
    other = story.read("lib.py")
    turns(story, LATEST)
    doubtful = {"bias": -0.5}  # 38 %
    assert {one, two, three} <= set(let_go(plan(story, again=doubtful)))
    regret = Again(other, "evict", 100)
    assert let_go(plan(story, again=doubtful, regrets=(regret,))) == []
    gone = Again(Slot("gone", "result"), "evict", 100)
    assert {one, two} <= set(let_go(plan(story, again=doubtful, regrets=(gone,))))
    sure = {"bias": -9.0}
    assert {one, two} <= set(let_go(plan(story, again=sure, regrets=(regret,))))
    same = Again(one, "evict", 100)
    assert not {one, two, three} & set(let_go(plan(story, again=sure, regrets=(same,))))


def test_as_many_regrets_as_are_expected_make_nobody_cautious() -> None:
    assert caution(0, 0) == caution(100, 15) == 1
    assert caution(100, 17) == 3
    assert caution(0, 1) == 2


def test_a_stale_result_is_refreshed_or_let_go() -> None:
    story = Story(FILES)
    slot = story.read("long.py")
    story.edit("long.py", "return 7\n", "return 70\n")
    turns(story, LATEST)
    (change,) = [each for each in plan(story).changes if each.slot == slot]
    assert change.why == "refresh"
    assert "return 70" in change.text
    assert slot in let_go(plan(story, again={"bias": -9.0}))


def test_a_text_that_still_stands_stays_though_its_call_has_moved() -> None:
    other = {"b.py": "def change():\n    return 9\n"}
    story = Story({**FILES, **other})
    slot = story.read("a.py", 4, 5)
    story.edit("a.py", "from lib", "from b")
    (nominated,) = [n for n in story.situation.nominations if n.record.slot == slot]
    assert nominated.default == "drop"
    (change,) = [each for each in plan(story).changes if each.slot == slot]
    assert change.why == "refresh"
    assert change.text.startswith(story.situation.held[slot].text)


def test_what_a_refresh_would_make_finished_is_let_go_at_once() -> None:
    story = Story(FILES)
    slot = story.read("long.py")
    story.put("long.py", LONG[:300])
    turns(story, LATEST)
    (change,) = plan(story).changes
    assert change.why == "refresh"
    size = log1p(len(change.text))
    short = {"bias": -size - 0.5, "tokens": 1.0}  # whatever is hardly longer than that goes
    assert slot in let_go(plan(story, again=short))


CALLERS = {"caller": 18.0}


def test_who_calls_what_was_written_is_brought_in() -> None:
    story = Story(FILES)
    story.say("go")
    story.edit("lib.py", "return 1", "return 3")
    (region,) = plan(story, next_=CALLERS).retrieved
    assert region.path == "a.py"
    assert region.rule == "G3"
    assert region.reason == "calls change"
    assert story.space.text("a.py").split("\n")[region.lines.first - 1] == "def use():"  # type: ignore[union-attr]


def test_what_is_held_is_not_brought_in_again() -> None:
    story = Story(FILES)
    story.read("a.py")
    story.edit("lib.py", "return 1", "return 3")
    assert plan(story, next_=CALLERS).retrieved == ()


def test_a_test_is_brought_in_only_if_it_is_named() -> None:
    story = Story(FILES)
    story.read("a.py")
    story.say("Now mend test_a as well.")
    story.edit("lib.py", "return 1", "return 3")
    assert [each.path for each in plan(story, next_=CALLERS).retrieved] == ["tests/test_a.py"]


def test_nothing_is_brought_in_once_the_agent_has_gone_on() -> None:
    story = Story(FILES)
    story.say("go")
    story.edit("lib.py", "return 1", "return 3")
    assert plan(story, next_=CALLERS).retrieved
    turns(story, 2)
    assert plan(story, next_=CALLERS).retrieved == ()


def test_what_is_brought_in_stays_within_the_budget() -> None:
    calls = "".join(
        f"def use_{n}():\n" + "    change('a rather long argument')\n" * 40 for n in range(12)
    )
    story = Story({"lib.py": FILES["lib.py"], "many.py": "from lib import change\n\n" + calls})
    story.say("go")
    story.edit("lib.py", "return 1", "return 3")
    regions = plan(story, next_=CALLERS).retrieved
    rows = (story.space.text("many.py") or "").split("\n")
    size = sum(len("\n".join(rows[r.lines.first - 1 : r.lines.last])) for r in regions)
    assert regions
    assert size / 3 <= BUDGET


@pytest.mark.parametrize("weight", [-9.0, 9.0])
def test_any_plan_is_of_held_records_and_current_lines(weight: float) -> None:
    story = Story()
    story.say("Make the store fast")
    story.read("shop/base.py")
    story.search("load")
    story.test()
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    made = plan(story, again={"bias": weight}, next_={"bias": -weight})
    assert {change.slot for change in made.changes} <= story.situation.held.keys()
    assert all(_is_there(region, story) for region in made.retrieved)


def _is_there(region: Region, story: Story) -> bool:
    text = story.space.text(region.path)
    return text is not None and 1 <= region.lines.first <= region.lines.last <= text.count("\n") + 1


@pytest.mark.parametrize("path", ["a::b.py", "a\udc80.py", "a b.py", "a\nb.py"])
def test_a_file_may_have_any_name(path: str) -> None:
    one, two = (f"    def m(self):\n        return {n}\n" for n in (1, 2))
    story = Story({path: f"class A:\n{one}\n\nclass B(A):\n{two}"})
    story.say("go")
    story.edit(path, "return 2", "return 3")
    regions = plan(story, next_={"base": 18.0}).retrieved
    assert [(region.path, region.symbol.name) for region in regions] == [(path, "A.m")]


@pytest.mark.parametrize("path", ["/r/../etc/lib.py", "../lib.py", "/lib.py"])
def test_no_file_outside_is_looked_into_because_a_result_names_it(path: str) -> None:
    story = Story({path: FILES["lib.py"], "a.py": FILES["a.py"]})
    story.step(Run("make", "event"), text=f"{path}:2: error", kind="run", title="make")
    seen: list[str] = []
    facts = story.space.facts
    story.space.facts = lambda path: (seen.append(path), facts(path))[1]  # type: ignore[method-assign,func-returns-value]
    story.edit("a.py", "return change()", "return 1")
    plan(story, next_={"named": 18.0})
    assert [each for each in seen if each != "a.py"] == []


def test_what_was_written_before_the_conversation_is_not_of_its_past() -> None:
    story = Story(FILES)
    story.edit("lib.py", "return 1", "return 3")
    story.session.forget()  # compaction; or they were the writes of another conversation
    story.say("go on")
    story.read("long.py")
    assert past(story.situation, story.space).writes == {}
    assert plan(story, next_=CALLERS).retrieved == ()
    story.edit("lib.py", "return 3", "return 4")
    told = past(story.situation, story.space)
    assert [len(steps) for steps in told.writes.values()] == [1]
    assert plan(story, next_=CALLERS).retrieved


def test_edits_from_before_a_restart_are_of_the_past() -> None:
    story = Story(FILES)
    story.read("lib.py")
    story.edit("lib.py", "return 1", "return 3")
    story.edit("long.py", "return 7\n", "return 70\n")
    known = past(story.situation, story.space)
    after = Story({path: story.space.text(path) or "" for path in FILES})
    for record in story.session.held.values():
        after.session.hold(replace(record, born=0))
    again = past(after.situation, after.space)
    assert again.writes == known.writes == {"lib.py": [2], "long.py": [3]}
    assert {s: n for s, n in known.written.items() if s.name} == again.written
    assert again.focus(2) == known.focus(2)
    after.count = story.count
    after.edit("lib.py", "return 3", "return 4")
    assert past(after.situation, after.space).writes == {"lib.py": [2, 4], "long.py": [3]}


def test_the_past_is_told_in_steps() -> None:
    story = Story(FILES)
    story.read("lib.py")
    story.read("long.py")
    story.edit("lib.py", "return 1", "return 3")
    told = past(story.situation, story.space)
    assert told.now == 3
    assert told.reads["lib.py"] == [1]
    assert told.writes["lib.py"] == [3]
    assert [str(symbol) for symbol in told.focus(1)] == ["lib.py::change"]
    assert told.since(None) == 500


def test_no_session_is_scored_by_weights_that_have_seen_it() -> None:
    data = json.loads((files("statetape.manager") / "weights.json").read_text())
    assert len(data["without"]) > 40
    for digest in data["without"]:
        assert weights_without(digest + "0" * 48) != weights()


def test_the_shipped_weights_fit_the_features() -> None:
    for known in (weights(), weights_without("of a session that nobody has fitted")):
        assert known.wanted_again.probability([0.0] * len(finished.FEATURES)) <= 1
        assert known.wanted_next.probability([0.0] * len(wanted.FEATURES)) <= 1
