"""A policy's plan and an account: of each change what it saves, and what of them is carried out."""

from collections.abc import Sequence

import pytest

from statetape.bargain import Request, bargained, offered
from statetape.economics.account import Account, Terms
from statetape.economics.prices import Price
from statetape.economics.prompt import Block, Prompt
from statetape.economics.reasons import NOT_YET
from statetape.files import Memory
from statetape.policies.control import control
from statetape.session import Session
from statetape.types import Kept, Plan, Record, Replace, Slot, StepKind, Untracked
from statetape.workspace import Workspace

OPUS = Price(
    model="opus", input=5, output=25, write_5m=6.25, write_1h=10, read=0.5, caching="explicit",
    lookback=20, breakpoints=4, tokens_prose=2, tokens_shell=3, tokens_block=10,
)  # fmt: skip
ANY = Terms(cap=1e9, limit=1e9)


def slot(name: str) -> Slot:
    return Slot(name, "result")


def session(**texts: str) -> Session:
    """It holds these texts; a character is a token, and those named `run...` are shell output."""
    space = Workspace(Memory({}))
    made = Session(space, control, len, title=str)
    for step, (name, text) in enumerate(texts.items()):
        kind: StepKind = "run" if name.startswith("run") else "read"
        made.hold(Record(slot(name), step, kind, text, Untracked(), 0, len(text)))
    return made


def request(*tokens: int, names: Sequence[str], sent: int) -> Request:
    """A prompt of a system block and one for each name, all marked at the end."""
    row = [Block(b"system", 5000, 300)]
    row += [Block(name.encode(), size) for name, size in zip(names, tokens, strict=True)]
    row[-1] = row[-1]._replace(ttl=300)
    prompt = Prompt("opus", 0, tuple(row), system=1)
    return Request(prompt, prompt, sent, {slot(name): n for n, name in enumerate(names, 1)})


def change(name: str, text: str, why: str = "drop") -> Replace:
    return Replace(slot(name), text, why)  # type: ignore[arg-type]


def test_an_offer_is_what_a_change_saves_in_the_models_own_tokens() -> None:
    held = session(a="x" * 100, run="x" * 100)
    asked = request(210, 310, names=["a", "run"], sent=3)
    plan = Plan((change("a", "x" * 40, "refresh"), change("run", "x" * 40)))
    offers = offered(plan, asked, Account(OPUS, ANY), held)
    assert [offer.block for offer in offers] == [1, 2]
    assert [offer.saved for offer in offers] == [120, 180]
    assert [offer.change for offer in offers] == list(plan.changes)


def test_a_longer_text_saves_less_than_nothing() -> None:
    (offer,) = offered(
        Plan((change("a", "x" * 150, "refresh"),)),
        request(210, names=["a"], sent=2),
        Account(OPUS, ANY),
        session(a="x" * 100),
    )
    assert offer.saved == -100


def test_a_block_that_the_provider_counts_higher_saves_more() -> None:
    """Both texts are off alike: what was reported puts the estimate right."""
    (offer,) = offered(
        Plan((change("a", "x" * 40, "refresh"),)),
        request(420, names=["a"], sent=2),
        Account(OPUS, ANY),
        session(a="x" * 100),
    )
    assert offer.saved == 240


def test_of_a_block_with_several_texts_each_has_its_share() -> None:
    asked = request(1050, names=["a"], sent=2)
    asked = asked._replace(blocks={slot("a"): 1, slot("b"): 1})
    plan = Plan((change("a", ""), change("b", "y" * 20)))
    offers = offered(plan, asked, Account(OPUS, ANY), session(a="x" * 45, b="y" * 120))
    # 100 and 250 tokens by estimate, 1,050 by report: 300 and 750.
    assert [offer.saved for offer in offers] == [270, 600]


def test_a_block_never_saves_more_than_it_has() -> None:
    offers = offered(
        Plan((change("a", ""), change("b", ""))),
        request(5, 0, names=["a", "b"], sent=3),
        Account(OPUS, ANY),
        session(a="x" * 100, b=""),
    )
    assert all(offer.saved <= size for offer, size in zip(offers, (5, 0), strict=True))


def test_a_slot_that_the_request_does_not_have_is_not_offered() -> None:
    plan = Plan((change("a", "x"), change("b", "x")))
    offers = offered(
        plan, request(210, names=["b"], sent=2), Account(OPUS, ANY), session(a="xx", b="xx")
    )
    assert [offer.change.slot for offer in offers] == [slot("b")]


def test_the_shorter_change_of_a_slot_is_offered_after_the_policys_own() -> None:
    plan = Plan((change("a", "xx", "refresh"),), shorter=(change("a", "x"),))
    offers = offered(plan, request(210, names=["a"], sent=2), Account(OPUS, ANY), session(a="xxx"))
    assert [offer.change.why for offer in offers] == ["refresh", "drop"]


def test_a_refresh_is_no_risk_and_a_removal_is_one() -> None:
    account = Account(OPUS, Terms(horizon=20))
    plan = Plan((change("a", "x", "refresh"),), shorter=(change("a", ""),))
    asked = request(210, names=["a"], sent=2)
    refresh, drop = offered(plan, asked, account, session(a="x" * 100))
    assert refresh.risk == 0
    assert drop.risk > 0
    account.regret.again("drop")
    assert offered(plan, asked, account, session(a="x" * 100))[1].risk > drop.risk
    assert refresh.requests == drop.requests == 20


def test_what_does_not_pay_stays_as_it_is_and_the_rest_of_the_plan_too() -> None:
    held = session(a="x" * 1000, b="y" * 20_000)
    asked = request(2010, 40_010, names=["a", "b"], sent=3)
    account = Account(OPUS, ANY)
    account.answered(asked.unmodified, asked.prompt)
    plan = Plan((change("a", "x", "refresh"),), kept=(Kept(slot("b"), "true"),))
    left, decision = bargained(plan, asked, account, held)
    assert left == Plan((), kept=(Kept(slot("b"), "true"),))
    assert decision.why == NOT_YET


def test_what_pays_is_carried_out_by_the_session() -> None:
    held = session(a="x" * 1000, b="y" * 100)
    asked = request(2010, 210, names=["a", "b"], sent=3)
    account = Account(OPUS, ANY)
    account.answered(asked.unmodified, asked.prompt)
    plan = Plan((change("a", "x", "refresh"), change("b", "y", "refresh")))
    left, decision = bargained(plan, asked, account, held)
    assert left.changes == decision.changes == plan.changes
    assert decision.anchor == 0, "the system prompt has a breakpoint of its own"


@pytest.mark.parametrize("maintain", ["eager", "never"])
def test_eager_carries_out_the_whole_plan_and_never_nothing(maintain: str) -> None:
    held = session(a="x" * 1000)
    plan = Plan((change("a", "x" * 1001, "refresh"),), shorter=(change("a", ""),))
    account = Account(OPUS, Terms(maintain=maintain))  # type: ignore[arg-type]
    left, _ = bargained(plan, request(2010, names=["a"], sent=2), account, held)
    assert left.changes == (plan.changes if maintain == "eager" else ())


@pytest.mark.parametrize("text", ["y", "y" * 30_000])
def test_changes_that_rely_on_another_are_made_with_it_or_not_at_all(text: str) -> None:
    held = session(a="x" * 10_000, b="y" * 100)
    asked = request(20_010, 210, names=["a", "b"], sent=3)
    account = Account(OPUS, ANY)
    account.answered(asked.unmodified, asked.prompt)
    changes = (change("a", "x", "summarise"), change("b", text, "summarise"))
    alone, _ = bargained(Plan(changes), asked, account, held)
    left, decision = bargained(Plan(changes, basis=slot("b")), asked, account, held)
    assert left.changes == decision.changes == (changes if text == "y" else ())
    assert (decision.why == NOT_YET) is (text != "y")
    assert changes[0] in alone.changes
