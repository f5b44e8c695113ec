"""What the manager costs has a line of its own: on top of everything, and taken off nothing."""

from pathlib import Path

import pytest

from statetape.cli.account import account
from statetape.cli.ledger import sessions
from statetape.economics.bill import Entry, managing, total
from statetape.economics.prices import Price
from statetape.economics.statement import bill_document, request_documents
from statetape.store.bills import Bills
from statetape.types import Usage

SMALL = Price(model="small", input=1, output=5, write_5m=1.25, write_1h=2, read=0.1)
PRICE = Price(model="m", input=10, output=50, write_5m=12.5, write_1h=20, read=1)
PRICES = (PRICE, SMALL)
ASKED = Usage(input=1_000, cache_read=2_000, output=200)
DOLLARS = (1_000 * 1 + 2_000 * 0.1 + 200 * 5) / 1e6
PAID = Usage(input=100, output=10)


def entry(number: int = 1, **fields: object) -> Entry:
    known = {"conversation": "c", "number": number, "at": float(number), "model": "m", "paid": PAID}
    return Entry(**{**known, **fields})  # type: ignore[arg-type]


MANAGED = entry(2, manager="small", asks=3, asked=ASKED, planned=PAID, unmodified=PAID)


def test_it_is_priced_by_its_own_model_and_on_top() -> None:
    assert managing(MANAGED, PRICES) == pytest.approx(DOLLARS)
    with_it, without = total([entry(), MANAGED], PRICES), total([entry(), entry(2)], PRICES)
    assert (with_it.asks, with_it.asked) == (3, 3_200)
    assert with_it.manager == pytest.approx(DOLLARS)
    assert with_it.paid == without.paid
    assert with_it.saved == 0.0
    assert (without.asks, without.asked, without.manager) == (0, 0, None)


def test_of_a_model_without_a_price_there_are_tokens_alone() -> None:
    unknown = entry(manager="qwen3:4b", asks=1, asked=ASKED)
    found = total([unknown], PRICES)
    assert (found.asked, found.manager) == (3_200, None)
    (row,) = request_documents([unknown], PRICES)
    assert row["manager"] == {"model": "qwen3:4b", "asks": 1, "tokens": 3_200, "dollars": None}
    assert any("its price is not known" in line for line in sessions([unknown], PRICES))


def test_it_is_told_in_the_bill_and_at_the_end_of_a_run() -> None:
    bill = bill_document(total([MANAGED], PRICES))
    assert bill["manager"] == {"asks": 3, "tokens": 3_200, "dollars": round(DOLLARS, 6)}
    core = {"requests": 1, "tokens": {"with": 1, "without": 1}, "bill": bill}
    lines = list(account({"proxy": {"requests": 1}, "core": core}))
    assert "manager: 3,200 tokens in 3 asks, $0.0022 on top" in lines
    told = "\n".join(sessions([MANAGED], PRICES))
    assert "3,200 tokens in 3 asks, $0.0022, on top of what is paid above" in " ".join(told.split())


def test_it_is_kept_and_found_again(tmp_path: Path) -> None:
    store = Bills(tmp_path / "bills.sqlite")
    store.put(MANAGED)
    store.close()
    assert Bills(tmp_path / "bills.sqlite").of("c") == (MANAGED,)
