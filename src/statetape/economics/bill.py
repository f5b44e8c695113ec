"""The ledger: what requests cost, and what they would have cost without us.

What was paid is the provider's own figure. What we saved is the difference of two simulated
figures, the request as it came and the request as it went on, by one clock and one simulator: so
what the simulator does not foresee (a cache that lost an entry, one that kept it longer) is
neither to our credit nor to our charge. It is the error, kept and shown beside. What the request
would have cost without us is thus what was paid and what was saved.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from statetape.economics.prices import Price, Prices, dollars, price_of, rates
from statetape.types import Usage

CLOSE = 0.005
"""A foreseen cache read is right within this share of the prompt."""


class Entry(Struct, frozen=True, kw_only=True):
    """One request.

    `conversation` is a key, `number` counts its requests from 1, `at` is when it started (Unix
    seconds). `paid` is what its provider reported, `unmodified` what the simulator says the request
    without us would have cost, `planned` what it says of the one that was sent. `sent`, `removed`
    and `added` are cl100k tokens: of the history that was sent, and of the texts that were taken
    from it or put into it by all changes in it. At this request `regions` of code were brought in,
    of `brought` cl100k tokens. `rewritten`: tokens (the model's own) of cached
    prefix that had to be written again because of us. `latency`: seconds that we added. `changes`:
    how many were made at this request, by why. `harm`: what a re-read of something we removed
    cost, charged to us as so many uncached input tokens. `nothing`: why nothing was done; "" if
    something was. `observed`: it went on as it came, and all of this is what would have been.
    `asked`: what a model, the `manager`, was asked in `asks` calls since the request before.
    """

    conversation: str
    number: int
    at: float
    model: str
    paid: Usage | None = None
    unmodified: Usage | None = None
    planned: Usage | None = None
    sent: int = 0
    removed: int = 0
    added: int = 0
    rewritten: int = 0
    latency: float = 0.0
    changes: Mapping[str, int] = {}
    harm: int = 0
    nothing: str = ""
    observed: bool = False
    regions: int = 0
    brought: int = 0
    manager: str = ""
    asks: int = 0
    asked: Usage | None = None

    @property
    def foreseen(self) -> Usage | None:
        """What the simulator says of the request that the provider was really sent."""
        return self.unmodified if self.observed else self.planned


class Cost(Struct, frozen=True):
    """One request in dollars; None where a figure is not known.

    `saved` is negative where we cost more than we saved, and what `harm` there was is taken off.
    `error` is what was foreseen minus what was paid. `unmodified` is `paid` plus `saved`. Of a
    request that was only observed nothing is saved, and `would` is what would have been.
    """

    paid: float | None = None
    saved: float | None = None
    harm: float | None = None
    error: float | None = None
    would: float | None = None

    @property
    def unmodified(self) -> float | None:
        """What the request would have cost without us."""
        if self.paid is None or self.saved is None:
            return None
        return self.paid + self.saved


def cost(entry: Entry, price: Price | None) -> Cost:
    """What a request cost by its model's price; nothing is known without one.

    What comes out of a model is taken to be the same with and without us.
    """
    if price is None:
        return Cost()
    # A usage without any token is no report at all: it is false.
    output = entry.paid.output if entry.paid else 0

    def priced(usage: Usage | None) -> float | None:
        return dollars(price, replace(usage, output=output)) if usage else None

    paid, planned, unmodified = map(priced, (entry.paid, entry.planned, entry.unmodified))
    sent = entry.paid or entry.planned
    harm = entry.harm * rates(price, sent.prompt if sent else 0).input / 1e6
    as_sent = paid if planned is None else planned
    saved = None if unmodified is None or as_sent is None else unmodified - as_sent - harm
    foreseen = priced(entry.foreseen)
    return Cost(
        paid=paid,
        saved=0.0 if entry.observed and saved is not None else saved,
        harm=harm,
        error=None if foreseen is None or paid is None else foreseen - paid,
        would=saved if entry.observed else None,
    )


def managing(entry: Entry, prices: Prices) -> float | None:
    """What the manager cost at a request, in dollars; None: nothing, or its price is not known."""
    price = price_of(entry.manager, prices) if entry.asked else None
    return dollars(price, entry.asked) if price is not None and entry.asked else None


def close(entry: Entry) -> bool | None:
    """Whether the cache read was foreseen within 0.5 % of the prompt; None: nobody can say."""
    if not entry.paid or not entry.foreseen:
        return None
    off = abs(entry.foreseen.cache_read - entry.paid.cache_read)
    return off <= CLOSE * entry.paid.prompt


class Bill(Struct, frozen=True, kw_only=True):
    """The sum of some requests.

    Of the `requests`, the models of `unpriced` have no price; of the others the provider told
    what `reported` of them cost, and `compared` of these can be compared with what they would
    have cost. Dollars are sums over these; `paid` is None if nothing was reported, `saved` if
    nothing was compared. `error` is the sum of all errors with their sign, `error_size` without;
    `foreseen` of the `checked` requests had the cache read that was foreseen (`close`). The other
    figures are sums over all requests. `would` is what observed ones would have saved, None if
    none was observed. `manager` are the dollars of the `asked` tokens in `asks` calls of it, on
    top of all others; None where no price of any is known.
    """

    requests: int = 0
    unpriced: int = 0
    reported: int = 0
    compared: int = 0
    paid: float | None = None
    saved: float | None = None
    would: float | None = None
    harm: float = 0.0
    error: float | None = None
    error_size: float | None = None
    checked: int = 0
    foreseen: int = 0
    sent: int = 0
    removed: int = 0
    added: int = 0
    regions: int = 0
    brought: int = 0
    rewritten: int = 0
    harm_tokens: int = 0
    latency: float = 0.0
    changes: Mapping[str, int] = {}
    nothing: Mapping[str, int] = {}
    asks: int = 0
    asked: int = 0
    manager: float | None = None

    @property
    def unmodified(self) -> float | None:
        """What the reported requests would have cost without us.

        Those that cannot be compared are taken to have cost the same.
        """
        return None if self.paid is None else self.paid + (self.saved or 0.0)


def total(entries: Iterable[Entry], prices: Prices) -> Bill:
    """The sum of all of them. A request that its provider did not report counts no dollars."""
    entries = tuple(entries)
    known = {model: price_of(model, prices) for model in {entry.model for entry in entries}}
    costs = [cost(entry, known[entry.model]) for entry in entries]
    reported = [each for each in costs if each.paid is not None]
    errors = [each.error for each in reported if each.error is not None]
    closeness = [right for right in map(close, entries) if right is not None]
    saved = [each.saved for each in reported if each.saved is not None]
    managed = [managing(entry, prices) for entry in entries if entry.asked]
    changes: Counter[str] = Counter()
    for entry in entries:
        changes.update(entry.changes)
    return Bill(
        requests=len(entries),
        unpriced=sum(known[entry.model] is None for entry in entries),
        reported=len(reported),
        compared=len(saved),
        paid=_sum([each.paid for each in reported if each.paid is not None]),
        saved=_sum(saved),
        would=_sum([each.would for each in reported if each.would is not None]),
        harm=sum(each.harm for each in reported if each.harm is not None),
        error=_sum(errors),
        error_size=_sum([abs(error) for error in errors]),
        checked=len(closeness),
        foreseen=sum(closeness),
        sent=sum(entry.sent for entry in entries),
        removed=sum(entry.removed for entry in entries),
        added=sum(entry.added for entry in entries),
        regions=sum(entry.regions for entry in entries),
        brought=sum(entry.brought for entry in entries),
        rewritten=sum(entry.rewritten for entry in entries),
        harm_tokens=sum(entry.harm for entry in entries),
        latency=sum(entry.latency for entry in entries),
        changes=dict(changes),
        nothing=dict(Counter(entry.nothing for entry in entries if entry.nothing)),
        asks=sum(entry.asks for entry in entries),
        asked=sum(entry.asked.prompt + entry.asked.output for entry in entries if entry.asked),
        manager=_sum([each for each in managed if each is not None]),
    )


def by_conversation(entries: Iterable[Entry], prices: Prices) -> dict[str, Bill]:
    """The sums of each conversation, in the order in which they come first."""
    return _by(entries, prices, lambda entry: entry.conversation)


def by_model(entries: Iterable[Entry], prices: Prices) -> dict[str, Bill]:
    """The sums of each model as it is named, in the order in which they come first."""
    return _by(entries, prices, lambda entry: entry.model)


def _by(entries: Iterable[Entry], prices: Prices, key: Callable[[Entry], str]) -> dict[str, Bill]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return {name: total(some, prices) for name, some in found.items()}


def _sum(figures: Sequence[float]) -> float | None:
    return sum(figures) if figures else None
