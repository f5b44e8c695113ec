"""One conversation's account: what its requests cost, and what they would have cost unmodified.

Two caches of the same provider, by one clock: one sees the requests as the client makes them, one
as they go on. So every decision knows what it costs, and what was saved is no guess.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from statetape.economics.cache import Cache, Entries, cache_of
from statetape.economics.gate import Cut, Offer, Rate, Standing, anchors, cuts, unsent
from statetape.economics.prices import Price, dollars, rates
from statetape.economics.prompt import Block, Prompt
from statetape.economics.reasons import NOT_ALLOWED, NOT_YET, NOTES_ONLY, NOTHING_STALE
from statetape.economics.regret import EXPECTED, Regret
from statetape.types import Replace, Usage

Maintain = Literal["eager", "paying", "never"]
EditMode = Literal["free", "tail", "drop_block"]
Horizon = int | Literal["lindy", "rent"]

_HOUR = 3600
_TRIED = 4  # of the cuts that pay, the best so many are looked at closely


class Terms(Struct, frozen=True, kw_only=True):
    """On what terms an account is kept.

    `eager`: every change at once (the paper). `never`: none. `paying`: those that are expected to
    pay within `horizon` requests: so many, as many as there have been (`lindy`), or as many as the
    change has waited for (`rent`). No request costs more than `cap` times what it would have cost
    unmodified, and the conversation never more than `limit` times; nor is any prompt longer.
    (Where the client goes back to a history from before a change, its old cache entries are of no
    use to us: then a request may cost more.) `edits`: what may be changed
    at all; `tail` is what was never sent. `regret` is the share of removals that is expected to be
    asked for again, before anything is known.
    """

    maintain: Maintain = "paying"
    edits: EditMode = "free"
    horizon: Horizon = 30
    cap: float = 2.0
    limit: float = 1.01
    regret: float = EXPECTED


class Decision(NamedTuple):
    """What to change in this request; `anchor`: so many blocks should end at a breakpoint more.

    `anchor` 0: none is needed. `why`: why nothing is changed, "" if something is or could not be.
    """

    changes: tuple[Replace, ...] = ()
    anchor: int = 0
    why: str = ""


class Paid(NamedTuple):
    """What one request is reckoned to cost: as it went on, and as it came."""

    planned: Usage
    unmodified: Usage


class Account:
    """Follows one conversation with one model. Without a price nothing can be said: use none."""

    def __init__(
        self, price: Price, terms: Terms, ours: Entries | None = None, theirs: Entries | None = None
    ) -> None:
        """`ours` and `theirs`: what the caches hold that other conversations share; None: none."""
        self.price = price
        self.terms = terms
        self.requests = 0
        self.spent = 0.0
        self.unmodified = 0.0
        self._ours: Cache = cache_of(price, ours)
        self._theirs: Cache = cache_of(price, theirs)
        self.regret = Regret(terms.regret)
        self._waited: dict[object, int] = {}

    def warm(self, unmodified: Prompt, prompt: Prompt) -> None:
        """The provider's cache holds this already, from before; without us and with."""
        self._theirs.answered(unmodified)
        self._ours.answered(prompt)

    def horizon(self, slot: object) -> float:
        """For how many requests a change of this slot is expected to count, from now on."""
        match self.terms.horizon:
            case "lindy":
                return self.requests
            case "rent":
                return self._waited.get(slot, 0)
            case int(number):
                return number

    def decided(
        self, unmodified: Prompt, prompt: Prompt, offers: Sequence[Offer], sent: int
    ) -> Decision:
        """What of the offers to carry out now.

        `unmodified` is the request as it came, `prompt` as it would go on without more changes,
        block for block; its first `sent` blocks were in requests before. About 0.2 ms for 2,000
        blocks and 100 offers.
        """
        if not offers or self.terms.maintain == "never":
            return Decision(why=NOTES_ONLY if offers else NOTHING_STALE)
        eager, tail = self.terms.maintain == "eager", self.terms.edits == "tail"
        if eager:
            fresh = unsent(offers, sent if tail else 0)
        else:
            fresh = self._fresh(unmodified, prompt, offers, sent)
        free = tuple(offer.change for offer in fresh)
        if tail:
            return Decision(free, why="" if fresh else NOT_ALLOWED)
        if eager:
            return Decision(free, self._anchor(prompt, min(offer.block for offer in offers)))
        held = [offer for offer in offers if offer.block < sent]
        for offer in held:
            slot = offer.change.slot
            self._waited[slot] = self._waited.get(slot, 0) + 1
        cut = self._cut(unmodified, changed(prompt, fresh), held)
        if cut is None:
            return Decision(free, why="" if fresh else NOT_YET)
        made = tuple(offer.change for offer in cut.offers)
        for change in made:
            self._waited.pop(change.slot, None)
        return Decision((*made, *free), self._needed(prompt, cut.kept))

    def answered(self, unmodified: Prompt, prompt: Prompt) -> Paid:
        """The request was answered. What it and the unmodified one are reckoned to cost."""
        self.requests += 1
        paid = Paid(self._ours.answered(prompt), self._theirs.answered(unmodified))
        self.spent += dollars(self.price, paid.planned)
        self.unmodified += dollars(self.price, paid.unmodified)
        return paid

    def read(self, prompt: Prompt, *, unmodified: bool = False) -> int:
        """The tokens that the provider would read of its cache: with us, or without."""
        return self._cache(unmodified=unmodified).expected(prompt).cache_read

    def blocks(self, prompt: Prompt, tokens: int, *, unmodified: bool = False) -> int:
        """How many blocks a read of so many tokens is; 0 where that is no number of whole ones."""
        live, totals = self._cache(unmodified=unmodified).live(prompt), prompt.totals
        return max((n for n in live if totals[n] == tokens), default=0)

    def affords(self, unmodified: Prompt, prompt: Prompt) -> bool:
        """Whether a request as it would go on keeps to the cap and the limit."""
        return dollars(self.price, self._ours.expected(prompt)) <= self._most(unmodified)

    def room(self, unmodified: Prompt, prompt: Prompt, most: int) -> int:
        """How many cl100k tokens of code there is money for at the end of a prompt; `most` at most.

        They are read by later requests, too. So it is what was taken away from the prompt, and half
        of the share that the limit allows of it, if this request keeps to the cap and the limit
        with all of them. For `eager` there is always room, for `never` none.
        """
        if self.terms.maintain != "paying":
            return most if self.terms.maintain == "eager" else 0
        spare = unmodified.tokens - prompt.tokens
        spare += int(unmodified.tokens * max(0.0, self.terms.limit - 1) / 2)
        if spare <= 0 or not prompt.blocks:
            return 0
        *before, last = prompt.blocks
        longer = replace(prompt, blocks=(*before, last._replace(tokens=last.tokens + spare)))
        if not self.affords(unmodified, longer):
            return 0
        return min(most, int(spare / self.price.tokens_prose))

    def charge(self, tokens: int) -> None:
        """Somebody read again, for so many input tokens, what a change had removed."""
        self.spent += tokens * self.price.input / 1e6

    def _cache(self, *, unmodified: bool) -> Cache:
        return self._theirs if unmodified else self._ours

    def _fresh(
        self, unmodified: Prompt, prompt: Prompt, offers: Sequence[Offer], sent: int
    ) -> tuple[Offer, ...]:
        """What to take in blocks that were never sent: true changes may add what was removed."""
        fresh = unsent(offers, sent, max(0, unmodified.tokens - prompt.tokens))
        if all(offer.saved >= 0 for offer in fresh):
            return fresh
        cost = dollars(self.price, self._ours.expected(changed(prompt, fresh)))
        return fresh if cost <= self._most(unmodified) else unsent(offers, sent, 0)

    def _most(self, unmodified: Prompt) -> float:
        """The dollars that a request may cost, by the cap and the limit."""
        without = dollars(self.price, self._theirs.expected(unmodified))
        limit = self.terms.limit * (self.unmodified + without) - self.spent
        return min(self.terms.cap * without, limit)

    def _cut(self, unmodified: Prompt, prompt: Prompt, held: Sequence[Offer]) -> Cut | None:
        """The best cut that keeps to the cap and the limit, or makes even this request cheaper."""
        if not held:
            return None
        now = self._ours.expected(prompt)
        found = cuts(self._standing(prompt, now.cache_read), held, self.rate(prompt), _TRIED)
        if not found:
            return None
        most = max(self._most(unmodified), dollars(self.price, now))
        anchors = {cut.kept: self._needed(prompt, cut.kept) for cut in found}
        for cut in found:
            after = marked(changed(prompt, cut.offers), anchors[cut.kept])
            if dollars(self.price, self._ours.expected(after)) <= most:
                return cut
        return None

    def _standing(self, prompt: Prompt, read: int) -> Standing:
        """How a prompt of which `read` tokens are read stands to the cache."""
        totals = prompt.totals
        live: Sequence[int] = self._ours.live(prompt)
        if self.price.caching == "explicit":
            live, _ = self._anchors(prompt, live)
        # What is read is rounded down, the blocks behind it are not.
        whole = (n for n in reversed(live) if totals[n] < read + self.price.step)
        return Standing(totals, next(whole, 0), live)

    def _anchors(self, prompt: Prompt, live: Sequence[int]) -> tuple[Sequence[int], bool]:
        return anchors(
            prompt,
            live,
            most=self.price.breakpoints,
            lookback=self.price.lookback,
            implicit=bool(self.price.implicit),
        )

    def _anchor(self, prompt: Prompt, block: int) -> int:
        """Where an anchor would let the provider read what stands before a changed block."""
        if self.price.caching != "explicit":
            return 0
        live = [n for n in self._ours.live(prompt) if n <= block]
        return self._needed(prompt, live[-1]) if live else 0

    def _needed(self, prompt: Prompt, kept: int) -> int:
        """`kept` if that needs a breakpoint of its own and one may be set, else 0."""
        if self.price.caching != "explicit" or not kept or prompt.blocks[kept - 1].ttl:
            return 0
        last = max(prompt.ends, default=0)
        return kept if kept < last and self._anchors(prompt, ())[1] else 0

    def rate(self, prompt: Prompt) -> Rate:
        """What a token of a prompt costs, by its size and the life that its end is written for."""
        rate = rates(self.price, prompt.tokens)
        ttl = next((block.ttl for block in reversed(prompt.blocks) if block.ttl), 0)
        write = rate.write_1h if ttl >= _HOUR else rate.write_5m
        return Rate(write / rate.input, rate.read / rate.input) if rate.input else Rate(0.0, 0.0)


def changed(prompt: Prompt, offers: Sequence[Offer]) -> Prompt:
    """The prompt with these changes made."""
    if not offers:
        return prompt
    blocks = list(prompt.blocks)
    for offer in offers:
        block = blocks[offer.block]
        digest = blake2b(
            offer.change.text.encode("utf-8", "surrogatepass"), digest_size=16
        ).digest()
        tokens = max(0, block.tokens - offer.saved)
        blocks[offer.block] = Block(digest, tokens, block.ttl, block.joined)
    return replace(prompt, blocks=tuple(blocks))


def marked(prompt: Prompt, anchor: int) -> Prompt:
    """The prompt with a breakpoint more, behind its first `anchor` blocks; 0: as it is.

    It lives as long as the next one behind it: a longer one must not follow a shorter one.
    """
    if not anchor:
        return prompt
    ttl = next((block.ttl for block in prompt.blocks[anchor:] if block.ttl), 0)
    blocks: list[Block] = list(prompt.blocks)
    blocks[anchor - 1] = blocks[anchor - 1]._replace(ttl=ttl)
    return replace(prompt, blocks=tuple(blocks))
