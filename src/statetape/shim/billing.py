"""The ledger of a proxy: who pays for which conversation, and what was paid."""

import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from statetape.economics.account import Account, EditMode, Terms
from statetape.economics.bill import Entry, total
from statetape.economics.cache import Entries
from statetape.economics.prices import Price, Prices, edit_mode, price_of
from statetape.economics.statement import bill_document
from statetape.policies.hosted import Hosted, Spent
from statetape.shim.conversation import Conversation
from statetape.shim.paying import Payer, Ttl
from statetape.store.bills import Bills, bills_beside
from statetape.store.state import StoreError
from statetape.types import Usage
from statetape.wire.levers import may_drop, thinks
from statetape.wire.reading import Reading

# Requests of one run whose figures are kept in memory for its summary.
_MOST = 20_000
# Characters of a model's name.
_LONGEST = 200


class Means(Struct, frozen=True, kw_only=True):
    """How a proxy pays: `prices`, `terms`, and whether what may be edited follows the model.

    `edits` "auto": a model that binds its thinking is only ever told what is new; else all may be
    changed. `ttl`: seconds that entries live, `client`: as the client says, `auto`: as its pauses
    suggest. `notes`: how many tokens one may have, 0: there are none. `dedupe`: what is read again
    and still shown becomes a pointer. `observe`: nothing goes on changed.
    """

    prices: Prices
    terms: Terms = Terms()
    edits: EditMode | Literal["auto"] = "auto"
    ttl: Ttl = "client"
    notes: int = 0
    dedupe: bool = False
    observe: bool = False


class Ledger:
    """The payers of all conversations of one proxy. Safe to use from several threads."""

    def __init__(self, means: Means, changes: Path) -> None:
        """The bills are kept beside the `changes`; opened when the first one is written."""
        self._means = means
        self._path = bills_beside(changes)
        self._bills: Bills | None = None
        self._lock = threading.Lock()
        self._ours, self._theirs = Entries(), Entries()
        self._numbers: dict[str, int] = {}
        self._bound: dict[str, bool] = {}
        self._run: list[Entry] = []
        self._faults: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._lives: defaultdict[str, float] = defaultdict(float)

    def payer(self, named: str, conversation: Conversation, reading: Reading) -> Payer:
        """Who pays for the requests of a conversation to this model; `named` as in its bills."""
        price = price_of(reading.model, self._means.prices) or _unknown(reading)
        edits = self._edits(named, price, reading)
        if reading.model not in conversation.payers:
            terms = replace(self._means.terms, edits=edits)
            account = Account(price, terms, self._ours, self._theirs)
            conversation.payers[reading.model] = Payer(
                account, ttl=self._means.ttl, idle=self._idle(named), observe=self._means.observe
            )
        payer = conversation.payers[reading.model]
        payer.account.terms = replace(payer.account.terms, edits=edits)
        return payer

    def drops(self, reading: Reading) -> bool:
        """Whether a request asks for leave to drop the thinking before which it is changed."""
        price = price_of(reading.model, self._means.prices) or _unknown(reading)
        return self._means.edits == "drop_block" and price.binding and may_drop(reading)

    def _edits(self, named: str, price: Price, reading: Reading) -> EditMode:
        """What may be edited in this request.

        Thinking that a model has bound is in the history after the client went on with another
        one, which does not mind, and will be there when it comes back.
        """
        edits = self._means.edits
        if edits in ("free", "tail"):
            return edits
        if price.binding:
            with self._lock:
                self._bound[named] = True
        if self.drops(reading):
            return "drop_block"
        if not thinks(reading):
            return "free"
        return "tail" if self._has_bound(named) else edit_mode(price)

    def _has_bound(self, named: str) -> bool:
        """Whether a model that binds its thinking has had a part in a conversation."""
        with self._lock:
            known = self._bound.get(named)
        if known is None:
            try:
                models = self._opened().models(named)
            except (StoreError, OSError):
                models = ()
            prices = (price_of(model, self._means.prices) for model in models)
            known = any(price is None or price.binding for price in prices)
            with self._lock:
                self._bound[named] = known
        return known

    def entry(
        self, key: str, model: str, conversation: Conversation, payer: Payer, seconds: float
    ) -> Entry:
        """What can be said of a request before its answer. `seconds`: what it waited for us.

        Its number is that of the next one that is paid.
        """
        removed, added = conversation.difference
        spent = _spent(conversation)
        with self._lock:
            self._asked.update(asks=spent.asks, tokens=spent.usage.prompt + spent.usage.output)
            self._asked.update(spent.failed)
        return Entry(
            conversation=key,
            number=0,
            at=time.time(),
            model=model[:_LONGEST],
            sent=conversation.session.tokens,
            removed=removed,
            added=added,
            regions=conversation.brought.regions,
            brought=conversation.brought.tokens,
            rewritten=payer.rewritten,
            latency=seconds,
            changes=dict(Counter(conversation.made)),
            harm=payer.harm,
            nothing="" if conversation.made else payer.decision.why,
            observed=self._means.observe,
            manager=spent.model[:_LONGEST],
            asks=spent.asks,
            asked=spent.usage or None,
        )

    def asked(self) -> dict[str, int]:
        """What models were asked in this run: `asks`, `tokens`, and failures by why."""
        with self._lock:
            return dict(self._asked)

    def paid(self, entry: Entry, payer: Payer, usage: Usage | None, number: int) -> None:
        """The request that was the payer's `number` was answered.

        Never raises for a store that fails: what failed is counted.
        """
        reckoned = payer.answered(usage, number)
        entry = replace(
            entry,
            number=self._next(entry.conversation),
            paid=usage,
            planned=reckoned.planned if reckoned else None,
            unmodified=reckoned.unmodified if reckoned else None,
        )
        with self._lock:
            if payer.costs is not None:
                self._lives["client"] += payer.costs[0]
                self._lives["auto"] += payer.costs[1]
            self._run.append(entry)
            del self._run[:-_MOST]
        try:
            self._opened().put(entry)
        except (StoreError, OSError) as fault:
            with self._lock:
                self._faults[type(fault).__name__] += 1

    def state(self) -> dict[str, Any]:
        """What this run cost, as JSON has it; how often a bill could not be kept, by fault.

        `prompts_by_ttl`: dollars of all prompts unmodified, with the lives that the client gives
        its breakpoints, and with those that its pauses suggest.
        """
        with self._lock:
            entries, faults, lives = list(self._run), dict(self._faults), dict(self._lives)
        return {
            "bill": bill_document(total(entries, self._means.prices)),
            "bill_faults": faults,
            "prompts_by_ttl": {ttl: round(cost, 6) for ttl, cost in lives.items()},
        }

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._bills is not None:
                self._bills.close()
                self._bills = None

    def _idle(self, named: str) -> float | None:
        """The seconds since the last bill of a conversation; None where there is none."""
        try:
            latest = self._opened().latest(named)
        except (StoreError, OSError):
            return None
        return None if latest is None else time.time() - latest

    def _next(self, key: str) -> int:
        """The number of the next bill; another process may bill the same conversation."""
        try:
            kept = self._opened().last(key)
        except (StoreError, OSError):
            kept = 0
        with self._lock:
            self._numbers[key] = number = max(kept, self._numbers.get(key, 0)) + 1
        return number

    def _opened(self) -> Bills:
        with self._lock:
            if self._bills is None:
                self._bills = Bills(self._path)
                self._bills.prune()
            return self._bills


def _spent(conversation: Conversation) -> Spent:
    """What the policy of a conversation has asked since the request before."""
    policy = conversation.policy
    return policy.take() if isinstance(policy, Hosted) else Spent()


def _unknown(reading: Reading) -> Price:
    """The price row of a model that nobody knows: the usual ratios, and nothing risked."""
    explicit = reading.wire == "anthropic"
    return Price(
        model=reading.model or "unknown",
        caching="explicit" if explicit else "automatic",
        lookback=20 if explicit else 0,
        breakpoints=4 if explicit else 0,
        step=1 if explicit else 128,
        binding=explicit,
        input=1.0,
        output=5.0,
        write_5m=1.25 if explicit else 1.0,
        write_1h=2.0 if explicit else 1.0,
        read=0.1,
    )
