"""What the requests of one conversation cost, and what of a plan pays."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from statetape.bargain import Request, bargained, placed
from statetape.context.again import Again
from statetape.economics.account import Account, Decision, Paid, marked
from statetape.economics.cache import Cache, cache_of
from statetape.economics.lifetime import Lifetime, lasting
from statetape.economics.prices import dollars
from statetape.economics.prompt import Prompt
from statetape.session import MOST_BROUGHT, Session
from statetape.shim.sheet import EMPTY, Sheet, begun, changed, laid, maintained
from statetape.shim.unsent import sent_blocks
from statetape.types import Plan, Slot, Usage
from statetape.wire.raw import Path
from statetape.wire.reading import Reading

Ttl = Literal["client", "auto", 300, 3600]
# Requests of one conversation that are under way at a time.
_MOST = 8
# A read that is so much off, as a share, was of another prefix than was thought.
_OFF = 0.5


class _Asked(NamedTuple):
    """A request whose answer is waited for: as it came, as it went on, and without new changes."""

    unmodified: Prompt
    now: Prompt
    before: Prompt
    sheet: Sheet


class Payer:
    """Follows the requests of one conversation: decides what pays, and reckons what was paid.

    Not thread-safe: one request at a time, as its conversation.
    """

    def __init__(
        self,
        account: Account,
        *,
        ttl: Ttl,
        idle: float | None,
        observe: bool,
    ) -> None:
        """`ttl`: how long entries live, in seconds; as the client says, or as its pauses suggest.

        `costs`, after an answer: the dollars of its prompt unmodified, as the client says and with
        `auto`; None where a cache has one life only.

        `number`: that of the request that came last, by which its answer is known.

        `idle`: seconds since a request of this conversation was answered last, None: not known.
        `observe`: requests go on as they came, whatever is decided.
        """
        self.account = account
        self._ttl = ttl
        self._idle = idle
        self._observe = observe
        explicit = account.price.caching == "explicit" and not account.price.implicit
        self._lifetime = Lifetime(account.price) if explicit else None
        self._chosen = 0
        self._auto: Cache = cache_of(account.price)
        self.costs: tuple[float, float] | None = None
        self.decision = Decision()
        self._sheet = EMPTY
        # The tokens of blocks with a changed text that were sent, by digest.
        self._told: dict[bytes, int] = {}
        self.rewritten = self.harm = 0
        self._request = Request(Prompt("", 0.0, ()), Prompt("", 0.0, ()), 0, {})
        self.number = 0
        self._asked: dict[int, _Asked] = {}

    @property
    def ttl(self) -> int:
        """The life that the breakpoints of this request get, in seconds; 0: the client's own."""
        if self._lifetime is None or self._ttl == "client":
            return 0
        return self._chosen if self._ttl == "auto" else self._ttl

    @property
    def may_add(self) -> bool:
        """Whether there is money for words of ours: half of what the limit leaves, or savings."""
        account = self.account
        if account.terms.maintain == "eager":
            return True
        return account.spent <= account.unmodified * (1 + account.terms.limit) / 2

    def room(self, session: Session, original: Mapping[Slot, int]) -> int:
        """How many cl100k tokens of code there is money for, behind a result of this request."""
        unmodified = self._request.unmodified
        now = self._maintained(lasting(unmodified, self.ttl), session, original)
        return self.account.room(unmodified, marked(now, self.decision.anchor), MOST_BROUGHT)

    def regret(self, again: Iterable[Again]) -> None:
        """The agent asked for what had been taken away: it is charged to us, and not forgotten."""
        for each in again:
            self.account.regret.again(each.why)
            tokens = round(each.tokens * self.account.price.tokens_prose)
            self.account.charge(tokens)
            self.harm += tokens

    def open(
        self,
        reading: Reading,
        at: float,
        session: Session,
        original: Mapping[Slot, int],
        first: int,
    ) -> None:
        """A request comes; nothing more of it is changed yet.

        `at` is now, in seconds; `original` are the cl100k tokens of the texts as the client sends
        them; all turns before the `first` one may have been sent. What was held before is taken to
        be as large as it was reckoned to be then.
        """
        self._sheet = laid(reading, self._sheet, session.held, original, self.account.price)
        unmodified = self._sheet.prompt(reading, at)
        self.harm = 0
        if self._lifetime is not None:
            self._chosen = self._lifetime.chosen(unmodified)
        prompt = self._maintained(lasting(unmodified, self.ttl), session, original)
        sent = sent_blocks(reading, self._sheet.pieces, first)
        if not self.account.requests:
            self._resume(unmodified, prompt, reading)
        places = placed(self._sheet.places, session.ledger)
        self._request = Request(unmodified, prompt, sent, places)

    def chosen(self, plan: Plan, session: Session) -> Plan:
        """What of a plan is carried out now."""
        plan, self.decision = bargained(plan, self._request, self.account, session)
        return plan

    def closed(self, session: Session, original: Mapping[Slot, int]) -> Mapping[Path, int]:
        """The request is ready; where breakpoints are to be set, with their ttl in seconds."""
        unmodified, before, _, _ = self._request
        now = self._maintained(lasting(unmodified, self.ttl), session, original)
        anchor = self.decision.anchor
        if anchor and not self._sheet.pieces[anchor - 1].markable:
            anchor = 0
        now = marked(now, anchor)
        self.number += 1
        self._asked[self.number] = _Asked(unmodified, now, before, self._sheet)
        self._asked.pop(self.number - _MOST, None)
        self.rewritten = 0
        if self.decision.changes:
            lost = self.account.read(before) - self.account.read(now)
            self.rewritten = max(0, lost)
        return {self._sheet.pieces[anchor - 1].path: now.blocks[anchor - 1].ttl} if anchor else {}

    def passed(self, number: int) -> None:
        """The request of this number went on without what was chosen for it."""
        if (asked := self._asked.get(number)) is not None:
            self._asked[number] = asked._replace(now=asked.before)

    def answered(self, usage: Usage | None, number: int) -> Paid | None:
        """The answer to the request of this number has come.

        `usage` is as the provider reports it, None where it does not.

        What is reckoned of the request and of the unmodified one, None where none was asked.
        """
        asked = self._asked.pop(number, None)
        if asked is None:
            return None
        unmodified, now, _, sheet = asked
        if usage is not None and usage.prompt:
            unmodified, now = self._fit(unmodified, now, usage, sheet)
        paid = self.account.answered(unmodified, now)
        if self._lifetime is not None:
            auto = self._auto.answered(lasting(unmodified, self._chosen))
            price = self.account.price
            self.costs = dollars(price, paid.unmodified), dollars(price, auto)
        return paid

    def _resume(self, unmodified: Prompt, prompt: Prompt, reading: Reading) -> None:
        """A conversation that went on before we knew of it: its past may be in the cache.

        To take a warm cache for a cold one would cost what the whole cache is worth, so it is
        taken to be warm, unless we know that nothing was sent for longer than entries live.
        """
        spoken = (n for n, turn in enumerate(reversed(reading.turns)) if turn.role == "assistant")
        first = len(reading.turns) - next(spoken, len(reading.turns))
        sent = sent_blocks(reading, self._sheet.pieces, first)
        messages = unmodified.tools + unmodified.system
        if sent <= messages:
            return
        ttl = max((block.ttl for block in unmodified.blocks), default=0)
        if self._idle is not None and self._idle > ttl:
            return
        past = begun(unmodified, sent, ttl)
        self.account.warm(past, begun(prompt, sent, ttl))
        self._auto.answered(past)

    def _maintained(self, prompt: Prompt, session: Session, original: Mapping[Slot, int]) -> Prompt:
        now = maintained(prompt, self._sheet, session, original, self.account.price)
        return self._corrected(now)

    def _corrected(self, prompt: Prompt) -> Prompt:
        """The prompt with the sizes of changed texts as far as reports have told them."""
        blocks = (
            block._replace(tokens=self._told.get(block.digest, block.tokens))
            for block in prompt.blocks
        )
        return replace(prompt, blocks=tuple(blocks)) if self._told else prompt

    def _fit(
        self, unmodified: Prompt, now: Prompt, usage: Usage, sheet: Sheet
    ) -> tuple[Prompt, Prompt]:
        """Both prompts with the sizes of their blocks put right by what the provider reports."""
        sent = unmodified if self._observe else now
        before = list(sheet.sizes)
        fit = sheet.fit_total(sent, usage)
        read = self.account.read(fit, unmodified=self._observe)
        count = self.account.blocks(fit, read, unmodified=self._observe)
        off = usage.cache_read - read
        # What ends with a request is known to the token; what ends with the system prompt is not.
        if 0 < count <= sent.tools + sent.system and 0 < abs(off) < _OFF * read:
            after = list(sheet.sizes)
            sheet.fit_prefix(count, off, changed(unmodified, sent))
            fit = sheet.fit_total(sheet.resized(fit, after), usage, count)
        unmodified = sheet.resized(unmodified, before)
        if self._observe:
            return unmodified, sheet.resized(now, before)
        return unmodified, self._learnt(unmodified, fit, usage.prompt)

    def _learnt(self, unmodified: Prompt, now: Prompt, total: int) -> Prompt:
        """The prompt that came to so many tokens; from now on its changed texts are as large.

        What no new block can be larger or smaller by they are: the latest first, those last whose
        size was known.
        """
        blocks = list(now.blocks)
        rest = total - now.tokens
        ours = changed(unmodified, now)
        for n in sorted(ours, key=lambda n: (blocks[n].digest in self._told, -n)):
            part = max(rest, -blocks[n].tokens)
            blocks[n] = blocks[n]._replace(tokens=blocks[n].tokens + part)
            rest -= part
        self._told |= {blocks[n].digest: blocks[n].tokens for n in ours}
        return replace(now, blocks=tuple(blocks))
