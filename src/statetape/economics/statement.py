"""Bills and requests as JSON has them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from statetape.economics.bill import Bill, Entry, cost, managing, total
from statetape.economics.prices import Prices, price_of


def bill_document(bill: Bill) -> dict[str, Any]:
    """A sum as JSON has it."""
    return {
        "requests": bill.requests,
        "unpriced": bill.unpriced,
        "reported": bill.reported,
        "compared": bill.compared,
        "paid": _rounded(bill.paid),
        "unmodified": _rounded(bill.unmodified),
        "saved": _rounded(bill.saved),
        "would_have_saved": _rounded(bill.would),
        "harm": _rounded(bill.harm),
        "simulator_error": {
            "dollars": _rounded(bill.error),
            "dollars_absolute": _rounded(bill.error_size),
            "requests_checked": bill.checked,
            "requests_within_half_percent": bill.foreseen,
        },
        "tokens": _tokens(bill, bill.harm_tokens),
        "regions": bill.regions,
        "latency": round(bill.latency, 4),
        "changes": dict(bill.changes),
        "nothing_done": dict(bill.nothing),
        "manager": {
            "asks": bill.asks,
            "tokens": bill.asked,
            "dollars": _rounded(bill.manager),
        },
    }


def session_documents(entries: Sequence[Entry], prices: Prices) -> Iterator[dict[str, Any]]:
    """The conversations as JSON has them, the latest first."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.conversation, []).append(entry)
    for key, some in sorted(found.items(), key=lambda each: -each[1][-1].at):
        yield {
            "session": key,
            "first": some[0].at,
            "last": some[-1].at,
            "models": list(dict.fromkeys(entry.model for entry in some)),
            **bill_document(total(some, prices)),
        }


def request_documents(entries: Sequence[Entry], prices: Prices) -> Iterator[dict[str, Any]]:
    """The requests as JSON has them."""
    for entry in entries:
        price = cost(entry, price_of(entry.model, prices))
        yield {
            "session": entry.conversation,
            "number": entry.number,
            "at": entry.at,
            "model": entry.model,
            "paid": _rounded(price.paid),
            "unmodified": _rounded(price.unmodified),
            "saved": _rounded(price.saved),
            "harm": _rounded(price.harm),
            "simulator_error": {"dollars": _rounded(price.error)},
            "usage": {
                "paid": msgspec.to_builtins(entry.paid),
                "unmodified": msgspec.to_builtins(entry.unmodified),
                "planned": msgspec.to_builtins(entry.planned),
            },
            "tokens": _tokens(entry, entry.harm),
            "regions": entry.regions,
            "latency": round(entry.latency, 4),
            "changes": dict(entry.changes),
            "nothing_done": entry.nothing,
            "manager": {
                "model": entry.manager,
                "asks": entry.asks,
                "tokens": entry.asked.prompt + entry.asked.output if entry.asked else 0,
                "dollars": _rounded(managing(entry, prices)),
            },
        }


def _tokens(of: Bill | Entry, harm: int) -> Mapping[str, int]:
    return {
        "sent": of.sent,
        "removed": of.removed,
        "added": of.added,
        "brought_in": of.brought,
        "rewritten": of.rewritten,
        "harm": harm,
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 6)
