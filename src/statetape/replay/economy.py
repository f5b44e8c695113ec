"""Recorded sessions on many terms at once: what maintenance costs, as a share of doing nothing."""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import median, quantiles
from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.economics.account import Terms
from statetape.economics.alike import distinct
from statetape.economics.prices import Price, Prices
from statetape.replay.priced import Payment, Sums

Ttl = Literal["own", "5m", "1h"]
Kept = Literal["control", "never", "eager", "paying", "levers", "foresight", "free"]
Edits = Literal["free", "tail"]

REREAD = (0.1, 0.25)
"""The shares of removals whose text is taken to be asked for again."""

_TTLS: dict[Ttl, int | None] = {"own": None, "5m": 300, "1h": 3600}
_KEPT: tuple[Kept, ...] = ("paying", "levers")
_BOUNDS: tuple[Kept, ...] = ("eager", "foresight", "free")
_SAME: tuple[Kept, ...] = ("control", "never")


class Case(NamedTuple):
    """One way to reckon: whose price, how long the cache keeps, what is maintained and may be."""

    model: str
    ttl: Ttl
    maintain: Kept
    edits: Edits


class Row(Struct, frozen=True, kw_only=True):
    """What all sessions came to in one case, as shares of what they were: prompts only.

    `ttl`: what is written to the cache lives so long; own: as the log says, or as the provider
    has it. `edits`: tail where only what was never sent may be changed. `cost_ratio_max` is the
    session, `request_ratio_max` the request that costs most compared with what it would have.
    `cost_ratio_reread_10`, `_25`: the total if so many percent of the removals were asked for
    again. `read`, `write`: what a token costs that is read or written, as a share of input.
    """

    model: str
    ttl: Ttl
    maintain: Kept
    edits: Edits
    read: float
    write: float
    sessions: int
    cost_ratio_total: float
    cost_ratio_max: float
    request_ratio_max: float
    tokens_ratio_total: float
    cost_ratio_reread_10: float
    cost_ratio_reread_25: float
    removals: int


class SimulatorError(Struct, frozen=True):
    """How far the simulator is off what was reported, each session by its own model and lifetime.

    `requests_within_half_percent`: the share of requests whose cache read is foreseen to 0.5 % of
    the prompt. `session_median` and `session_p90`: how far the cost of a session is off, as a
    share of what was reported, without its sign.
    """

    requests_within_half_percent: float
    session_median: float
    session_p90: float


def cases(prices: Prices, asked: Prices = ()) -> dict[Case, Payment]:
    """All cases that have to be replayed, by every price that makes a difference of its own.

    Of those `asked`, if there are any. The bounds and the eager ones are of sessions as they were
    kept, by rows with breakpoints and without tiers.
    """
    found: dict[Case, Payment] = {}
    for price in distinct(asked or prices):
        marked = price.caching == "explicit" and not price.implicit
        edits: list[Edits] = ["tail", "free"] if price.binding else ["free"]
        for ttl, edit in product(_TTLS if marked else _TTLS.keys() & {"own"}, edits):
            bounds = marked and not price.tiers and (ttl, edit) == ("own", "free")
            for kept in (*_KEPT, *_BOUNDS) if bounds else _KEPT:
                case = Case(price.model, ttl, kept, edit)
                found[case] = _payment(case, price, prices)
    return found


def unchanged(prices: Prices) -> Payment:
    """How to ask what the sessions cost as they were, by their own models."""
    return Payment(prices=prices, terms=Terms(maintain="never"))


def rows(cases: Mapping[Case, Payment], sums: Sequence[Sequence[Sums | None]]) -> list[Row]:
    """One row for each case, and two that change nothing for each price and lifetime.

    `sums` are those of each session, one for each case.
    """
    found: list[Row] = []
    done: set[tuple[str, Ttl]] = set()
    for at, (case, payment) in enumerate(cases.items()):
        price = payment.price
        known = [each for session in sums if (each := session[at]) is not None and each.control]
        if price is None or not known:
            continue
        if (case.model, case.ttl) not in done:
            done.add((case.model, case.ttl))
            for kept in _SAME:
                same = case._replace(maintain=kept, edits="free")
                found.append(_row(same, price, [_unchanged(each) for each in known]))
        found.append(_row(case, price, known))
    return found


def simulator_error(sums: Sequence[Sums]) -> SimulatorError:
    """How far the simulator is off; `sums` are those of sessions whose logs have figures."""
    off = sorted(abs(each.control_told / each.reported - 1) for each in sums if each.reported)
    told = sum(each.told for each in sums)
    return SimulatorError(
        sum(each.close for each in sums) / told if told else 0.0,
        median(off) if off else 0.0,
        quantiles(off, n=10, method="inclusive")[-1] if len(off) > 1 else sum(off),
    )


def _payment(case: Case, price: Price, prices: Prices) -> Payment:
    levers = case.maintain == "levers"
    bound = case.maintain in ("eager", "free")
    return Payment(
        prices=prices,
        price=price,
        ttl=_TTLS[case.ttl],
        terms=Terms(maintain="eager" if bound else "paying", edits=case.edits),
        rewrite_inputs=levers,
        auto=levers,
        dedupe=levers,
        foresight=case.maintain == "foresight",
        free=case.maintain == "free",
    )


def _row(case: Case, price: Price, known: Sequence[Sums]) -> Row:
    control, policy = sum(each.control for each in known), sum(each.policy for each in known)
    again = sum(each.again for each in known)
    tokens = sum(each.tokens_control for each in known)
    write = price.write_1h if case.ttl == "1h" else price.write_5m
    return Row(
        model=case.model,
        ttl=case.ttl,
        maintain=case.maintain,
        edits=case.edits,
        read=price.read / price.input,
        write=write / price.input,
        sessions=len(known),
        cost_ratio_total=policy / control,
        cost_ratio_max=max(each.policy / each.control for each in known),
        request_ratio_max=max(each.worst for each in known),
        tokens_ratio_total=sum(each.tokens_policy for each in known) / tokens if tokens else 1.0,
        cost_ratio_reread_10=(policy + REREAD[0] * again) / control,
        cost_ratio_reread_25=(policy + REREAD[1] * again) / control,
        removals=sum(each.removed for each in known),
    )


def _unchanged(sums: Sums) -> Sums:
    return Sums(
        control=sums.control,
        policy=sums.control,
        worst=1.0,
        tokens_control=sums.tokens_control,
        tokens_policy=sums.tokens_control,
    )
