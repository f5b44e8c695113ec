"""What policies and reference points do at decision points, on the example session."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bench.made import EXAMPLE, labels, walk_of

from statetape.bench.decisions import FRONTIER, RUNNABLE, Asker, Decided, Decisions
from statetape.bench.effects import NO_EFFECT
from statetape.bench.labels import Labelled
from statetape.bench.reference import ORACLE, REFERENCES
from statetape.bench.score import Score, total
from statetape.bench.scored import Scored, scored
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.policies import POLICIES
from statetape.types import Lines, Plan, Region, Replace, SymbolId


@cache
def example(seed: int = 0) -> Labelled:
    return labels(EXAMPLE, seed=seed)


def decided(
    askers: Iterable[Asker], labelled: Labelled | None = None
) -> tuple[list[Decided], Decisions]:
    decisions = Decisions(walk_of(EXAMPLE), (labelled or example()).points, askers)
    return list(decisions), decisions


def scores(policy: str, labelled: Labelled | None = None) -> list[Scored]:
    found, _ = decided([Asker(policy, "recorded")], labelled)
    return [scored(each.point, each.effect) for each in found]


def test_every_point_is_decided_by_everyone_once() -> None:
    askers = [Asker(policy, mode) for policy in RUNNABLE for mode in ("recorded", "rolling")]
    found, _ = decided(askers)
    points = [point.index for point in example().points]
    for asker in askers:
        assert [each.point.index for each in found if each.by == asker] == points


def test_control_changes_nothing_in_either_mode() -> None:
    found, decisions = decided([Asker("control", "recorded"), Asker("control", "rolling")])
    assert all(each.effect == NO_EFFECT for each in found)
    assert decisions.rolling["control"].sent == decisions.sent > 0


def test_the_frontier_is_the_heuristic_that_lets_go_more_or_less_readily() -> None:
    names = ("heuristic x0.1", "heuristic x0.5", "heuristic", "heuristic x2")
    assert {*names} - {"heuristic"} <= FRONTIER.keys()
    _, decisions = decided([Asker(name, "rolling") for name in names])
    sent = [decisions.rolling[name].sent for name in names]
    assert sent == sorted(set(sent), reverse=True)


def test_evict_all_clears_and_loses_all() -> None:
    for each in scores("evict-all"):
        for score in (each.of_all, each.of_results):
            assert (score.cleared, score.lost) == (score.unneeded, score.needed)
    of_all = total(each.of_all for each in scores("evict-all"))
    assert of_all.ce == of_all.unneeded / of_all.needed
    assert of_all.lift == 1.0


def test_keep_all_has_no_ce_and_loses_nothing() -> None:
    of_all = total(each.of_all for each in scores("keep-all"))
    assert (of_all.ce, of_all.lift, of_all.lost, of_all.cleared) == (None, None, 0, 0)
    assert (of_all.re, of_all.abstained) == (None, of_all.points)


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_finds_all_and_loses_nothing(seed: int) -> None:
    of_all = total(each.of_all for each in scores(ORACLE, example(seed)))
    assert (of_all.lost_share, of_all.cleared_share, of_all.found_share) == (0.0, 1.0, 1.0)
    assert of_all.added == of_all.missing > 0


@settings(max_examples=2)
@given(st.integers(1, 10_000))
def test_labels_change_scores_and_no_plan(seed: int) -> None:
    names = ("default", "masking", "corvus", "summary")
    askers = [
        *(Asker(name, mode) for name in names for mode in ("recorded", "rolling")),
        *(Asker(name, "recorded") for name in REFERENCES),
    ]
    one, _ = decided(askers)
    other, _ = decided(askers, labels(EXAMPLE, seed=seed))
    assert [(each.by, each.effect) for each in one] == [(each.by, each.effect) for each in other]
    assert _sum(one) != _sum(other)


def _sum(found: Sequence[Decided]) -> Score:
    return total(scored(each.point, each.effect).of_all for each in found)


def test_a_refresh_shows_the_lines_that_are_there_now() -> None:
    found, _ = decided([Asker("default", "recorded"), Asker("default", "rolling")])
    fresh = [
        change
        for each in found
        for change in each.effect.changed.values()
        if change.how == "refreshed"
    ]
    assert fresh
    assert all(0 < change.restored <= change.tokens for change in fresh)
    assert any(change.restored < change.tokens for change in fresh)
    assert any(change.covers for change in fresh)


def test_each_decision_of_default_is_the_same_when_it_has_maintained_the_context() -> None:
    found, _ = decided([Asker("default", "recorded"), Asker("default", "rolling")])
    modes: Mapping[str, list[set[object]]] = {"recorded": [], "rolling": []}
    for each in found:
        modes[each.by.mode].append(set(each.effect.changed))
    assert modes["recorded"] == modes["rolling"]


@pytest.fixture
def fetching(monkeypatch: pytest.MonkeyPatch) -> Sequence[Asker]:
    """A policy that brings in the first lines of a file, always."""

    def decide(situation: Situation) -> Generator[Ask, Reply, Plan]:
        yield from ()
        code = situation.code
        assert code is not None
        path = min(code.written_since(0), default="")
        if not path:
            return Plan()
        return Plan(retrieved=(Region(path, Lines(1, 9), SymbolId(path, ""), "G2", "a test"),))

    monkeypatch.setitem(POLICIES, "fetching", decide)
    return [Asker("fetching", "recorded"), Asker("fetching", "rolling")]


def test_what_is_brought_in_counts_and_shows_its_lines(fetching: Sequence[Asker]) -> None:
    found, _ = decided(fetching)
    for each in found:
        if each.effect.lines:
            assert {n for lines in each.effect.lines.values() for n in lines} <= set(range(1, 10))
            assert each.effect.brought >= sum(
                size for lines in each.effect.lines.values() for size in lines.values()
            )
            assert not each.effect.abstains
    first = next(each.point for each in found if each.effect.brought)
    recorded, rolling = (each.effect for each in found if each.point == first)
    assert recorded == rolling


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Asker:
    """A policy that removes every result at once."""

    def decide(situation: Situation) -> Generator[Ask, Reply, Plan]:
        yield from ()
        return Plan(tuple(Replace(r.slot, "gone", "evict") for r in situation.results()))

    monkeypatch.setitem(POLICIES, "forgetful", decide)
    return Asker("forgetful", "rolling")


def test_what_is_removed_and_used_again_is_regretted(forgetful: Asker) -> None:
    _, decisions = decided([forgetful, Asker("control", "rolling")])
    maintained = decisions.rolling["forgetful"]
    assert 0 < maintained.regretted <= maintained.removed
    assert maintained.sent < decisions.sent
    control = decisions.rolling["control"]
    assert (control.regretted, control.removed) == (0, 0)
