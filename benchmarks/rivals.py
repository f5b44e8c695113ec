"""What policies come to over recorded sessions, as shares of what the unmodified agent sent.

    python -m benchmarks.rivals POLICY... -- FILE...

Each session is replayed eagerly and on the terms of the default, by its own model's price and
lifetimes. Policies that ask a model are answered by a script (`statetape.bench.scripted`): what it was
asked and said is paid for at the price of the model that is meant, and is part of the dollars.
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

HEAD = (
    "| policy | tokens | stale | dollars, eager | dearest session | dollars, paying "
    "| dearest session | questions, eager | of the agent's tokens |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


class Figures(Struct, frozen=True):
    """Of one session under one policy on some terms; dollars are 0 where nobody knows a price."""

    tokens: int
    tokens_control: int
    stale: int
    stale_control: int
    dollars: float
    dollars_control: float
    questions: int
    asked_tokens: int


def figures(file: Path, policy: str, terms: Terms, known: Prices) -> Figures:
    """One replay, its questions included."""
    script = Scripted()
    found = replayed(
        file, policy=policy, payments=[Payment(prices=known, terms=terms)], answer=script
    )
    (cost,) = found.costs
    asked = sum(each.prompt + each.output for each in script.usage.values())
    return Figures(
        found.tokens.sent_policy,
        found.tokens.sent_control,
        found.tokens.stale_sent_policy,
        found.tokens.stale_sent_control,
        0.0 if cost is None else cost.simulated_policy + _asked(script, cost, known),
        0.0 if cost is None else cost.simulated_control,
        script.asked,
        asked,
    )


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
    eager = [figures(file, policy, Terms(maintain="eager"), known) for file in files]
    paying = [figures(file, policy, Terms(), known) for file in files]
    sent = sum(each.tokens_control for each in eager)
    stale = sum(each.stale_control for each in eager)
    cells = [
        f"`{policy}`",
        f"{sum(each.tokens for each in eager) / sent:.3f}",
        f"{sum(each.stale for each in eager) / stale:.3f}" if stale else "-",
        *_cost(eager, 2),
        *_cost(paying, 3),
        f"{sum(each.questions for each in eager):,}",
        f"{sum(each.asked_tokens for each in eager) / sent:.1%}",
    ]
    return f"| {' | '.join(cells)} |"


def _cost(found: Sequence[Figures], digits: int) -> tuple[str, str]:
    """The dollars of all sessions, and of the dearest one, as shares of control's."""
    priced = [each for each in found if each.dollars_control]
    if not priced:
        return "-", "-"
    total = sum(each.dollars for each in priced) / sum(each.dollars_control for each in priced)
    worst = max(each.dollars / each.dollars_control for each in priced)
    return f"{total:.{digits}f}", f"{worst:.{3 if digits == 3 else 1}f}"


def main(given: Sequence[str]) -> None:
    """Print the table."""
    at = given.index("--")
    print(HEAD)
    for policy in given[:at]:
        print(row(policy, [Path(file) for file in given[at + 1 :]]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
