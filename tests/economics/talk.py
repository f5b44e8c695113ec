"""A conversation that an account follows: a client that only appends, and a provider to the letter.

What requests cost is said by the literal model of the provider, not by the package's own caches;
that the account reckons the same is asserted at every request.
"""

from typing import NamedTuple

from tests.economics.literal import Anthropic, Json, OpenAI

from statetape.economics.account import Account, Decision, Terms, changed, marked
from statetape.economics.gate import Offer
from statetape.economics.prices import Price, Tier
from statetape.economics.prompt import Block, Prompt
from statetape.types import Replace, Slot, Usage

SYSTEM = 5000  # tokens, more than the least that is cached


def opus(*, read: float = 0.1, least: int = 1024, tiers: tuple[Tier, ...] = ()) -> Price:
    """An explicit cache, in dollars that are units: a million for a million tokens of input."""
    return Price(
        model="opus",
        input=1,
        output=0,
        write_5m=1.25,
        write_1h=2,
        read=read,
        tiers=tiers,
        caching="explicit",
        least=least,
        lookback=20,
        breakpoints=4,
    )


def gpt(*, step: int = 1) -> Price:
    """An automatic cache with writes for the price of input."""
    return Price(
        model="gpt",
        input=1,
        output=0,
        write_5m=1,
        write_1h=1,
        read=0.1,
        caching="automatic",
        step=step,
        lifetime=300,
    )


def doubled(above: int) -> Tier:
    return Tier(above=above, input=2, output=0, write_5m=2.5, write_1h=4, read=0.2)


ANY = Terms(cap=1e9, limit=1e9)
"""Neither cap nor limit: what pays is done."""


class Turn(NamedTuple):
    """One request: what was decided, what went on, and what both of them cost in units."""

    decision: Decision
    unmodified: Prompt
    prompt: Prompt
    planned: float
    without: float
    read: int

    @property
    def changed(self) -> list[int]:
        """The messages that were changed."""
        return sorted(int(change.slot.id) for change in self.decision.changes)


class Talk:
    """The messages are numbered as they come; the client's last breakpoint is always at the end."""

    def __init__(
        self,
        price: Price,
        terms: Terms | None = None,
        *,
        ttls: tuple[int, int] = (300, 300),
        marks: int = 1,
    ) -> None:
        """`ttls`: of the system prompt and of the end; `marks`: of the last ends so many stay."""
        self.price = price
        self.account = Account(price, terms or Terms())
        self.ttls = ttls
        self.marks = marks
        self.at = 0.0
        self.model = "opus"
        self.tools = 0
        self.system = SYSTEM
        self.messages: list[tuple[int, int]] = []  # number, tokens
        self.pending: dict[int, list[tuple[str, int, float]]] = {}
        self.turns: list[Turn] = []
        self._count = 0
        self._sent = 0
        self._ends: list[int] = []
        self._kept: dict[int, tuple[Replace, int]] = {}
        self._caches = (_literal(price), _literal(price))

    def grow(self, *tokens: int) -> list[int]:
        """New messages of so many tokens; their numbers."""
        new = [(self._count + n, size) for n, size in enumerate(tokens)]
        self._count += len(new)
        self.messages += new
        return [number for number, _ in new]

    def offer(self, number: int, saved: int, risk: float = 0.0, text: str = "gone") -> None:
        """A message could be changed from now on; what was offered of it before still can."""
        self.pending.setdefault(number, []).append((text, saved, risk))

    def compact(self, tokens: int) -> None:
        """The client goes on with a summary."""
        self.messages.clear()
        self.pending.clear()
        self._kept.clear()
        self._ends.clear()
        self._sent = 0
        self.grow(tokens)

    def request(self, after: float = 1.0) -> Turn:
        """The next request, so many seconds after the last one."""
        self.at += after
        self._ends = [*self._ends, len(self.messages)][-self.marks :]
        unmodified = self._prompt()
        prompt = changed(unmodified, [self._now(*kept) for kept in self._kept.items()])
        offers = [
            Offer(
                Replace(self._slot(number), text, "drop"),
                self._block(number),
                saved,
                self.account.horizon(self._slot(number)),
                risk,
            )
            for number, found in self.pending.items()
            for text, saved, risk in found
        ]
        sent = 1 + self._sent if self.turns else 0
        decision = self.account.decided(unmodified, prompt, offers, sent)
        for change in decision.changes:
            number = int(change.slot.id)
            (saved,) = [s for text, s, _ in self.pending.pop(number) if text == change.text]
            before = self._kept[number][1] if number in self._kept else 0
            self._kept[number] = change, before + saved
        prompt = changed(unmodified, [self._now(*kept) for kept in self._kept.items()])
        prompt = marked(prompt, decision.anchor)
        self._sent = len(self.messages)
        self.turns.append(self._answered(decision, unmodified, prompt))
        return self.turns[-1]

    def _answered(self, decision: Decision, unmodified: Prompt, prompt: Prompt) -> Turn:
        paid = self.account.answered(unmodified, prompt)
        ours, theirs = (
            cache.answer(literal(asked))
            for cache, asked in zip(self._caches, (prompt, unmodified), strict=True)
        )
        assert reported(ours) == paid.planned
        assert reported(theirs) == paid.unmodified
        cost = units(self.price, ours), units(self.price, theirs)
        return Turn(decision, unmodified, prompt, *cost, ours["cache_read_input_tokens"])

    def _prompt(self) -> Prompt:
        first, last = self.ttls if self.price.caching == "explicit" else (0, 0)
        blocks = [Block(b"system", self.system, first)]
        for n, (number, tokens) in enumerate(self.messages, 1):
            blocks.append(Block(b"%d" % number, tokens, last if n in self._ends else 0))
        if self.tools:
            blocks.insert(0, Block(b"tools %d" % self.tools, 0))
        return Prompt(self.model, self.at, tuple(blocks), tools=bool(self.tools), system=1)

    def _block(self, number: int) -> int:
        before = 2 if self.tools else 1
        return before + [each for each, _ in self.messages].index(number)

    def _now(self, number: int, kept: tuple[Replace, int]) -> Offer:
        return Offer(kept[0], self._block(number), kept[1], 0)

    @staticmethod
    def _slot(number: int) -> Slot:
        return Slot(str(number), "result")


def begun(terms: Terms = ANY, *, turns: int = 10, tokens: int = 1000, **how: object) -> Talk:
    """So many requests with one more message each, a second apart."""
    made = Talk(opus(), terms, **how)  # type: ignore[arg-type]
    for _ in range(turns):
        made.grow(tokens)
        made.request()
    return made


def ends(prompt: Prompt) -> dict[int, int]:
    """The breakpoints: how many blocks are before each, and its ttl."""
    return {n: block.ttl for n, block in enumerate(prompt.blocks, 1) if block.ttl}


def literal(prompt: Prompt) -> Json:
    """A prompt as the literal models take it."""
    layers = ["tools"] * prompt.tools + ["system"] * prompt.system
    layers += ["messages"] * (len(prompt.blocks) - len(layers))
    return {
        "model": prompt.model,
        "at": prompt.at,
        "settings": prompt.settings,
        "blocks": [
            {
                "layer": layer,
                "content": block.digest,
                "tokens": block.tokens,
                "ttl": block.ttl or None,
                "joined": block.joined,
            }
            for layer, block in zip(layers, prompt.blocks, strict=True)
        ],
    }


def reported(usage: Json) -> Usage:
    written = usage["cache_creation"]
    return Usage(
        usage["input_tokens"],
        usage["cache_read_input_tokens"],
        written["ephemeral_5m_input_tokens"],
        written["ephemeral_1h_input_tokens"],
    )


def units(price: Price, usage: Json) -> float:
    """What a request costs, by the dearest tier that its prompt is above."""
    split: dict[str, int] = usage["cache_creation"]
    five, hour = split["ephemeral_5m_input_tokens"], split["ephemeral_1h_input_tokens"]
    fresh: int = usage["input_tokens"]
    read: int = usage["cache_read_input_tokens"]
    total = fresh + read + five + hour
    rate = max(
        [price, *(tier for tier in price.tiers if total > tier.above)], key=lambda row: row.input
    )
    return fresh * rate.input + read * rate.read + five * rate.write_5m + hour * rate.write_1h


def _literal(price: Price) -> Anthropic | OpenAI:
    if price.caching == "explicit":
        return Anthropic(price.least, price.lookback, price.breakpoints)
    return OpenAI(price.least, price.step, price.lifetime)
