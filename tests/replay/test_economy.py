"""What replayed sessions cost on many terms at once: the promises, on real sessions too."""

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from statetape.economics.account import Terms
from statetape.economics.prices import Price, price_of
from statetape.pricing import shipped
from statetape.replay.economy import (
    Case,
    Row,
    cases,
    rows,
    simulator_error,
    unchanged,
)
from statetape.replay.player import compared, replayed
from statetape.replay.priced import Payment, Sums

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "config-loader.jsonl"
RECORDED = ROOT.parent / "shared" / "transcripts" / "claude-code"
REAL = [
    "cipher-box__9e4910ab-95a9-4a30-.jsonl.gz",
    "erk__5eb68e86-dce2-4214.jsonl.gz",
    "cli__2026-01-06-3a782158.jsonl.gz",
]
MODELS = ("claude-opus-4-5", "claude-opus-5-5", "claude-fable-5-1")


def price(model: str) -> Price:
    found = price_of(model, shipped())
    assert found is not None
    return found


def payment(model: str = MODELS[0], **terms: object) -> Payment:
    return Payment(prices=shipped(), price=price(model), terms=Terms(**terms))  # type: ignore[arg-type]


def the(sums: list[Sums | None]) -> list[Sums]:
    return [each for each in sums if each is not None]


@cache
def table() -> dict[Case, Row]:
    """The rows of the example, by every price."""
    known = cases(shipped())
    found = compared(EXAMPLE, "default", list(known.values()))
    return {Case(row.model, row.ttl, row.maintain, row.edits): row for row in rows(known, [found])}


def test_maintenance_that_pays_never_costs_more_than_the_terms_allow() -> None:
    kept = [row for row in table().values() if row.maintain in ("paying", "levers")]
    assert len(kept) > 50
    for row in kept:
        assert row.cost_ratio_max <= 1.01
        assert row.request_ratio_max <= 2
        assert row.tokens_ratio_total <= 1


@pytest.mark.skipif(not RECORDED.exists(), reason=f"the recorded sessions are not at {RECORDED}")
@pytest.mark.parametrize("file", REAL)
def test_nor_does_it_on_real_sessions(file: str) -> None:
    asked = [
        replace(payment(model), ttl=ttl, rewrite_inputs=more, dedupe=more, auto=more)
        for model in MODELS
        for ttl, more in [(None, False), (300, False), (3600, False), (None, True)]
    ]
    for sums in the(compared(RECORDED / file, "default", asked)):
        assert sums.policy <= 1.01 * sums.control
        assert sums.worst <= 2
    own = the(compared(RECORDED / file, "default", [unchanged(shipped())]))
    error = simulator_error(own)
    assert error.requests_within_half_percent > 0.9
    assert error.session_median < 0.15


def test_each_price_that_makes_a_difference_has_its_rows() -> None:
    assert {row.model for row in table().values()} >= {*MODELS, "gpt-5", "gemini-3-flash"}
    assert {row.ttl for row in table().values() if row.model == "gpt-5"} == {"own"}
    of_one = {(row.ttl, row.maintain) for row in table().values() if row.model == MODELS[0]}
    assert {ttl for ttl, _ in of_one} == {"own", "5m", "1h"}
    assert {kept for ttl, kept in of_one if ttl == "own"} == {
        "control", "never", "eager", "paying", "levers", "foresight", "free"
    }  # fmt: skip
    assert {row.edits for row in table().values() if row.model == MODELS[1]} == {"free", "tail"}


def test_to_do_nothing_is_what_all_is_compared_with() -> None:
    never = [row for row in table().values() if row.maintain in ("never", "control")]
    assert {row.cost_ratio_total for row in never} == {1.0}
    assert the(compared(EXAMPLE, "default", [payment(maintain="never")]))[0].worst == 1.0


def test_free_removal_is_a_bound_and_eager_is_dear() -> None:
    def ratio(kept: str) -> float:
        return table()[Case(MODELS[0], "own", kept, "free")].cost_ratio_total  # type: ignore[arg-type]

    assert ratio("free") < min(ratio("paying"), ratio("levers"), ratio("foresight"))
    assert ratio("eager") > 1.2


def test_what_is_asked_for_again_is_charged() -> None:
    row = table()[Case(MODELS[0], "own", "free", "free")]
    assert row.removals > 0
    first = row.cost_ratio_reread_10 - row.cost_ratio_total
    assert first > 0
    assert row.cost_ratio_reread_25 - row.cost_ratio_total == pytest.approx(2.5 * first)


def test_sessions_beside_come_to_what_they_come_to_alone() -> None:
    asked = [payment(), payment(maintain="eager"), payment(MODELS[2], horizon=15)]
    together = compared(EXAMPLE, "default", asked)
    assert together == [compared(EXAMPLE, "default", [each])[0] for each in asked]


def test_a_price_that_is_a_multiple_is_reckoned_once_and_told_by_its_own_dollars() -> None:
    one, other = price("claude-opus-4-5"), price("claude-opus-4-1")
    found = replayed(EXAMPLE, payments=[payment(), payment(), payment("claude-opus-4-1")])
    mine, same, three = found.costs
    assert mine is not None
    assert three is not None
    assert mine == same
    assert three.model == "claude-opus-4-1"
    assert three.simulated_policy == pytest.approx(mine.simulated_policy * other.input / one.input)
    alone = replayed(EXAMPLE, payments=[payment("claude-opus-4-1")]).costs[0]
    assert alone is not None
    assert alone.simulated_control == pytest.approx(three.simulated_control)


def test_eager_sends_what_is_sent_without_a_price() -> None:
    eager = replayed(EXAMPLE, payments=[payment(maintain="eager")])
    plain = replayed(EXAMPLE)
    assert eager.tokens == plain.tokens
    assert eager.actions == plain.actions
    assert plain.costs == ()
    never = replayed(EXAMPLE, payments=[payment(maintain="never")])
    assert never.tokens.sent_policy == never.tokens.sent_control


def test_the_simulator_is_held_against_what_it_can_be_held_against() -> None:
    own = replayed(EXAMPLE, payments=[Payment(prices=shipped())]).costs[0]
    assert own is not None
    assert own.simulator_error is not None
    assert own.model == "claude-sonnet-4-5"
    assert abs(own.simulator_error) < 0.01
    hour = replayed(EXAMPLE, payments=[Payment(prices=shipped(), ttl=3600)]).costs[0]
    other = replayed(EXAMPLE, payments=[payment("gpt-5")]).costs[0]
    assert [each and each.simulator_error for each in (hour, other)] == [None, None]
    assert hour is not None
    assert other is not None
    assert replayed(EXAMPLE, payments=[Payment(prices=())]).costs == (None,)


def test_a_model_that_binds_its_thinking_is_only_told_what_is_new() -> None:
    bound = Payment(prices=shipped(), price=price(MODELS[1]), lawful=True)
    free = replace(bound, lawful=False, terms=Terms(maintain="eager"))
    first, second = the(compared(EXAMPLE, "default", [bound, free]))
    assert first.tokens_policy >= 0.98 * first.tokens_control
    assert second.removed > first.removed


def test_the_error_is_that_of_requests_and_of_sessions() -> None:
    def of(told: int, close: int, off: float) -> Sums:
        return Sums(told=told, close=close, reported=1.0, control_told=1 + off)

    error = simulator_error([of(10, 9, 0.1), of(30, 30, -0.02), of(10, 10, 0.0)])
    assert error.requests_within_half_percent == pytest.approx(49 / 50)
    assert error.session_median == pytest.approx(0.02)
    assert error.session_p90 == pytest.approx(0.084)
    assert simulator_error([]).session_p90 == 0
