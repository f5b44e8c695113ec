"""What policies come to over recorded sessions, as shares of what the unmodified agent sent.

    python -m benchmarks.rivals POLICY... -- FILE...

Each session is replayed eagerly and on the terms of the default, by its own model's price and
lifetimes. Policies that ask a model are answered by a script (`statetape.bench.scripted`): what it
was asked and said is paid for at the price of the model that is meant, and is part of the dollars.
"""

# ruff: noqa: T201 -- the figures are the point

import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from statetape.bench.scripted import Scripted
from statetape.economics.account import Terms
from statetape.economics.prices import Price, Prices, dollars, price_of
from statetape.pricing import prices
from statetape.replay.player import replayed
from statetape.replay.priced import Payment
from statetape.replay.timeline import Cost
from statetape.types import Usage

MANAGER = "claude-haiku-4-5"
"""The model of the paper's manager for Claude's agents, whose price small questions are paid by."""

ASKING = frozenset({"summary", "text", "without-tape"})
"""Policies that ask: on each terms a replay of its own, for its questions are its own."""

HEAD = (
    "| policy | tokens | stale | dollars, eager | dearest session | dollars, paying "
    "| dearest session | questions: tokens | dollars, eager | paying |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)
TERMS = (Terms(maintain="eager"), Terms())


class Figures(Struct, frozen=True):
    """Of one session under one policy on some terms; dollars are 0 where nobody knows a price.

    `questions`: the dollars of what a model was asked and said, `asked` the tokens of that.
    """

    tokens: int
    tokens_control: int
    stale: int
    stale_control: int
    dollars: float = 0.0
    dollars_control: float = 0.0
    questions: float = 0.0
    asked: int = 0


def figures(file: Path, policy: str, known: Prices) -> list[Figures]:
    """A session on each of the terms."""
    if policy not in ASKING:
        return _replayed(file, policy, TERMS, known)
    return [each for terms in TERMS for each in _replayed(file, policy, [terms], known)]


def _replayed(file: Path, policy: str, terms: Sequence[Terms], known: Prices) -> list[Figures]:
    """One replay, in which one session asks at most. The first terms are those of the tokens."""
    script = Scripted()
    payments = [Payment(prices=known, terms=each) for each in terms]
    found = replayed(file, policy=policy, payments=payments, answer=script)
    if any(each.now is not None for each in found.records if each.side not in ("result", "added")):
        raise AssertionError(f"{file}: {policy} has changed the agent's own words")
    asked = sum(each.prompt + each.output for each in script.usage.values())
    told = found.tokens
    sent = told.sent_policy, told.sent_control, told.stale_sent_policy, told.stale_sent_control
    return [
        Figures(*sent)
        if cost is None
        else Figures(
            *sent,
            cost.simulated_policy,
            cost.simulated_control,
            _asked(script, cost, known),
            asked,
        )
        for cost in found.costs
    ]


def _asked(script: Scripted, cost: Cost, known: Prices) -> float:
    """The dollars of all questions and replies."""
    named = {"agent": cost.model, "manager": MANAGER}
    total = 0.0
    for by, usage in script.usage.items():
        price = price_of(named[by], known)
        if price is None:
            raise LookupError(f"no price for {named[by]}")
        total += dollars(price, _scaled(usage, price))
    return total


def _scaled(usage: Usage, price: Price) -> Usage:
    """Tokens of cl100k as the model would count them."""
    return Usage(
        input=round(usage.input * price.tokens_prose),
        output=round(usage.output * price.tokens_prose),
    )


def row(policy: str, files: Sequence[Path]) -> str:
    """The row of a table in Markdown."""
    known = prices(None)
    found = [figures(file, policy, known) for file in files]
    eager, paying = ([each[at] for each in found] for at in range(len(TERMS)))
    sent = sum(each.tokens_control for each in eager)
    stale = sum(each.stale_control for each in eager)
    cells = [
        f"`{policy}`",
        f"{sum(each.tokens for each in eager) / sent:.3f}",
        f"{sum(each.stale for each in eager) / stale:.3f}" if stale else "-",
        *_cost(eager, 2),
        *_cost(paying, 3),
        f"{sum(each.asked for each in eager) / sent:.1%}",
        *(_questions(each) for each in (eager, paying)),
    ]
    return f"| {' | '.join(cells)} |"


def _cost(found: Sequence[Figures], digits: int) -> tuple[str, str]:
    """The dollars of all sessions, and of the dearest one, as shares of control's."""
    priced = [each for each in found if each.dollars_control]
    if not priced:
        return "-", "-"
    spent = [each.dollars + each.questions for each in priced]
    control = [each.dollars_control for each in priced]
    worst = max(one / other for one, other in zip(spent, control, strict=True))
    return f"{sum(spent) / sum(control):.{digits}f}", f"{worst:.{digits if digits > 2 else 1}f}"


def _questions(found: Sequence[Figures]) -> str:
    """The dollars of the questions, as a share of control's."""
    control = sum(each.dollars_control for each in found)
    return f"{sum(each.questions for each in found) / control:.3f}" if control else "-"


def main(given: Sequence[str]) -> None:
    """Print the table."""
    at = given.index("--")
    print(HEAD)
    for policy in given[:at]:
        print(row(policy, [Path(file) for file in given[at + 1 :]]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
