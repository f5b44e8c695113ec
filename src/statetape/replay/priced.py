"""A replayed conversation that pays for what it changes."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from statetape.bargain import Request, bargained, offered, placed
from statetape.context.added import Brought
from statetape.economics.account import Account, Decision, Terms, marked
from statetape.economics.bill import CLOSE
from statetape.economics.fit import estimated
from statetape.economics.lifetime import MINUTES, Lifetime, lasting
from statetape.economics.prices import Price, Prices, dollars, edit_mode, price_of, rates
from statetape.economics.prompt import Prompt
from statetape.replay.foreseeing import Foreseeing
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Sent
from statetape.replay.timeline import Cost
from statetape.session import MOST_BROUGHT, Session
from statetape.types import Edit, Plan, Replace, Slot, Step, Usage


class Sums(Struct, frozen=True, kw_only=True):
    """What one session came to under some terms: dollars of all prompts, without the output.

    `reported` by the provider's own figures, over the requests that have them (`control_told` is
    control over the same). Tokens are those of all prompts, the model's own; `output` are those
    that the model said. `worst` is the request that costs most compared with what it would have.
    Of `told` requests the log says what was used, of `close` of them the cache read was foreseen
    to 0.5 % of the prompt. `removed` counts the texts that were taken away (a refresh takes none),
    `again` are the dollars if each of them was asked for again: written once more, by a request
    that reads the whole prompt. `asked` counts those that the recording does ask for again, which
    it does without us, too. `notes` and `pointers` are how many there were, `regions` how many of
    code were brought in, of so many tokens by cl100k (`brought`).
    """

    control: float = 0.0
    policy: float = 0.0
    worst: float = 0.0
    tokens_control: int = 0
    tokens_policy: int = 0
    requests: int = 0
    told: int = 0
    close: int = 0
    reported: float = 0.0
    control_told: float = 0.0
    output: int = 0
    removed: int = 0
    again: float = 0.0
    asked: int = 0
    notes: int = 0
    pointers: int = 0
    regions: int = 0
    brought: int = 0


class Payment(Struct, frozen=True, kw_only=True):
    """How a replay reckons: by what `prices`, on what `terms`.

    `price` None: that of the session's own model. `ttl`: seconds that the client's breakpoints
    write for; None: as the log says; `auto`: ours write for as long as the gaps so far have made
    the better choice. Two bounds that only hindsight knows: `foresight`, the true number of
    requests to come is the horizon; `free`, all that is stale goes at once and no cache breaks.
    `notes`: the tokens that a note may have at most, 0: there are none. `dedupe`: results that
    were never sent point to what is shown already.
    `lawful`: only what the model lets be edited is, whatever the terms say.
    """

    prices: Prices
    terms: Terms = Terms()
    price: Price | None = None
    ttl: int | None = None
    auto: bool = False
    rewrite_inputs: bool = False
    foresight: bool = False
    free: bool = False
    notes: int = 0
    dedupe: bool = False
    lawful: bool = False

    def priced(
        self, session: Session, models: Sequence[str], prompts: dict[object, Prompts]
    ) -> "Priced | None":
        """A session that pays; None where no model of the recording has a price.

        Tokens are always counted as the recording's own model counts them. `prompts` are those
        of the recording so far, by how they count and keep.
        """
        price = self.price_for(models)
        if price is None:
            return None
        count = self._own(models) or price
        marks = price.caching == "explicit" and not price.implicit
        ttl = self.ttl if marks else 0
        key = count.tokens_prose, count.tokens_shell, count.tokens_block, ttl
        if key not in prompts:
            prompts[key] = Prompts(count, ttl)
        price = replace(
            price,
            tokens_prose=count.tokens_prose,
            tokens_shell=count.tokens_shell,
            tokens_block=count.tokens_block,
        )
        terms = replace(self.terms, edits=edit_mode(price)) if self.lawful else self.terms
        alike = (count.caching, count.implicit) == (price.caching, price.implicit)
        return Priced(
            session,
            price,
            replace(self, terms=terms),
            prompts[key],
            as_told=alike and self.ttl is None,
        )

    def price_for(self, models: Sequence[str]) -> Price | None:
        """The price of a recording of these models; None: nobody knows it."""
        return self._own(models) if self.price is None else self.price

    def _own(self, models: Sequence[str]) -> Price | None:
        rows = (price_of(model, self.prices) for model in models)
        return next((row for row in rows if row is not None), None)


class Priced:
    """One session on some terms, and its account."""

    def __init__(
        self,
        session: Session,
        price: Price,
        payment: Payment,
        prompts: Prompts,
        *,
        as_told: bool = True,
    ) -> None:
        """`prompts` may be shared: they say what the client sends. `as_told`: see `cost`."""
        self.session = session
        self.sums = Sums()
        self._account = (
            Foreseeing(price, payment.terms) if payment.foresight else Account(price, payment.terms)
        )
        self._payment = payment
        self._prompts = prompts
        self._as_told = as_told
        self.price = price
        self._lifetime = Lifetime(price) if payment.auto else None
        self._at: float | None = None
        self.brought: Brought | None = None

    def said(self, step: Step) -> None:
        """A step has come to its end; of its own edits nobody has to tell the agent."""
        if self._payment.notes:
            self.session.said(action for action in step.actions if isinstance(action, Edit))

    def send(self, sent: Sent, control: Session, left: int) -> Plan:
        """One request leaves; `control` holds what the client sends. The plan carried out.

        `left` requests are still to come before the client forgets all, for who may know that.
        """
        unmodified = self._prompts.prompt(sent, control.held)
        self._warm(sent, unmodified.at)
        if isinstance(self._account, Foreseeing):
            self._account.left = left
        held, ledger = self.session.held, self.session.ledger
        prompt = self._prompts.changed(unmodified, held, ledger)
        places = placed(self._prompts.blocks, ledger)
        request = Request(unmodified, prompt, self._prompts.sent, places)
        decision = Decision()
        gone = 0

        def chosen(plan: Plan) -> Plan:
            nonlocal decision, gone
            if self._payment.free:
                plan = self._shortest(plan, request)
            elif self._payment.terms.maintain == "eager":
                # Also what stands in no block: a request whose log shows less than was sent.
                _, decision = bargained(plan, request, self._account, self.session)
            else:
                plan, decision = bargained(plan, request, self._account, self.session)
            gone = sum(self._size(change.slot, request) for change in _removals(plan))
            return plan

        plan = self.session.request(chosen)
        self._pull(request, plan)
        after = self._prompts.changed(unmodified, held, ledger, bare=self._payment.free)
        after = marked(after, decision.anchor)
        if self._lifetime is not None:
            longer = lasting(after, self._lifetime.chosen(after))
            after = longer if self._account.affords(unmodified, longer) else after
        paid = self._account.answered(unmodified, after)
        self._count(paid.unmodified, paid.planned, sent.usage)
        self._regret(len(_removals(plan)), gone, after)
        return plan

    def _pull(self, request: Request, plan: Plan) -> None:
        """What never-sent text allows."""
        session, sums = self.session, self.sums
        unsent = [slot for slot, block in request.blocks.items() if block >= request.sent]
        pointers = 0
        self.brought = None
        if self._payment.dedupe:
            session.restore()
            pointers = len(session.dedupe(unsent))
        if plan.retrieved:
            now = self._prompts.changed(request.unmodified, session.held, session.ledger)
            most = self._account.room(request.unmodified, now, MOST_BROUGHT)
            self.brought = session.retrieve(unsent, plan.retrieved, most)
        note = session.note(unsent, self._payment.notes) if self._payment.notes else None
        asked = len(session.asked_again())
        self.sums = replace(
            sums,
            asked=sums.asked + asked,
            notes=sums.notes + (note is not None),
            pointers=sums.pointers + pointers,
            regions=sums.regions + (len(self.brought.regions) if self.brought else 0),
            brought=sums.brought + (self.brought.record.tokens if self.brought else 0),
        )

    def _size(self, slot: Slot, request: Request) -> int:
        """The model's tokens of a text: its block's, where that is all of it."""
        if slot.side == "added":
            record = self.session.held[slot]
            return estimated(self.price, record.tokens, record.kind)
        at = request.blocks.get(slot)
        return 0 if at is None else request.prompt.blocks[at].tokens

    def cost(self, price: Price | None = None) -> Cost:
        """What all requests so far come to, what the model said included.

        `price`: another one of its kind (`alike.kind`).
        """
        sums, price = self.sums, price or self.price
        scale = price.input / self.price.input if self.price.input else 1.0
        said = sums.output * price.output / 1e6
        reported = sums.reported * scale + said if sums.told else None
        told = sums.control_told * scale + said
        return Cost(
            price.model,
            reported,
            sums.control * scale + said,
            sums.policy * scale + said,
            told / reported - 1 if reported and self._as_told else None,
        )

    def _warm(self, sent: Sent, at: float) -> None:
        """Others keep the system prompt in the cache, so that it outlasts every pause."""
        if self._prompts.shared and (self._at is None or at - self._at > MINUTES):
            opening = self._prompts.opening(sent.model)
            self._account.warm(opening, opening)
        self._at = at

    def _shortest(self, plan: Plan, request: Request) -> Plan:
        """Of each record's changes the one that saves most, if it saves anything."""
        best: dict[int, tuple[int, Replace]] = {}
        for offer in offered(plan, request, self._account, self.session):
            if offer.saved > best.get(offer.block, (0,))[0]:
                best[offer.block] = offer.saved, offer.change
        return replace(plan, changes=tuple(change for _, change in best.values()))

    def _count(self, control: Usage, policy: Usage, reported: Usage | None) -> None:
        without, cost = dollars(self.price, control), dollars(self.price, policy)
        sums = self.sums
        told = reported is not None and reported.prompt > 0
        close, paid = False, 0.0
        if reported is not None and told:
            paid = dollars(self.price, replace(reported, output=0))
            close = abs(control.cache_read - reported.cache_read) <= CLOSE * reported.prompt
        self.sums = replace(
            sums,
            control=sums.control + without,
            policy=sums.policy + cost,
            worst=max(sums.worst, cost / without if without else 0.0),
            tokens_control=sums.tokens_control + control.prompt,
            tokens_policy=sums.tokens_policy + policy.prompt,
            requests=sums.requests + 1,
            told=sums.told + told,
            close=sums.close + close,
            reported=sums.reported + paid,
            control_told=sums.control_told + (without if told else 0.0),
            output=sums.output + (reported.output if reported is not None else 0),
        )

    def _regret(self, removed: int, gone: int, prompt: Prompt) -> None:
        if removed:
            rate, unit = self._account.rate(prompt), rates(self.price, prompt.tokens).input / 1e6
            again = unit * (gone * rate.write + removed * prompt.tokens * rate.read)
            self.sums = replace(
                self.sums, removed=self.sums.removed + removed, again=self.sums.again + again
            )


def _removals(plan: Plan) -> list[Replace]:
    return [change for change in plan.changes if change.why != "refresh"]
