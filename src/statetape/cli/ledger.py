"""Bills as lines of 80 columns, as documents and as rows of a table."""

import time
from collections.abc import Iterator, Sequence

from statetape.cli.columns import WIDTH, clean, counts, fit, labelled, regions, short
from statetape.economics.bill import Bill, Entry, by_conversation, cost, total
from statetape.economics.prices import Prices, price_of

_SESSIONS = "{:>5} {:>7} {:>7} {:>9} {:>9} {:>9}"
_KEY = WIDTH - len(_SESSIONS.format(*[""] * 6)) - 13
_REQUESTS = "{:>5} {:>8} {:>7} {:>7} {:>8} {:>8} {:>9}"
_WHAT = WIDTH - len(_REQUESTS.format(*[""] * 7)) - 2


def sessions(entries: Sequence[Entry], prices: Prices) -> Iterator[str]:
    """One row for each conversation, the latest first, and the sum of all."""
    yield f"{'last':<11} " + fit("session", _KEY, pad=True) + " " + _SESSIONS.format(*_HEADS)
    latest = {entry.conversation: entry.at for entry in entries}
    bills = by_conversation(entries, prices)
    for key in sorted(latest, key=lambda each: -latest[each]):
        when = _when("%m-%d %H:%M", latest[key])
        yield f"{when:<11} " + fit(session_name(key), _KEY, pad=True) + " " + _session(bills[key])
    yield "-" * WIDTH
    everything = total(entries, prices)
    all_of_them = "1 session" if len(bills) == 1 else f"{len(bills):,} sessions"
    yield " " * 12 + fit(all_of_them, _KEY, pad=True) + " " + _session(everything)
    yield from _account(everything, entries, prices)


def requests(entries: Sequence[Entry], prices: Prices) -> Iterator[str]:
    """One row for each request of one conversation, and their sum. There is at least one."""
    models = ", ".join(dict.fromkeys(entry.model for entry in entries))
    when = _when("%Y-%m-%d", entries[0].at)
    yield fit(f"{entries[0].conversation} · {models} · {when}", WIDTH)
    heads = ("", "", "sent", "removed", "paid $", "without", "saved")
    yield _REQUESTS.format(*heads) + "  what we did"
    for entry in entries:
        price = cost(entry, price_of(entry.model, prices))
        row = _REQUESTS.format(
            entry.number,
            _when("%H:%M:%S", entry.at),
            short(entry.sent),
            short(entry.removed),
            money(price.paid, 8),
            money(price.unmodified, 8),
            money(price.saved, 9, signed=True),
        )
        did = counts(entry.changes) if entry.changes else clean(entry.nothing)
        yield f"{row}  {fit(did, _WHAT)}".rstrip()
    yield "-" * WIDTH
    bill = total(entries, prices)
    figures = (short(bill.sent), short(bill.removed), *_dollars(bill, 8))
    yield _REQUESTS.format(short(bill.requests), "requests", *figures)
    yield from _account(bill, entries, prices)


def session_name(key: str) -> str:
    """A session's name without its agent's; of a sub-agent, the beginning of its parent's first."""
    _, _, own = key.partition(":")
    parent, _, child = own.partition(":")
    return f"{parent[:8]}:{child}" if child else own or key


def money(figure: float | None, width: int, *, signed: bool = False) -> str:
    """Dollars to a hundredth of a cent, as far as they fit the width; `-`: not known."""
    if figure is None:
        return "-"
    # Adding zero makes a negative zero a positive one.
    texts = [f"{round(figure, n) + 0.0:{'+' if signed else ''}.{n}f}" for n in (4, 2, 0)]
    return next((text for text in texts if len(text) <= width), texts[-1])


_HEADS = ("reqs", "sent", "removed", "paid $", "without", "saved")


def _session(bill: Bill) -> str:
    figures = (short(bill.requests), short(bill.sent), short(bill.removed))
    return _SESSIONS.format(*figures, *_dollars(bill, 9))


def _dollars(bill: Bill, width: int) -> tuple[str, str, str]:
    saved = money(bill.saved, 9, signed=True)
    return money(bill.paid, width), money(bill.unmodified, width), saved


def _account(bill: Bill, entries: Sequence[Entry], prices: Prices) -> Iterator[str]:
    """What the figures rest on, and what is not in dollars."""
    yield from labelled(
        "tokens", f"{bill.sent:,} sent, {bill.removed:,} removed, {bill.added:,} added"
    )
    if bill.regions:
        yield from labelled("brought in", regions(bill.regions, bill.brought))
    if bill.asks:
        price = "its price is not known" if bill.manager is None else f"${money(bill.manager, 9)}"
        words = f"{bill.asked:,} tokens in {bill.asks:,} asks, {price}"
        yield from labelled("manager", f"{words}, on top of what is paid above")
    if bill.rewritten:
        yield from labelled("written again", f"{bill.rewritten:,} tokens of cached prefix")
    each = 1000 * bill.latency / max(bill.requests, 1)
    yield from labelled("time added", f"{bill.latency:,.2f} s, {each:,.1f} ms a request")
    if bill.would is not None:
        would = f"${money(bill.would, WIDTH, signed=True)} would have been saved"
        yield from labelled("only observed", would)
    if bill.harm_tokens:
        cost_us = f", ${money(bill.harm, WIDTH)} taken off what we saved" if bill.reported else ""
        yield from labelled("read again", f"{bill.harm_tokens:,} tokens{cost_us}")
    if bill.changes:
        yield from labelled("changes", counts(bill.changes))
    if bill.nothing:
        idle = sorted(bill.nothing.items(), key=lambda item: -item[1])
        yield from labelled("did nothing", ", ".join(f"{why} ({n:,})" for why, n in idle))
    yield from labelled("simulator", _simulated(bill))
    yield from _left_out(bill, entries, prices)


def _simulated(bill: Bill) -> str:
    """How far the figures that rest on the simulator can be trusted."""
    if not bill.checked:
        return "not checked: no request has both its figure and the provider's"
    right = f"{bill.foreseen:,} of {bill.checked:,} cache reads as foreseen (within 0.5 %)"
    if bill.error is None or not bill.paid:
        return right
    share, size = bill.error / bill.paid, (bill.error_size or 0.0) / bill.paid
    off = f"its dollars are {money(bill.error, WIDTH, signed=True)} off ({share:+.1%} of what was"
    return f"{right}; {off} paid, {size:.1%} without signs)"


def _left_out(bill: Bill, entries: Sequence[Entry], prices: Prices) -> Iterator[str]:
    label = "not in dollars"
    if bill.unpriced:
        names = dict.fromkeys(each.model for each in entries if not price_of(each.model, prices))
        yield from labelled(
            label, f"{bill.unpriced:,} of models without a price: {', '.join(names)}"
        )
        label = ""
    if unreported := bill.requests - bill.unpriced - bill.reported:
        yield from labelled(label, f"{unreported:,} that the provider did not report")
    if uncompared := bill.reported - bill.compared:
        yield from labelled("not compared", f"{uncompared:,}, taken to have cost the same")


def _when(pattern: str, at: float) -> str:
    try:
        return time.strftime(pattern, time.localtime(at))
    except (OverflowError, OSError, ValueError):
        return "?"
