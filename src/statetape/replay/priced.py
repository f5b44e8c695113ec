"""A replayed conversation that pays for what it changes."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from statetape.bargain import Request, bargained
from statetape.economics.account import Account, Decision, Terms, marked
from statetape.economics.prices import Price, Prices, dollars, price_of
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Sent
from statetape.replay.timeline import Cost
from statetape.session import Session
from statetape.types import Plan, Usage


class Sums(Struct, frozen=True, kw_only=True):
    """What one session came to under some terms, without the output; figures for tables.

    Dollars; tokens of all prompts (the model's own). `worst` is the request that costs most
    compared with what it would have. `removed` counts the removals, `again` the units that a
    re-read of every one would have cost.
    """

    control: float = 0.0
    policy: float = 0.0
    worst: float = 0.0
    tokens_control: int = 0
    tokens_policy: int = 0
    requests: int = 0
    close: int = 0
    reported: float = 0.0
    removed: int = 0
    again: float = 0.0


class Payment(Struct, frozen=True, kw_only=True):
    """How a replay reckons: by what `prices`, on what `terms`.

    `price` None: that of the session's own model. `ttl`: seconds that the client's breakpoints
    write for; None: as the log says.
    """

    prices: Prices
    terms: Terms = Terms()
    price: Price | None = None
    ttl: int | None = None
    rewrite_inputs: bool = False

    def priced(self, session: Session, models: Sequence[str]) -> "Priced | None":
        """A session that pays; None where no model of the recording has a price.

        Tokens are always counted as the recording's own model counts them.
        """
        rows = (price_of(model, self.prices) for model in models)
        own = next((row for row in rows if row is not None), None)
        price = own if self.price is None else self.price
        if price is None:
            return None
        if own is not None:
            price = replace(
                price,
                tokens_prose=own.tokens_prose,
                tokens_shell=own.tokens_shell,
                tokens_block=own.tokens_block,
            )
        return Priced(session, price, self.terms, ttl=self.ttl)


class Priced:
    """One session under some terms, and its account."""

    def __init__(
        self, session: Session, price: Price, terms: Terms, *, ttl: int | None = None
    ) -> None:
        """`ttl`: seconds that the client's breakpoints write for; None: as the log says."""
        self.session = session
        self.account = Account(price, terms)
        self._prompts = Prompts(price, ttl)
        self._price = price
        self._begun = False
        self._output = 0
        self.sums = Sums()

    def forget(self, slots: frozenset[object] | None) -> None:
        """The client dropped these slots."""
        self._prompts.forget(slots)  # type: ignore[arg-type]

    def send(self, sent: Sent, control: Session) -> Plan:
        """One request leaves; `control` holds what the client sends. The plan carried out."""
        unmodified = self._prompts.prompt(sent, control.held)
        if not self._begun:
            self._begun = True
            if self._prompts.begun:
                opening = self._prompts.opening(sent.model)
                self.account.warm(opening, opening)
        held, ledger = self.session.held, self.session.ledger
        prompt = self._prompts.changed(unmodified, held, ledger)
        request = Request(unmodified, prompt, self._prompts.sent, self._prompts.blocks)
        decision = Decision()

        def chosen(plan: Plan) -> Plan:
            nonlocal decision
            plan, decision = bargained(plan, request, self.account, self.session)
            return plan

        plan = self.session.request(chosen)
        after = marked(self._prompts.changed(unmodified, held, ledger), decision.anchor)
        paid = self.account.answered(unmodified, after)
        self._count(paid.unmodified, paid.planned, sent.usage, plan)
        return plan

    def cost(self) -> Cost:
        """What all requests so far come to, what the model said included."""
        said = self._output * self._price.output / 1e6
        reported = self.sums.reported + said if self.sums.reported else None
        control = self.sums.control + said
        return Cost(
            self._price.model,
            reported,
            control,
            self.sums.policy + said,
            control / reported - 1 if reported else None,
        )

    def _count(self, control: Usage, policy: Usage, reported: Usage | None, plan: Plan) -> None:
        without, cost = dollars(self._price, control), dollars(self._price, policy)
        sums = self.sums
        close = told = 0.0
        if reported is not None:
            self._output += reported.output
            told = dollars(self._price, replace(reported, output=0))
            off = abs(control.cache_read - reported.cache_read)
            close = off <= 0.005 * reported.prompt
        self.sums = Sums(
            control=sums.control + without,
            policy=sums.policy + cost,
            worst=max(sums.worst, cost / without if without else 0.0),
            tokens_control=sums.tokens_control + control.prompt,
            tokens_policy=sums.tokens_policy + policy.prompt,
            requests=sums.requests + 1,
            close=sums.close + int(close),
            reported=sums.reported + told,
            removed=sums.removed + sum(change.why != "refresh" for change in plan.changes),
            again=0.0,
        )
